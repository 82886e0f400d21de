#include "kardan/formulation/chart.h"

#include <algorithm>
#include <cmath>

#include "kardan/base/rotation.h"
#include "kardan/base/rotation_rates.h"

namespace kardan {
namespace {

Mat3d orientation(std::span<const double> p, int i) {
  return rotation_matrix(Quaternion{p[i], p[i + 1], p[i + 2], p[i + 3]});
}

}  // namespace

Chart::Chart(const System& system)
    : position_(system.sizes().v, -1), is_turn_(system.sizes().v, 0) {
  for (std::size_t b = 1; b < system.bodies().size(); ++b) {
    const BodyLayout& body = system.bodies()[b];
    const bool turns = system.dimension() == 3 && body.v_count > 3;
    for (int k = 0; k < (turns ? 3 : body.v_count); ++k) position_[body.v + k] = body.p + k;
    if (!turns) continue;
    turns_.push_back({static_cast<int>(b), body.v + 3, body.p + 3});
    is_turn_[body.v + 3] = 1;
  }
}

void Chart::to_velocities(const Vector& x, const Vector& u, Vector& v) const {
  v = u;
  for (const Turn& t : turns_) put_three(rotation_rate(three_at(x, t.v), three_at(u, t.v)), t.v, v);
}

void Chart::to_rates(const Vector& x, const Vector& v, Vector& u) const {
  u = v;
  for (const Turn& t : turns_)
    put_three(rotation_rate_inverse(three_at(x, t.v), three_at(v, t.v)), t.v, u);
}

void Chart::to_second_rates(const Vector& x, const Vector& u, const Vector& a,
                            Vector& second) const {
  second = a;
  for (const Turn& t : turns_)
    put_three(rotation_second_rate(three_at(x, t.v), three_at(u, t.v), three_at(a, t.v)), t.v,
              second);
}

void Chart::turn_columns(const Vector& x, SparseMatrix& G) const {
  if (turns_.empty()) return;
  const SparsePattern& p = *G.pattern;
  for (int k = 0; k < p.nonzeros(); ++k) {
    if (!is_turn_[p.column[k]]) continue;
    double* g = G.values.data() + k;
    const Vec3d turned =
        transposed_times(rotation_rate_map(three_at(x, p.column[k])), Vec3d{g[0], g[1], g[2]});
    for (int c = 0; c < 3; ++c) g[c] = turned[c];
    k += 2;
  }
}

double Chart::largest_turn(const Vector& x) const {
  double largest = 0;
  for (const Turn& t : turns_)
    largest = std::max(largest, std::hypot(x[t.v], x[t.v + 1], x[t.v + 2]));
  return largest;
}

void Chart::difference(std::span<const double> base, std::span<const double> other,
                       std::span<double> x) const {
  for (std::size_t i = 0; i < position_.size(); ++i)
    if (position_[i] >= 0) x[i] = other[position_[i]] - base[position_[i]];
  for (const Turn& t : turns_)
    put_three(rotation_log(transposed(orientation(base, t.p)) * orientation(other, t.p)), t.v, x);
}

}  // namespace kardan
