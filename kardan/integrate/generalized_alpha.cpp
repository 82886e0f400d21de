#include "kardan/integrate/generalized_alpha.h"

#include <cmath>
#include <limits>

#include "kardan/base/assert.h"
#include "kardan/integrate/constrained_newton.h"

namespace kardan {
namespace {

struct Coefficients {
  double alpha_m, alpha_f;
  double gamma() const { return 0.5 + alpha_f - alpha_m; }
  double beta() const { return 0.25 * (gamma() + 0.5) * (gamma() + 0.5); }
};

class GeneralizedAlphaStepper final : public Stepper {
 public:
  GeneralizedAlphaStepper(const Coefficients& c, ConstraintLevel level) : c_(c), level_(level) {}

  Eval attempt(ChartProblem& any, const StepStart& start, double h, Trial& trial,
               Counters& counters) override {
    KARDAN_ASSERT(any.kind() == ProblemKind::constrained, "a problem with constraints");
    auto& problem = static_cast<ConstrainedProblem&>(any);
    remember(problem, start, h);
    if (Eval e = solve(problem, start, h, counters); e != Eval::ok) return e;
    trial.y.x = x_;
    problem.to_chart(x_, v_, trial.y.u);
    trial.y.z = z_;
    Local& error = trial.error;
    error.resize(problem.second_order(), problem.first_order());
    const double position = c_.beta() + (c_.alpha_m - c_.alpha_f) / 2 - 1.0 / 6;
    change_ = a_;
    add_scaled(-1, a0_, change_);
    newton_.filter(problem, change_);
    for (std::size_t i = 0; i < x_.size(); ++i) {
      error.x[i] = position * h * h * change_[i];
      error.u[i] = h / 2 * change_[i];
    }
    for (std::size_t i = 0; i < z_.size(); ++i)
      error.z[i] = h / 2 * (problem.motion().b[i] - start.rate->b[i]);
    problem.note_multipliers(start.t + h, lambda_);
    next_.t = start.t + h;
    next_.h = h;
    next_.a = a_;
    next_.rate = rate_;
    return all_finite(trial.y) ? Eval::ok : Eval::recoverable;
  }
  StepAbilities abilities() override { return {}; }

 private:
  /// What the method knows at the end of a step: a and v'.
  struct Memory {
    double t = std::numeric_limits<double>::quiet_NaN(), h = 0;
    Vector a, rate;
  };

  /// a, v' and v at the base: of the step that ended there, or of the equations.
  void remember(ConstrainedProblem& problem, const StepStart& start, double h) {
    if (next_.t == start.t) std::swap(memory_, next_);
    next_.t = std::numeric_limits<double>::quiet_NaN();
    v0_ = start.y->u;
    free_.resize(v0_.size());
    rows_.resize(problem.rows());
    const bool known =
        memory_.t == start.t && memory_.a.size() == v0_.size() && problem.continues();
    if (known && h == memory_.h) {
      rate0_ = memory_.rate;
      a0_ = memory_.a;
      return;
    }
    rate0_ = a0_ = start.rate->a;
    if (known) change_step(problem, h / memory_.h);
  }

  /// a - v' grows with the step in the free directions. Along the constraints both, and v, carry
  /// residuals that index 3 hands from step to step as long as they are equal: there a new step
  /// begins from what the equations say.
  void change_step(ConstrainedProblem& problem, double ratio) {
    const Motion& base = problem.base_motion();
    change_ = memory_.a;
    add_scaled(-1, memory_.rate, change_);
    free_.resize(change_.size());
    base.M.multiply(change_, free_);
    rows_.assign(problem.rows(), 0.0);
    problem.solve(ConstrainedProblem::Place::base, free_, rows_);
    add_scaled(ratio, free_, a0_);
    base.M.multiply(v0_, free_);
    base.G.multiply(v0_, rows_);
    add_scaled(-1, base.rate, rows_);
    problem.solve(ConstrainedProblem::Place::base, free_, rows_);
    v0_ = free_;
  }

  /// x, v, z at the end for the present v' and correction of the positions.
  void place(double h) {
    const double beta = c_.beta(), gamma = c_.gamma();
    const std::size_t n = v0_.size();
    for (Vector* y : {&a_, &x_, &v_}) y->resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      a_[i] = ((1 - c_.alpha_f) * rate_[i] + c_.alpha_f * rate0_[i] - c_.alpha_m * a0_[i]) /
              (1 - c_.alpha_m);
      x_[i] = h * v0_[i] + h * h * ((0.5 - beta) * a0_[i] + beta * a_[i]) + shift_[i];
      v_[i] = v0_[i] + h * ((1 - gamma) * a0_[i] + gamma * a_[i]);
    }
  }

