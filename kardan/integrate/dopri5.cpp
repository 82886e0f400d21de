#include "kardan/integrate/dopri5.h"

namespace kardan {
namespace {

constexpr int stages = 7;
constexpr double c[stages] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
constexpr double A[stages][stages - 1] = {
    {},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
/// b - b^
constexpr double E[stages] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                              -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

class Dopri5Stepper final : public Stepper {
 public:
  Eval attempt(ChartProblem& problem, const StepStart& start, double h, Trial& trial,
               Counters& counters) override {
    k_[0] = *start.rate;
    u_[0] = start.y->u;
    for (int i = 1; i < stages; ++i) {
      y_ = *start.y;
      for (int j = 0; j < i; ++j) add(h * A[i][j], j, y_);
      k_[i].resize(problem.second(), problem.first());
      ++counters.evaluations;
      if (Eval e = problem.rate(start.t + c[i] * h, y_, k_[i]); e != Eval::ok) return e;
      u_[i] = y_.u;
    }
    trial.y = y_;  // the last stage is the new value
    trial.error.resize(problem.second(), problem.first());
    for (auto* x : {&trial.error.x, &trial.error.u, &trial.error.z})
      std::fill(x->begin(), x->end(), 0.0);
    for (int i = 0; i < stages; ++i) add(h * E[i], i, trial.error);
    return all_finite(trial.y.x) && all_finite(trial.y.u) && all_finite(trial.y.z)
               ? Eval::ok
               : Eval::recoverable;
  }

 private:
  void add(double factor, int i, Local& y) const {
    if (factor == 0) return;
    add_scaled(factor, u_[i], y.x);
    add_scaled(factor, k_[i].a, y.u);
    add_scaled(factor, k_[i].b, y.z);
  }

  LocalRate k_[stages];
  Vector u_[stages];
  Local y_;
};

}  // namespace

Method dopri5() {
  return {.name = "dopri5",
          .summary = "explicit Runge-Kutta method, 7 stages",
          .source = "Dormand, Prince 1980",
          .order = 5,
          .error_order = 4,
          .is_explicit = true,
          // Pendulums and Andrews' mechanism at 1e-4 to 1e-9: without it up to 20 tolerances.
          .error_weight = 4,
          .make = [](const OptionValues&) -> std::unique_ptr<Stepper> {
            return std::make_unique<Dopri5Stepper>();
          }};
}

}  // namespace kardan
