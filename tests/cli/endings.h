#pragma once
/// What tests of the program share: how it ends, and where its models are.

#include <string>

#include "support/places.h"

namespace kardan::test {

inline constexpr int finished = 0, failed = 1, bad_input = 2;
inline const std::string models = models_folder() + "/";

}  // namespace kardan::test
