#pragma once
/// The bodies that a function of a model moves with, and whether it is a length or an angle.

#include "kardan/system/names.h"

namespace kardan {

struct MovedBodies {
  std::vector<int> bodies;  ///< ascending
  RowUnit unit = RowUnit::angle;
};

MovedBodies moved_bodies(const Names& names, const Expression& function);

}  // namespace kardan
