#pragma once
/// Generators of motions of a model as a whole and of its parts, and which sums of them its
/// equations do not see.

#include <memory>
#include <span>
#include <vector>

#include "kardan/system/system.h"

namespace kardan {

/// The numbers of a vector in space or in the plane, from place `at` on.
inline Vec3d part_in_space(std::span<const double> x, int at, int dimension) {
  return {x[at], x[at + 1], dimension == 3 ? x[at + 2] : 0.0};
}
inline void add_in_space(std::span<double> x, int at, int dimension, const Vec3d& value) {
  for (int k = 0; k < dimension; ++k) x[at + k] += value[k];
}

struct Generator {
  /// A displacement, a turn or a push (a common velocity) of a whole mechanism, a turn of a body
  /// about its own axis, a displacement of a coordinate of equations without bodies, or time.
  enum class Kind { shift, turn, push, spin, coordinate, time } kind = Kind::shift;
  std::vector<int> bodies = {};  ///< that it moves
  Vec3d axis = {};               ///< shift, turn, push: in the world; spin: in the body
  int column = 0;                ///< of a coordinate
};

/// All generators of a system: a unit is a length of the model, a radian, or the time in which the
/// model moves by its length.
class Group {
 public:
  Group(const System& system, const State& state);

  const std::vector<Generator>& all() const { return all_; }
  int size() const { return static_cast<int>(all_.size()); }
  /// [s] The last one is time.
  double time(int i) const;
  /// The tangent of the positions along generator i.
  void move(int i, const State& state, Vector& tangent) const;
  /// What becomes of velocities v along generator i.
  void lift(int i, const Vector& v, Vector& out) const;
  /// The same of accelerations, which do not see a push.
  void lift_accelerations(int i, const Vector& a, Vector& out) const;
  /// A turn about an axis of the world in the axes of a body.
  static Vec3d seen_from(const State& state, const BodyLayout& body, const Vec3d& axis);

 private:
  void add_bodies(const State& state);
  std::vector<Vec3d> own_axes(int b) const;

  const System& system_;
  Scales unit_;
  Vec3d centre_;  // turns are about it
  std::vector<Generator> all_;
};

/// Derivatives of what must not change along a symmetry (constraints at two levels, accelerations,
/// rates of dynamic variables; scaled) along all generators.
class Symmetries {
 public:
  Symmetries(const System& system, const Group& group)
      : system_(system), group_(group), ws_(system.make_workspace()) {}

  /// Looks at a consistent state; false where it cannot be evaluated.
  bool look(const State& state);
  /// Sums of generators along which nothing changed at the states looked at, as columns.
  bool find(Matrix& out) const;

 private:
  double length(int column) const;
  bool accelerations(State state, Vector& a);
  bool derivatives(const State& state, int i, Vector& out);
  bool values(const State& from, int i, double step, Vector& out);

  const System& system_;
  const Group& group_;
  std::unique_ptr<Workspace> ws_;
  std::vector<Vector> rows_;
};

}  // namespace kardan
