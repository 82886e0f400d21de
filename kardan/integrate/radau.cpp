#include "kardan/integrate/radau.h"

#include <cmath>
#include <limits>

#include "kardan/integrate/collocation.h"
#include "kardan/integrate/dae_problem.h"
#include "kardan/integrate/radau_tableau.h"
#include "kardan/integrate/stage_guess.h"

namespace kardan {
namespace {

/// A contraction better than this is not relied on in the next step: it may have been round-off.
constexpr double smallest_contraction = 1e-3;
/// Largest share of the controlled error that round-off may leave in the stages.
constexpr double largest_noise = 0.3;

std::string stage_name(int stage) {
  return "stage_" + std::to_string(stage);
}

/// Of the last accepted step.
struct Memory {
  double contraction = 0;    // of Newton's method
  bool keep_matrix = false;  // the linearization converged well: use it again
};

/// What makes one of the family.
struct RadauMethod {
  RadauTableau tableau;
  double estimate_factor;  // see estimate_weight
  int reference;           // stage at which the matrix is made
  int iterations;          // of Newton's method, at most
  /// Whether the collocation polynomial serves as dense output: its order s is above that of the
  /// quintic through the ends in velocities.
  bool polynomial;
};

class RadauStepper final : public Stepper, public StepFlow, public StepHistory {
 public:
  RadauStepper(const RadauMethod& method, const OptionValues& options)
      : method_(method),
        t_(method.tableau),
        newton_{.extrapolate = word_option(options, "start_values") == "extrapolated",
                .reference = to_reference(word_option(options, "jacobian_at")),
                .most_iterations = static_cast<int>(number_option(options, "newton_iterations")),
                .most_updates = static_cast<int>(number_option(options, "newton_updates")),
                .keep_while = number_option(options, "jacobian_reuse")},
        polynomial_(t_.c),
        start_(t_.c) {
    for (Stages* stages : {&Z_, &slope_, &F_, &transformed_, &D_, &W_}) stages->resize(t_.c.size());
  }

  Eval attempt(ChartProblem& chart_problem, const StepStart& start, double h, Trial& trial,
               Counters& counters) override;
  StepAbilities abilities() override {
    return {.flow = method_.polynomial ? this : nullptr, .history = this};
  }
  void accept(After after) override;

  const Local& at(double time) override;
  const Vector& speed_bound(double a, double b) override;
  double fastest() const override { return 0; }

 private:
  enum class Newton { converged, slow, failed };
  /// Number of a stage, or 0 for the start of the step.
  int to_reference(const std::string& word) const {
    for (int stage = 1; stage < t_.stages; ++stage)
      if (word == stage_name(stage)) return stage;
    return word == "start" ? 0 : t_.stages;
  }
  /// Whether stages are put on the algebraic equations before every iteration.
  enum class Stage { as_it_is, closed };
  Newton solve_with(DaeProblem& problem, const StepStart& start, double h, Stage stage,
                    DaeLinearization& matrix, Counters& counters);
  Newton iterate(DaeProblem& problem, const StepStart& start, double h, Stage stage,
                 DaeLinearization& matrix, Counters& counters);
  Eval linearize(DaeProblem& problem, const StepStart& start, double h, int at, Counters& counters);
  Eval factor(DaeLinearization& matrix, double h);
  Eval correct(DaeProblem& problem, const StepStart& start, double h, Stage stage,
               DaeLinearization& matrix);
  double size_of(DaeProblem& problem, double velocity_factor, const Vector& dy);
  bool stages_follow_one_motion(const DaeProblem& problem, double h) const;
  void guess(DaeProblem& problem, double h);
  void estimate(DaeProblem& problem, const StepStart& start, double h, DaeLinearization& matrix,
                Trial& trial);
  void resize(const DaeProblem& problem);
  void reserve(DaeProblem& problem, const StepStart& start, double h, Counters& counters);
  void to_local(const DaeProblem& problem, const Vector& y, Local& out) const;

  double estimate_weight(double tolerance);

  const RadauMethod& method_;
  const RadauTableau& t_;
  struct NewtonOptions {
    bool extrapolate;
    int reference;  // number of a stage
    int most_iterations, most_updates;
    double keep_while;
  } newton_;

