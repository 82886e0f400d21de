#pragma once
/// The inside of automatic equations (automatic_equations.h): memory of a workspace, and the parts
/// shared by values and derivatives.

#include <algorithm>
#include <memory>
#include <vector>

#include "kardan/linalg/dense_lu.h"
#include "kardan/system/automatic_equations.h"
#include "kardan/system/automatic_seeding.h"
#include "kardan/system/user_arrays.h"

namespace kardan {

/// Where constraints are followed along the motion (path.h).
struct PathArrays {
  PathArrays(const UserCounts& counts, const Seeding& seeding, Workspace::Scratch* memory);
  /// Seeds never change: p + v tau + a tau^2/2 and t + tau.
  template <class T>
  static void set_motion(const State& state, std::span<const double> a, UserArrays<T>& A) {
    A.at.t.x[0] = state.t;
    for (std::size_t i = 0; i < A.p.size(); ++i) {
      A.p[i].move(state.p[i], state.v[i], a.empty() ? 0 : a[i]);
      A.v[i].x[0] = state.v[i];
    }
    for (std::size_t i = 0; i < A.r.size(); ++i) A.r[i].x[0] = state.r[i];
    for (std::size_t i = 0; i < A.w.size(); ++i) A.w[i].x[0] = state.w[i];
  }
  UserArrays<MotionJet> path;
  UserArrays<CurvedMotionJet> curved;
  /// Which part of a row is an entry of G.
  struct Entry {
    int place, part;
    double direction;
  };
  std::vector<Entry> entries;
  std::vector<int> start;      // of every row
  std::vector<int> time_part;  // of every row; -1: none
};

/// Memory of one workspace.
struct AutomaticWork final : Workspace::Scratch {
  AutomaticWork(const UserCounts& counts, std::unique_ptr<Workspace::Scratch> of_functions)
      : memory(std::move(of_functions)),
        plain(counts, memory.get()),
        seeded(counts, memory.get()),
        along(counts, memory.get()),
        seeded_along(counts, memory.get()),
        twice(counts, memory.get()) {
    s.resize(counts.s);
    step.resize(counts.s);
    v.resize(counts.kinematics ? counts.n : 0);
    for (auto* x : {&inertia, &load, &residual, &spare}) x->resize(counts.n);
    for (auto* x : {&sum, &size, &checked_p}) x->reserve(counts.n + counts.r + counts.w);
  }
  std::unique_ptr<Workspace::Scratch> memory;
  UserArrays<double> plain;
  UserArrays<Seeded> seeded;
  UserArrays<Along> along;
  UserArrays<SeededAlong> seeded_along;
  UserArrays<Twice> twice;
  std::unique_ptr<PathArrays> paths;  // null where they do not serve
  Vector s, step;                     // contact variables at the state
  Vector v;                           // the user's velocities where Z is given
  Matrix c_s, c_s_inverse, Z, Z_inverse, product;
  DenseLu lu;
  std::vector<Seeded> inertia, load, residual, spare;
  // Seeds are shared until a check fails.
  bool share_constraints = true, share_dynamics = true;
  Vector sum, size;  // for the check, by row
  // Where the constraints were checked last.
  double checked_t = 0;
  Vector checked_p;
};

inline AutomaticWork& work(Workspace& ws) {
  return static_cast<AutomaticWork&>(*ws.scratch);
}

/// x = base + first tau + second tau^2/2 at tau = e1 + e2.
template <class B>
void set_along(Dual<Dual<B, 1>, 1>& x, const B& base, const B& first, const B& second) {
  x.value.value = base;
  x.value.d[0] = first;
  x.d[0].value = first;
  x.d[0].d[0] = second;
}

inline void set_along(Along& x, double base, double first, double second, double check = 0) {
  x.value.value = base;
  x.value.d[0] = first;
  x.d[0].value = first;
  x.d[0].d[0] = second;
  x.d[1].value = check;
  x.d[1].d[0] = 0;
}

/// A value that is the independent variable of seed `index`, or a constant if that is none.
inline Seeded seeded(double value, int index) {
  Seeded x(value);
  if (index >= 0 && index < seeds) x.d[index] = 1;
  return x;
}

enum class Side { plain, transposed };

/// Solves Z x = y, or Z' x = y: with the inverse of Z's plain part each sweep after the first makes
/// one more order of the derivatives right.
template <class T>
void solve_kinematics(const MatrixView<T>& Z, Side side, const Matrix& inverse, int orders,
                      std::span<const T> y, std::span<T> x, std::span<T> spare) {
  const int n = inverse.rows();
  const bool turned = side == Side::transposed;
  for (int i = 0; i < n; ++i) x[i] = T(0.0);
  for (int sweep = 0; sweep <= orders; ++sweep) {
    for (int i = 0; i < n; ++i) {
      spare[i] = y[i];
      if (sweep > 0)
        for (int j = 0; j < n; ++j) spare[i] -= (turned ? Z(j, i) : Z(i, j)) * x[j];
    }
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) x[i] += spare[j] * (turned ? inverse(j, i) : inverse(i, j));
  }
}

class AutomaticEquations final : public UserEquations {
 public:
  AutomaticEquations(UserDescription description, std::unique_ptr<UserFunctions> functions)
      : description_(std::move(description)),
        n_(description_),
        functions_(std::move(functions)),
        multiplier_forces_(description_.multiplier_forces || find_multiplier_forces()) {
    find_dependencies();
  }

