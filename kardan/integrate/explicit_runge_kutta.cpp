#include "kardan/integrate/explicit_runge_kutta.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kardan/linalg/kernels.h"

namespace kardan {
namespace {

/// What accelerations differ by from closing positions once more.
constexpr double closing_noise = 1e-10;

void fill(Local& y, double value) {
  for (Vector* part : {&y.x, &y.u, &y.z}) std::fill(part->begin(), part->end(), value);
}

void scale(double factor, Local& y) {
  for (Vector* part : {&y.x, &y.u, &y.z})
    for (double& value : *part) value *= factor;
}

class ExplicitStepper final : public Stepper, public StepFlow, public EndCheck {
 public:
  explicit ExplicitStepper(const ExplicitTableau& tableau)
      : tableau_(tableau),
        stages_(static_cast<int>(tableau.A.size())),
        k_(tableau.A.size() + (tableau.D.empty() ? 0 : 1 + tableau.dense_A.size())),
        u_(k_.size()),
        weight_(k_.size() + 1),
        F_(tableau.D.empty() ? 0 : 3 + tableau.D.size()) {
    for (auto& part : rows_) part.resize(k_.size() + 1);
  }

  Eval attempt(ChartProblem& problem, const StepStart& start, double h, Trial& trial,
               Counters& counters) override {
    problem_ = &problem;
    counters_ = &counters;
    y0_ = *start.y;
    t_ = start.t;
    h_ = h;
    dense_ready_ = false;
    k_[0] = *start.rate;
    if (!nystrom()) u_[0] = y0_.u;
    for (int i = 1; i < stages_; ++i) {
      y_ = y0_;
      add(h, tableau_.A[i], y_);
      if (nystrom()) add_positions(h, tableau_.c[i], tableau_.A_x[i], y_.x);
      if (Eval e = evaluate(i, start.t + tableau_.c[i] * h, y_); e != Eval::ok) return e;
    }
    if (!tableau_.b.empty()) {
      y_ = y0_;
      add(h, tableau_.b, y_);
      if (nystrom()) add_positions(h, 1, tableau_.b_x, y_.x);
    }
    trial.y = end_ = y_;
    estimate(problem, start, h, trial.error);
    return all_finite(trial.y) ? Eval::ok : Eval::recoverable;
  }

  StepAbilities abilities() override {
    StepAbilities can;
    if (!tableau_.D.empty()) can.flow = this;
    if (!tableau_.end_error.empty()) can.end_check = this;
    return can;
  }

  void look_at_end(const ChartProblem& problem, const ChartPoint&, const ChartPoint& to, double h,
                   Local& error) override {
    problem.free_accelerations(to, end_a_);
    for (std::size_t i = 0; i < error.u.size(); ++i) {
      double sum = tableau_.end_error.back() * end_a_[i], largest = std::abs(end_a_[i]);
      for (int j = 0; j < stages_; ++j) {
        sum += tableau_.end_error[j] * k_[j].a[i];
        largest = std::max(largest, std::abs(k_[j].a[i]));
      }
      if (std::abs(sum) > closing_noise * largest) error.u[i] = std::hypot(error.u[i], h * sum);
    }
  }

  const Local& at(double time) override {
    prepare_dense();
    const double theta = time / h_;
    fill(y_, 0.0);
    for (std::size_t i = F_.size(); i-- > 0;) {
      add_scaled(1, F_[i], y_);
      scale(i % 2 == 0 ? theta : 1 - theta, y_);
    }
    add_scaled(1, y0_, y_);
    return y_;
  }

  /// Every term of the sum lies below its own maximum over the step.
  const Vector& speed_bound(double, double) override {
    prepare_dense();
    speed_.resize(y0_.u.size());
    for (std::size_t j = 0; j < speed_.size(); ++j) {
      speed_[j] = std::abs(y0_.u[j]);
      for (std::size_t i = 0; i < F_.size(); ++i) {
        // theta^p (1 - theta)^q is largest at theta = p / (p + q).
        const std::size_t powers[2] = {1 + i / 2, (i + 1) / 2};
        const double p = static_cast<double>(powers[0]), q = static_cast<double>(powers[1]);
        const double peak = std::pow(p / (p + q), p) * std::pow(q / (p + q), q);
        speed_[j] += peak * std::abs(F_[i].u[j]);
      }
    }
    return speed_;
  }
  double fastest() const override { return 0; }

