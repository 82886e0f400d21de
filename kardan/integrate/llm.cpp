#include "kardan/integrate/llm.h"

#include <cmath>

#include "kardan/linalg/dense_lu.h"
#include "kardan/linalg/linear_flow.h"

namespace kardan {
namespace {

/// Krylov's error, relative: below what tolerances ask for.
constexpr double krylov_tolerance = 1e-12;

class LlmStepper final : public Stepper, public StepFlow, public StepShortener {
 public:
  explicit LlmStepper(FlowKind kind) : kind_(kind) {}

  Eval attempt(ChartProblem& problem, const StepStart& start, double h, Trial& trial,
               Counters& counters) override {
    n_ = problem.second_order();
    size_ = 2 * n_ + problem.first_order();
    y0_ = *start.y;
    pack(start.y->u, start.rate->a, start.rate->b, f_);
    if (Eval e = linearize(*start.jacobian); e != Eval::ok) return e;
    if (Eval e = flow_.prepare(A_, f_, f_t_, h, kind_, krylov_tolerance); e != Eval::ok) return e;
    ++counters.factorizations;
    return shorten(problem, start, h, trial, counters);
  }

  /// A shorter step lies on the flow of the longer one.
  Eval shorten(ChartProblem& problem, const StepStart& start, double h, Trial& trial,
               Counters& counters) override {
    if (h > flow_.h()) return attempt(problem, start, h, trial, counters);
    flow_.at(h, w_);
    add(w_, trial.y);
    if (!all_finite(w_)) return Eval::recoverable;
    end_rate_.resize(n_, problem.first_order());
    ++counters.evaluations;
    if (Eval e = problem.rate(start.t + h, trial.y, end_rate_); e != Eval::ok) return e;
    return estimate(h, trial);
  }

  StepAbilities abilities() override { return {.flow = this, .shortener = this}; }

  const Local& at(double time) override {
    flow_.at(time, inside_);
    add(inside_, y_);
    return y_;
  }
  /// Seen from b.
  const Vector& speed_bound(double a, double b) override {
    flow_.at(b, inside_);
    flow_.deviation(b, inside_, b - a, bound_);
    speed_.resize(n_);
    for (int i = 0; i < n_; ++i) speed_[i] = std::abs(y0_.u[i] + inside_[n_ + i]) + bound_[n_ + i];
    return speed_;
  }
  double fastest() const override { return flow_.rate(); }

 private:
  void pack(const Vector& u, const Vector& a, const Vector& b, Vector& out) const {
    out.resize(size_);
    std::copy(u.begin(), u.end(), out.begin());
    std::copy(a.begin(), a.end(), out.begin() + n_);
    std::copy(b.begin(), b.end(), out.begin() + 2 * n_);
  }

  /// y = y0 + w
  void add(const Vector& w, Local& y) const {
    y = y0_;
    for (int i = 0; i < n_; ++i) {
      y.x[i] += w[i];
      y.u[i] += w[n_ + i];
    }
    for (int i = 2 * n_; i < size_; ++i) y.z[i - 2 * n_] += w[i];
  }

  /// f_y = [0 I 0; M^-1 A_x  M^-1 A_u  M^-1 A_z; B_x B_u B_z],  f_t = (0, M^-1 A_t, B_t)
  Eval linearize(const LocalJacobian& J) {
    const int first = size_ - 2 * n_;
    right_.resize(n_, size_ + 1);
    for (int i = 0; i < n_; ++i) {
      double* row = right_.row(i);
      std::copy_n(J.A_x.row(i), n_, row);
      std::copy_n(J.A_u.row(i), n_, row + n_);
      for (int j = 0; j < first; ++j) row[2 * n_ + j] = J.A_z(i, j);
      row[size_] = J.A_t[i];
    }
    if (n_ > 0) {
      if (Eval e = mass_.factor(J.M); e != Eval::ok) return e;
      mass_.solve(right_);
    }
    A_.resize(size_, size_);
    A_.set_zero();
    f_t_.assign(size_, 0.0);
    for (int i = 0; i < n_; ++i) {
      A_(i, n_ + i) = 1;
      std::copy_n(right_.row(i), size_, A_.row(n_ + i));
      f_t_[n_ + i] = right_(i, size_);
    }
    for (int i = 0; i < first; ++i) {
      double* row = A_.row(2 * n_ + i);
      for (int j = 0; j < n_; ++j) {
        row[j] = J.B_x(i, j);
        row[n_ + j] = J.B_u(i, j);
      }
      for (int j = 0; j < first; ++j) row[2 * n_ + j] = J.B_z(i, j);
      f_t_[2 * n_ + i] = J.B_t[i];
    }
    return Eval::ok;
  }

  /// l = 2 h^3 phi_3(h f_y) v,  v = (f(y_1) - g(y_1))/h^2
  Eval estimate(double h, Trial& trial) {
    pack(trial.y.u, end_rate_.a, end_rate_.b, rate_);
    v_.resize(size_);
    multiply(A_, w_, v_);
    for (int i = 0; i < size_; ++i)
      // u_1 is what the linearization says, by definition.
      v_[i] = i < n_ ? 0 : 2 / (h * h) * (rate_[i] - f_[i] - h * f_t_[i] - v_[i]);
    if (Eval e = flow_.third(v_, h, bound_); e != Eval::ok) return e;
    Local& error = trial.error;
    error.resize(n_, size_ - 2 * n_);
    std::copy_n(bound_.begin(), n_, error.x.begin());
    std::copy_n(bound_.begin() + n_, n_, error.u.begin());
    std::copy(bound_.begin() + 2 * n_, bound_.end(), error.z.begin());
    return all_finite(bound_) ? Eval::ok : Eval::recoverable;
  }

  FlowKind kind_;
  int n_ = 0, size_ = 0;
  Local y0_, y_;
  LocalRate end_rate_;
  Matrix A_, right_;
  Vector f_, f_t_, rate_, w_, v_, inside_, bound_, speed_;
  DenseLu mass_;
  LinearFlow flow_;
};

}  // namespace

Method llm() {
  return {.name = "llm",
          .summary = "local linearization: exact flow of the linearized equations",
          .source = "Gil, Sanfelice, Nikravesh 2013",
          .order = 2,
          .error_order = 2,
          .needs_jacobian = true,
          .needs_exact_jacobian = true,
          .exact_if_linear = true,
          .error_per_unit_step = true,
          .options = {{.name = "exponential",
                       .fallback = "auto",
                       .doc = "pade: scaling and squaring; krylov: products with the Jacobian "
                              "alone; auto: by size",
                       .choices = {"auto", "pade", "krylov"}}},
          .duties = {{Task::linear_between_events}},
          .make = [](const OptionValues& values) -> std::unique_ptr<Stepper> {
            const std::string& word = word_option(values, "exponential");
            return std::make_unique<LlmStepper>(word == "pade"     ? FlowKind::pade
                                                : word == "krylov" ? FlowKind::krylov
                                                                   : FlowKind::automatic);
          }};
}

}  // namespace kardan