  CollocationPolynomial polynomial_;
  StageGuess start_;
  Memory memory_;
  std::unique_ptr<DaeLinearization> kept_, fresh_;  // of memory; of this step
  // Scratch of an attempt.
  Stages Z_, slope_;        // stage increments, y' of the stages
  Stages F_, transformed_;  // residuals
  Stages D_, W_;            // corrections
  struct Scratch {
    Vector y, residual, error, speed;
    std::vector<std::complex<double>> scaled_pairs;
    Local change, units, inside;
  } scratch_;
  Vector y0_;
  const DaeProblem* problem_ = nullptr;  // of the last attempt
  double contraction_ = 0, theta_ = 0, h_ = 0;
  double weighed_ = 0, weight_ = 0;  // a tolerance, and its estimate_weight
  double expected_ = 0;              // contraction, of the next iteration
  bool used_fresh_ = false;
  Diagnosis diagnosis_ = Diagnosis::none;  // of the last attempt
};

void RadauStepper::resize(const DaeProblem& problem) {
  const auto n = static_cast<std::size_t>(problem.unknowns());
  const auto m = static_cast<std::size_t>(problem.equations());
  for (int i = 0; i < t_.stages; ++i) {
    for (Stages* stages : {&Z_, &slope_, &D_, &W_}) (*stages)[i].resize(n);
    for (Stages* stages : {&F_, &transformed_}) (*stages)[i].resize(m);
  }
  scratch_.scaled_pairs.resize(t_.pairs.size());
  for (Vector* v : {&scratch_.y, &scratch_.error}) v->resize(n);
  scratch_.residual.resize(m);
  scratch_.change.resize(problem.second_order(), problem.first_order());
  if (!fresh_) fresh_ = problem.make_linearization();
}

void RadauStepper::to_local(const DaeProblem& problem, const Vector& y, Local& out) const {
  const int n = problem.second_order();
  out.resize(n, problem.first_order());
  std::copy_n(y.begin(), n, out.x.begin());
  std::copy_n(y.begin() + n, n, out.u.begin());
  std::copy_n(y.begin() + 2 * n, problem.first_order(), out.z.begin());
}

/// Size of a change of the unknowns as an error of the step.
double RadauStepper::size_of(DaeProblem& problem, double velocity_factor, const Vector& dy) {
  if (!all_finite(dy)) return HUGE_VAL;
  to_local(problem, dy, scratch_.change);
  if (velocity_factor != 1)
    for (double& u : scratch_.change.u) u *= velocity_factor;
  return size_in(scratch_.units, scratch_.change);
}

/// Starting values of the stages: as the last steps foretell them, or the state at the base.
void RadauStepper::guess(DaeProblem& problem, double h) {
  start_.guess(problem, h, Z_);
  if (!newton_.extrapolate)
    for (Vector& z : Z_) std::fill(z.begin(), z.end(), 0.0);
}

/// A new linearization at the start of the step or at a stage.
Eval RadauStepper::linearize(DaeProblem& problem, const StepStart& start, double h, int at,
                             Counters& counters) {
  scratch_.y = y0_;
  double t = start.t;
  if (at > 0) {
    add_scaled(1, Z_[at - 1], scratch_.y);
    t += t_.c[at - 1] * h;
  }
  ++counters.jacobians;
  return problem.linearize(t, scratch_.y, *fresh_);
}

/// One correction D of the stages from the residuals at Z.
Eval RadauStepper::correct(DaeProblem& problem, const StepStart& start, double h, Stage stage,
                           DaeLinearization& matrix) {
  const int stages = t_.stages;
  if (stage == Stage::closed)
    for (int i = 0; i < stages; ++i) {
      add_scaled(1, y0_, Z_[i]);
      if (Eval e = problem.close(start.t + t_.c[i] * h, Z_[i]); e != Eval::ok) return e;
      add_scaled(-1, y0_, Z_[i]);
    }
  combine(t_.A_inverse, 1 / h, Z_, slope_);
  // First the one at which a matrix may just have been made: it has left its evaluation.
  const int first = std::max(newton_.reference, 1) - 1;
  for (int k = 0; k < stages; ++k) {
    const int i = k == 0 ? first : k <= first ? k - 1 : k;
    scratch_.y = y0_;
    add_scaled(1, Z_[i], scratch_.y);
    if (Eval e = problem.residual(start.t + t_.c[i] * h, scratch_.y, slope_[i], F_[i]);
        e != Eval::ok)
      return e;
  }
  // -(T^-1 x I) F, and back with the solutions.
  combine(t_.T_inverse, -1, F_, transformed_);
  matrix.solve(transformed_, W_);
  combine(t_.T, 1, W_, D_);
  return Eval::ok;
}

/// The estimate has order s and belongs to a worse solution than the one of order 2s - 1 that is
/// taken. The global error of the latter goes with the estimate to the power (2s - 1) / (s + 1):
/// held below tol^((s + 1) / (2s - 1)) / factor instead of tol the reached error follows tol.
/// (RADAU5 does the same with the power 2/3, which is that of the local error.) The factors are
/// measured: with 28 for radau5 and 1000 for radau9 the velocities of Andrews' mechanism, whose
/// errors are 300 times those of its positions, are within ten tolerances on a grid, and so are 20
/// s of four-bar linkages.
double RadauStepper::estimate_weight(double tolerance) {
  const double s = t_.stages;
  if (tolerance != weighed_) {
    weighed_ = tolerance;
    weight_ = method_.estimate_factor * std::pow(tolerance, (s - 2) / (2 * s - 1));
  }
  return weight_;
}

/// What an error of velocities counts: h^(index - 1).
double velocity_share(const DaeProblem& problem, double h) {
  double share = 1;
  for (int k = 1; k < problem.velocity_index(); ++k) share *= h;
  return share;
}

RadauStepper::Newton RadauStepper::iterate(DaeProblem& problem, const StepStart& start, double h,
                                           Stage stage, DaeLinearization& matrix,
                                           Counters& counters) {
  const double tolerance = start.scale->relative, weight = estimate_weight(tolerance);
  // In units of the controlled error (RADAU5; Hairer & Wanner II, IV.8). Ten times looser than the
  // square root: on Andrews' mechanism that saves a fifth of the evaluations, and reached errors
  // change by less than a half. An error of Newton's method that is a small share of the tolerance
  // itself is good enough in any case.
  constexpr double share = 0.001;
  const double enough =
      std::min(0.03, std::max(10 * std::sqrt(tolerance / weight), share * weight));
  // Corrections of this size are round-off, magnified near singular positions: in velocities by
  // the square of the condition. Where that would not stay well below the tolerance, no size is
  // excused.
  const double noise =
      std::min(largest_noise, 100 * std::numeric_limits<double>::epsilon() * matrix.condition() *
                                  matrix.condition() * weight / tolerance);
  // Until two corrections show the contraction, the expected one stands in, with doubt: good
  // guesses make first corrections small, which is no sign of how the next would be.
  constexpr double doubt = 5;
  double eta = expected_;
  double last = 0, last_ratio = 0;
  theta_ = 0;
  problem.error_units(*start.state, *start.scale, scratch_.units);
  const double velocity_factor = velocity_share(problem, h);
  for (int iteration = 1; iteration <= newton_.most_iterations; ++iteration) {
    counters.evaluations += t_.stages;
    ++counters.iterations;
    ++counters.solves;
    if (correct(problem, start, h, stage, matrix) != Eval::ok) return Newton::failed;
    double size = 0;
    for (const Vector& d : D_) size = std::max(size, weight * size_of(problem, velocity_factor, d));
    if (!std::isfinite(size)) return Newton::failed;
    for (int i = 0; i < t_.stages; ++i) add_scaled(1, D_[i], Z_[i]);
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
      const double now = eta * size;
      if (now > enough && now * std::pow(theta_, newton_.most_iterations - 1 - iteration) >= enough)
        return Newton::slow;
    }
    last = std::max(size, std::numeric_limits<double>::min());
    // The first corrections of closed stages lead to their branch, and by how much they shrink says
    // nothing about the next: there none is left out that counts.
    if (stage == Stage::closed) eta = std::max(eta, 1.0);
    if (eta * size <= (iteration == 1 ? enough / doubt : enough)) {
      contraction_ = eta;
      return Newton::converged;
    }
  }
  return Newton::slow;
}

Eval RadauStepper::factor(DaeLinearization& matrix, double h) {
  for (std::size_t k = 0; k < t_.pairs.size(); ++k) scratch_.scaled_pairs[k] = t_.pairs[k] / h;
  return matrix.factor(t_.gamma / h, scratch_.scaled_pairs);
}

/// The second linearization has its storage from the first attempt on: no step allocates later.
void RadauStepper::reserve(DaeProblem& problem, const StepStart& start, double h,
                           Counters& counters) {
  kept_ = problem.make_linearization();
  ++counters.jacobians;
  if (problem.linearize(start.t, y0_, *kept_) != Eval::ok) return;
  if (factor(*kept_, h) != Eval::ok) return;
  for (Vector& f : transformed_) std::fill(f.begin(), f.end(), 0.0);
  kept_->solve(transformed_, W_);
}

/// Newton's method with one matrix, from the values in Z.
RadauStepper::Newton RadauStepper::solve_with(DaeProblem& problem, const StepStart& start, double h,
                                              Stage stage, DaeLinearization& matrix,
                                              Counters& counters) {
  ++counters.factorizations;
  if (factor(matrix, h) != Eval::ok) {
    diagnosis_ = Diagnosis::step_matrix_singular;
    return Newton::failed;
  }
  Newton outcome = iterate(problem, start, h, stage, matrix, counters);
  if (outcome == Newton::converged && !stages_follow_one_motion(problem, h)) {
    diagnosis_ = Diagnosis::branch_jump;
    outcome = Newton::failed;
  }
  // What has gone wrong once in a step promises nothing.
  if (outcome != Newton::converged) expected_ = 1;
  return outcome;
}

/// At a singular position stages may lie on several branches, and satisfy all equations that count:
/// not those that the constraints replace, x' = u among them, which then fail by whole velocities.
bool RadauStepper::stages_follow_one_motion(const DaeProblem& problem, double h) const {
  constexpr double largest_share = 0.2;
  double defect = 0, motion = 0;
  for (int i = 0; i < t_.stages; ++i)
    for (int k = 0; k < problem.second_order(); ++k) {
      defect = std::max(defect, std::abs(F_[i][k]) / scratch_.units.x[k]);
      motion = std::max(motion, std::abs(slope_[i][k]) / scratch_.units.x[k]);
    }
  return defect <= largest_share * motion || h * defect <= 1;
}

Eval RadauStepper::attempt(ChartProblem& chart_problem, const StepStart& start, double h,
                           Trial& trial, Counters& counters) {
  auto& problem = static_cast<DaeProblem&>(chart_problem);
  resize(problem);
  h_ = h;
  problem_ = &problem;
  y0_ = problem.base_values();
  if (!kept_) reserve(problem, start, h, counters);
  used_fresh_ = false;
  diagnosis_ = Diagnosis::none;
  const int middle = (t_.stages + 1) / 2;
  Newton outcome = Newton::failed;
  expected_ = std::pow(std::max(memory_.contraction, smallest_contraction), 0.8);
  if (memory_.keep_matrix) {
    guess(problem, h);
    outcome = solve_with(problem, start, h, Stage::as_it_is, *kept_, counters);
  }
  for (int update = 0; outcome != Newton::converged && update <= newton_.most_updates; ++update) {
    // A slow iteration goes on with a matrix made where it is; one that went astray begins anew.
    if (update == 0 || outcome == Newton::failed) guess(problem, h);
    used_fresh_ = true;
    const Eval e = linearize(problem, start, h, update == 0 ? newton_.reference : middle, counters);
    if (e == Eval::fatal) {
      trial.failure = diagnosis_;
      return e;
    }
    outcome = e != Eval::ok ? Newton::failed
                            : solve_with(problem, start, h, Stage::as_it_is, *fresh_, counters);
  }
  // Stages on both sides of a singular position have no matrix in common that serves their
  // constraints: each is closed by its own, and the rest has the one that is best conditioned.
  for (int at : {t_.stages, middle, 0}) {
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
    trial.failure = diagnosis_;
    return Eval::recoverable;
  }
  estimate(problem, start, h, used_fresh_ ? *fresh_ : *kept_, trial);
  scratch_.y = y0_;
  add_scaled(1, Z_.back(), scratch_.y);
  to_local(problem, scratch_.y, trial.y);
  return Eval::ok;
}

/// err = (gamma/h E + A)^-1 E (y0' + sum e_i Z_i / h): order s, bounded for stiff problems.
void RadauStepper::estimate(DaeProblem& problem, const StepStart& start, double h,
                            DaeLinearization& matrix, Trial& trial) {
  const int n = 2 * problem.second_order() + problem.first_order();
  std::fill(scratch_.residual.begin(), scratch_.residual.end(), 0.0);
  for (int k = 0; k < n; ++k) {
    scratch_.residual[k] = problem.base_rates()[k];
    for (int i = 0; i < t_.stages; ++i) scratch_.residual[k] += t_.e[i] / h * Z_[i][k];
  }
  matrix.solve(scratch_.residual, scratch_.error);
  to_local(problem, scratch_.error, trial.error);
  const double weight = estimate_weight(start.scale->relative);
  const double factor = velocity_share(problem, h);
  for (double& x : trial.error.x) x *= weight;
  for (double& u : trial.error.u) u *= weight * factor;
  for (double& z : trial.error.z) z *= weight;
}

const Local& RadauStepper::at(double time) {
  scratch_.y = y0_;
  polynomial_.add(time / h_, Z_, scratch_.y);
  to_local(*problem_, scratch_.y, scratch_.inside);
  return scratch_.inside;
}

const Vector& RadauStepper::speed_bound(double a, double b) {
  scratch_.speed.resize(problem_->second_order());
  polynomial_.bound(a / h_, b / h_, y0_, Z_, problem_->second_order(), scratch_.speed);
  return scratch_.speed;
}

void RadauStepper::accept(After after) {
  if (after == After::event) {
    start_.forget();
    memory_.keep_matrix = false;
    memory_.contraction = 0;
    return;
  }
  start_.accept(h_, y0_, Z_);
  memory_.contraction = contraction_;
  memory_.keep_matrix = theta_ <= newton_.keep_while;
  if (used_fresh_) std::swap(kept_, fresh_);
}

}  // namespace

