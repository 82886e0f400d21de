#include "kardan/system/automatic_work.h"

#include <cmath>

#include "kardan/linalg/kernels.h"
#include "kardan/linalg/orientation.h"

namespace kardan {
namespace {

/// Newton's method for contact variables ends with a step of this relative size: then c_s was taken
/// where c = 0 to rounding, as the derivatives need it.
constexpr double converged = 1e-13;
constexpr int max_iterations = 30;

Eval invert(const Matrix& A, DenseLu& lu, Matrix& inverse) {
  if (Eval e = lu.factor(A); e != Eval::ok) return e;
  inverse.resize(A.rows(), A.rows());
  inverse.set_zero();
  for (int i = 0; i < A.rows(); ++i) inverse(i, i) = 1;
  lu.solve(inverse);
  return Eval::ok;
}

/// seed(x) for all variables, in the order of the columns.
template <class Arrays, class Seed>
void seed_all(Arrays& A, const Seed& seed) {
  seed(A.p);
  seed({&A.at.t, 1});
  seed(A.rate);
  seed(A.r);
  seed(A.w);
  seed(A.lambda);
  seed(A.mu);
}

/// What has no velocity for every position cannot be evaluated; make_system refuses it.
bool is_square(const UserDescription& d) {
  return d.positions.size() == d.velocities.size();
}

}  // namespace

/// Forces that are numbers for multipliers zero and none for multipliers that are none depend on
/// them. One that does so in some states only is not a number there: an error, never a wrong force.
bool AutomaticEquations::find_multiplier_forces() const {
  if (n_.constraints() == 0 || !is_square(description_)) return false;
  const State state = start_of(description_);
  const auto memory = functions_->make_memory();
  UserArrays<double> A(n_, memory.get());
  bool finite[2] = {};
  for (const bool multipliers : {false, true}) {
    A.load(state, state.s, state.v, multipliers);
    A.call(*functions_, Part::dynamics);
    finite[multipliers] = all_finite(A.terms.f) && all_finite(A.terms.b) && all_finite(A.terms.d);
  }
  return finite[1] && !finite[0];
}

/// Seeds that are not numbers reach every row that depends on them, whatever the values are.
void AutomaticEquations::find_dependencies() {
  const int n = n_.n, own = n_.r + n_.w, rows = multiplier_forces_ ? n_.constraints() : 0;
  const int columns = 2 * n + 1 + own + rows;
  const auto apart = [](int count, int of) {
    return Seeding(count, of, std::vector<char>(static_cast<std::size_t>(count * of), 1));
  };
  constraints_shared_ = constraints_apart_ = apart(n_.constraints(), n + 1);
  dynamics_shared_ = dynamics_apart_ = apart(n + own, columns);
  if (n_.s > 0 || n_.kinematics || n_.hidden || !is_square(description_)) return;
  AutomaticWork k(n_, functions_->make_memory());
  State state = start_of(description_);
  // Off zeros, at which products and absolute values hide what they depend on.
  for (Vector* x : {&state.p, &state.v, &state.r, &state.w})
    for (std::size_t i = 0; i < x->size(); ++i)
      (*x)[i] += 1e-3 * dynamics_apart_.direction(static_cast<int>(i));
  UserArrays<Seeded>& A = k.seeded;
  std::vector<char> of_constraints(n_.constraints() * (n + 1)), of_dynamics((n + own) * columns);
  for (int first = 0; first < columns; first += seeds) {
    for (const Part part : {Part::constraints, Part::dynamics}) {
      const int last = std::min(first + seeds, part == Part::constraints ? n + 1 : columns);
      if (last <= first) continue;
      load_seeded(state, first, k);
      for (auto x : {A.p, std::span<Seeded>(&A.at.t, 1), A.rate, A.r, A.w, A.lambda, A.mu})
        for (Seeded& value : x)
          for (double& d : value.d)
            if (d != 0) d = std::nan("");
      A.call(*functions_, part);
      const auto mark = [&](std::vector<char>& depends, int row, int width, const Seeded& value) {
        for (int c = first; c < last; ++c)
          if (!(value.d[c - first] == 0)) depends[row * width + c] = 1;
      };
      if (part == Part::constraints) {
        for (int i = 0; i < n_.lambda; ++i) mark(of_constraints, i, n + 1, A.terms.g[i]);
        continue;
      }
      for (int i = 0; i < n; ++i) {
        mark(of_dynamics, i, columns, A.terms.f[i]);
        for (int j = 0; j < n; ++j) mark(of_dynamics, i, columns, A.terms.M(i, j));
      }
      for (int i = 0; i < n_.r; ++i) mark(of_dynamics, n + i, columns, A.terms.b[i]);
      for (int i = 0; i < n_.w; ++i) mark(of_dynamics, n + n_.r + i, columns, A.terms.d[i]);
    }
  }
  // The derivatives of nonholonomic rows are not all at hand where the check is made.
  if (n_.mu == 0) constraints_shared_ = Seeding(n_.lambda, n + 1, of_constraints);
  dynamics_shared_ = Seeding(n + own, columns, of_dynamics);
}

/// Contact variables, c_s^-1, Z^-1 and the user's velocities at a state.
Eval AutomaticEquations::place(const State& state, AutomaticWork& k) const {
  if (n_.s > 0) {
    std::copy(state.s.begin(), state.s.end(), k.s.begin());
    if (Eval e = solve_contact(state, k); e != Eval::ok) return e;
  }
  if (!n_.kinematics) return Eval::ok;
  load(k.plain, state, k);
  k.plain.call(*functions_, Part::kinematics);
  k.Z.resize(n_.n, n_.n);
  std::copy_n(k.plain.terms.Z.data, n_.n * n_.n, k.Z.data());
  if (Eval e = invert(k.Z, k.lu, k.Z_inverse); e != Eval::ok) return e;
  multiply(k.Z_inverse, state.v, k.v);
  return Eval::ok;
}

Eval AutomaticEquations::solve_contact(const State& state, AutomaticWork& k) const {
  k.c_s.resize(n_.s, n_.s);
  UserArrays<Seeded>& A = k.seeded;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    load(A, state, k);
    for (int first = 0; first < n_.s; first += seeds) {
      for (int i = 0; i < n_.s; ++i) A.s[i] = seeded(k.s[i], i - first);
      A.call(*functions_, Part::contact);
      for (int i = 0; i < n_.s; ++i) {
        for (int j = first; j < std::min(first + seeds, n_.s); ++j)
          k.c_s(i, j) = A.terms.c[i].d[j - first];
        k.step[i] = A.terms.c[i].value;
      }
    }
    if (Eval e = invert(k.c_s, k.lu, k.c_s_inverse); e != Eval::ok) return e;
    k.lu.solve(k.step);
    double size = 0;
    for (int i = 0; i < n_.s; ++i) {
      k.s[i] -= k.step[i];
      size = std::max(size, std::abs(k.step[i]) / (1 + std::abs(k.s[i])));
    }
    if (!all_finite(k.s)) return Eval::recoverable;
    if (size < converged) return Eval::ok;
  }
  return Eval::recoverable;
}

