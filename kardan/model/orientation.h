#pragma once
/// What a user may write for the orientation of a body, a marker or a shape.

#include "kardan/elements/field.h"

namespace kardan {

/// In the plane `angle`; in space one of the others.
struct OrientationFields {
  double angle = 0;                // [rad]
  std::vector<double> quaternion;  // w, x, y, z
  Vec3d rotation;                  // [rad] rotation vector
  Vec3d z, x;                      // axes in the parent frame
};

template <class T, class F>
void orientation_fields(F& f) {
  f("angle", &T::angle, {.unit = "rad", .doc = "planar: orientation"});
  f("quaternion", &T::quaternion, {.doc = "spatial: orientation as [w, x, y, z]"});
  f("rotation", &T::rotation, {.unit = "rad", .doc = "spatial: orientation as rotation vector"});
  f("z", &T::z,
    {.doc = "spatial: direction of the z axis in the parent frame", .check = Check::non_zero});
  f("x", &T::x,
    {.doc = "spatial: direction of the x axis (made perpendicular to z)",
     .check = Check::non_zero});
}

inline bool is_zero(const Vec3d& a) {
  return a.x == 0 && a.y == 0 && a.z == 0;
}

/// A planar vector has no third component: one that is not zero would be ignored.
void check_flat(const Vec3d& a, int dimension, const std::string& what, const SourceLocation& where,
                Diagnostics& diagnostics);

/// The axes as columns, in the parent frame.
Mat3d orientation(const OrientationFields& o, int dimension, const std::string& owner,
                  const SourceLocation& where, Diagnostics& diagnostics);

}  // namespace kardan
