# The C library of HDF5, without MPI: defines HDF5C::HDF5C. Installed beside KardanConfig.cmake, since a
# static Kardan leaves the linking to the program that uses it.
find_path(HDF5C_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(HDF5C_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
mark_as_advanced(HDF5C_INCLUDE_DIR HDF5C_LIBRARY)
if(HDF5C_INCLUDE_DIR)
  file(STRINGS ${HDF5C_INCLUDE_DIR}/H5public.h HDF5C_VERSION
    REGEX "^#define +H5_VERS_(MAJOR|MINOR|RELEASE) ")
  string(REGEX REPLACE "#define +H5_VERS_[A-Z]+ +([0-9]+)[^;]*" "\\1" HDF5C_VERSION
    "${HDF5C_VERSION}")
  string(REPLACE ";" "." HDF5C_VERSION "${HDF5C_VERSION}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HDF5C REQUIRED_VARS HDF5C_LIBRARY HDF5C_INCLUDE_DIR
  VERSION_VAR HDF5C_VERSION)

if(HDF5C_FOUND AND NOT TARGET HDF5C::HDF5C)
  add_library(HDF5C::HDF5C UNKNOWN IMPORTED)
  set_target_properties(HDF5C::HDF5C PROPERTIES
    IMPORTED_LOCATION "${HDF5C_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${HDF5C_INCLUDE_DIR}")
endif()
