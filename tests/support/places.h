#pragma once

#include <string>

// Where tests find the repository's files. Functions rather than definitions of the compiler, so
// that a checkout elsewhere compiles the same text (and ccache knows it).
namespace kardan {

const std::string& source_folder();  // the repository
const std::string& models_folder();  // models/
const std::string& test_data();      // tests/data/
const std::string& built_program();  // kardan, as built

}  // namespace kardan
