#pragma once
/// Translational spring-damper-actuator (TSDA).

#include "kardan/elements/catalog.h"
#include "kardan/elements/forces/law_fields.h"

namespace kardan {

struct SpringDamper {
  static constexpr std::string_view type = "spring_damper";
  static constexpr std::string_view summary =
      "Translational spring-damper-actuator along the line between two points.";
  static constexpr std::string_view equation =
      "Q = phi dl/dp,  phi = -k (l - l0) - c l' - preload + force(t) + law(length, rate, t), "
      "positive pushing apart";
  static constexpr std::string_view example = R"(bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, -0.6]}
forces:
  spring: {type: spring_damper, between: [ground, rod], stiffness: 200, damping: 5, free_length: 0.5}
)";
  static constexpr Category category = Category::force;
  static constexpr int frames = 2;
  static constexpr Reflection reflection = Reflection::along;
  [[nodiscard]] Glyph drawn() const {
    return stiffness == 0 && damping > 0 ? Glyph::damper : Glyph::coil;
  }
  double stiffness = 0, damping = 0, free_length = 0, preload = 0;
  Signal force, law;

  template <class F>
  static void fields(F& f) {
    f("stiffness", &SpringDamper::stiffness,
      {.unit = "N/m", .doc = "k", .check = Check::non_negative});
    f("damping", &SpringDamper::damping,
      {.unit = "N s/m", .doc = "c", .check = Check::non_negative});
    f("free_length", &SpringDamper::free_length,
      {.unit = "m", .doc = "l0", .check = Check::non_negative});
    f("preload", &SpringDamper::preload, {.unit = "N", .doc = "tension at the free length"});
    f("force", &SpringDamper::force,
      {.unit = "N", .doc = "actuator force, positive pushing apart"});
    f("law", &SpringDamper::law,
      {.unit = "N",
       .doc = "force law over length, rate, t and any quantities, positive pushing apart"});
  }

  template <int D>
  void build(Builder<D>& b) const {
    const Length<D> l = b.length(0, 1);
    b.line_force(l, 0, 1, SpringLaw{stiffness, damping, free_length, preload, force.of_time()});
    add_actuation(b, "force", force, l, InputKind::force);
    add_law(b, law, "length", l, -1, InputKind::force);
  }
};

}  // namespace kardan
