# KLU of SuiteSparse: defines KLU::KLU. Installed beside KardanConfig.cmake, since a static Kardan
# leaves the linking of KLU to the program that uses it.
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
find_library(KLU_LIBRARY klu)
mark_as_advanced(KLU_INCLUDE_DIR KLU_LIBRARY)
if(KLU_INCLUDE_DIR)
  file(STRINGS ${KLU_INCLUDE_DIR}/klu.h KLU_VERSION REGEX "^#define KLU_(MAIN|SUB|SUBSUB)_VERSION ")
  string(REGEX REPLACE "[^0-9;]" "" KLU_VERSION "${KLU_VERSION}")
  string(REPLACE ";" "." KLU_VERSION "${KLU_VERSION}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KLU REQUIRED_VARS KLU_LIBRARY KLU_INCLUDE_DIR
  VERSION_VAR KLU_VERSION)

if(KLU_FOUND AND NOT TARGET KLU::KLU)
  add_library(KLU::KLU UNKNOWN IMPORTED)
  set_target_properties(KLU::KLU PROPERTIES
    IMPORTED_LOCATION "${KLU_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${KLU_INCLUDE_DIR}")
endif()
