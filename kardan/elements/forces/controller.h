#pragma once
/// PID controller on a relative coordinate, with its output as auxiliary variable.

#include "kardan/elements/catalog.h"
#include "kardan/elements/joints/coordinate.h"

namespace kardan {

struct Controller {
  static constexpr std::string_view type = "controller";
  static constexpr std::string_view summary =
      "PID controller on a relative coordinate, with its output as auxiliary variable.";
  static constexpr std::string_view equation =
      "Q = w dy/dp,  0 = kp e + kd e' + ki r - w,  r' = e,  e = reference(t) - y";
  static constexpr std::string_view example = R"(bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  hinge: {type: revolute, between: [ground, rod]}
forces:
  servo: {type: controller, between: [ground, rod], kp: 50, kd: 5, ki: 10, reference: sin(t)}
)";
  static constexpr Category category = Category::force;
  static constexpr int frames = 2;
  static constexpr Reflection reflection = Reflection::coordinate;
  static constexpr Glyph glyph = Glyph::line;
  std::string coordinate = "angle";
  double kp = 0, kd = 0, ki = 0;
  TimeFunction reference;

  template <class F>
  static void fields(F& f) {
    f("coordinate", &Controller::coordinate,
      {.doc = "the controlled coordinate", .choices = coordinate_names()});
    f("kp", &Controller::kp, {.unit = "N/m or N m/rad", .doc = "proportional gain"});
    f("kd", &Controller::kd, {.unit = "N s/m or N m s/rad", .doc = "gain of the rate"});
    f("ki", &Controller::ki, {.unit = "N/(m s) or N m/(rad s)", .doc = "gain of the integral"});
    f("reference", &Controller::reference,
      {.unit = "m or rad",
       .doc = "function of time t",
       .need = Need::required,
       .variables = {"t"}});
  }

  template <int D>
  void build(Builder<D>& b) const {
    with_coordinate(b, coordinate, 0, 1, [&](auto y, RowUnit, const char*, int counter) {
      b.line_force(y, 0, 1, PidLaw{kp, kd, ki, reference}, counter);
    });
  }
};

}  // namespace kardan
