#pragma once
/// Where the things of a part stand that is used somewhere, perhaps mirrored: with R the axes of the
/// part and S the reflection (the identity without one)
///
///   p -> at + R S p,   axes A of a body or a marker -> R S A S on the world, S A S on a body.
///
/// A reflected body keeps its reference frame right-handed: what stands at s on it stands at S s.
/// `parts` writes `placed: [{at: ..., mirror: y}, ...]`, the innermost part first.

#include <optional>
#include <string>
#include <vector>

#include "kardan/model/blueprint.h"

namespace kardan {

class Placement {
 public:
  /// None without one; faults are reported.
  Placement() = default;
  Placement(const FieldValue* placed, int dimension, const std::string& owner,
            const ValueReader& reader);

  bool empty() const { return steps_.empty(); }
  /// A frame in the world.
  void place(Vec3d& at, Mat3d& R) const;
  /// A frame on a body: it is reflected, not moved.
  void reflect(Vec3d& s, Mat3d& R) const;
  /// A body whose start and geometry are known as the part has them.
  void place(BodyData& body) const;

 private:
  struct Step {
    Vec3d at;
    Mat3d R = Mat3d::identity();
    double angle = 0;  // planar
    Vec3d S{1, 1, 1};  // the diagonal of the reflection
    double hand = 1;   // its determinant
  };
  std::vector<Step> steps_;
};

/// `turned: x`: half a turn of a frame about its own axis, as a mirrored part needs; the identity
/// where the value is null.
Mat3d half_turn(const FieldValue* turned, const std::string& owner, Diagnostics& diagnostics);

std::vector<FieldDoc> placement_field_docs();

}  // namespace kardan
