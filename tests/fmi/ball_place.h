#pragma once

#include <string>

namespace kardan::fmi {

/// The library of the FMU in fmus/ball.cpp.
const std::string& ball_library();

}  // namespace kardan::fmi