namespace {

/// Options of the family.
std::vector<OptionInfo> radau_options(const RadauMethod& method) {
  std::vector<std::string> places{"start"};
  for (int stage = 1; stage <= method.tableau.stages; ++stage) places.push_back(stage_name(stage));
  return {{"start_values",
           "extrapolated",
           "of Newton's method: the polynomial of the "
           "last step, or the state at its end",
           {"extrapolated", "constant"}},
          {"jacobian_at", stage_name(method.reference),
           "point at which the iteration matrix is made", places},
          {"newton_iterations",
           std::to_string(method.iterations),
           "most iterations with a matrix",
           {},
           1,
           100},
          {"newton_updates", "1", "new matrices within a step after slow convergence", {}, 0, 10},
          {"jacobian_reuse",
           "0.001",
           "the matrix is kept for the next step while corrections shrink by this",
           {},
           0,
           1}};
}

Method radau(std::string_view name, std::string_view summary, const RadauMethod& method) {
  const int s = method.tableau.stages;
  return {.name = name,
          .summary = summary,
          .source =
              "Hairer, Wanner, Solving Ordinary Differential Equations II, IV.8; "
              "Steinbrecher 2007",
          .order = 2 * s - 1,
          .error_order = s,
          .dense_order = method.polynomial ? s : 4,
          .problem = ProblemKind::dae,
          .formulation = "strangeness_free",
          .options = radau_options(method),
          .make = [&method](const OptionValues& options) -> std::unique_ptr<Stepper> {
            return std::make_unique<RadauStepper>(method, options);
          }};
}

}  // namespace

Method radau5() {
  static const RadauMethod method{make_radau_tableau(3), 28, 3, 7, false};
  Method out = radau("radau5", "Radau IIA on implicit equations, order 5, L-stable", method);
  out.long_step_work = 25;
  out.duties = {{Task::whatever_comes}, {Task::reference, {}, 2}};
  return out;
}

Method radau9() {
  static const RadauMethod method{make_radau_tableau(5), 1000, 4, 10, true};
  return radau("radau9", "Radau IIA with 5 stages, order 9, L-stable: for high accuracy", method);
}

}  // namespace kardan
