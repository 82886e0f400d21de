#include "kardan/integrate/baumgarte.h"

namespace kardan {
namespace {

enum class FeedbackScheme { semi_implicit_euler, heun };

class BaumgarteStepper final : public Stepper {
 public:
  explicit BaumgarteStepper(FeedbackScheme scheme) : scheme_(scheme) {}

  Eval attempt(ChartProblem& problem, const StepStart& start, double h, Trial& trial,
               Counters& counters) override {
    const Local& y = *start.y;
    const LocalRate& f = *start.rate;
    end_ = y;
    add_scaled(h, f.a, end_.u);
    add_scaled(h, scheme_ == FeedbackScheme::heun ? y.u : end_.u, end_.x);
    add_scaled(h, f.b, end_.z);
    rate_.resize(problem.second_order(), problem.first_order());
    ++counters.evaluations;
    if (Eval e = problem.rate(start.t + h, end_, rate_); e != Eval::ok) return e;
    Local& error = trial.error;
    error.resize(problem.second_order(), problem.first_order());
    for (std::size_t i = 0; i < error.x.size(); ++i) {
      error.x[i] = h / 2 * (end_.u[i] - y.u[i]);
      error.u[i] = h / 2 * (rate_.a[i] - f.a[i]);
    }
    for (std::size_t i = 0; i < error.z.size(); ++i) error.z[i] = h / 2 * (rate_.b[i] - f.b[i]);
    trial.y = end_;
    if (scheme_ == FeedbackScheme::heun) {
      add_scaled(1, error.x, trial.y.x);
      add_scaled(1, error.u, trial.y.u);
      add_scaled(1, error.z, trial.y.z);
    }
    return all_finite(trial.y) ? Eval::ok : Eval::recoverable;
  }
  StepAbilities abilities() override { return {}; }

 private:
  FeedbackScheme scheme_;
  Local end_;
  LocalRate rate_;
};

Method with_feedback(std::string_view name, std::string_view summary, int order,
                     FeedbackScheme scheme) {
  return {.name = name,
          .summary = summary,
          .source = "Welch, Hong, Trapp, Choi 2007",
          .order = order,
          .error_order = 1,
          .formulation = "baumgarte",
          .make = [scheme](const OptionValues&) -> std::unique_ptr<Stepper> {
            return std::make_unique<BaumgarteStepper>(scheme);
          }};
}

}  // namespace

Method baumgarte1() {
  return with_feedback("baumgarte1", "semi-implicit Euler, with Baumgarte's feedback", 1,
                       FeedbackScheme::semi_implicit_euler);
}

Method baumgarte_rk2() {
  return with_feedback("baumgarte_rk2", "Heun's method, with Baumgarte's feedback", 2,
                       FeedbackScheme::heun);
}

}  // namespace kardan
