#include "kardan/integrate/abm2.h"

#include <algorithm>
#include <limits>

namespace kardan {
namespace {

class Abm2Stepper final : public Stepper {
 public:
  Eval attempt(ChartProblem& problem, const StepStart& start, double h, Trial& trial,
               Counters& counters) override {
    const double r = step_ratio(problem, start, h);
    predicted_ = *start.y;
    move(h * (1 + r / 2), start.y->u, *start.rate, predicted_);
    if (r > 0) move(-h * r / 2, past_.u, past_rate_, predicted_);
    rate_.resize(problem.second_order(), problem.first_order());
    ++counters.evaluations;
    if (Eval e = problem.rate(start.t + h, predicted_, rate_); e != Eval::ok) return e;
    trial.y = *start.y;
    move(h / 2, start.y->u, *start.rate, trial.y);
    move(h / 2, predicted_.u, rate_, trial.y);
    trial.error.resize(problem.second_order(), problem.first_order());
    difference(h / 2, predicted_.u, start.y->u, trial.error.x);
    difference(h / 2, rate_.a, start.rate->a, trial.error.u);
    difference(h / 2, rate_.b, start.rate->b, trial.error.z);
    return all_finite(trial.y) ? Eval::ok : Eval::recoverable;
  }
  StepAbilities abilities() override { return {}; }

 private:
  /// h over the step before, or 0 where there is none in this run.
  double step_ratio(ChartProblem& problem, const StepStart& start, double h) {
    first_ = std::min(first_, start.t);
    double t = 0;
    if (!problem.past(t, past_, past_rate_) || t < first_) return 0;
    return h / (start.t - t);
  }

  static void move(double factor, const Vector& u, const LocalRate& rate, Local& y) {
    add_scaled(factor, u, y.x);
    add_scaled(factor, rate.a, y.u);
    add_scaled(factor, rate.b, y.z);
  }

  static void difference(double factor, const Vector& a, const Vector& b, Vector& out) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = factor * (a[i] - b[i]);
  }

  Local predicted_, past_;
  LocalRate rate_, past_rate_;
  double first_ = std::numeric_limits<double>::infinity();  // where this run began
};

}  // namespace

Method abm2() {
  return {.name = "abm2",
          .summary = "Adams-Bashforth-Moulton, predict and correct once",
          .source = "Hairer, Norsett, Wanner I, III.1",
          .order = 2,
          .error_order = 1,
          .is_explicit = true,
          .damps_swinging = true,
          .make = [](const OptionValues&) -> std::unique_ptr<Stepper> {
            return std::make_unique<Abm2Stepper>();
          }};
}

}  // namespace kardan
