#pragma once
/// First-order actuator.

#include "kardan/elements/catalog.h"
#include "kardan/elements/joints/coordinate.h"

namespace kardan {

struct Actuator {
  static constexpr std::string_view type = "actuator";
  static constexpr std::string_view summary =
      "First-order actuator: a force or torque on a relative coordinate that follows a command "
      "with a lag.";
  static constexpr std::string_view equation = "Q = r dy/dp,  time_constant r' = command(t) - r";
  static constexpr std::string_view example = R"(bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 1]}
forces:
  ram: {type: actuator, between: [ground, rod], coordinate: distance, time_constant: 0.1, command: 20}
)";
  static constexpr Category category = Category::force;
  static constexpr int frames = 2;
  static constexpr Glyph glyph = Glyph::line;
  std::string coordinate = "distance";
  double time_constant = 0, initial = 0;
  TimeFunction command;

  template <class F>
  static void fields(F& f) {
    f("coordinate", &Actuator::coordinate,
      {.doc = "the coordinate it acts on", .choices = coordinate_names()});
    f("time_constant", &Actuator::time_constant,
      {.unit = "s", .doc = "lag", .check = Check::positive, .need = Need::required});
    f("command", &Actuator::command,
      {.unit = "N or N m",
       .doc = "function of time t",
       .need = Need::required,
       .variables = {"t"}});
    f("initial", &Actuator::initial, {.unit = "N or N m", .doc = "r at the start"});
  }

  template <int D>
  void build(Builder<D>& b) const {
    with_coordinate(b, coordinate, 0, 1, [&](auto y, RowUnit, const char*, int counter) {
      b.line_force(y, 0, 1, LagLaw{time_constant, command}, counter, initial);
    });
  }
};

}  // namespace kardan
