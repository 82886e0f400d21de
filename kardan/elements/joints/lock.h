#pragma once
/// Coordinate lock: 1 row.

#include "kardan/elements/catalog.h"
#include "kardan/elements/joints/coordinate.h"

namespace kardan {

struct Lock {
  static constexpr std::string_view type = "lock";
  static constexpr std::string_view summary = "Locks a relative coordinate at a value.";
  static constexpr std::string_view equation =
      "y(p) - value = 0,  y = x, y, z of B in frame A, distance, or angle about z of A";
  static constexpr std::string_view example = R"(bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  hinge: {type: revolute, between: [ground, rod]}
drivers:
  brake: {type: lock, between: [ground, rod], coordinate: angle}
)";
  static constexpr Category category = Category::driver;
  static constexpr int frames = 2;
  static constexpr Reflection reflection = Reflection::coordinate;
  static constexpr bool does_work = false;
  std::string coordinate = "angle";
  std::string hold = "start";
  double value = 0;

  template <class F>
  static void fields(F& f) {
    f("coordinate", &Lock::coordinate,
      {.doc = "the locked coordinate", .choices = coordinate_names()});
    f("hold", &Lock::hold,
      {.doc = "lock at the given start, or at 'value'", .choices = {"start", "value"}});
    f("value", &Lock::value, {.unit = "m or rad", .doc = "used with hold: value"});
  }

  template <int D>
  void build(Builder<D>& b) const {
    if (hold == "start" && value != 0)
      return b.fail("lock.value", "a value is given, but it is locked at the start",
                    "write hold: value, or leave 'value' out");
    with_coordinate(b, coordinate, 0, 1, [&](auto y, RowUnit unit, const char* label, int counter) {
      const double locked = hold == "start" ? b.start_value(y, 0, 1) : value;
      b.measure(b.row(std::string("locked ") + label, unit, -locked), y, 0, 1, 1, counter);
    });
  }
};

}  // namespace kardan
