#pragma once
/// What acts along the free coordinate of a joint: spring, damping, limits, friction, backlash.
/// Limits and friction are regularised here, and say so; exact ones take the place of
/// `regularised_limits` and `regularised_friction`.

#include "kardan/elements/catalog.h"
#include "kardan/elements/joints/own_coordinates.h"
#include "kardan/elements/written.h"

namespace kardan {

struct JointFields {
  double spring = 0, rest = 0, damping = 0, backlash = 0;
  std::vector<double> limits;
  double limit_stiffness = 0, limit_damping = 0, friction = 0, friction_speed = 1e-3;

  template <class F>
  static void fields(F& f) {
    using J = JointFields;
    f("spring", &J::spring,
      {.unit = "N/m or N m/rad", .doc = "stiffness towards `rest`", .check = Check::non_negative});
    f("rest", &J::rest, {.unit = "m or rad", .doc = "coordinate at which the spring is free"});
    f("damping", &J::damping,
      {.unit = "N s/m or N m s/rad", .doc = "viscous", .check = Check::non_negative});
    f("backlash", &J::backlash,
      {.unit = "m or rad",
       .doc = "free play of the spring: it acts beyond half of it on either side",
       .check = Check::non_negative});
    f("limits", &J::limits, {.unit = "m or rad", .doc = "[least, greatest]: stiff, not exact"});
    f("limit_stiffness", &J::limit_stiffness,
      {.unit = "N/m or N m/rad", .doc = "of the stops", .check = Check::non_negative});
    f("limit_damping", &J::limit_damping,
      {.unit = "N s/m or N m s/rad",
       .doc = "of the stops, while they press",
       .check = Check::non_negative});
    f("friction", &J::friction,
      {.unit = "N or N m",
       .doc = "Coulomb friction, regularised: friction tanh(rate/friction_speed)",
       .check = Check::non_negative});
    f("friction_speed", &J::friction_speed,
      {.unit = "m/s or rad/s", .doc = "below which it creeps", .check = Check::positive});
  }

  bool any() const {
    return spring > 0 || damping > 0 || backlash > 0 || !limits.empty() || friction > 0;
  }

  /// Along the coordinate y of frames 0 and 1, shown as NAME.value and NAME.rate.
  template <int D, class M>
  void act(Builder<D>& b, const M& y, RowUnit unit, const std::string& value,
           const std::string& rate, int counter) const {
    const Along along{unit == RowUnit::angle ? InputKind::torque : InputKind::force,
                      quantity_called(b.name() + "." + value),
                      quantity_called(b.name() + "." + rate)};
    const double k = backlash > 0 ? 0 : spring;
    if (k > 0 || damping > 0) b.line_force(y, 0, 1, SpringLaw{k, damping, rest, 0, {}}, counter);
    if (backlash > 0) play(b, y, along);
    if (!limits.empty()) regularised_limits(b, y, along);
    if (friction > 0) regularised_friction(b, y, along);
  }

 private:
  struct Along {
    InputKind kind;
    Expression value, rate;
  };

  template <int D, class M>
  void play(Builder<D>& b, const M& y, const Along& along) const {
    if (spring == 0)
      return b.fail("joint.backlash", "backlash without a spring",
                    "give `spring`: what acts beyond it");
    const Expression F = written("-k*(y - rest - clamp(y - rest, -half, half))",
                                 {{{"k", Expression::constant(spring)},
                                   {"y", along.value},
                                   {"rest", Expression::constant(rest)},
                                   {"half", Expression::constant(0.5 * backlash)}}});
    b.formula_force(b.formula("backlash", F), y, 0, 1, along.kind);
  }

  template <int D, class M>
  void regularised_limits(Builder<D>& b, const M& y, const Along& along) const {
    if (limits.size() != 2 || !(limits[0] < limits[1]))
      return b.fail("joint.limits", "limits are two numbers, the least first", "limits: [-1, 1]");
    if (!(limit_stiffness > 0))
      return b.fail("joint.limits",
                    "limits without limit_stiffness: they are stiff springs, not exact stops",
                    "give limit_stiffness, so that the load that you expect presses the stop by as "
                    "little as you allow");
    const Expression F =
        written("if(y > hi, -max(0, k*(y - hi) + c*y1), if(y < lo, max(0, k*(lo - y) - c*y1), 0))",
                {{{"y", along.value},
                  {"y1", along.rate},
                  {"lo", Expression::constant(limits[0])},
                  {"hi", Expression::constant(limits[1])},
                  {"k", Expression::constant(limit_stiffness)},
                  {"c", Expression::constant(limit_damping)}}});
    b.formula_force(b.formula("limits", F), y, 0, 1, along.kind);
    b.remark("its limits are stiff springs, which give way, not exact stops");
  }

  template <int D, class M>
  void regularised_friction(Builder<D>& b, const M& y, const Along& along) const {
    const Expression F =
        written("-F*tanh(y1/slow)", {{{"F", Expression::constant(friction)},
                                      {"y1", along.rate},
                                      {"slow", Expression::constant(friction_speed)}}});
    b.formula_force(b.formula("friction", F), y, 0, 1, along.kind);
    b.remark("its friction is smoothed, so that it creeps and never sticks");
  }
};

}  // namespace kardan
