#include "kardan/integrate/newmark.h"

#include "kardan/base/assert.h"
#include "kardan/base/text.h"
#include "kardan/integrate/implicit_stage.h"

namespace kardan {
namespace {

class NewmarkStepper final : public Stepper {
 public:
  explicit NewmarkStepper(const NewmarkOptions& options)
      : options_(options),
        solver_(
            {.matrix = options.matrix, .newton = options.newton, .share = options.newton_factor}) {}

  Eval attempt(ChartProblem& problem, const StepStart& start, double h, Trial& trial,
               Counters& counters) override {
    const double beta = options_.beta, gamma = options_.gamma;
    const Local& y0 = *start.y;
    const LocalRate& f0 = *start.rate;
    const StageWeights c{beta * h * h, gamma * h, 0.5 * h};
    known_ = y0;
    add_scaled(h, y0.u, known_.x);
    add_scaled((0.5 - beta) * h * h, f0.a, known_.x);
    add_scaled((1 - gamma) * h, f0.a, known_.u);
    add_scaled(0.5 * h, f0.b, known_.z);
    auto solve = [&] {
      return solver_.solve(problem, start, start.t + h, known_, c,
                           StageSolver::Begin::with_new_matrix, k_, trial.y, counters);
    };
    k_ = f0;
    Eval e = solve();
    if (e == Eval::recoverable) {
      // Stiff accelerations that are not in balance carry the predicted point far away: begin with
      // the velocities held.
      for (double& a : k_.a = f0.a) a *= (gamma - 1) / gamma;
      for (double& b : k_.b = f0.b) b *= -1;
      e = solve();
    }
    if (e != Eval::ok) return e;
    Local& error = trial.error;
    error.resize(problem.second_order(), problem.first_order());
    for (std::size_t i = 0; i < y0.x.size(); ++i) {
      error.x[i] = 0.5 * h * (trial.y.u[i] - y0.u[i]);
      error.u[i] = 0.5 * h * (k_.a[i] - f0.a[i]);
    }
    for (std::size_t i = 0; i < y0.z.size(); ++i) error.z[i] = 0.5 * h * (k_.b[i] - f0.b[i]);
    solver_.filter(error);
    return Eval::ok;
  }
  StepAbilities abilities() override { return {}; }

 private:
  NewmarkOptions options_;
  StageSolver solver_;
  Local known_;
  LocalRate k_;
};

}  // namespace

Method newmark(const NewmarkOptions& options) {
  KARDAN_ASSERT(options.gamma > 0 && options.beta >= 0, "Newmark needs gamma > 0 and beta >= 0");
  return {.name = "newmark",
          .summary = "Newmark on independent accelerations, exact iteration matrix",
          .source = "Haug, Negrut, Iancu 1997",
          .order = options.gamma == 0.5 ? 2 : 1,
          .error_order = 1,
          .needs_jacobian = false,
          .needs_jacobian_anywhere = true,
          .options = {{.name = "beta",
                       .fallback = format_number(options.beta),
                       .doc = "weight of the end acceleration in the positions",
                       .smallest = 0},
                      {.name = "gamma",
                       .fallback = format_number(options.gamma),
                       .doc = "its weight in the velocities; damping above 1/2",
                       .smallest = 0.01},
                      {.name = "newton",
                       .fallback = "simplified",
                       .doc = "keeps the matrix while it contracts, or makes one every iteration",
                       .choices = {"simplified", "full"}},
                      {.name = "newton_factor",
                       .fallback = format_number(options.newton_factor),
                       .doc = "share of the tolerance that the iteration may leave",
                       .smallest = 1e-6,
                       .largest = 1}},
          .make = [options](const OptionValues& values) -> std::unique_ptr<Stepper> {
            NewmarkOptions chosen = options;
            chosen.beta = number_option(values, "beta");
            chosen.gamma = number_option(values, "gamma");
            chosen.newton =
                word_option(values, "newton") == "full" ? Newton::full : Newton::simplified;
            chosen.newton_factor = number_option(values, "newton_factor");
            return std::make_unique<NewmarkStepper>(chosen);
          }};
}

Method newmark_fv() {
  Method m = newmark({.matrix = Derivatives::fisette_vaneghem});
  m.name = "newmark_fv";
  m.summary = "newmark with the iteration matrix of Fisette and Vaneghem";
  m.source = "Fisette, Vaneghem 1996; Haug, Negrut, Iancu 1997";
  return m;
}

}  // namespace kardan
