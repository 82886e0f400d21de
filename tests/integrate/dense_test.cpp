/// Between steps the solution is known to the order of the method, and satisfies the constraints.

#include <gtest/gtest.h>

#include "integrate/problems.h"
#include "integrate/runs.h"

namespace kardan {
namespace {

using namespace test;

class DenseOutput : public testing::TestWithParam<Method> {
 protected:
  /// Largest error inside the steps, of positions and of velocities.
  Reached inside(const Prepared& model, double t_end, int steps, State (*exact)(double)) const {
    DriverOptions options;
    options.fixed_step = t_end / steps;
    Reached worst;
    ChartPoint point;
    State s;
    const Ended end = run(model, GetParam(), t_end, options, [&](const StepView& step) {
      for (double theta = 0.1; theta < 0.95; theta += 0.1) {
        step.dense->at(theta, point);
        if (step.problem->state_at(point, ChartProblem::Consistency::projected, s) != Eval::ok)
          return std::string("projection failed");
        const State reference = exact(point.t);
        for (std::size_t i = 0; i < s.p.size(); ++i)
          worst.position = std::max(worst.position, std::abs(s.p[i] - reference.p[i]));
        for (std::size_t i = 0; i < s.v.size(); ++i)
          worst.velocity = std::max(worst.velocity, std::abs(s.v[i] - reference.v[i]));
      }
      return std::string();
    });
    EXPECT_EQ(end.report.reason, Reason::finished) << end.report.message;
    return worst;
  }

  void expect_orders(const Prepared& model, double t_end, State (*exact)(double)) const {
    const int first = coarsest(GetParam(), 20, 20, 100);
    OrderStudy p{{first, 2 * first, 4 * first, 8 * first}, {}};
    OrderStudy v = p;
    for (int n : p.steps) {
      const Reached e = inside(model, t_end, n, exact);
      p.errors.push_back(e.position);
      v.errors.push_back(e.velocity);
    }
    // The quintic is of order 6 in positions and 5 in velocities; other dense output says its own.
    EXPECT_GE(p.order(), std::min(GetParam().order, std::max(GetParam().dense_order, 6)) - 0.3)
        << p;
    EXPECT_GE(v.order(), std::min(GetParam().order, std::max(GetParam().dense_order, 5)) - 0.3)
        << v;
  }
};

TEST_P(DenseOutput, KeepsTheOrderOnAFreeProblem) {
  expect_orders(model_text(kepler), 2, kepler_state);
}

TEST_P(DenseOutput, KeepsTheOrderInSpace) {
  expect_orders(model_text(symmetric_top), 2, symmetric_top_state);
}

TEST_P(DenseOutput, KeepsTheOrderWithDrivers) {
  expect_orders(model_text(bead_on_turning_rod), 1, bead_state);
}

INSTANTIATE_TEST_SUITE_P(Methods, DenseOutput, testing::ValuesIn(one_step_methods()),
                         [](const auto& of) { return std::string(of.param.name); });

/// The largest scaled residual of positions and velocities over a grid.
double grid_residual(const Prepared& model, std::string_view method, double t_end,
                     double tolerance) {
  const auto ws = model.system->make_workspace();
  double worst = 0;
  for (const State& s : run_grid(model, method, t_end, 200, tolerance)) {
    const Residuals r = constraint_residuals(*model.system, s, {}, *ws);
    worst = std::max({worst, r.position, r.velocity});
  }
  return worst;
}

TEST(Grid, SatisfiesTheConstraints) {
  for (const char* method : {"rn4", "rodasp", "dopri5"}) {
    EXPECT_LT(grid_residual(model_file("andrews.yaml"), method, 0.03, 1e-4), 1e-10) << method;
    EXPECT_LT(grid_residual(model_file("three_link.yaml"), method, 1, 1e-3), 1e-10) << method;
    EXPECT_LT(grid_residual(model_text(shaken_pendulum), method, 1, 1e-3), 1e-10) << method;
  }
}

TEST(Grid, HoldsDynamicAndAuxiliaryVariablesThatBelongToItsTime) {
  const Prepared model = model_text(steered_pendulum);
  const auto ws = model.system->make_workspace();
  for (const State& s : run_grid(model, "rn4", 1, 37, 1e-6)) {
    ASSERT_EQ(model.system->evaluate(s, Request::all(), *ws), Eval::ok);
    EXPECT_NEAR(ws->d[0], 0, 1e-10) << "at t = " << s.t;
  }
}

}  // namespace
}  // namespace kardan
