#pragma once
/// Cam and follower by the law of their lift.

#include "kardan/elements/catalog.h"
#include "kardan/elements/joints/coordinate.h"
#include "kardan/elements/joints/own_coordinates.h"
#include "kardan/elements/slope.h"
#include "kardan/elements/written.h"

namespace kardan {

struct Cam {
  static constexpr std::string_view type = "cam";
  static constexpr std::string_view summary =
      "Cam on one joint, its follower on another: the lift as a function of the cam's angle. The "
      "contact is kept, or with a stiffness it lifts off. What rolls or slides on the contour does "
      "not matter to a law of lift; friction is left out.";
  static constexpr std::string_view equation =
      "kept: y = lift(phi) + base;  else N = max(0, k d + c d') where d = lift(phi) + base - y > "
      "0, "
      "on y, and -N lift'(phi) on phi";
  static constexpr std::string_view example = R"(dimension: 2
bodies:
  cam: {mass: 1, inertia: 0.01}
  follower: {mass: 0.3, inertia: 0.001, position: [0, 0.1]}
joints:
  shaft: {type: revolute, bodies: [ground, cam], at: [0, 0]}
  guide: {type: prismatic, bodies: [ground, follower], at: [0, 0.1], axis: [0, 1]}
drivers:
  contour: {type: cam, joints: [shaft, guide], lift: 0.01*(1 - cos(angle))}
)";
  static constexpr Category category = Category::driver;  // with a stiffness it gives energy away
  static constexpr int frames = 4;
  static constexpr Reflection reflection = Reflection::joints;
  static constexpr Glyph glyph = Glyph::none;
  WordList coordinates;
  Signal lift;
  double base = 0, stiffness = 0, damping = 0;
  std::string from = "start";

  template <class F>
  static void fields(F& f) {
    f("lift", &Cam::lift,
      {.unit = "m or rad",
       .doc = "of the follower, an expression of `angle` or a table [[angle, lift], ...]",
       .need = Need::required,
       .smoothness = 2});
    f("from", &Cam::from,
      {.doc = "count the follower's coordinate from where it touches at the given start, or from "
              "zero",
       .choices = {"start", "zero"}});
    f("base", &Cam::base, {.unit = "m or rad", .doc = "added to the lift, with from: zero"});
    f("stiffness", &Cam::stiffness,
      {.unit = "N/m or N m/rad",
       .doc = "of a contact that may lift off; 0: it is kept",
       .check = Check::non_negative});
    f("damping", &Cam::damping,
      {.unit = "N s/m or N m s/rad", .doc = "of such a contact", .check = Check::non_negative});
    f("coordinates", &Cam::coordinates,
      {.doc = "of the two joints, x, y, z, distance or angle; their free ones where not given"});
  }

  template <int D>
  void build(Builder<D>& b) const {
    if (coordinates.words.size() != 2)
      return b.fail("coupler.coordinates", "wanted two coordinates", "coordinates: [angle, x]");
    if (base != 0 && from == "start")
      return b.fail("coupler.offset", "a base is given, but it is counted from the start",
                    "write from: zero");
    if (damping > 0 && stiffness == 0)
      return b.fail("cam.damping", "a contact that is kept has no damping", "give a stiffness");
    const auto contour = lift_law(b);
    if (!contour) return;
    const auto& names = coordinates.words;
    if (!are_coordinates(b, names)) return;
    const auto phi = chosen_coordinate(b, names[0], 0, 1);
    const auto y = chosen_coordinate(b, names[1], 2, 3);
    if (!phi || !y) return;
    show(b, phi->measure, phi->unit, "angle", "rate", 0, 1, phi->counter);
    show(b, y->measure, y->unit, "follower", "follower_rate", 2, 3, y->counter);
    const double at = b.start_value(phi->measure, 0, 1);
    const double start = from == "start" ? b.start_value(y->measure, 2, 3) - (*contour)(at) : base;
    press(b, *phi, *y, *contour, start);
  }

 private:
  template <int D>
  std::optional<TimeFunction> lift_law(Builder<D>& b) const {
    if (!lift.of_motion()) {
      if (lift.of_time().table() || lift.of_time().is_constant()) return lift.of_time();
      b.fail("cam.lift", "the lift is a function of t", "write it as an expression of `angle`");
      return std::nullopt;
    }
    for (const std::string& name : lift.of_motion()->names())
      if (name != "angle") {
        b.fail("cam.lift", "'" + name + "' stands in the lift",
               "write it as an expression of `angle`");
        return std::nullopt;
      }
    return TimeFunction::make(
               written("lift", {{{"lift", *lift.of_motion()->inlined([](std::string_view) {
                                    static const Expression t = quantity_called("t");
                                    return &t;
                                  })}}}))
        .value();
  }

  template <int D>
  void press(Builder<D>& b, const Coordinate<D>& phi, const Coordinate<D>& y,
             const TimeFunction& contour, double start) const {
    Wording w{{{"phi", quantity_called(b.name() + ".angle")},
               {"phi1", quantity_called(b.name() + ".rate")},
               {"y", quantity_called(b.name() + ".follower")},
               {"y1", quantity_called(b.name() + ".follower_rate")},
               {"base", Expression::constant(start)},
               {"k", Expression::constant(stiffness)},
               {"c", Expression::constant(damping)}},
              {{"lift", std::make_shared<const TimeFunction>(contour)},
               {"slope", std::make_shared<const Slope>(contour)}}};
    if (stiffness == 0) {
      b.formula_row(b.formula("lift", written("y - lift(phi) - base", w), lift.where()),
                    "lift of the follower", y.unit);
      return;
    }
    const Expression N = written(
        "if(lift(phi) + base - y > 0, max(0, k*(lift(phi) + base - y) + c*(slope(phi)*phi1 - y1)), "
        "0)",
        w);
    w.words.emplace_back("N", N);
    const auto kind = [](const Coordinate<D>& c) {
      return c.turns() ? InputKind::torque : InputKind::force;
    };
    b.formula_quantity("contact", y.turns() ? "N m" : "N", b.formula("contact", N, lift.where()));
    b.formula_force(b.formula("contact", N, lift.where()), y.measure, 2, 3, kind(y));
    b.formula_force(b.formula("lift", written("-N*slope(phi)", w), lift.where()), phi.measure, 0, 1,
                    kind(phi));
  }
};

}  // namespace kardan
