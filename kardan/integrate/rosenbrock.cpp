#include "kardan/integrate/rosenbrock.h"

#include <cmath>
#include <limits>
#include <tuple>

#include "kardan/linalg/dense_lu.h"
#include "kardan/linalg/kernels.h"

namespace kardan {

RosenbrockCoefficients::RosenbrockCoefficients(const RosenbrockTableau& t)
    : stages(t.stages),
      gamma(t.gamma),
      a(t.stages, t.stages),
      c(t.stages, t.stages),
      m(t.stages),
      e(t.stages),
      alpha(t.stages),
      gamma_i(t.stages, t.gamma),
      same_point(t.stages, false) {
  const int s = stages;
  Matrix lower(s, s), inverse(s, s);
  for (int i = 0; i < s; ++i) {
    lower(i, i) = gamma;
    for (int j = 0; j < i; ++j) {
      lower(i, j) = t.gamma_ij[i][j];
      alpha[i] += t.alpha[i][j];
      gamma_i[i] += t.gamma_ij[i][j];
    }
  }
  // Inverse of the lower triangular Gamma by forward substitution.
  for (int k = 0; k < s; ++k)
    for (int i = k; i < s; ++i) {
      double sum = i == k ? 1.0 : 0.0;
      for (int j = k; j < i; ++j) sum -= lower(i, j) * inverse(j, k);
      inverse(i, k) = sum / lower(i, i);
    }
  for (int i = 0; i < s; ++i)
    for (int k = 0; k < i; ++k) {
      c(i, k) = -inverse(i, k);
      for (int j = k; j < i; ++j) a(i, k) += t.alpha[i][j] * inverse(j, k);
    }
  for (int k = 0; k < s; ++k)
    for (int j = k; j < s; ++j) {
      m[k] += t.b[j] * inverse(j, k);
      e[k] += (t.b[j] - t.b_hat[j]) * inverse(j, k);
    }
  for (int i = 1; i < s; ++i) {
    bool same = true;
    for (int j = 0; j < i; ++j)
      same = same && t.alpha[i][j] == (j < i - 1 ? t.alpha[i - 1][j] : 0.0);
    same_point[i] = same;
  }
}

namespace {

/// Unknowns: beyond, a factorization costs as much as what it may save.
constexpr std::size_t most_foreseen = 100;
/// Of no step: every step is another.
constexpr double none = std::numeric_limits<double>::quiet_NaN();
/// The error of a trial that cannot be made: larger than any, and still a number.
constexpr double impossible = 1e100;

class RosenbrockStepper final : public Stepper,
                                public StepForesight,
                                public ErrorFilter,
                                public StepHistory {
 public:
  explicit RosenbrockStepper(const RosenbrockTableau& tableau)
      : k_(tableau), X_(k_.stages), V_(k_.stages), Z_(k_.stages) {}

  Eval attempt(ChartProblem& problem, const StepStart& start, double h, Trial& trial,
               Counters& counters) override {
    return step(start, h, trial, counters, [&](int i) {
      ++counters.evaluations;
      return problem.rate(start.t + k_.alpha[i] * h, y_, rate_);
    });
  }

  StepAbilities abilities() override {
    return {.foresight = this, .filter = this, .history = this};
  }

  bool foresee(const StepStart& start, double h, Trial& trial, Counters& counters) override {
    if (start.y->x.size() + start.y->z.size() > most_foreseen) return false;
    const Eval done = step(start, h, trial, counters, [&](int i) {
      linear_rate(start, k_.alpha[i] * h);
      return Eval::ok;
    });
    if (done != Eval::ok) {
      trial.error.resize(n_, first_);
      std::fill(trial.error.u.begin(), trial.error.u.end(), impossible);
    }
    return true;
  }

  void accept(After) override { factored_h_ = none; }

  /// From  y_x - hg y_u = e_x,  [M/(hg) - A_u - hg A_x] y_u - A_z y_z = M e_u/(hg) + A_x e_x.
  void filter_error(const StepStart& start, double h, Local& error) override {
    const LocalJacobian& J = *start.jacobian;
    const double hg = h * k_.gamma;
    for (int r = 0; r < n_; ++r)
      rhs_[r] = dot({J.M.row(r), error.u.size()}, error.u) / hg +
                dot({J.A_x.row(r), error.x.size()}, error.x);
    for (int r = 0; r < first_; ++r)
      rhs_[n_ + r] = error.z[r] / hg + dot({J.B_x.row(r), error.x.size()}, error.x);
    lu_.solve(rhs_);
    for (int r = 0; r < n_; ++r) {
      error.u[r] = rhs_[r];
      error.x[r] += hg * rhs_[r];
    }
    for (int r = 0; r < first_; ++r) error.z[r] = rhs_[n_ + r];
  }

 private:
  /// `rate_at` puts the rates at the point of stage i into rate_ (or their change into push_).
  template <class RateAt>
  Eval step(const StepStart& start, double h, Trial& trial, Counters& counters, RateAt rate_at) {
    n_ = static_cast<int>(start.y->x.size());
    first_ = static_cast<int>(start.y->z.size());
    resize();
    if (h != factored_h_) {
      factored_h_ = none;
      if (Eval e = factor(*start.jacobian, h); e != Eval::ok) return e;
      ++counters.factorizations;
      factored_h_ = h;
    }
    rate_ = *start.rate;
    for (int i = 0; i < k_.stages; ++i) {
      stage_point(i, *start.y);
      if (i > 0 && !k_.same_point[i])
        if (Eval e = rate_at(i); e != Eval::ok) return e;
      solve_stage(i, *start.jacobian, h);
    }
    trial.y = *start.y;
    trial.error.resize(n_, first_);
    for (auto* x : {&trial.error.x, &trial.error.u, &trial.error.z})
      std::fill(x->begin(), x->end(), 0.0);
    for (int i = 0; i < k_.stages; ++i) {
      accumulate(k_.m[i], i, trial.y);
      accumulate(k_.e[i], i, trial.error);
    }
    return all_finite(trial.y) ? Eval::ok : Eval::recoverable;
  }

  /// What the Jacobian says of the rates at y_, `time` after the start.
  void linear_rate(const StepStart& start, double time) {
    const LocalJacobian& J = *start.jacobian;
    for (auto [to, at, from] :
         {std::tuple{&change_.x, &y_.x, &start.y->x}, std::tuple{&change_.u, &y_.u, &start.y->u},
          std::tuple{&change_.z, &y_.z, &start.y->z}}) {
      *to = *at;
      add_scaled(-1, *from, *to);
    }
    for (int r = 0; r < n_; ++r) push_[r] = time * J.A_t[r];
    add_products(J.A_x, change_.x, push_);
    add_products(J.A_u, change_.u, push_);
    for (int r = 0; r < first_; ++r) rate_.b[r] = start.rate->b[r] + time * J.B_t[r];
    if (first_ == 0) return;
    add_products(J.A_z, change_.z, push_);
    add_products(J.B_x, change_.x, rate_.b);
    add_products(J.B_u, change_.u, rate_.b);
    add_products(J.B_z, change_.z, rate_.b);
  }

  void resize() {
    for (int i = 0; i < k_.stages; ++i) {
      X_[i].resize(n_);
      V_[i].resize(n_);
      Z_[i].resize(first_);
    }
    s_.resize(n_);
    w_.resize(n_);
    rhs_.resize(n_ + first_);
    rate_.resize(n_, first_);
    y_.resize(n_, first_);
    change_.resize(n_, first_);
    push_.assign(n_, 0.0);
    S_.resize(n_ + first_, n_ + first_);
  }

  /// [ M/(hg) - A_u - hg A_x    -A_z        ]
  /// [ -B_u - hg B_x             I/(hg) - B_z ]
  Eval factor(const LocalJacobian& J, double h) {
    const double hg = h * k_.gamma;
    for (int i = 0; i < n_; ++i) {
      double* __restrict row = S_.row(i);
      const double *M = J.M.row(i), *A_u = J.A_u.row(i), *A_x = J.A_x.row(i);
      for (int j = 0; j < n_; ++j) row[j] = M[j] / hg - A_u[j] - hg * A_x[j];
      for (int j = 0; j < first_; ++j) row[n_ + j] = -J.A_z(i, j);
    }
    for (int i = 0; i < first_; ++i) {
      double* row = S_.row(n_ + i);
      for (int j = 0; j < n_; ++j) row[j] = -J.B_u(i, j) - hg * J.B_x(i, j);
      for (int j = 0; j < first_; ++j) row[n_ + j] = (i == j ? 1 / hg : 0.0) - J.B_z(i, j);
    }
    return lu_.factor(S_);
  }

  void accumulate(double factor, int i, Local& y) const {
    if (factor == 0) return;
    add_scaled(factor, X_[i], y.x);
    add_scaled(factor, V_[i], y.u);
    add_scaled(factor, Z_[i], y.z);
  }

  void stage_point(int i, const Local& start) {
    y_ = start;
    for (int j = 0; j < i; ++j) accumulate(k_.a(i, j), j, y_);
  }

  void solve_stage(int i, const LocalJacobian& J, double h) {
    const double hg = h * k_.gamma;
    s_ = y_.u;
    w_ = rate_.a;
    for (int j = 0; j < i; ++j) {
      add_scaled(k_.c(i, j) / h, X_[j], s_);
      add_scaled(k_.c(i, j) / h, V_[j], w_);
    }
    const double ht = k_.gamma_i[i] * h;
    for (int r = 0; r < n_; ++r) {
      double sum = push_[r] + ht * J.A_t[r];
      const double *M = J.M.row(r), *A = J.A_x.row(r);
      for (int j = 0; j < n_; ++j) sum += M[j] * w_[j] + hg * A[j] * s_[j];
      rhs_[r] = sum;
    }
    for (int r = 0; r < first_; ++r) {
      double sum = rate_.b[r] + ht * J.B_t[r];
      for (int j = 0; j < i; ++j) sum += k_.c(i, j) / h * Z_[j][r];
      const double* B = J.B_x.row(r);
      for (int j = 0; j < n_; ++j) sum += hg * B[j] * s_[j];
      rhs_[n_ + r] = sum;
    }
    lu_.solve(rhs_);
    for (int r = 0; r < n_; ++r) {
      V_[i][r] = rhs_[r];
      X_[i][r] = hg * (rhs_[r] + s_[r]);
    }
    for (int r = 0; r < first_; ++r) Z_[i][r] = rhs_[n_ + r];
  }

  RosenbrockCoefficients k_;
  int n_ = 0, first_ = 0;
  std::vector<Vector> X_, V_, Z_;
  Vector s_, w_, rhs_;
  LocalRate rate_;
  Vector push_;  // what M times rate_.a lacks
  Local y_, change_;
  Matrix S_;
  DenseLu lu_;
  double factored_h_ = none;  // of lu_ with the Jacobian at the base
};

}  // namespace

std::unique_ptr<Stepper> make_rosenbrock(const RosenbrockTableau& tableau) {
  return std::make_unique<RosenbrockStepper>(tableau);
}

}  // namespace kardan
