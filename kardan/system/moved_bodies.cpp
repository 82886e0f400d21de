#include "kardan/system/moved_bodies.h"

#include <algorithm>

namespace kardan {

MovedBodies moved_bodies(const Names& names, const Expression& function) {
  MovedBodies out;
  for (const std::string& name : function.names()) {
    const auto q = names.find_quantity(name);
    if (!q) continue;
    // Where the unit of a formula is not known, it is more often a length.
    if (names.quantity_unit(*q) == "m" || q->kind == Quantity::Kind::expression)
      out.unit = RowUnit::length;
    for (const int column : names.quantity_columns(*q))
      out.bodies.push_back(names.body_of_column(column));
  }
  std::sort(out.bodies.begin(), out.bodies.end());
  out.bodies.erase(std::unique(out.bodies.begin(), out.bodies.end()), out.bodies.end());
  return out;
}

}  // namespace kardan
