/// All derivatives of automatic equations at given accelerations and multipliers.

#include <algorithm>
#include <cmath>

#include "kardan/linalg/kernels.h"
#include "kardan/system/automatic_work.h"

namespace kardan {

/// Along p + p' tau + a tau^2/2, with seeds for p and t; and (H' mu)_p, (H' mu)_t.
void AutomaticEquations::differentiate_constraints(const State& state, std::span<const double> a,
                                                   std::span<const double> lambda, AutomaticWork& k,
                                                   Workspace& ws) const {
  UserArrays<SeededAlong>& A = k.seeded_along;
  const int n = n_.n;
  const Seeding& seeding = seeding_of_constraints(state, k);
  for (SparseMatrix* by : {&ws.rate_p, &ws.accel_p})
    std::fill(by->values.begin(), by->values.end(), 0.0);
  for (Vector* by : {&ws.rate_t, &ws.accel_t}) std::fill(by->begin(), by->end(), 0.0);
  for (int first = 0; first < std::max(seeding.colors(), 1); first += seeds) {
    load(A, state, k);
    set_along(A.at.t, seeded(state.t, seeding.color(n) - first), Seeded(1.0), Seeded(0.0));
    for (int i = 0; i < n; ++i) {
      set_along(A.p[i], seeded(state.p[i], seeding.color(i) - first), Seeded(state.v[i]),
                Seeded(a[i]));
      set_along(A.rate[i], Seeded(state.v[i]), Seeded(a[i]), Seeded(0.0));
    }
    lift(A, 3, k);
    constraints(A, 3, k);
    const auto each = [&](int row, auto&& use) {
      for (const int j : seeding.of_row(row)) {
        const int s = seeding.color(j) - first;
        if (s >= 0 && s < seeds) use(j, s);
      }
    };
    const auto store = [&](int row, const Seeded& rate, const Seeded& accel) {
      ws.accel[row] = accel.value;
      each(row, [&](int j, int s) {
        (j < n ? ws.rate_p.values[row * n + j] : ws.rate_t[row]) = rate.d[s];
        (j < n ? ws.accel_p.values[row * n + j] : ws.accel_t[row]) = accel.d[s];
      });
    };
    for (int i = 0; i < n_.lambda; ++i) store(i, A.terms.g[i].value.d[0], A.terms.g[i].d[0].d[0]);
    for (int i = 0; i < n_.mu; ++i) {
      Dual<Seeded, 1> q = A.terms.h[i].value;
      for (int j = 0; j < n; ++j) q += A.terms.H(i, j).value * A.rate[j].value;
      store(n_.lambda + i, q.value, q.d[0]);
      if (lambda.empty()) continue;
      for (int row = 0; row < n; ++row) {
        const Seeded& H = A.terms.H(i, row).value.value;
        const double mu = lambda[n_.lambda + i];
        each(n_.lambda + i, [&](int j, int s) {
          (j < n ? ws.f_p.values[row * n + j] : ws.f_t[row]) -= mu * H.d[s];
        });
      }
    }
  }
  // g'' by p' is twice g' by p; (H p' + h)' by p' is (H p' + h)_p + H'.
  for (int i = 0; i < n_.lambda * n; ++i) ws.accel_v.values[i] = 2 * ws.rate_p.values[i];
  for (int i = 0; i < n_.mu; ++i)
    for (int j = 0; j < n; ++j) {
      const int at = (n_.lambda + i) * n + j;
      ws.accel_v.values[at] = ws.rate_p.values[at] + A.terms.H(i, j).value.d[0].value;
    }
}

/// The same where rate and bias are given: first derivatives are enough. The rate is G p' + g_t, so
/// that its change by p at unit vectors p' less that at p' = 0 are the second derivatives of g.
void AutomaticEquations::differentiate_hidden(const State& state, std::span<const double> a,
                                              std::span<const double> lambda, AutomaticWork& k,
                                              Workspace& ws) const {
  UserArrays<Seeded>& A = k.seeded;
  const int n = n_.n, rows = n_.constraints();
  // p' = `rate`, seeds for p and t.
  const auto hidden = [&](auto&& rate, int first) {
    load_seeded(state, first, k);
    for (int i = 0; i < n; ++i) A.rate[i] = Seeded(rate(i));
    lift(A, 1, k);
    A.call(*functions_, Part::hidden);
  };
  const auto columns = [&](int first, auto&& store) {
    for (int c = first; c < std::min(first + seeds, n + 1); ++c)
      for (int i = 0; i < rows; ++i) store(i, c, c - first);
  };
  const auto at = [&](SparseMatrix& by_p, Vector& by_t, int row, int c) -> double& {
    return c < n ? by_p.values[row * n + c] : by_t[row];
  };
  for (int first = 0; first <= n; first += seeds) {
    hidden([&](int i) { return state.v[i]; }, first);
    columns(first, [&](int i, int c, int s) {
      at(ws.rate_p, ws.rate_t, i, c) = A.terms.rate[i].d[s];
      at(ws.accel_p, ws.accel_t, i, c) = -A.terms.bias[i].d[s];
      ws.accel[i] = -A.terms.bias[i].value;
    });
    // (G a)_p, and -(G' lambda + H' mu)_p one unit vector at a time.
    hidden([&](int i) { return a[i]; }, first);
    columns(first, [&](int i, int c, int s) {
      at(ws.accel_p, ws.accel_t, i, c) += A.terms.rate[i].d[s];
      if (s == 0) ws.accel[i] += A.terms.rate[i].value;
    });
    hidden([](int) { return 0.0; }, first);
    columns(first, [&](int i, int c, int s) {
      at(ws.accel_p, ws.accel_t, i, c) -= A.terms.rate[i].d[s];
      if (s == 0) ws.accel[i] -= A.terms.rate[i].value;
      if (lambda.empty()) return;
      for (int j = 0; j < n; ++j) at(ws.f_p, ws.f_t, j, c) += lambda[i] * A.terms.rate[i].d[s];
    });
    for (int j = 0; j < n && !lambda.empty(); ++j) {
      hidden([&](int i) { return i == j ? 1.0 : 0.0; }, first);
      columns(first, [&](int i, int c, int s) {
        at(ws.f_p, ws.f_t, j, c) -= lambda[i] * A.terms.rate[i].d[s];
      });
    }
  }
  for (int first = n + 1; first < 2 * n + 1; first += seeds) {
    load_seeded(state, first, k);
    A.call(*functions_, Part::hidden);
    for (int c = first; c < std::min(first + seeds, 2 * n + 1); ++c)
      for (int i = 0; i < rows; ++i)
        ws.accel_v.values[i * n + c - n - 1] = -A.terms.bias[i].d[c - first];
  }
}

/// f_p -= (G' lambda)_p, f_t -= (G' lambda)_t: second derivatives of lambda'g.
void AutomaticEquations::differentiate_constraint_forces(const State& state,
                                                         std::span<const double> lambda,
                                                         AutomaticWork& k, Workspace& ws) const {
  UserArrays<Twice>& A = k.twice;
  const int n = n_.n;
  const Seeding& seeding = seeding_of_constraints(state, k);
  const auto within = [](int seed) { return seed >= 0 && seed < seeds; };
  for (int row = 0; row < seeding.colors(); row += seeds)
    for (int first = row; first < seeding.colors(); first += seeds) {
      load(A, state, k);
      A.at.t.value = seeded(state.t, seeding.color(n) - first);
      if (within(seeding.color(n) - row)) A.at.t.d[seeding.color(n) - row] = Seeded(1.0);
      for (int i = 0; i < n; ++i) {
        A.p[i].value = seeded(state.p[i], seeding.color(i) - first);
        if (within(seeding.color(i) - row)) A.p[i].d[seeding.color(i) - row] = Seeded(1.0);
      }
      lift(A, 2, k);
      A.call(*functions_, Part::constraints);
      // Of a row of g no two variables share a seed.
      for (int m = 0; m < n_.lambda; ++m)
        for (const int i : seeding.of_row(m)) {
          const int r = seeding.color(i) - row;
          if (!within(r)) continue;
          for (const int j : seeding.of_row(m)) {
            const int s = seeding.color(j) - first;
            if (!within(s) || (i == n && j == n)) continue;
            const double force = lambda[m] * A.terms.g[m].d[r].d[s];
            if (i < n && j < n) {
              ws.f_p.values[i * n + j] -= force;
              if (first != row) ws.f_p.values[j * n + i] -= force;
            } else if (j == n) {
              ws.f_t[i] -= force;
            } else if (first != row) {
              ws.f_t[j] -= force;
            }
          }
        }
    }
}

/// Z' along the motion with the seeds of `seeded`, and Z^-T (f + M Z^-1 (Z' v - a)) in `residual`.
void AutomaticEquations::seed_kinematics(const State& state, AutomaticWork& k) const {
  UserArrays<Seeded>& A = k.seeded;
  UserArrays<SeededAlong>& B = k.seeded_along;
  const int n = n_.n;
  load(B, state, k);
  for (int i = 0; i < n; ++i) set_along(B.p[i], A.p[i], A.rate[i], Seeded(0.0));
  B.call(*functions_, Part::kinematics);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) k.load[i] += B.terms.Z(i, j).value.d[0] * A.v[j];
  A.call(*functions_, Part::kinematics);
  solve_kinematics<Seeded>(A.terms.Z, Side::plain, k.Z_inverse, 1, k.load, k.inertia, k.spare);
}

