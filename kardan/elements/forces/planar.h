#pragma once
/// Planar models take the planar part of fields written for space; the rest must be zero, it is
/// never ignored.

#include "kardan/elements/builder.h"
#include "kardan/elements/field.h"

namespace kardan {

inline void fail_out_of_plane(Builder<2>& b, const std::string& what) {
  b.fail("planar.out_of_plane", what + " leaves the plane of a planar model",
         "set it to zero, or make the model spatial");
}
/// The z component of a vector is zero.
inline bool in_the_plane(Builder<2>& b, const std::string& key, const Vec3d& v) {
  if (v.z == 0) return true;
  fail_out_of_plane(b, "'" + key + "' has a z component, which");
  return false;
}
/// Only the z component of a quantity about axes is not zero.
inline bool about_the_normal(Builder<2>& b, const std::string& key, const Vec3d& v) {
  if (v.x == 0 && v.y == 0) return true;
  fail_out_of_plane(b, "'" + key + "' has an x or y component, which");
  return false;
}
/// A load is zero.
inline bool is_absent(Builder<2>& b, const std::string& key, const Signal& f) {
  if (f.is_zero()) return true;
  fail_out_of_plane(b, "'" + key + "'");
  return false;
}

}  // namespace kardan
