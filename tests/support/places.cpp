#include "support/places.h"

namespace kardan {

const std::string& source_folder() {
  static const std::string folder = KARDAN_SOURCE_DIR;
  return folder;
}

const std::string& models_folder() {
  static const std::string folder = source_folder() + "/models";
  return folder;
}

const std::string& test_data() {
  static const std::string folder = source_folder() + "/tests/data";
  return folder;
}

const std::string& built_program() {
  static const std::string path = KARDAN_PROGRAM;
  return path;
}

}  // namespace kardan
