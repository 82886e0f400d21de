#include "kardan/run/versions.h"

namespace kardan {

std::vector<std::pair<std::string, std::string>> versions() {
#ifdef __clang__
  const std::string compiler = "Clang " __clang_version__;
#else
  const std::string compiler = "GCC " __VERSION__;
#endif
  return {{"kardan", KARDAN_VERSION}, {"compiler", compiler},      {"eigen", EIGEN_VERSION},
          {"klu", KLU_VERSION},       {"sundials", CVODE_VERSION}, {"hdf5", HDF5_VERSION}};
}

}  // namespace kardan
