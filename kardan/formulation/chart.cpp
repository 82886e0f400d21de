#include "kardan/formulation/chart.h"

#include <algorithm>
#include <cmath>

#include "kardan/base/rotation.h"
#include "kardan/base/rotation_rates.h"

namespace kardan {
namespace {

Vec3d three(const Vector& x, int i) {
  return {x[i], x[i + 1], x[i + 2]};
}

void put(const Vec3d& value, int i, Vector& x) {
  for (int c = 0; c < 3; ++c) x[i + c] = value[c];
}

Mat3d orientation(const State& state, int p) {
  return rotation_matrix(Quaternion{state.p[p], state.p[p + 1], state.p[p + 2], state.p[p + 3]});
}

}  // namespace

Chart::Chart(const System& system)
    : position_(system.sizes().v, -1), is_turn_(system.sizes().v, 0) {
  for (std::size_t b = 1; b < system.bodies().size(); ++b) {
    const BodyLayout& body = system.bodies()[b];
    const bool turns = system.dimension() == 3 && body.v_count > 3;
    for (int k = 0; k < (turns ? 3 : body.v_count); ++k) position_[body.v + k] = body.p + k;
    if (!turns) continue;
    turns_.push_back({body.v + 3, body.p + 3});
    spins_.push_back(body.v + 3);
    is_turn_[body.v + 3] = 1;
  }
}

void Chart::to_velocities(const Vector& x, const Vector& u, Vector& v) const {
  v = u;
  for (const Turn& t : turns_) put(rotation_rate(three(x, t.v), three(u, t.v)), t.v, v);
}

void Chart::to_rates(const Vector& x, const Vector& v, Vector& u) const {
  u = v;
  for (const Turn& t : turns_) put(rotation_rate_inverse(three(x, t.v), three(v, t.v)), t.v, u);
}

void Chart::to_second_rates(const Vector& x, const Vector& u, const Vector& a,
                            Vector& second) const {
  second = a;
  for (const Turn& t : turns_)
    put(rotation_second_rate(three(x, t.v), three(u, t.v), three(a, t.v)), t.v, second);
}

void Chart::turn_columns(const Vector& x, SparseMatrix& G) const {
  if (turns_.empty()) return;
  const SparsePattern& p = *G.pattern;
  for (int k = 0; k < p.nonzeros(); ++k) {
    if (!is_turn_[p.column[k]]) continue;
    double* g = G.values.data() + k;
    const Vec3d turned =
        transposed_times(rotation_rate_map(three(x, p.column[k])), Vec3d{g[0], g[1], g[2]});
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

void Chart::difference(const State& base, const State& other, Vector& x) const {
  x.resize(position_.size());
  for (std::size_t i = 0; i < position_.size(); ++i)
    if (position_[i] >= 0) x[i] = other.p[position_[i]] - base.p[position_[i]];
  for (const Turn& t : turns_)
    put(rotation_log(transposed(orientation(base, t.p)) * orientation(other, t.p)), t.v, x);
}

}  // namespace kardan
