# The C library of HDF5, without MPI: defines HDF5C::HDF5C. Installed beside KardanConfig.cmake, since a
# static Kardan leaves the linking to the program that uses it. Where HDF5 can be linked into a program
# (Debian: libhdf5.a), HDF5C::Static does so: only what is used then comes along, while the shared library
# loads clients of networks (libcurl, Kerberos, LDAP) for storage that Kardan never opens.
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

find_library(HDF5C_ARCHIVE NAMES libhdf5_serial.a libhdf5.a PATH_SUFFIXES hdf5/serial)
find_library(SZIP_LIBRARY NAMES sz)
mark_as_advanced(HDF5C_ARCHIVE SZIP_LIBRARY)
if(HDF5C_FOUND AND HDF5C_ARCHIVE AND NOT TARGET HDF5C::Static)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_INCLUDES ${HDF5C_INCLUDE_DIR})
  set(CMAKE_REQUIRED_LIBRARIES ${HDF5C_ARCHIVE} z m ${CMAKE_DL_LIBS})
  if(SZIP_LIBRARY)
    list(APPEND CMAKE_REQUIRED_LIBRARIES ${SZIP_LIBRARY})
  endif()
  check_cxx_source_compiles("#include <hdf5.h>
    int main() { return H5Fopen(\"x\", H5F_ACC_RDONLY, H5P_DEFAULT) < 0; }" HDF5C_ARCHIVE_LINKS)
  if(HDF5C_ARCHIVE_LINKS)
    add_library(HDF5C::Static UNKNOWN IMPORTED)
    list(REMOVE_AT CMAKE_REQUIRED_LIBRARIES 0)
    set_target_properties(HDF5C::Static PROPERTIES
      IMPORTED_LOCATION "${HDF5C_ARCHIVE}" INTERFACE_INCLUDE_DIRECTORIES "${HDF5C_INCLUDE_DIR}"
      INTERFACE_LINK_LIBRARIES "${CMAKE_REQUIRED_LIBRARIES}")
  endif()
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()
