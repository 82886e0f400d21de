/// A run with its grid and its certificate.

#include "kardan/run/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/models.h"

namespace kardan {
namespace {

using testing::HasSubstr;

Prepared ready(const Model& model, const ParameterValues& overrides = {}) {
  Diagnostics diagnostics;
  Prepared p = prepare(model, overrides, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
  return p;
}

RunReport simulated(Prepared& p, const SimulateOptions& options, const GridSink& grid = {},
                    const Observer& observer = {}) {
  Diagnostics diagnostics;
  const RunReport r = simulate(p, options, grid, observer, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
  return r;
}

SimulateOptions options_for(double t_end, double tolerance, double every = 0) {
  SimulateOptions o;
  o.t_end = t_end;
  o.every = every;
  o.driver.tolerance = tolerance;
  return o;
}

/// Largest |M a + G' lambda - f| in units of the largest force.
double dynamic_residual(const System& system, const Instant& at, Workspace& ws) {
  EXPECT_EQ(system.evaluate(*at.state, Request::all(), ws), Eval::ok);
  Vector r = ws.f;
  ws.M.multiply_add(-1, *at.a, r);
  ws.G.multiply_transposed_add(-1, *at.lambda, r);
  return norm_max(r) / std::max(norm_max(ws.f), norm_max(*at.lambda));
}

TEST(Grid, HoldsConstraintsAndTheAccelerationsAndMultipliersOfItsOwnState) {
  // Bricard's mechanism has a redundant row.
  for (const char* name : {"bricard", "hmmwv", "andrews"}) {
    Prepared p = ready(test::shipped(name));
    const System& system = *p.system;
    const auto ws = system.make_workspace();
    const double t_end = name == std::string("andrews") ? 0.01 : 0.7;
    int points = 0;
    simulated(p, options_for(t_end, 1e-3, t_end / 70), [&](const Instant& at) {
      const Residuals r = constraint_residuals(system, *at.state, *at.a, *ws);
      EXPECT_LT(r.position, 1e-12) << name << " at " << at.state->t;
      EXPECT_LT(r.velocity, 1e-12) << name << " at " << at.state->t;
      EXPECT_LT(r.acceleration, 1e-10) << name << " at " << at.state->t;
      EXPECT_LT(dynamic_residual(system, at, *ws), 1e-10) << name << " at " << at.state->t;
      EXPECT_NEAR(at.state->t, points++ * t_end / 70, 1e-9 * t_end);
      return std::string();
    });
    EXPECT_EQ(points, 71) << name;
  }
}

TEST(Grid, MayEndTheRunWithAReason) {
  Prepared p = ready(test::shipped("pendulum"));
  const RunReport r = simulated(p, options_for(1, 1e-4, 0.1), [](const Instant& at) {
    return at.state->t > 0.45 ? std::string("seen enough") : std::string();
  });
  EXPECT_EQ(r.driver.reason, Reason::stopped);
  EXPECT_EQ(r.driver.message, "seen enough");
  EXPECT_LT(r.driver.t, 1);
}

TEST(Observer, MayEndARunWithAReason) {
  Prepared p = ready(test::shipped("pendulum"));
  const RunReport r = simulated(p, options_for(1, 1e-4), {}, [](const StepView& step) {
    return step.counters->steps == 3 ? std::string("three steps") : std::string();
  });
  EXPECT_EQ(r.driver.reason, Reason::stopped);
  EXPECT_EQ(r.driver.message, "three steps");
  EXPECT_EQ(r.driver.counters.steps, 3);
}

TEST(Certificate, TellsWhenAndWhyCoordinatesWereChosen) {
  Prepared p = ready(test::shipped("pendulum"));
  SimulateOptions options = options_for(2, 1e-3);
  options.method = "rn4";
  const RunReport r = simulated(p, options);
  ASSERT_EQ(static_cast<int>(r.partition_history.size()), r.partitions);
  ASSERT_GE(r.partitions, 2);
  EXPECT_EQ(r.partition_history[0].why, "start");
  EXPECT_EQ(r.partition_history[0].rank, 1);
  for (std::size_t i = 1; i < r.partition_history.size(); ++i) {
    EXPECT_GT(r.partition_history[i].t, r.partition_history[i - 1].t);
    EXPECT_THAT(r.partition_history[i].why, HasSubstr("grew by 1."));
  }
}

TEST(Certificate, HasTheLargestResidualsOfAllSteps) {
  Prepared p = ready(test::shipped("andrews"));
  const System& system = *p.system;
  const auto ws = system.make_workspace();
  Residuals largest;
  const RunReport r = simulated(p, options_for(0.01, 1e-5), {}, [&](const StepView& step) {
    const Residuals now = constraint_residuals(system, *step.state, step.dense->to.a, *ws);
    largest.position = std::max(largest.position, now.position);
    largest.velocity = std::max(largest.velocity, now.velocity);
    largest.acceleration = std::max(largest.acceleration, now.acceleration);
    return std::string();
  });
  EXPECT_GE(r.residuals.position, largest.position);
  EXPECT_GE(r.residuals.velocity, largest.velocity);
  EXPECT_GE(r.residuals.acceleration, largest.acceleration);
  EXPECT_GT(largest.acceleration, 0);
  EXPECT_LT(r.residuals.acceleration, 1e-10);
}

TEST(Certificate, NamesAForceWithoutDerivatives) {
  Prepared p = ready(test::shipped("double_pendulum"));
  Blueprint blueprint = p.system->blueprint();
  for (ElementData& e : blueprint.elements)
    if (e.name == "spring_1") e.differentiable = false;
  Diagnostics diagnostics;
  p.system = compile(std::move(blueprint), diagnostics);
  SimulateOptions exact_only = options_for(1, 1e-3);
  exact_only.method = "rn4";
  const RunReport refused = simulated(p, exact_only);
  EXPECT_EQ(refused.driver.reason, Reason::refused);
  EXPECT_THAT(refused.driver.message, HasSubstr("'spring_1'"));

  Prepared exact = ready(test::shipped("double_pendulum"));
  SimulateOptions o = options_for(1, 1e-4);
  o.method = "ros2w";
  const RunReport without = simulated(p, o), with = simulated(exact, o);
  EXPECT_EQ(without.driver.reason, Reason::finished) << without.driver.message;
  EXPECT_EQ(without.without_derivatives, std::vector<std::string>{"spring_1"});
  EXPECT_TRUE(with.without_derivatives.empty());
  // Another Jacobian, another path, the same motion.
  EXPECT_NE(p.start.state.p, exact.start.state.p);
  EXPECT_NEAR(p.start.state.p[2], exact.start.state.p[2], 1e-2);
}

TEST(Energy, OfAStiffRunBalancesToItsTolerance) {
  // Nearly all of the energy goes through a damper of 5e4 N m s whose mode has the eigenvalue -1e5.
  for (const char* method : {"rn4", "rodasp", "newmark", "sdirk4", "bdf"})
    for (double tolerance : {1e-3, 1e-5}) {
      if (method == std::string("newmark") && tolerance < 1e-4) continue;  // 20 000 steps
      Prepared p = ready(test::shipped("double_pendulum"));
      SimulateOptions o = options_for(1, tolerance);
      o.method = method;
      const EnergyBalance e = simulated(p, o).energy;
      EXPECT_GT(e.exchanged, 1e4);
      EXPECT_LT(e.balance_error, 10 * tolerance * e.exchanged) << method << " at " << tolerance;
    }
}

TEST(Energy, IsBalancedAtTheOrderOfTheMethod) {
  // Softly coupled and damped, without stiffness.
  const ParameterValues soft{{"k2", 30}, {"C2", 1}};
  struct Case {
    const char* method;
    double order;
  };
  for (const auto& [method, order] : {Case{"dopri5", 5}, Case{"rn4", 4}, Case{"newmark", 2}}) {
    auto error = [&, name = method](int steps) {
      Prepared p = ready(test::shipped("double_pendulum", soft), soft);
      SimulateOptions o = options_for(1, 1e-12);
      o.method = name;
      o.driver.fixed_step = 1.0 / steps;
      return simulated(p, o).energy.balance_error;
    };
    EXPECT_GT(std::log2(error(200) / error(400)), order - 0.3) << method;
  }
}

}  // namespace
}  // namespace kardan
