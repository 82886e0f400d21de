#pragma once
/// Force and torque of a joint.

#include "kardan/elements/catalog.h"

namespace kardan {

struct ReactionSensor {
  static constexpr std::string_view type = "reaction";
  static constexpr std::string_view summary =
      "Force and torque a joint exerts on its second body, in the world, about its frame there: "
      "NAME.fx .fy .fz .tx .ty .tz.";
  static constexpr std::string_view equation = "-(G' lambda) of the joint's rows";
  static constexpr std::string_view example = R"(bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  hinge: {type: revolute, between: [ground, rod]}
sensors:
  bearing: {type: reaction, joint: hinge}
)";
  static constexpr Category category = Category::sensor;
  static constexpr int frames = 0;
  static constexpr Reflection reflection = Reflection::along;
  std::string joint;

  template <class F>
  static void fields(F& f) {
    f("joint", &ReactionSensor::joint, {.doc = "name of the joint", .need = Need::required});
  }

  template <int D>
  void build(Builder<D>& b) const {
    b.reaction_sensor(joint);
  }
};

}  // namespace kardan
