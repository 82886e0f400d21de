#include "kardan/integrate/hem5.h"

#include "kardan/base/assert.h"
#include "kardan/integrate/constrained_problem.h"
#include "kardan/linalg/motion/two_point_solver.h"

namespace kardan {

const Hem5Tableau& hem5_tableau() {
  // A. Murua, Partitioned half-explicit Runge-Kutta methods for differential-algebraic systems of
  // index 2, Computing 59 (1997): the method of his code PHEM56. a and the error weights are those
  // of Dormand and Prince 1980.
  static const Hem5Tableau table{
      .a = {{},
            {1.0 / 5},
            {3.0 / 40, 9.0 / 40},
            {44.0 / 45, -56.0 / 15, 32.0 / 9},
            {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
            {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656}},
      .b = {{},
            {3.0 / 40, 9.0 / 40},
            {21.0 / 256, 45.0 / 256, 15.0 / 128},
            {19235.0 / 98784, -225.0 / 392, 6235.0 / 6174, 2755.0 / 32928},
            {-293.0 / 1152, 85.0 / 48, -2275.0 / 1908, 35.0 / 32, -2835.0 / 6784},
            {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}},
      .a_node = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1},
      .b_node = {0, 3.0 / 10, 3.0 / 8, 5.0 / 7, 1, 1},
      .error = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525,
                -1.0 / 40}};
  return table;
}

namespace {

class Hem5Stepper final : public Stepper {
 public:
  Eval attempt(ChartProblem& any, const StepStart& start, double h, Trial& trial,
               Counters& counters) override {
    KARDAN_ASSERT(any.kind() == ProblemKind::constrained, "a problem with constraints");
    auto& problem = static_cast<ConstrainedProblem&>(any);
    solver_.prepare(problem.base_motion().M, problem.base_motion().G);
    // At the base T = I.
    rate_[0] = start.y->u;
    a_[0] = start.rate->a;
    b_[0] = start.rate->b;
    for (int i = 1; i < stages; ++i)
      if (Eval e = stage(problem, start, h, i, counters); e != Eval::ok) return e;
    // The last point of the constraints is the end.
    trial.y.x = Y_;
    add_scaled(h * t_.b[stages - 1][stages - 1], a_[stages - 1], v_);
    problem.to_chart(trial.y.x, v_, trial.y.u);
    trial.y.z = start.y->z;
    for (int j = 0; j < stages; ++j) add_scaled(h * t_.b[stages - 1][j], b_[j], trial.y.z);
    if (Eval e = end(problem, start.t + h, trial.y, counters); e != Eval::ok) return e;
    estimate(problem, h, trial);
    return all_finite(trial.y) ? Eval::ok : Eval::recoverable;
  }
  StepAbilities abilities() override { return {}; }

 private:
  static constexpr int stages = Hem5Tableau::stages;
  using What = ConstrainedProblem::What;

  Eval stage(ConstrainedProblem& problem, const StepStart& start, double h, int i,
             Counters& counters) {
    const auto n = static_cast<std::size_t>(problem.second_order());
    X_.assign(n, 0.0);
    V_ = start.y->u;
    Z_ = start.y->z;
    for (int j = 0; j < i; ++j) {
      add_scaled(h * t_.a[i][j], rate_[j], X_);
      add_scaled(h * t_.a[i][j], a_[j], V_);
      add_scaled(h * t_.a[i][j], b_[j], Z_);
    }
    counters.evaluations += 2;
    ++counters.factorizations;
    if (Eval e = problem.evaluate(start.t + t_.a_node[i] * h, X_, V_, Z_, What::all); e != Eval::ok)
      return e;
    problem.to_chart(X_, V_, rate_[i]);
    b_[i] = problem.motion().b;
    solver_.load(problem.motion().M, problem.motion().G);
    x_.assign(n + problem.rows(), 0.0);
    std::ranges::copy(problem.motion().f, x_.begin());
    // Where the constraints are: v_ lacks the part of this stage.
    Y_.assign(n, 0.0);
    v_ = start.y->u;
    for (int j = 0; j <= i; ++j) add_scaled(h * t_.b[i][j], rate_[j], Y_);
    for (int j = 0; j < i; ++j) add_scaled(h * t_.b[i][j], a_[j], v_);
    if (Eval e = problem.evaluate(start.t + t_.b_node[i] * h, Y_, v_, Z_, What::velocities);
        e != Eval::ok)
      return e;
    for (int k = 0; k < problem.rows(); ++k)
      x_[n + k] = -problem.motion().rate[k] / (h * t_.b[i][i]);
    if (Eval e = solver_.factor(problem.motion().G); e != Eval::ok) return e;
    solver_.solve(x_);
    a_[i].assign(x_.begin(), x_.begin() + static_cast<std::ptrdiff_t>(n));
    return all_finite(a_[i]) ? Eval::ok : Eval::recoverable;
  }

  /// Rates at the end, and the factors there.
  Eval end(ConstrainedProblem& problem, double t, const Local& y, Counters& counters) {
    ++counters.evaluations;
    ++counters.factorizations;
    if (Eval e = problem.evaluate(t, y.x, v_, y.z, What::all); e != Eval::ok) return e;
    if (Eval e = problem.factor(); e != Eval::ok) return e;
    rate_[stages] = y.u;
    a_[stages] = problem.motion().f;
    lambda_ = problem.motion().gamma;
    problem.solve(ConstrainedProblem::Place::stage, a_[stages], lambda_);
    b_[stages] = problem.motion().b;
    return Eval::ok;
  }

  /// The difference to the solution of order 4, velocities along the constraints.
  void estimate(ConstrainedProblem& problem, double h, Trial& trial) {
    Local& error = trial.error;
    error.resize(problem.second_order(), problem.first_order());
    for (Vector* part : {&error.x, &error.u, &error.z}) std::fill(part->begin(), part->end(), 0.0);
    V_.assign(problem.second_order(), 0.0);
    for (int j = 0; j <= stages; ++j) {
      add_scaled(h * t_.error[j], rate_[j], error.x);
      add_scaled(h * t_.error[j], a_[j], V_);
      add_scaled(h * t_.error[j], b_[j], error.z);
    }
    x_.resize(problem.second_order());
    problem.motion().M.multiply(V_, x_);
    lambda_.assign(problem.rows(), 0.0);
    problem.solve(ConstrainedProblem::Place::stage, x_, lambda_);
    problem.to_chart(trial.y.x, x_, error.u);
  }

  const Hem5Tableau& t_ = hem5_tableau();
  TwoPointSolver solver_;
  Vector rate_[stages + 1], a_[stages + 1], b_[stages + 1];  // x', v', z' of the stages
  Vector X_, V_, Z_, Y_, v_, x_, lambda_;
};

}  // namespace

Method hem5() {
  return {.name = "hem5",
          .summary = "half-explicit Runge-Kutta method on velocity constraints, order 5",
          .source = "Murua 1997; Brasey, Hairer 1993",
          .order = 5,
          .error_order = 4,
          .is_explicit = true,
          // As dopri5; Andrews' mechanism at 1e-4 to 1e-10: positions within 3 tolerances.
          .error_weight = 4,
          .problem = ProblemKind::constrained,
          .formulation = "all_coordinates",
          .make = [](const OptionValues&) -> std::unique_ptr<Stepper> {
            return std::make_unique<Hem5Stepper>();
          }};
}

}  // namespace kardan
