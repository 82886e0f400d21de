#pragma once
/// Rotational spring-damper-actuator (RSDA).

#include "kardan/elements/catalog.h"
#include "kardan/elements/forces/law_fields.h"

namespace kardan {

struct RotationalSpringDamper {
  static constexpr std::string_view type = "rotational_spring_damper";
  static constexpr std::string_view summary =
      "Rotational spring-damper-actuator on the continuous angle about the z axis of A.";
  static constexpr std::string_view equation =
      "Q = tau dphi/dp,  tau = -k (phi - phi0) - c phi' - preload + torque(t) + law(angle, rate, "
      "t)";
  static constexpr std::string_view example = R"(bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  hinge: {type: revolute, between: [ground, rod]}
forces:
  coil: {type: rotational_spring_damper, between: [ground, rod], stiffness: 20, damping: 0.5}
)";
  static constexpr Category category = Category::force;
  static constexpr int frames = 2;
  static constexpr Reflection reflection = Reflection::about;
  static constexpr Glyph glyph = Glyph::torsion;
  double stiffness = 0, damping = 0, free_angle = 0, preload = 0;
  Signal torque, law;

  template <class F>
  static void fields(F& f) {
    using R = RotationalSpringDamper;
    f("stiffness", &R::stiffness, {.unit = "N m/rad", .doc = "k", .check = Check::non_negative});
    f("damping", &R::damping, {.unit = "N m s/rad", .doc = "c", .check = Check::non_negative});
    f("free_angle", &R::free_angle, {.unit = "rad", .doc = "phi0"});
    f("preload", &R::preload, {.unit = "N m", .doc = "opposing torque at the free angle"});
    f("torque", &R::torque, {.unit = "N m", .doc = "actuator torque on B about z of A"});
    f("law", &R::law,
      {.unit = "N m", .doc = "torque law on B over angle, rate, t and any quantities"});
  }

  template <int D>
  void build(Builder<D>& b) const {
    const Angle<D> phi = b.angle(0, 1);
    const int counter = b.count_turns(phi, 0, 1);
    b.line_force(phi, 0, 1, SpringLaw{stiffness, damping, free_angle, preload, torque.of_time()},
                 counter);
    add_actuation(b, "torque", torque, phi, InputKind::torque);
    add_law(b, law, "angle", phi, counter, InputKind::torque);
  }
};

}  // namespace kardan
