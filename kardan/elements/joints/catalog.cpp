#include "kardan/elements/catalog.h"

#include "kardan/elements/joints/axis.h"
#include "kardan/elements/joints/belt.h"
#include "kardan/elements/joints/cam.h"
#include "kardan/elements/joints/constant_velocity.h"
#include "kardan/elements/joints/constraint.h"
#include "kardan/elements/joints/coupler.h"
#include "kardan/elements/joints/cylindrical.h"
#include "kardan/elements/joints/distance.h"
#include "kardan/elements/joints/driver.h"
#include "kardan/elements/joints/fixed.h"
#include "kardan/elements/joints/gear.h"
#include "kardan/elements/joints/lock.h"
#include "kardan/elements/joints/motor.h"
#include "kardan/elements/joints/planar.h"
#include "kardan/elements/joints/point_on_line.h"
#include "kardan/elements/joints/point_on_plane.h"
#include "kardan/elements/joints/prismatic.h"
#include "kardan/elements/joints/rack_and_pinion.h"
#include "kardan/elements/joints/revolute.h"
#include "kardan/elements/joints/screw.h"
#include "kardan/elements/joints/spherical.h"
#include "kardan/elements/joints/taut_cable.h"
#include "kardan/elements/joints/universal.h"

namespace kardan {
namespace {

template <class... Joint>
bool is_one_of(std::string_view name) {
  return ((name == Joint::type) || ...);
}

}  // namespace

bool has_axis(std::string_view joint) {
  return is_one_of<Revolute, Prismatic, Cylindrical, Universal, Planar, PointOnLine, PointOnPlane,
                   ConstantVelocity, Screw>(joint);
}

void add_joints(Catalog& c) {
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
  c.add(describe<Coupler>());
  c.add(describe<Belt>());
  c.add(describe<Chain>());
  c.add(describe<Driver>());
  c.add(describe<Lock>());
  c.add(describe<Motor>());
  c.add(describe<Cam>());
  c.add(describe<TautCable>());
  c.add(describe<WrittenConstraint>());
}

}  // namespace kardan