/// Order of the seeds: p, t, p', r, w, multipliers.
void AutomaticEquations::load_seeded(const State& state, int first, AutomaticWork& k) const {
  UserArrays<Seeded>& A = k.seeded;
  load(A, state, k);
  int i = -first;
  const auto seed = [&](std::span<Seeded> x) {
    for (Seeded& value : x) {
      if (i >= 0 && i < seeds) value.d[i] = 1;
      ++i;
    }
  };
  seed_all(A, seed);
  lift(A, 1, k);
}

/// The same with the seeds of `seeding`; the seed after its last one goes along its direction.
void AutomaticEquations::load_shared(const State& state, const Seeding& seeding, int first,
                                     AutomaticWork& k) const {
  UserArrays<Seeded>& A = k.seeded;
  load(A, state, k);
  int column = 0;
  const int check = seeding.colors() - first;
  const auto seed = [&](std::span<Seeded> x) {
    for (Seeded& value : x) {
      if (column == seeding.columns()) return;
      const int i = seeding.color(column) - first;
      if (i >= 0 && i < seeds) value.d[i] = 1;
      if (check >= 0 && check < seeds) value.d[check] = seeding.direction(column);
      ++column;
    }
  };
  seed_all(A, seed);
  lift(A, 1, k);
}

/// g, G, g_t; H, h.
void AutomaticEquations::first_derivatives(const State& state, const Seeding& seeding,
                                           AutomaticWork& k, Workspace& ws) const {
  UserArrays<Seeded>& A = k.seeded;
  const int n = n_.n;
  std::fill(ws.G.values.begin(), ws.G.values.end(), 0.0);
  std::fill(ws.g_t.begin(), ws.g_t.end(), 0.0);
  // A constant constraint has no seeds, but a value.
  for (int first = 0; first < std::max(seeding.colors(), 1); first += seeds) {
    load_shared(state, seeding, first, k);
    constraints(A, 1, k);
    for (int i = 0; i < n_.lambda; ++i) {
      ws.g[i] = A.terms.g[i].value;
      for (const int j : seeding.of_row(i)) {
        const int s = seeding.color(j) - first;
        if (s >= 0 && s < seeds) (j < n ? ws.G.values[i * n + j] : ws.g_t[i]) = A.terms.g[i].d[s];
      }
    }
  }
  for (int i = 0; i < n_.mu; ++i) {
    for (int j = 0; j < n; ++j) ws.G.values[(n_.lambda + i) * n + j] = A.terms.H(i, j).value;
    ws.g_t[n_.lambda + i] = A.terms.h[i].value;
  }
  ws.rate = ws.g_t;
  ws.G.multiply_add(1, state.v, ws.rate);
}