  const UserDescription& description() const override { return description_; }
  bool exact() const override { return functions_->exact(); }
  bool multiplier_forces() const override { return multiplier_forces_; }
  std::unique_ptr<Workspace::Scratch> make_scratch() const override {
    auto out = std::make_unique<AutomaticWork>(n_, functions_->make_memory());
    if (paths_serve())
      out->paths = std::make_unique<PathArrays>(n_, constraints_shared_, out->memory.get());
    return out;
  }

  Eval evaluate(const State&, Request, Workspace&) const override;
  Eval differentiate(const State&, std::span<const double> a, std::span<const double> lambda,
                     Workspace&) const override;
  Eval invariants(const State&, Workspace&) const override;
  Eval contact(const State&, std::span<double> s, int& side, Workspace&) const override;
  Eval rates(const State&, std::span<const double> v, std::span<double> rate,
             Workspace&) const override;
  void events(const State&, std::span<double> z, Workspace&) const override;
  Energy energy(const State&, Workspace&) const override;
  double quantity(UserQuantity, int index, const State&, double factor, std::span<double> by_p,
                  std::span<double> by_rate, Workspace&) const override;

 private:
  bool find_multiplier_forces() const;
  void find_dependencies();
  Eval place(const State&, AutomaticWork&) const;
  Eval solve_contact(const State&, AutomaticWork&) const;
  template <class T>
  void load(UserArrays<T>& A, const State& state, const AutomaticWork& k) const {
    A.load(state, k.s, k.v, multiplier_forces_);
  }
  template <class T>
  void lift(UserArrays<T>& A, int orders, const AutomaticWork& k) const;
  template <class T>
  void constraints(UserArrays<T>& A, int orders, const AutomaticWork& k) const;
  void load_seeded(const State&, int first, AutomaticWork&) const;
  void load_shared(const State&, const Seeding&, int first, AutomaticWork&) const;
  void first_derivatives(const State&, const Seeding&, AutomaticWork&, Workspace&) const;
  /// False where seeds were shared that may not be: what was found before is wrong.
  bool hidden_constraints(const State&, AutomaticWork&, Workspace&) const;
  bool seeds_were_checked(const State&, const AutomaticWork&) const;
  const Seeding& seeding_of_constraints(const State&, const AutomaticWork&) const;
  // The same in one pass each (automatic_paths.cpp).
  bool paths_serve() const;
  enum class Followed { ok, not_finite, seeds_clash };
  Followed follow_constraints(const State&, Request, AutomaticWork&, Workspace&) const;
  void differentiate_followed(const State&, std::span<const double> a,
                              std::span<const double> lambda, AutomaticWork&, Workspace&) const;
  void dynamics(const State&, AutomaticWork&, Workspace&) const;
  void differentiate_constraints(const State&, std::span<const double> a,
                                 std::span<const double> lambda, AutomaticWork&, Workspace&) const;
  void differentiate_hidden(const State&, std::span<const double> a, std::span<const double> lambda,
                            AutomaticWork&, Workspace&) const;
  void differentiate_constraint_forces(const State&, std::span<const double> lambda, AutomaticWork&,
                                       Workspace&) const;
  bool differentiate_dynamics(const State&, std::span<const double> a, const Seeding&,
                              AutomaticWork&, Workspace&) const;
  double& derivative(int row, int variable, Workspace&) const;
  void seed_kinematics(const State&, AutomaticWork&) const;

  UserDescription description_;
  UserCounts n_;
  std::unique_ptr<UserFunctions> functions_;
  bool multiplier_forces_;
  // Variables by their order as seeds: p, t | p', r, w, multipliers.
  Seeding constraints_shared_, constraints_apart_, dynamics_shared_, dynamics_apart_;
};

/// Makes `orders` orders of the derivatives of s and of the user's velocities right.
template <class T>
void AutomaticEquations::lift(UserArrays<T>& A, int orders, const AutomaticWork& k) const {
  if (n_.s > 0)
    for (int order = 0; order < orders; ++order) {
      A.call(*functions_, Part::contact);
      for (int i = 0; i < n_.s; ++i)
        for (int j = 0; j < n_.s; ++j) A.s[i] -= A.terms.c[j] * k.c_s_inverse(i, j);
    }
  if (!n_.kinematics) return;
  A.call(*functions_, Part::kinematics);
  solve_kinematics<T>(A.terms.Z, Side::plain, k.Z_inverse, orders, A.rate, A.v, A.spare);
}

/// g, H and h after `lift`; H is turned where its rows were meant for v.
template <class T>
void AutomaticEquations::constraints(UserArrays<T>& A, int orders, const AutomaticWork& k) const {
  A.call(*functions_, Part::constraints);
  if (!n_.kinematics || !description_.rows_on_velocities) return;
  const auto n = static_cast<std::size_t>(n_.n);
  for (int i = 0; i < n_.mu; ++i) {
    const std::span<T> row(&A.terms.H(i, 0), n);
    // The user's velocities have served; their place holds the turned row for a moment.
    solve_kinematics<T>(A.terms.Z, Side::transposed, k.Z_inverse, orders, row, A.v, A.spare);
    std::copy(A.v.begin(), A.v.end(), row.begin());
  }
}

}  // namespace kardan