/// f - M a, b and d by every variable they depend on.
bool AutomaticEquations::differentiate_dynamics(const State& state, std::span<const double> a,
                                                const Seeding& seeding, AutomaticWork& k,
                                                Workspace& ws) const {
  UserArrays<Seeded>& A = k.seeded;
  const int n = n_.n, own = n_.r + n_.w;
  const int check = seeding.saves() ? seeding.colors() : -1, total = seeding.colors() + 1;
  for (SparseMatrix* by : {&ws.f_p, &ws.f_v, &ws.aux_p, &ws.aux_v, &ws.aux_aux, &ws.force_aux,
                           &ws.force_lambda, &ws.aux_lambda})
    std::fill(by->values.begin(), by->values.end(), 0.0);
  for (Vector* by : {&ws.f_t, &ws.b_t, &ws.d_t}) std::fill(by->begin(), by->end(), 0.0);
  k.sum.assign(n + own, 0.0);
  k.size.assign(n + own, 0.0);
  for (int first = 0; first < (check < 0 ? total - 1 : total); first += seeds) {
    load_shared(state, seeding, first, k);
    if (n_.kinematics) {
      for (int i = 0; i < n; ++i) k.load[i] = Seeded(-a[i]);
      seed_kinematics(state, k);
    }
    A.call(*functions_, Part::dynamics);
    for (int i = 0; i < n; ++i) {
      k.load[i] = A.terms.f[i];
      if (n_.kinematics)
        for (int j = 0; j < n; ++j) k.load[i] += A.terms.M(i, j) * k.inertia[j];
      else
        for (int j = 0; j < n; ++j) k.load[i] -= A.terms.M(i, j) * a[j];
    }
    if (n_.kinematics)
      solve_kinematics<Seeded>(A.terms.Z, Side::transposed, k.Z_inverse, 1, k.load, k.residual,
                               k.spare);
    else
      std::swap(k.load, k.residual);
    for (int i = 0; i < n + own; ++i) {
      const Seeded& row = i < n          ? k.residual[i]
                          : i < n + n_.r ? A.terms.b[i - n]
                                         : A.terms.d[i - n - n_.r];
      for (const int c : seeding.of_row(i)) {
        const int s = seeding.color(c) - first;
        if (s < 0 || s >= seeds) continue;
        derivative(i, c, ws) = row.d[s];
        k.sum[i] += seeding.direction(c) * row.d[s];
        k.size[i] += std::abs(seeding.direction(c) * row.d[s]);
      }
      const bool whole = check >= first && check < first + seeds;
      if (whole && std::isfinite(k.sum[i]) && !agrees(k.sum[i], k.size[i], row.d[check - first]))
        return false;
    }
  }
  return true;
}

