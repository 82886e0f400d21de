#pragma once
/// Rheonomic driver: 1 row.

#include "kardan/elements/catalog.h"
#include "kardan/elements/joints/coordinate.h"
#include "kardan/elements/joints/own_coordinates.h"

namespace kardan {

struct Driver {
  static constexpr std::string_view type = "driver";
  static constexpr std::string_view summary =
      "Prescribes a relative coordinate as a function of time.";
  static constexpr std::string_view equation =
      "y(p) - motion(t) = 0 (from: start: y(p) - y(start) - motion(t)),  y = x, y, z of B in frame "
      "A, "
      "distance, or angle about z of A";
  static constexpr std::string_view example = R"(bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  hinge: {type: revolute, between: [ground, rod]}
drivers:
  motor: {type: driver, between: [ground, rod], coordinate: angle, motion: 2*t}
)";
  static constexpr Category category = Category::driver;
  static constexpr int frames = 2;
  static constexpr Reflection reflection = Reflection::coordinate;
  std::string coordinate = "angle";
  std::string from = "zero";
  TimeFunction motion;

  template <class F>
  static void fields(F& f) {
    f("coordinate", &Driver::coordinate,
      {.doc = "the driven coordinate", .choices = coordinate_names()});
    f("motion", &Driver::motion,
      {.unit = "m or rad",
       .doc = "function of time t",
       .need = Need::required,
       .variables = {"t"},
       .smoothness = 2});
    f("from", &Driver::from,
      {.doc = "count the motion from zero, or from the given start", .choices = {"zero", "start"}});
  }

  template <int D>
  void build(Builder<D>& b) const {
    with_coordinate(b, coordinate, 0, 1, [&](auto y, RowUnit unit, const char* label, int counter) {
      const double start = from == "start" ? b.start_value(y, 0, 1) : 0;
      const int row = b.row(std::string("driven ") + label, unit, -start);
      b.measure(row, y, 0, 1, 1, counter);
      b.driver(row, motion);
      const bool angle = unit == RowUnit::angle;
      show(b, y, unit, angle ? "angle" : "position", angle ? "rate" : "speed", 0, 1, counter);
    });
  }
};

}  // namespace kardan
