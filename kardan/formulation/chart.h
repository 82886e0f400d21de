#pragma once
/// The chart of a step in all coordinates: displacements, and for each spatial body the rotation
/// vector theta relative to the base, R = R0 exp(theta~), with w = T(theta) theta'.

#include "kardan/base/vec.h"
#include "kardan/system/system.h"

namespace kardan {

class Chart {
 public:
  explicit Chart(const System& system);

  /// v = T(x) u,  u = T(x)^-1 v,  and x'' from v'.
  void to_velocities(const Vector& x, const Vector& u, Vector& v) const;
  void to_rates(const Vector& x, const Vector& v, Vector& u) const;
  void to_second_rates(const Vector& x, const Vector& u, const Vector& a, Vector& second) const;
  /// G := G T(x), by columns.
  void turn_columns(const Vector& x, SparseMatrix& G) const;
  /// The first of the three spins of every spatial body.
  const std::vector<int>& spins() const { return spins_; }
  /// Largest |theta|.
  double largest_turn(const Vector& x) const;
  /// `other` seen from `base`: x with p_other = p_base (+) x.
  void difference(const State& base, const State& other, Vector& x) const;

 private:
  struct Turn {
    int v = 0, p = 0;  // first of the three spins, of the four quaternion components
  };
  std::vector<Turn> turns_;
  std::vector<int> spins_;
  std::vector<int> position_;  // of each velocity: its place in p, or -1 for a spin
  std::vector<int> is_turn_;   // 1 where a velocity is the first of three spins
};

}  // namespace kardan