/// gamma = -(g'' and (H p' + h)' along the motion without acceleration).
bool AutomaticEquations::hidden_constraints(const State& state, AutomaticWork& k,
                                            Workspace& ws) const {
  if (n_.hidden) {
    load(k.plain, state, k);
    k.plain.call(*functions_, Part::hidden);
    std::copy(k.plain.terms.bias.begin(), k.plain.terms.bias.end(), ws.gamma.begin());
    return true;
  }
  UserArrays<Along>& A = k.along;
  const Seeding& seeding = constraints_shared_;
  load(A, state, k);
  set_along(A.at.t, state.t, 1.0, 0.0, seeding.direction(n_.n));
  for (int i = 0; i < n_.n; ++i)
    set_along(A.p[i], state.p[i], state.v[i], 0.0, seeding.direction(i));
  lift(A, 2, k);
  constraints(A, 2, k);
  for (int i = 0; i < n_.lambda; ++i) ws.gamma[i] = -A.terms.g[i].d[0].d[0];
  for (int i = 0; i < n_.mu; ++i) {
    double change = A.terms.h[i].value.d[0];
    for (int j = 0; j < n_.n; ++j) change += A.terms.H(i, j).value.d[0] * state.v[j];
    ws.gamma[n_.lambda + i] = -change;
  }
  if (!k.share_constraints || !seeding.saves()) return true;
  for (int i = 0; i < n_.lambda; ++i) {
    double sum = 0, size = 0;
    for (const int j : seeding.of_row(i)) {
      const double part = (j < n_.n ? ws.G.values[i * n_.n + j] : ws.g_t[i]) * seeding.direction(j);
      sum += part;
      size += std::abs(part);
    }
    // What is not finite is found by others.
    if (std::isfinite(sum) && !agrees(sum, size, A.terms.g[i].d[1].value)) return false;
  }
  k.checked_t = state.t;
  k.checked_p = state.p;
  return true;
}

bool AutomaticEquations::seeds_were_checked(const State& state, const AutomaticWork& k) const {
  return k.share_constraints && k.checked_t == state.t && k.checked_p == state.p;
}

