# CVODE and IDA of SUNDIALS: defines CVODE::CVODE and IDA::IDA. Their libraries hold the serial vector, the dense matrix and
# solver and the fixed-point iteration too. The package's own configuration file is not used: it
# asks for MPI, PETSc and hypre, which they do not need. Installed beside KardanConfig.cmake.
find_path(CVODE_INCLUDE_DIR cvode/cvode.h)
find_library(CVODE_LIBRARY sundials_cvode)
find_library(IDA_LIBRARY sundials_ida)
mark_as_advanced(CVODE_INCLUDE_DIR CVODE_LIBRARY IDA_LIBRARY)
if(CVODE_INCLUDE_DIR)
  file(STRINGS ${CVODE_INCLUDE_DIR}/sundials/sundials_config.h CVODE_VERSION
    REGEX "^#define SUNDIALS_VERSION \"")
  string(REGEX REPLACE "^.*\"(.*)\".*$" "\\1" CVODE_VERSION "${CVODE_VERSION}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CVODE REQUIRED_VARS CVODE_LIBRARY IDA_LIBRARY CVODE_INCLUDE_DIR
  VERSION_VAR CVODE_VERSION)

if(CVODE_FOUND AND NOT TARGET CVODE::CVODE)
  add_library(CVODE::CVODE UNKNOWN IMPORTED)
  set_target_properties(CVODE::CVODE PROPERTIES
    IMPORTED_LOCATION "${CVODE_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${CVODE_INCLUDE_DIR}")
  add_library(IDA::IDA UNKNOWN IMPORTED)
  set_target_properties(IDA::IDA PROPERTIES
    IMPORTED_LOCATION "${IDA_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${CVODE_INCLUDE_DIR}")
endif()