/// The place of the derivative of row `i` of (f - M a, b, d) by variable `c` in the order of seeds.
double& AutomaticEquations::derivative(int row, int variable, Workspace& ws) const {
  const int n = n_.n, own = n_.r + n_.w;
  const bool force = row < n;
  if (variable == n)
    return force ? ws.f_t[row] : row < n + n_.r ? ws.b_t[row - n] : ws.d_t[row - n - n_.r];
  const bool by_p = variable < n, by_v = variable < 2 * n + 1, by_own = variable < 2 * n + 1 + own;
  SparseMatrix& of_f = by_p ? ws.f_p : by_v ? ws.f_v : by_own ? ws.force_aux : ws.force_lambda;
  SparseMatrix& of_aux = by_p ? ws.aux_p : by_v ? ws.aux_v : by_own ? ws.aux_aux : ws.aux_lambda;
  const int column = by_p     ? variable
                     : by_v   ? variable - n - 1
                     : by_own ? variable - 2 * n - 1
                              : variable - 2 * n - 1 - own;
  SparseMatrix& of = force ? of_f : of_aux;
  return of.values[(force ? row : row - n) * of.cols() + column];
}

Eval AutomaticEquations::differentiate(const State& state, std::span<const double> a,
                                       std::span<const double> lambda, Workspace& ws) const {
  AutomaticWork& k = work(ws);
  if (Eval e = place(state, k); e != Eval::ok) return e;
  if (!differentiate_dynamics(state, a, k.share_dynamics ? dynamics_shared_ : dynamics_apart_, k,
                              ws)) {
    k.share_dynamics = false;
    (void)differentiate_dynamics(state, a, dynamics_apart_, k, ws);
  }
  if (n_.constraints() > 0 && n_.hidden) {
    differentiate_hidden(state, a, lambda, k, ws);
  } else if (k.paths && seeds_were_checked(state, k)) {
    differentiate_followed(state, a, lambda, k, ws);
  } else if (n_.constraints() > 0) {
    differentiate_constraints(state, a, lambda, k, ws);
    if (!lambda.empty() && n_.lambda > 0) differentiate_constraint_forces(state, lambda, k, ws);
  }
  for (const SparseMatrix* A : {&ws.rate_p, &ws.accel_p, &ws.f_p, &ws.f_v, &ws.aux_p, &ws.aux_v,
                                &ws.aux_aux, &ws.force_aux, &ws.force_lambda, &ws.aux_lambda})
    if (!row_is_finite(A->values)) return Eval::recoverable;
  for (const Vector* x : {&ws.rate_t, &ws.accel_t, &ws.f_t, &ws.b_t, &ws.d_t})
    if (!all_finite(*x)) return Eval::recoverable;
  return Eval::ok;
}

}  // namespace kardan