  Eval solve(ConstrainedProblem& problem, const StepStart& start, double h, Counters& counters) {
    const double kappa = (1 - c_.alpha_f) / (1 - c_.alpha_m);
    const StepWeights weights{c_.beta() * kappa * h * h, c_.gamma() * kappa * h, h};
    newton_.begin(problem);
    rate_ = rate0_;
    shift_.assign(rate_.size(), 0.0);
    z_ = start.y->z;
    add_scaled(h, start.rate->b, z_);
    lambda_.assign(problem.rows(), 0.0);
    problem.base_multipliers(lambda_);
    problem.error_weights(*start.state, *start.scale, scale_);
    place(h);
    double last = 0;
    for (int iteration = 0; iteration < max_iterations; ++iteration) {
      ++counters.evaluations;
      ++counters.iterations;
      if (Eval e = problem.evaluate(start.t + h, x_, v_, z_, ConstrainedProblem::What::all);
          e != Eval::ok)
        return e;
      if (iteration == 0 || (last > 0 && slow_)) {
        ++counters.jacobians;
        ++counters.factorizations;
        if (Eval e = newton_.factor(problem, x_, rate_, lambda_, weights, level_); e != Eval::ok)
          return e;
        slow_ = false;
      }
      residual_z_.resize(z_.size());
      for (std::size_t i = 0; i < z_.size(); ++i)
        residual_z_[i] = z_[i] - start.y->z[i] - h / 2 * (start.rate->b[i] + problem.motion().b[i]);
      if (Eval e =
              newton_.improve(problem, weights, level_, residual_z_, rate_, lambda_, z_, shift_);
          e != Eval::ok)
        return e;
      const double size = newton_.step_size(weights, scale_);
      place(h);
      if (!std::isfinite(size)) return Eval::recoverable;
      const double rate = last > 0 ? size / last : 0;
      // Where steps no longer shrink they are rounding, which index 3 divides by the step.
      const bool rounding = iteration > 1 && rate > 0.5 && size < rounding_limit;
      if (size < converged || rounding || (iteration > 0 && rate < 1 && size * rate < converged)) {
        // The forces of the next step begin where these end.
        ++counters.evaluations;
        return problem.evaluate(start.t + h, x_, v_, z_, ConstrainedProblem::What::all);
      }
      if (iteration > 1 && rate > 2) return Eval::recoverable;
      slow_ = rate > slow_contraction;
      last = size;
    }
    return Eval::recoverable;
  }

  /// Newton's steps end at this share of the tolerance: iterations then add nothing to the error,
  /// and the constraints, quadratically better, hold far below it.
  static constexpr double converged = 1e-4;
  static constexpr double rounding_limit = 0.01;  // of the tolerance
  static constexpr double slow_contraction = 0.2;
  static constexpr int max_iterations = 12;

  Coefficients c_;
  ConstraintLevel level_;
  Memory memory_, next_;
  ConstrainedNewton newton_;
  Vector a0_, rate0_, v0_;                // at the base
  Vector a_, rate_, lambda_, x_, v_, z_;  // at the end
  Vector shift_;                          // of the positions, by M^-1 G' eta
  Vector residual_z_, change_, free_, rows_;
  Local scale_;
  bool slow_ = false;
};

/// Three-link pendulum, double pendulum and rolling disc at 1e-3 to 1e-6: without it up to 9
/// tolerances.
constexpr double error_weight = 2;

OptionInfo level_option() {
  return {.name = "constraints",
          .fallback = "ggl",
          .doc = "index3: positions hold; ggl: positions and velocities hold",
          .choices = {"index3", "ggl"}};
}

ConstraintLevel level(const OptionValues& values) {
  return word_option(values, "constraints") == "ggl" ? ConstraintLevel::positions_and_velocities
                                                     : ConstraintLevel::positions;
}

}  // namespace

Method generalized_alpha() {
  return {.name = "generalized_alpha",
          .summary = "generalized-alpha on index 3 or Gear-Gupta-Leimkuhler, damping by rho",
          .source = "Chung, Hulbert 1993; Arnold, Bruels 2007",
          .order = 2,
          .error_order = 1,
          .error_weight = error_weight,
          .problem = ProblemKind::constrained,
          .formulation = "all_coordinates",
          .options = {{.name = "rho",
                       .fallback = "0.8",
                       .doc = "what is left of the fastest modes in a step",
                       .smallest = 0,
                       .largest = 1},
                      level_option()},
          .make = [](const OptionValues& values) -> std::unique_ptr<Stepper> {
            const double rho = number_option(values, "rho");
            return std::make_unique<GeneralizedAlphaStepper>(
                Coefficients{(2 * rho - 1) / (rho + 1), rho / (rho + 1)}, level(values));
          }};
}

Method hht() {
  return {.name = "hht",
          .summary = "Hilber-Hughes-Taylor on index 3 or Gear-Gupta-Leimkuhler, damping by alpha",
          .source = "Hilber, Hughes, Taylor 1977; Negrut, Rampalli, Ottarsson, Sajdak 2007",
          .order = 2,
          .error_order = 1,
          .error_weight = error_weight,
          .problem = ProblemKind::constrained,
          .formulation = "all_coordinates",
          .options = {{.name = "alpha",
                       .fallback = "-0.1",
                       .doc = "damping of fast modes; 0: the trapezoidal rule",
                       .smallest = -1.0 / 3,
                       .largest = 0},
                      level_option()},
          .make = [](const OptionValues& values) -> std::unique_ptr<Stepper> {
            return std::make_unique<GeneralizedAlphaStepper>(
                Coefficients{0, -number_option(values, "alpha")}, level(values));
          }};
}

}  // namespace kardan