/// Seeds are shared where that was checked.
const Seeding& AutomaticEquations::seeding_of_constraints(const State& state,
                                                          const AutomaticWork& k) const {
  return seeds_were_checked(state, k) ? constraints_shared_ : constraints_apart_;
}

/// M, f, b, d.
void AutomaticEquations::dynamics(const State& state, AutomaticWork& k, Workspace& ws) const {
  UserArrays<double>& A = k.plain;
  const int n = n_.n;
  load(A, state, k);
  A.call(*functions_, Part::dynamics);
  std::copy(A.terms.f.begin(), A.terms.f.end(), ws.f.begin());
  std::copy(A.terms.b.begin(), A.terms.b.end(), ws.b.begin());
  std::copy(A.terms.d.begin(), A.terms.d.end(), ws.d.begin());
  std::copy_n(A.terms.M.data, n * n, ws.M.values.data());
  if (!n_.kinematics) return;
  // Z^-T (f + M Z^-1 Z' v) and Z^-T M Z^-1.
  UserArrays<Along>& B = k.along;
  load(B, state, k);
  for (int i = 0; i < n; ++i) set_along(B.p[i], state.p[i], state.v[i], 0.0);
  B.call(*functions_, Part::kinematics);
  for (int i = 0; i < n; ++i) {
    A.spare[i] = 0;
    for (int j = 0; j < n; ++j) A.spare[i] += B.terms.Z(i, j).value.d[0] * k.v[j];
  }
  k.product.resize(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < n; ++l) sum += A.terms.M(i, l) * k.Z_inverse(l, j);
      k.product(i, j) = sum;
    }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) A.terms.f[i] += k.product(i, j) * A.spare[j];
  multiply_transposed(k.Z_inverse, A.terms.f, ws.f);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < n; ++l) sum += k.Z_inverse(l, i) * k.product(l, j);
      ws.M.values[i * n + j] = sum;
    }
}

Eval AutomaticEquations::evaluate(const State& state, Request request, Workspace& ws) const {
  AutomaticWork& k = work(ws);
  if (Eval e = place(state, k); e != Eval::ok) return e;
  if (n_.constraints() > 0) {
    std::fill(ws.g.begin() + n_.lambda, ws.g.end(), 0.0);
    const bool moving = request.velocity || request.acceleration;
    const bool follow = moving && k.paths && k.share_constraints;
    const Followed followed = follow ? follow_constraints(state, request, k, ws) : Followed::ok;
    if (followed == Followed::not_finite) return Eval::recoverable;
    if (followed == Followed::seeds_clash) k.share_constraints = false;
    if (moving && !(follow && k.share_constraints)) {
      const bool share = request.acceleration && k.share_constraints;
      first_derivatives(state, share ? constraints_shared_ : constraints_apart_, k, ws);
      if (request.acceleration && !hidden_constraints(state, k, ws)) {
        k.share_constraints = false;
        first_derivatives(state, constraints_apart_, k, ws);
      }
      if (!all_finite(ws.g) || !all_finite(ws.rate) || !all_finite(ws.G.values))
        return Eval::recoverable;
      if (request.acceleration && !all_finite(ws.gamma)) return Eval::recoverable;
    } else if (request.position && !moving) {
      load(k.plain, state, k);
      k.plain.call(*functions_, Part::constraints);
      std::copy(k.plain.terms.g.begin(), k.plain.terms.g.end(), ws.g.begin());
      if (!all_finite(ws.g)) return Eval::recoverable;
    }
  }
  if (!request.force) return Eval::ok;
  dynamics(state, k, ws);
  const bool finite = all_finite(ws.f) && all_finite(ws.b) && all_finite(ws.d);
  return finite && row_is_finite(ws.M.values) ? Eval::ok : Eval::recoverable;
}

