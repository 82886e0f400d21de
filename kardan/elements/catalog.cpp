#include "kardan/elements/catalog.h"

#include "kardan/elements/contacts/sphere_plane.h"
#include "kardan/elements/contacts/sphere_sphere.h"
#include "kardan/elements/contacts/tyre.h"
#include "kardan/elements/forces/actuator.h"
#include "kardan/elements/forces/applied_force.h"
#include "kardan/elements/forces/applied_torque.h"
#include "kardan/elements/forces/bushing.h"
#include "kardan/elements/forces/controller.h"
#include "kardan/elements/forces/drag.h"
#include "kardan/elements/forces/pivot_bushing.h"
#include "kardan/elements/forces/rotational_spring_damper.h"
#include "kardan/elements/forces/spring_damper.h"
#include "kardan/elements/joints/constant_velocity.h"
#include "kardan/elements/joints/cylindrical.h"
#include "kardan/elements/joints/distance.h"
#include "kardan/elements/joints/driver.h"
#include "kardan/elements/joints/fixed.h"
#include "kardan/elements/joints/gear.h"
#include "kardan/elements/joints/lock.h"
#include "kardan/elements/joints/planar.h"
#include "kardan/elements/joints/point_on_line.h"
#include "kardan/elements/joints/point_on_plane.h"
#include "kardan/elements/joints/prismatic.h"
#include "kardan/elements/joints/rack_and_pinion.h"
#include "kardan/elements/joints/revolute.h"
#include "kardan/elements/joints/screw.h"
#include "kardan/elements/joints/spherical.h"
#include "kardan/elements/joints/universal.h"
#include "kardan/elements/nonholonomic/knife_edge.h"
#include "kardan/elements/nonholonomic/rolling_disc.h"
#include "kardan/elements/nonholonomic/rolling_sphere.h"
#include "kardan/elements/sensors/coordinate_sensor.h"
#include "kardan/elements/sensors/expression_sensor.h"
#include "kardan/elements/sensors/point_sensor.h"
#include "kardan/elements/sensors/reaction_sensor.h"

namespace kardan {

std::string_view to_string(Category c) {
  switch (c) {
    case Category::joint:
      return "joint";
    case Category::driver:
      return "driver";
    case Category::nonholonomic:
      return "nonholonomic";
    case Category::force:
      return "force";
    case Category::contact:
      return "contact";
    case Category::sensor:
      return "sensor";
  }
  return "";
}

const Catalog& Catalog::builtin() {
  static const Catalog catalog = [] {
    Catalog c;
    c.add(describe<Fixed>());
    c.add(describe<Revolute>());
    c.add(describe<Prismatic>());
    c.add(describe<Cylindrical>());
    c.add(describe<Spherical>());
    c.add(describe<Universal>());
    c.add(describe<Planar>());
    c.add(describe<PointOnLine>());
    c.add(describe<PointOnPlane>());
    c.add(describe<ConstantVelocity>());
    c.add(describe<Rod>());
    c.add(describe<Screw>());
    c.add(describe<RackAndPinion>());
    c.add(describe<Gear>());
    c.add(describe<Driver>());
    c.add(describe<Lock>());
    c.add(describe<KnifeEdge>());
    c.add(describe<RollingDisc>());
    c.add(describe<RollingSphere>());
    c.add(describe<SpringDamper>());
    c.add(describe<RotationalSpringDamper>());
    c.add(describe<Bushing>());
    c.add(describe<PivotBushing>());
    c.add(describe<AppliedForce>());
    c.add(describe<AppliedTorque>());
    c.add(describe<Drag>());
    c.add(describe<Actuator>());
    c.add(describe<Controller>());
    c.add(describe<SpherePlane>());
    c.add(describe<SphereSphere>());
    c.add(describe<Tyre>());
    c.add(describe<CoordinateSensor>());
    c.add(describe<PointSensor>());
    c.add(describe<ReactionSensor>());
    c.add(describe<ExpressionSensor>());
    return c;
  }();
  return catalog;
}

const ElementType* Catalog::find(std::string_view name) const {
  for (const ElementType& t : types_)
    if (t.name == name) return &t;
  return nullptr;
}

std::vector<std::string> Catalog::names() const {
  std::vector<std::string> names;
  for (const ElementType& t : types_) names.emplace_back(t.name);
  return names;
}

}  // namespace kardan
