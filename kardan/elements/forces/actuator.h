#pragma once
/// First-order actuator.

#include "kardan/elements/catalog.h"
#include "kardan/elements/joints/coordinate.h"
#include "kardan/elements/written.h"

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
  static constexpr Reflection reflection = Reflection::coordinate;
  static constexpr Glyph glyph = Glyph::line;
  std::string coordinate = "distance";
  double time_constant = 0, initial = 0;
  Signal command;

  template <class F>
  static void fields(F& f) {
    f("coordinate", &Actuator::coordinate,
      {.doc = "the coordinate it acts on", .choices = coordinate_names()});
    f("time_constant", &Actuator::time_constant,
      {.unit = "s", .doc = "lag", .check = Check::positive, .need = Need::required});
    f("command", &Actuator::command,
      {.unit = "N or N m", .doc = "function of t and any quantities", .need = Need::required});
    f("initial", &Actuator::initial, {.unit = "N or N m", .doc = "r at the start"});
  }

  template <int D>
  void build(Builder<D>& b) const {
    with_coordinate(b, coordinate, 0, 1, [&](auto y, RowUnit unit, const char*, int counter) {
      if (!command.of_motion()) {
        b.line_force(y, 0, 1, LagLaw{time_constant, command.of_time()}, counter, initial);
        return;
      }
      const Expression state = quantity_called(b.name() + ".state");
      b.formula_state(
          b.formula("command",
                    written("(command - r)/T", {{{"command", command.expression()},
                                                 {"r", state},
                                                 {"T", Expression::constant(time_constant)}}}),
                    command.where()),
          "state", initial);
      b.formula_force(b.formula("state", state), y, 0, 1,
                      unit == RowUnit::angle ? InputKind::torque : InputKind::force);
    });
  }
};

}  // namespace kardan