 private:
  bool nystrom() const { return !tableau_.A_x.empty(); }
  /// y += factor sum a_j k_j, all stages in one pass; without the positions of a Nystrom method.
  void add(double factor, const std::vector<double>& a, Local& y) {
    int count = 0;
    for (std::size_t j = 0; j < a.size(); ++j) {
      if (a[j] == 0) continue;
      weight_[count] = factor * a[j];
      rows_[0][count] = u_[j].data();
      rows_[1][count] = k_[j].a.data();
      rows_[2][count++] = k_[j].b.data();
    }
    if (!nystrom()) add_rows(0, count, y.x);
    add_rows(1, count, y.u);
    add_rows(2, count, y.z);
  }
  /// x += c h u + h^2 sum a_j k_j
  void add_positions(double h, double c, const std::vector<double>& a, Vector& x) {
    weight_[0] = c * h;
    rows_[0][0] = y0_.u.data();
    int count = 1;
    for (std::size_t j = 0; j < a.size(); ++j) {
      weight_[count] = h * h * a[j];
      rows_[0][count++] = k_[j].a.data();
    }
    add_rows(0, count, x);
  }
  void add_rows(int part, int count, Vector& to) {
    add_combination(count, weight_.data(), rows_[part].data(), static_cast<int>(to.size()),
                    to.data());
  }
  void add_rate(double factor, int j, Local& y) const {
    kardan::add_scaled(factor, u_[j], y.x);
    kardan::add_scaled(factor, k_[j].a, y.u);
    kardan::add_scaled(factor, k_[j].b, y.z);
  }

  Eval evaluate(int i, double t, const Local& y) {
    k_[i].resize(problem_->second_order(), problem_->first_order());
    ++counters_->evaluations;
    if (Eval e = problem_->rate(t, y, k_[i]); e != Eval::ok) return e;
    if (!nystrom()) u_[i] = y.u;
    return Eval::ok;
  }

  void estimate(ChartProblem& problem, const StepStart& start, double h, Local& error) {
    error.resize(problem.second_order(), problem.first_order());
    fill(error, 0.0);
    add(h, tableau_.error, error);
    if (nystrom()) add_positions(h, 0, tableau_.error_x, error.x);
    if (tableau_.coarse.empty()) return;
    coarse_.resize(problem.second_order(), problem.first_order());
    fill(coarse_, 0.0);
    add(h, tableau_.coarse, coarse_);
    const double fine = problem.error_norm(error, *start.state, *start.scale);
    const double coarse = problem.error_norm(coarse_, *start.state, *start.scale);
    const double both = std::sqrt(fine * fine + tableau_.coarse_weight * coarse * coarse);
    if (!(both > 0)) return;
    // Dynamic variables may follow time alone, over a swing that a step begins and ends alike:
    // there the estimate vanishes by chance, and this factor with it. They keep the estimate of
    // order 5.
    first_ = error.z;
    scale(fine / both, error);
    error.z = first_;
  }

  /// Not a number where the rates inside the step cannot be evaluated: nothing is made of them
  /// then.
  void prepare_dense() {
    if (dense_ready_) return;
    dense_ready_ = true;
    y_.resize(problem_->second_order(), problem_->first_order());
    for (Local& f : F_) f.resize(problem_->second_order(), problem_->first_order());
    if (!evaluate_dense()) {
      for (Local& f : F_) fill(f, std::numeric_limits<double>::quiet_NaN());
      return;
    }
    F_[0] = end_;
    add_scaled(-1, y0_, F_[0]);
    fill(F_[1], 0.0);
    add_rate(h_, 0, F_[1]);
    add_scaled(-1, F_[0], F_[1]);
    F_[2] = F_[0];
    add_scaled(-1, F_[1], F_[2]);
    add_rate(-h_, stages_, F_[2]);
    for (std::size_t i = 0; i < tableau_.D.size(); ++i) {
      fill(F_[3 + i], 0.0);
      add(h_, tableau_.D[i], F_[3 + i]);
    }
  }

  bool evaluate_dense() {
    if (evaluate(stages_, t_ + h_, end_) != Eval::ok) return false;
    for (std::size_t i = 0; i < tableau_.dense_A.size(); ++i) {
      y_ = y0_;
      add(h_, tableau_.dense_A[i], y_);
      const int stage = stages_ + 1 + static_cast<int>(i);
      if (evaluate(stage, t_ + tableau_.dense_c[i] * h_, y_) != Eval::ok) return false;
    }
    return true;
  }

  const ExplicitTableau& tableau_;
  int stages_;
  std::vector<LocalRate> k_;
  std::vector<Vector> u_;
  // Of a sum over the stages: factors, and where its three parts stand.
  Vector weight_;
  std::vector<const double*> rows_[3];
  Local y_, coarse_;
  Vector first_, end_a_;
  // The last attempt.
  ChartProblem* problem_ = nullptr;
  Counters* counters_ = nullptr;
  Local y0_, end_;
  double t_ = 0, h_ = 0;
  bool dense_ready_ = false;
  std::vector<Local> F_;
  Vector speed_;
};

}  // namespace

std::unique_ptr<Stepper> make_explicit_stepper(const ExplicitTableau& tableau) {
  return std::make_unique<ExplicitStepper>(tableau);
}

}  // namespace kardan
