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
    const auto law = lift_law(b);
    if (!law) return;
    const auto& names = coordinates.words;
    if (!are_coordinates(b, names)) return;
    with_coordinate(b, names[0], 0, 1, [&](auto phi, RowUnit unit_1, const char*, int counter_1) {
      with_coordinate(b, names[1], 2, 3, [&](auto y, RowUnit unit, const char*, int counter_2) {
        show(b, phi, unit_1, "angle", "rate", 0, 1, counter_1);
        show(b, y, unit, "follower", "follower_rate", 2, 3, counter_2);
        const double at = b.start_value(phi, 0, 1);
        const double start = from == "start" ? b.start_value(y, 2, 3) - (*law)(at) : base;
        press(b, phi, unit_1, y, unit, *law, start);
      });
    });
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

  template <int D, class Phi, class Y>
  void press(Builder<D>& b, const Phi& phi, RowUnit unit_1, const Y& y, RowUnit unit,
             const TimeFunction& law, double start) const {
    Wording w{{{"phi", quantity_called(b.name() + ".angle")},
               {"phi1", quantity_called(b.name() + ".rate")},
               {"y", quantity_called(b.name() + ".follower")},
               {"y1", quantity_called(b.name() + ".follower_rate")},
               {"base", Expression::constant(start)},
               {"k", Expression::constant(stiffness)},
               {"c", Expression::constant(damping)}},
              {{"lift", std::make_shared<const TimeFunction>(law)},
               {"slope", std::make_shared<const Slope>(law)}}};
    if (stiffness == 0) {
      b.formula_row(b.formula("lift", written("y - lift(phi) - base", w), lift.where()),
                    "lift of the follower", unit);
      return;
    }
    const Expression N = written(
        "if(lift(phi) + base - y > 0, max(0, k*(lift(phi) + base - y) + c*(slope(phi)*phi1 - y1)), "
        "0)",
        w);
    w.words.emplace_back("N", N);
    const auto kind = [](RowUnit u) {
      return u == RowUnit::angle ? InputKind::torque : InputKind::force;
    };
    b.formula_quantity("contact", unit == RowUnit::angle ? "N m" : "N",
                       b.formula("contact", N, lift.where()));
    b.formula_force(b.formula("contact", N, lift.where()), y, 2, 3, kind(unit));
    b.formula_force(b.formula("lift", written("-N*slope(phi)", w), lift.where()), phi, 0, 1,
                    kind(unit_1));
  }
};

}  // namespace kardan
