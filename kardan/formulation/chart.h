#pragma once
/// The chart of a step in all coordinates: displacements, and for each spatial body the rotation
/// vector theta relative to the base, R = R0 exp(theta~), with w = T(theta) theta'.

#include <span>
#include <vector>

#include "kardan/base/vec.h"
#include "kardan/system/system.h"

namespace kardan {

/// [rad] A chart ends where a body has turned this far from the base, well before T is singular.
inline constexpr double chart_reach = 1;

/// Three components from the i-th on.
inline Vec3d three_at(std::span<const double> x, int i) {
  return {x[i], x[i + 1], x[i + 2]};
}
inline void put_three(const Vec3d& value, int i, std::span<double> x) {
  for (int c = 0; c < 3; ++c) x[i + c] = value[c];
}

class Chart {
 public:
  explicit Chart(const System& system);

  /// v = T(x) u,  u = T(x)^-1 v,  and x'' from v'.
  void to_velocities(const Vector& x, const Vector& u, Vector& v) const;
  void to_rates(const Vector& x, const Vector& v, Vector& u) const;
  void to_second_rates(const Vector& x, const Vector& u, const Vector& a, Vector& second) const;
  /// Both, from v and v'.
  void to_rates(const Vector& x, const Vector& v, const Vector& a, Vector& u,
                Vector& second) const {
    to_rates(x, v, u);
    to_second_rates(x, u, a, second);
  }
  /// G := G T(x), by columns.
  void turn_columns(const Vector& x, SparseMatrix& G) const;
  /// A spatial body: the first of its three spins and of its four quaternion components.
  struct Turn {
    int body = 0, v = 0, p = 0;
  };
  const std::vector<Turn>& turns() const { return turns_; }
  /// y := A x on the spins of every spatial body, A = map(theta) at q; the rest of y stays.
  template <class Map>
  void apply(Map map, std::span<const double> q, std::span<const double> x,
             std::span<double> y) const {
    for (const Turn& t : turns_) put_three(map(three_at(q, t.v)) * three_at(x, t.v), t.v, y);
  }
  /// Largest |theta|.
  double largest_turn(const Vector& x) const;
  /// Positions `other` seen from `base`: x with other = base (+) x.
  void difference(std::span<const double> base, std::span<const double> other,
                  std::span<double> x) const;

 private:
  std::vector<Turn> turns_;
  std::vector<int> position_;  // of each velocity: its place in p, or -1 for a spin
  std::vector<int> is_turn_;   // 1 where a velocity is the first of three spins
};

}  // namespace kardan
