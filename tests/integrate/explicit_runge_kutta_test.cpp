/// Explicit Runge-Kutta methods: their coefficients, and the high order of dop853.

#include <gtest/gtest.h>

#include "integrate/problems.h"
#include "integrate/runs.h"

namespace kardan {
namespace {

using namespace test;

/// The error after two seconds of Kepler's ellipse, and inside its steps.
double kepler_error(int steps, bool inside) {
  const Prepared model = model_text(kepler);
  DriverOptions options;
  options.fixed_step = 2.0 / steps;
  double worst = 0;
  ChartPoint point;
  State s;
  const Ended end = run(model, *find_method("dop853"), 2, options, [&](const StepView& step) {
    for (double theta : {0.15, 0.5, 0.85}) {
      if (!inside) break;
      step.dense->at(theta, point);
      if (step.problem->state_at(point, ChartProblem::Consistency::projected, s) != Eval::ok)
        return std::string("no state");
      worst = std::max(worst, difference(s, kepler_state(point.t)));
    }
    return std::string();
  });
  EXPECT_EQ(end.report.reason, Reason::finished) << end.report.message;
  return inside ? worst : difference(end.state, kepler_state(2));
}

TEST(Dop853, IsOfOrderEight) {
  const OrderStudy s =
      measure_order({12, 14, 17, 20}, [](int n) { return kepler_error(n, false); });
  EXPECT_NEAR(s.order(), 8, 0.5) << s;
}

TEST(Dop853, KnowsTheSolutionInsideAStepToOrderSeven) {
  // The error of a point is of order 8: that of the end of a step behind it, or of the polynomial.
  const OrderStudy s = measure_order({12, 14, 17, 20}, [](int n) { return kepler_error(n, true); });
  EXPECT_NEAR(s.order(), 8, 0.6) << s;
}

TEST(Dop853, EvaluatesInsideAStepOnlyWhereAsked) {
  const Prepared model = model_text(kepler);
  DriverOptions options;
  options.fixed_step = 0.1;
  const Ended quiet = run(model, *find_method("dop853"), 1, options);
  const Ended asked = run(model, *find_method("dop853"), 1, options, [](const StepView& step) {
    ChartPoint point;
    step.dense->at(0.3, point);
    step.dense->at(0.6, point);
    return std::string();
  });
  // Eleven stages and the end; inside, the rate of the end and three stages more.
  EXPECT_EQ(quiet.report.counters.evaluations, 10 * (11 + 1) + 11);
  EXPECT_EQ(asked.report.counters.evaluations, quiet.report.counters.evaluations + 10 * 4);
}

TEST(Dop853, NeedsFewerEvaluationsForManyDigits) {
  const Prepared model = model_file("andrews.yaml");
  DriverOptions options;
  options.tolerance = 1e-10;
  const Ended high = run(model, *find_method("dop853"), 0.03, options);
  const Ended low = run(model, *find_method("dopri5"), 0.03, options);
  EXPECT_LT(2 * high.report.counters.evaluations, low.report.counters.evaluations);
}

}  // namespace
}  // namespace kardan
