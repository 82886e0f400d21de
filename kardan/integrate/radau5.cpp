#include "kardan/integrate/radau5.h"

#include <array>
#include <cmath>
#include <limits>

#include "kardan/integrate/dae_problem.h"
#include "kardan/integrate/stage_guess.h"

namespace kardan {

const Radau5Tableau& radau5_tableau() {
  static const Radau5Tableau table = [] {
    const double s = std::sqrt(6.0);
    // Hairer, Wanner, Solving Ordinary Differential Equations II, Table IV.5.6 and section IV.8;
    // T and its inverse from the code RADAU5 of the same authors.
    Radau5Tableau t{
        .c = {(4 - s) / 10, (4 + s) / 10, 1},
        .A = {{(88 - 7 * s) / 360, (296 - 169 * s) / 1800, (-2 + 3 * s) / 225},
              {(296 + 169 * s) / 1800, (88 + 7 * s) / 360, (-2 - 3 * s) / 225},
              {(16 - s) / 36, (16 + s) / 36, 1.0 / 9}},
        .A_inverse = {},
        .T = {{9.1232394870892942792e-02, -0.14125529502095420843, -3.0029194105147424492e-02},
              {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
              {0.96604818261509293619, 1, 0}},
        .T_inverse = {{4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119},
                      {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
                      {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497}},
        .gamma = 0,
        .alpha = 0,
        .beta = 0,
        .e = {}};
    const double a = std::cbrt(9.0), b = std::cbrt(81.0);
    // Eigenvalues of A are real = (6 + b - a)/30 and (12 - b + a)/60 +- i (b + a) sqrt(3)/60.
    const double real = (6 + b - a) / 30;
    const double re = (12 - b + a) / 60, im = (b + a) * std::sqrt(3.0) / 60;
    t.gamma = 1 / real;
    t.alpha = re / (re * re + im * im);
    t.beta = im / (re * re + im * im);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        t.A_inverse[i][j] = t.T[i][0] * t.gamma * t.T_inverse[0][j] +
                            t.T[i][1] * (t.alpha * t.T_inverse[1][j] - t.beta * t.T_inverse[2][j]) +
                            t.T[i][2] * (t.beta * t.T_inverse[1][j] + t.alpha * t.T_inverse[2][j]);
    t.e[0] = -(13 + 7 * s) / 3;
    t.e[1] = (-13 + 7 * s) / 3;
    t.e[2] = -1.0 / 3;
    return t;
  }();
  return table;
}

namespace {

/// A contraction better than this is not relied on in the next step: it may have been round-off.
constexpr double smallest_contraction = 1e-3;
/// Largest share of the controlled error that round-off may leave in the stages.
constexpr double largest_noise = 0.3;

/// Of the last accepted step.
struct Memory {
  double contraction = 0;    // of Newton's method
  bool keep_matrix = false;  // the linearization converged well: use it again
};

class Radau5Stepper final : public Stepper {
 public:
  explicit Radau5Stepper(const OptionValues& options)
      : extrapolate_(word_option(options, "start_values") == "extrapolated"),
        reference_(to_reference(word_option(options, "jacobian_at"))),
        max_iterations_(static_cast<int>(number_option(options, "newton_iterations"))),
        max_updates_(static_cast<int>(number_option(options, "newton_updates"))),
        keep_while_(number_option(options, "jacobian_reuse")) {}

  Eval attempt(ChartProblem& chart_problem, const StepStart& start, double h, Trial& trial,
               Counters& counters) override;
  void accept(After after) override;
  Diagnosis diagnosis() const override { return diagnosis_; }

 private:
  enum class Newton { converged, slow, failed };
  enum class Reference { start, stage_1, stage_2, stage_3 };
  static Reference to_reference(const std::string& word) {
    return word == "start"     ? Reference::start
           : word == "stage_1" ? Reference::stage_1
           : word == "stage_2" ? Reference::stage_2
                               : Reference::stage_3;
  }
  /// Whether stages are put on the algebraic equations before every iteration.
  enum class Stage { as_it_is, closed };
  Newton solve_with(DaeProblem& problem, const StepStart& start, double h, Stage stage,
                    DaeLinearization& matrix, Counters& counters);
  Newton iterate(DaeProblem& problem, const StepStart& start, double h, Stage stage,
                 DaeLinearization& matrix, Counters& counters);
  Eval linearize(DaeProblem& problem, const StepStart& start, double h, Reference at,
                 Counters& counters);
  Eval correct(DaeProblem& problem, const StepStart& start, double h, Stage stage,
               DaeLinearization& matrix);
  double size_of(DaeProblem& problem, const StepStart& start, double h, const Vector& dy);
  void guess(DaeProblem& problem, double h);
  void estimate(DaeProblem& problem, const StepStart& start, double h, DaeLinearization& matrix,
                Trial& trial);
  void resize(const DaeProblem& problem);
  void reserve(DaeProblem& problem, const StepStart& start, double h, Counters& counters);
  void to_local(const DaeProblem& problem, const Vector& y, Local& out) const;

  const Radau5Tableau& t_ = radau5_tableau();
  bool extrapolate_;
  Reference reference_;
  int max_iterations_, max_updates_;
  double keep_while_;

  StageGuess start_;
  Memory memory_;
  std::unique_ptr<DaeLinearization> kept_, fresh_;  // of memory; of this step
  // Scratch of an attempt.
  Stages Z_, F_, D_;  // stage increments, residuals, corrections
  Vector y0_, y_, slope_, residual_, error_;
  Local change_;
  double contraction_ = 0, theta_ = 0, h_ = 0;
  bool used_fresh_ = false;
  Diagnosis diagnosis_ = Diagnosis::none;  // of the last attempt
};

void Radau5Stepper::resize(const DaeProblem& problem) {
  const auto n = static_cast<std::size_t>(problem.unknowns());
  const auto m = static_cast<std::size_t>(problem.equations());
  for (int i = 0; i < 3; ++i) {
    Z_[i].resize(n);
    D_[i].resize(n);
    F_[i].resize(m);
  }
  for (Vector* v : {&y_, &slope_, &error_}) v->resize(n);
  residual_.resize(m);
  change_.resize(problem.second(), problem.first());
  if (!fresh_) fresh_ = problem.make_linearization();
}

void Radau5Stepper::to_local(const DaeProblem& problem, const Vector& y, Local& out) const {
  const int n = problem.second();
  out.resize(n, problem.first());
  std::copy_n(y.begin(), n, out.x.begin());
  std::copy_n(y.begin() + n, n, out.u.begin());
  std::copy_n(y.begin() + 2 * n, problem.first(), out.z.begin());
}

/// Size of a change of the unknowns as an error of the step.
double Radau5Stepper::size_of(DaeProblem& problem, const StepStart& start, double h,
                              const Vector& dy) {
  if (!all_finite(dy)) return HUGE_VAL;
  to_local(problem, dy, change_);
  const double factor = std::pow(h, problem.velocity_index() - 1);
  if (factor != 1)
    for (double& u : change_.u) u *= factor;
  return problem.error_norm(change_, *start.state, *start.scale);
}

/// Starting values of the stages: as the last steps foretell them, or the state at the base.
void Radau5Stepper::guess(DaeProblem& problem, double h) {
  start_.guess(problem, h, Z_);
  if (!extrapolate_)
    for (Vector& z : Z_) std::fill(z.begin(), z.end(), 0.0);
}

/// A new linearization at the start of the step or at a stage.
Eval Radau5Stepper::linearize(DaeProblem& problem, const StepStart& start, double h, Reference at,
                              Counters& counters) {
  y_ = y0_;
  double t = start.t;
  if (at != Reference::start) {
    const int stage = static_cast<int>(at) - static_cast<int>(Reference::stage_1);
    add_scaled(1, Z_[stage], y_);
    t += t_.c[stage] * h;
  }
  ++counters.jacobians;
  return problem.linearize(t, y_, *fresh_);
}

/// One correction D of the stages from the residuals at Z.
Eval Radau5Stepper::correct(DaeProblem& problem, const StepStart& start, double h, Stage stage,
                            DaeLinearization& matrix) {
  if (stage == Stage::closed)
    for (int i = 0; i < 3; ++i) {
      add_scaled(1, y0_, Z_[i]);
      if (Eval e = problem.close(start.t + t_.c[i] * h, Z_[i]); e != Eval::ok) return e;
      add_scaled(-1, y0_, Z_[i]);
    }
  // The last one first: a matrix made there has left its evaluation.
  for (int i = 2; i >= 0; --i) {
    y_ = y0_;
    add_scaled(1, Z_[i], y_);
    std::fill(slope_.begin(), slope_.end(), 0.0);
    for (int j = 0; j < 3; ++j) add_scaled(t_.A_inverse[i][j] / h, Z_[j], slope_);
    if (Eval e = problem.residual(start.t + t_.c[i] * h, y_, slope_, F_[i]); e != Eval::ok)
      return e;
  }
  // F := -T^-1 F
  for (std::size_t k = 0; k < F_[0].size(); ++k) {
    const double f[3] = {F_[0][k], F_[1][k], F_[2][k]};
    for (int i = 0; i < 3; ++i)
      F_[i][k] =
          -(t_.T_inverse[i][0] * f[0] + t_.T_inverse[i][1] * f[1] + t_.T_inverse[i][2] * f[2]);
  }
  matrix.solve(F_, D_);
  // D := T D
  for (std::size_t k = 0; k < D_[0].size(); ++k) {
    const double d[3] = {D_[0][k], D_[1][k], D_[2][k]};
    for (int i = 0; i < 3; ++i)
      D_[i][k] = t_.T[i][0] * d[0] + t_.T[i][1] * d[1] + t_.T[i][2] * d[2];
  }
  return Eval::ok;
}

/// The estimate has order 3 and belongs to a worse solution than the one of order 5 that is taken.
/// The global error of the latter goes with the estimate to the power 5/4: held below
/// tol^(4/5) / factor instead of tol the reached error follows tol. (RADAU5 does the same with the
/// power 2/3, which is that of the local error.) The factor is measured: with it the velocities of
/// Andrews' mechanism, whose errors are 300 times those of its positions, are within ten tolerances
/// on a grid, and so are 20 s of four-bar linkages.
double estimate_weight(double tolerance) {
  constexpr double factor = 28;
  return factor * std::pow(tolerance, 0.2);
}

Radau5Stepper::Newton Radau5Stepper::iterate(DaeProblem& problem, const StepStart& start, double h,
                                             Stage stage, DaeLinearization& matrix,
                                             Counters& counters) {
  const double tolerance = start.scale->relative, weight = estimate_weight(tolerance);
  // In units of the controlled error (RADAU5; Hairer & Wanner II, IV.8). Ten times looser than the
  // square root: on Andrews' mechanism that saves a fifth of the evaluations, and reached errors
  // change by less than a half.
  const double enough = std::min(0.03, 10 * std::sqrt(tolerance / weight));
  // Corrections of this size are round-off, magnified near singular positions: in velocities by
  // the square of the condition. Where that would not stay well below the tolerance, no size is
  // excused.
  const double noise =
      std::min(largest_noise, 100 * std::numeric_limits<double>::epsilon() * matrix.condition() *
                                  matrix.condition() * weight / tolerance);
  // Until two corrections show the contraction, that of the last step stands in, with doubt: good
  // guesses make first corrections small, which is no sign of how the next would be.
  constexpr double doubt = 5;
  double eta = std::pow(std::max(memory_.contraction, smallest_contraction), 0.8);
  double last = 0, last_ratio = 0;
  theta_ = 0;
  for (int iteration = 1; iteration <= max_iterations_; ++iteration) {
    counters.evaluations += 3;
    ++counters.iterations;
    ++counters.solves;
    if (correct(problem, start, h, stage, matrix) != Eval::ok) return Newton::failed;
    double size = 0;
    for (const Vector& d : D_) size = std::max(size, weight * size_of(problem, start, h, d));
    if (!std::isfinite(size)) return Newton::failed;
    for (int i = 0; i < 3; ++i) add_scaled(1, D_[i], Z_[i]);
    if (size <= noise) {
      contraction_ = eta;
      return Newton::converged;
    }
    if (iteration > 1) {
      const double ratio = size / last;
      theta_ = iteration == 2 ? ratio : std::sqrt(ratio * last_ratio);
      last_ratio = ratio;
      if (theta_ >= 0.99) return Newton::slow;
      eta = theta_ / (1 - theta_);
      const double at_the_end = eta * size * std::pow(theta_, max_iterations_ - 1 - iteration);
      if (at_the_end >= enough && eta * size > enough) return Newton::slow;
    }
    last = std::max(size, std::numeric_limits<double>::min());
    if (eta * size <= (iteration == 1 ? enough / doubt : enough)) {
      contraction_ = eta;
      return Newton::converged;
    }
  }
  return Newton::slow;
}

/// The second linearization has its storage from the first attempt on: no step allocates later.
void Radau5Stepper::reserve(DaeProblem& problem, const StepStart& start, double h,
                            Counters& counters) {
  kept_ = problem.make_linearization();
  ++counters.jacobians;
  if (problem.linearize(start.t, y0_, *kept_) != Eval::ok) return;
  if (kept_->factor(t_.gamma / h, {t_.alpha / h, t_.beta / h}) != Eval::ok) return;
  for (Vector& f : F_) std::fill(f.begin(), f.end(), 0.0);
  kept_->solve(F_, D_);
}

/// Newton's method with one matrix, from the values in Z.
Radau5Stepper::Newton Radau5Stepper::solve_with(DaeProblem& problem, const StepStart& start,
                                                double h, Stage stage, DaeLinearization& matrix,
                                                Counters& counters) {
  ++counters.factorizations;
  if (matrix.factor(t_.gamma / h, {t_.alpha / h, t_.beta / h}) != Eval::ok) {
    diagnosis_ = Diagnosis::step_matrix_singular;
    return Newton::failed;
  }
  return iterate(problem, start, h, stage, matrix, counters);
}

Eval Radau5Stepper::attempt(ChartProblem& chart_problem, const StepStart& start, double h,
                            Trial& trial, Counters& counters) {
  auto& problem = static_cast<DaeProblem&>(chart_problem);
  resize(problem);
  h_ = h;
  y0_ = problem.base_values();
  if (!kept_) reserve(problem, start, h, counters);
  used_fresh_ = false;
  diagnosis_ = Diagnosis::none;
  Newton outcome = Newton::failed;
  if (memory_.keep_matrix) {
    guess(problem, h);
    outcome = solve_with(problem, start, h, Stage::as_it_is, *kept_, counters);
  }
  for (int update = 0; outcome != Newton::converged && update <= max_updates_; ++update) {
    // A slow iteration goes on with a matrix made where it is; one that went astray begins anew.
    if (update == 0 || outcome == Newton::failed) guess(problem, h);
    used_fresh_ = true;
    const Eval e =
        linearize(problem, start, h, update == 0 ? reference_ : Reference::stage_2, counters);
    if (e == Eval::fatal) return e;
    outcome = e != Eval::ok ? Newton::failed
                            : solve_with(problem, start, h, Stage::as_it_is, *fresh_, counters);
  }
  // Stages on both sides of a singular position have no matrix in common that serves their
  // constraints: each is closed by its own, and the rest has the one that is best conditioned.
  for (Reference at : {Reference::stage_3, Reference::stage_2, Reference::start}) {
    if (outcome == Newton::converged) break;
    guess(problem, h);
    if (linearize(problem, start, h, at, counters) == Eval::ok)
      outcome = solve_with(problem, start, h, Stage::closed, *fresh_, counters);
  }
  if (outcome != Newton::converged) {
    // What kept the problem from being linearized or closed is the reason, if it was that.
    if (outcome == Newton::slow || diagnosis_ == Diagnosis::none)
      diagnosis_ =
          problem.diagnosis() == Diagnosis::none ? Diagnosis::newton_slow : problem.diagnosis();
    return Eval::recoverable;
  }
  estimate(problem, start, h, used_fresh_ ? *fresh_ : *kept_, trial);
  y_ = y0_;
  add_scaled(1, Z_[2], y_);
  to_local(problem, y_, trial.y);
  return Eval::ok;
}

/// err = (gamma/h E + A)^-1 E (y0' + sum e_i Z_i / h): order 3, bounded for stiff problems.
void Radau5Stepper::estimate(DaeProblem& problem, const StepStart& start, double h,
                             DaeLinearization& matrix, Trial& trial) {
  const int n = 2 * problem.second() + problem.first();
  std::fill(residual_.begin(), residual_.end(), 0.0);
  for (int k = 0; k < n; ++k) {
    residual_[k] = problem.base_rates()[k];
    for (int i = 0; i < 3; ++i) residual_[k] += t_.e[i] / h * Z_[i][k];
  }
  matrix.solve(residual_, error_);
  to_local(problem, error_, trial.error);
  const double weight = estimate_weight(start.scale->relative);
  const double factor = std::pow(h, problem.velocity_index() - 1);
  for (double& x : trial.error.x) x *= weight;
  for (double& u : trial.error.u) u *= weight * factor;
  for (double& z : trial.error.z) z *= weight;
}

void Radau5Stepper::accept(After after) {
  if (after == After::event) {
    start_.forget();
    memory_.keep_matrix = false;
    memory_.contraction = 0;
    return;
  }
  start_.accept(h_, y0_, Z_);
  memory_.contraction = contraction_;
  memory_.keep_matrix = theta_ <= keep_while_;
  if (used_fresh_) std::swap(kept_, fresh_);
}

}  // namespace

Method radau5() {
  return {
      .name = "radau5",
      .summary = "Radau IIA on implicit equations, order 5, L-stable",
      .source =
          "Hairer, Wanner, Solving Ordinary Differential Equations II, IV.8; "
          "Steinbrecher 2007",
      .order = 5,
      .error_order = 3,
      .problem = ProblemKind::dae,
      .formulation = "strangeness_free",
      .options =
          {{"start_values",
            "extrapolated",
            "of Newton's method: the polynomial of the "
            "last step, or the state at its end",
            {"extrapolated", "constant"}},
           {"jacobian_at",
            "stage_3",
            "point at which the iteration matrix is made",
            {"start", "stage_1", "stage_2", "stage_3"}},
           {"newton_iterations", "7", "most iterations with a matrix", {}, 1, 100},
           {"newton_updates", "1", "new matrices within a step after slow convergence", {}, 0, 10},
           {"jacobian_reuse",
            "0.001",
            "the matrix is kept for the next step while corrections shrink by this",
            {},
            0,
            1}},
      .make = [](const OptionValues& options) -> std::unique_ptr<Stepper> {
        return std::make_unique<Radau5Stepper>(options);
      }};
}

}  // namespace kardan
