/// Constraints of automatic equations in one pass: all levels of them along the motion, with G from
/// seeds that variables share, and the check that they may.

#include "kardan/system/automatic_work.h"

namespace kardan {
namespace {

constexpr int check = MotionJet::seeds - 1;  // the seed along which all variables move

}  // namespace

/// Holonomic constraints between the positions themselves, with few variables in a row.
bool AutomaticEquations::paths_serve() const {
  const bool plain = n_.s == 0 && n_.mu == 0 && !n_.kinematics && !n_.hidden;
  static_assert(check == CurvedMotionJet::seeds);
  return functions_->followed() && plain && n_.lambda > 0 &&
         constraints_shared_.colors() <= CurvedMotionJet::seeds;
}

PathArrays::PathArrays(const UserCounts& counts, const Seeding& seeding, Workspace::Scratch* memory)
    : path(counts, memory), curved(counts, memory) {
  const auto seed = [&](auto& A, int column) {
    auto& x = column < counts.n ? A.p[column] : A.at.t;
    x.set(0, column < counts.n ? 0 : 1, 0, seeding.color(column));
  };
  for (int i = 0; i <= counts.n; ++i) {
    seed(path, i);
    seed(curved, i);
    (i < counts.n ? path.p[i] : path.at.t).x[3 + check] = seeding.direction(i);
  }
  for (int row = 0; row < counts.lambda; ++row) {
    start.push_back(static_cast<int>(entries.size()));
    time_part.push_back(-1);
    for (const int j : seeding.of_row(row)) {
      const int part = 3 + seeding.color(j);
      if (j < counts.n)
        entries.push_back({row * counts.n + j, part, seeding.direction(j)});
      else
        time_part.back() = part;
    }
  }
  start.push_back(static_cast<int>(entries.size()));
}

/// g, G, g_t, G v + g_t and gamma, unless seeds were shared that may not be.
AutomaticEquations::Followed AutomaticEquations::follow_constraints(const State& state,
                                                                    Request request,
                                                                    AutomaticWork& k,
                                                                    Workspace& ws) const {
  UserArrays<MotionJet>& A = k.paths->path;
  const PathArrays::Entry* entry = k.paths->entries.data();
  double* G = ws.G.values.data();
  PathArrays::set_motion(state, {}, A);
  A.call(*functions_->followed(), Part::constraints);
  std::fill(ws.G.values.begin(), ws.G.values.end(), 0.0);
  double zero = 0;  // or not finite
  bool shared = true;
  for (int i = 0; i < n_.lambda; ++i) {
    const MotionJet& row = A.terms.g[i];
    ws.g[i] = row.value();
    ws.rate[i] = row.first();
    if (request.acceleration) {
      ws.gamma[i] = -row.second();
      zero += 0 * row.second();
    }
    double sum = 0, size = 0;
    const auto add = [&](double part) {
      sum += part;
      size += std::abs(part);
    };
    for (const auto* end = k.paths->entries.data() + k.paths->start[i + 1]; entry < end; ++entry) {
      const double by = row.x[entry->part];
      G[entry->place] = by;
      add(by * entry->direction);
    }
    ws.g_t[i] = 0;
    if (const int part = k.paths->time_part[i]; part >= 0) {
      ws.g_t[i] = row.x[part];
      add(row.x[part] * constraints_shared_.direction(n_.n));
    }
    zero += 0 * (row.value() + row.first() + sum);
    shared = shared && agrees(sum, size, row.by(check));
  }
  if (zero != 0) return Followed::not_finite;
  if (!shared) return Followed::seeds_clash;
  k.checked_t = state.t;
  k.checked_p = state.p;
  return Followed::ok;
}

/// (G v + g_t)_p, (G a - gamma)_p and -gamma_v, and f_p -= (G' lambda)_p.
void AutomaticEquations::differentiate_followed(const State& state, std::span<const double> a,
                                                std::span<const double> lambda, AutomaticWork& k,
                                                Workspace& ws) const {
  UserArrays<CurvedMotionJet>& A = k.paths->curved;
  const Seeding& seeding = constraints_shared_;
  const int n = n_.n;
  PathArrays::set_motion(state, a, A);
  A.call(*functions_->followed(), Part::constraints);
  for (SparseMatrix* by : {&ws.rate_p, &ws.accel_p})
    std::fill(by->values.begin(), by->values.end(), 0.0);
  for (Vector* by : {&ws.rate_t, &ws.accel_t}) std::fill(by->begin(), by->end(), 0.0);
  for (int m = 0; m < n_.lambda; ++m) {
    const CurvedMotionJet& row = A.terms.g[m];
    ws.accel[m] = row.second();
    for (const int i : seeding.of_row(m)) {
      const int seed = seeding.color(i);
      (i < n ? ws.rate_p.values[m * n + i] : ws.rate_t[m]) = row.first_by(seed);
      (i < n ? ws.accel_p.values[m * n + i] : ws.accel_t[m]) = row.second_by(seed);
      if (lambda.empty() || i == n) continue;
      for (const int j : seeding.of_row(m))
        (j < n ? ws.f_p.values[i * n + j] : ws.f_t[i]) -=
            lambda[m] * row.by(seed, seeding.color(j));
    }
  }
  // g'' by v is twice g' by p.
  for (int i = 0; i < n_.lambda * n; ++i) ws.accel_v.values[i] = 2 * ws.rate_p.values[i];
}

}  // namespace kardan