Eval AutomaticEquations::invariants(const State& state, Workspace& ws) const {
  if (n_.e == 0) return Eval::ok;
  AutomaticWork& k = work(ws);
  if (Eval e = place(state, k); e != Eval::ok) return e;
  UserArrays<Seeded>& A = k.seeded;
  const int n = n_.n;
  for (int first = 0; first < 2 * n + 1; first += seeds) {
    load_seeded(state, first, k);
    A.call(*functions_, Part::outputs);
    for (int i = 0; i < n_.e; ++i) {
      ws.e[i] = A.terms.e[i].value;
      for (int c = first; c < std::min(first + seeds, 2 * n + 1); ++c) {
        if (c < n) ws.e_p.values[i * n + c] = A.terms.e[i].d[c - first];
        if (c > n) ws.e_v.values[i * n + c - n - 1] = A.terms.e[i].d[c - first];
      }
    }
  }
  const bool finite = all_finite(ws.e) && all_finite(ws.e_p.values) && all_finite(ws.e_v.values);
  return finite ? Eval::ok : Eval::recoverable;
}

Eval AutomaticEquations::contact(const State& state, std::span<double> s, int& side,
                                 Workspace& ws) const {
  side = 0;
  if (n_.s == 0) return Eval::ok;
  AutomaticWork& k = work(ws);
  std::copy(s.begin(), s.end(), k.s.begin());
  if (Eval e = solve_contact(state, k); e != Eval::ok) return e;
  std::copy(k.s.begin(), k.s.end(), s.begin());
  side = orientation(k.c_s);
  return Eval::ok;
}

Eval AutomaticEquations::rates(const State& state, std::span<const double> v,
                               std::span<double> rate, Workspace& ws) const {
  std::copy(v.begin(), v.end(), rate.begin());
  if (!n_.kinematics) return Eval::ok;
  AutomaticWork& k = work(ws);
  if (Eval e = place(state, k); e != Eval::ok) return e;
  multiply(k.Z, v, rate);
  return Eval::ok;
}

void AutomaticEquations::events(const State& state, std::span<double> z, Workspace& ws) const {
  AutomaticWork& k = work(ws);
  if (place(state, k) != Eval::ok) {
    std::fill(z.begin(), z.end(), std::nan(""));
    return;
  }
  load(k.plain, state, k);
  k.plain.call(*functions_, Part::outputs);
  std::copy(k.plain.terms.z.begin(), k.plain.terms.z.end(), z.begin());
}

Energy AutomaticEquations::energy(const State& state, Workspace& ws) const {
  AutomaticWork& k = work(ws);
  const double nan = std::nan("");
  Energy out{nan, nan, 0, description_.energy};
  if (!out.known || place(state, k) != Eval::ok) return out;
  load(k.plain, state, k);
  k.plain.call(*functions_, Part::outputs);
  out.kinetic = k.plain.terms.kinetic;
  out.potential = k.plain.terms.potential;
  out.applied_power = k.plain.terms.power;
  return out;
}

double AutomaticEquations::quantity(UserQuantity kind, int index, const State& state, double factor,
                                    std::span<double> by_p, std::span<double> by_rate,
                                    Workspace& ws) const {
  AutomaticWork& k = work(ws);
  if (place(state, k) != Eval::ok) return std::nan("");
  UserArrays<Seeded>& A = k.seeded;
  const int n = n_.n;
  const int total = by_p.empty() && by_rate.empty() ? 1 : 2 * n + 1;
  double value = 0;
  for (int first = 0; first < total; first += seeds) {
    load_seeded(state, first, k);
    if (kind == UserQuantity::output) A.call(*functions_, Part::outputs);
    const Seeded& y = kind == UserQuantity::velocity  ? A.v[index]
                      : kind == UserQuantity::contact ? A.s[index]
                                                      : A.terms.output[index];
    value = y.value;
    for (int c = first; c < std::min(first + seeds, total); ++c) {
      if (c < n && !by_p.empty()) by_p[c] += factor * y.d[c - first];
      if (c > n && !by_rate.empty()) by_rate[c - n - 1] += factor * y.d[c - first];
    }
  }
  return value;
}

std::unique_ptr<UserEquations> automatic_equations(UserDescription description,
                                                   std::unique_ptr<UserFunctions> functions) {
  return std::make_unique<AutomaticEquations>(std::move(description), std::move(functions));
}

}  // namespace kardan
