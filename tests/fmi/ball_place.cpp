#include "fmi/ball_place.h"

namespace kardan::fmi {

const std::string& ball_library() {
  static const std::string path = BALL_LIBRARY;
  return path;
}

}  // namespace kardan::fmi
