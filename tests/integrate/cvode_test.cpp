/// Adams and BDF methods of CVODE under our own driver: tolerance, charts, events, honest ends.

#include "kardan/integrate/cvode.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "integrate/problems.h"
#include "integrate/runs.h"

namespace kardan {
namespace {

using namespace test;
using testing::HasSubstr;

/// A reached error cvode_tracks the tolerance when it is at most this many times as large.
constexpr double cvode_tracks = 10;

double relative(double value, double reference) {
  return std::abs(value - reference) / (1 + std::abs(reference));
}

DriverOptions tolerance(double tol) {
  DriverOptions options;
  options.tolerance = tol;
  return options;
}

/// How often the base moved: the steps that start at it.
struct ChartCounter {
  int charts = 0;
  std::string operator()(const StepView& step) {
    charts += std::ranges::all_of(step.dense->from.q, [](double q) { return q == 0; });
    return "";
  }
};

TEST(Adams, ReachedErrorTracksTheToleranceOnAndrewsMechanism) {
  // beta(0.03): one closed-form loop equation, extrapolation in 36-digit arithmetic, computed for
  // Kardan (the Test Set's own solution is off by 1e-9).
  constexpr double beta = 15.810771195153707097;
  const Prepared model = model_file("andrews.yaml");
  const std::vector<State> exact = run_grid(model, "dopri5", 0.03, 100, 1e-13);
  for (const double tol : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9}) {
    RunReport report;
    const std::vector<State> grid = run_grid(model, "adams", 0.03, 100, tol, &report);
    const double end = relative(value(*model.system, grid.back(), "K1.angle"), beta);
    const Reached e = reached(grid, exact);
    fmt::print("adams {:.0e}  end {:.1e}  grid {:.1e}  ({} steps, {} evaluations)\n", tol, end,
               e.position, report.driver.counters.steps, report.driver.counters.evaluations);
    EXPECT_LE(end, cvode_tracks * tol);
    EXPECT_LE(e.position, cvode_tracks * tol);
    EXPECT_GE(std::max(e.position, e.velocity), tol / cvode_tracks) << "wastes work";
  }
}

/// The stiff double pendulum at rest (Sandu et al. 2001, the start of the published tables): Radau
/// IIA of order 13 in 30-digit arithmetic, two meshes agreeing to 4e-23, computed for Kardan.
struct PendulumRow {
  double t, theta1, theta2, omega1, omega2;
};
constexpr PendulumRow stiff_pendulum[] = {{0.1, 5.8793329170219548604, 5.7358318386785313903,
                                           -7.157153497664994029, -6.294248154570107118},
                                          {0.2, 5.0026337266215638052, 4.9239475836433700713,
                                           -9.5098999035136171312, -9.0377190964518504786},
                                          {0.5, 3.8333745088596026489, 3.8201393421236068308,
                                           3.6682807656354258111, 3.7462771524181395155},
                                          {1.0, 5.0552761176003754951, 5.054750943683599803,
                                           -3.9384591225831859853, -3.9349206242455478947},
                                          {1.5, 4.6910269328140182471, 4.6909397313246019131,
                                           2.7619046213609606719, 2.7625757071471944684},
                                          {2.0, 4.6018805320814258616, 4.6018890395661380548,
                                           -1.3951565174107374592, -1.3955145921625383002}};

TEST(Bdf, ReachedErrorTracksTheToleranceOnTheStiffDoublePendulum) {
  const Prepared model = model_file("double_pendulum.yaml");
  for (const double tol : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
    RunReport report;
    const std::vector<State> grid = run_grid(model, "bdf", 2, 20, tol, &report);
    double error = 0;
    for (const PendulumRow& row : stiff_pendulum) {
      const State& s = grid[std::lround(row.t / 0.1)];
      const auto at = [&](const char* name) { return value(*model.system, s, name); };
      error = std::max({error, relative(at("body_1.angle"), row.theta1),
                        relative(at("body_2.angle"), row.theta2),
                        relative(at("body_1.omega"), row.omega1),
                        relative(at("body_2.omega"), row.omega2)});
    }
    const Counters& c = report.driver.counters;
    fmt::print("bdf {:.0e}  error {:.1e}  ({} steps, {} evaluations, {} Jacobians)\n", tol, error,
               c.steps, c.evaluations, c.jacobians);
    EXPECT_LE(error, cvode_tracks * tol);
    EXPECT_GE(error, tol / cvode_tracks) << "wastes work";
    // The dominant eigenvalue is -1e5: an explicit method takes that many steps.
    EXPECT_LE(c.steps, 5000);
    EXPECT_LE(c.jacobians, c.steps / 3);
  }
}

TEST(Bdf, MeetsEveryEventOfTheVehicleOnTheBump) {
  // Front wheels: on the bump, lift-off, off the bump, landing (see hmmwv_test.cpp).
  constexpr double times[] = {0.5, 0.570626200513854, 0.5981622413651307, 0.7259305489087815};
  const Prepared model = model_file("hmmwv.yaml");
  const Ended end = run(model, bdf(), 1, tolerance(1e-4));
  ASSERT_EQ(end.report.reason, Reason::finished) << end.report.message;
  ASSERT_EQ(end.report.events.size(), 8u);  // two wheels each
  for (std::size_t k = 0; k < 8; ++k)
    EXPECT_NEAR(end.report.events[k].t, times[k / 2], 1e-5) << "event " << k;
  EXPECT_NEAR(value(*model.system, end.state, "chassis.z"), 0.6952281066331044, 2e-4);
  EXPECT_LE(end.report.counters.steps, 600);
}

TEST(Bdf, DoesNotMeetEventsThatHappenTogetherAgainAndAgain) {
  // Left and right wheels differ by rounding: the chart of the event must not be entered anew for
  // every digit of the difference.
  const Prepared model = model_file("hmmwv.yaml");
  for (const double tol : {1e-5, 1e-6, 1e-7}) {
    const Ended end = run(model, bdf(), 0.65, tolerance(tol));
    EXPECT_EQ(end.report.events.size(), 6u) << tol;
    EXPECT_LE(end.report.counters.jacobians, 40) << tol;
  }
}

TEST(Multistep, GoesThroughManyChartsOnASpinningChain) {
  const Prepared model = model_file("chain.yaml", {{"N", 3}, {"tip_speed", 6}});
  const State exact = run(model, *find_method("dopri5"), 1, tolerance(1e-12)).state;
  for (const char* method : {"adams", "bdf"})
    for (const double tol : {1e-4, 1e-6, 1e-8}) {
      ChartCounter counter;
      const Ended end = run(model, *find_method(method), 1, tolerance(tol), std::ref(counter));
      ASSERT_EQ(end.report.reason, Reason::finished) << end.report.message;
      const Reached e = reached({end.state}, {exact});
      fmt::print("{} {:.0e}  position {:.1e}  velocity {:.1e}  ({} charts, {} steps)\n", method,
                 tol, e.position, e.velocity, counter.charts, end.report.counters.steps);
      EXPECT_GE(counter.charts, 10);
      EXPECT_LE(counter.charts, end.report.counters.steps / 3);
      EXPECT_LE(e.position, 2 * cvode_tracks * tol) << method;
    }
}

TEST(Multistep, KnowsTheSymmetricTop) {
  const Prepared model = model_text(symmetric_top);
  for (const char* method : {"adams", "bdf"}) {
    const Ended end = run(model, *find_method(method), 4, tolerance(1e-8));
    EXPECT_LE(difference(end.state, symmetric_top_state(4)), 1e-6) << method;
  }
}

/// A flywheel on a torsion spring: angle = A sin(w t) beyond a full turn, which is counted.
constexpr std::string_view flywheel = R"(
kardan: 1
name: flywheel
dimension: 3
gravity: [0, 0, 0]
bodies:
  wheel: {mass: 1, inertia: [1, 1, 2], angular_velocity: [0, 0, 20]}
joints:
  axle: {type: revolute, between: [ground, wheel]}
forces:
  spring: {type: rotational_spring_damper, between: [ground, wheel], stiffness: 8}
)";

TEST(Multistep, CountsTurnsInsideAChart) {
  const Prepared model = model_text(flywheel);
  for (const char* method : {"adams", "bdf", "dopri5", "rn4"}) {
    const Ended end = run(model, *find_method(method), 3, tolerance(1e-8));
    ASSERT_EQ(end.report.reason, Reason::finished) << method << end.report.message;
    EXPECT_NEAR(value(*model.system, end.state, "wheel.wz"), 20 * std::cos(2 * 3.0), 1e-5)
        << method;
  }
}

TEST(Multistep, TakesDynamicAndAuxiliaryVariablesAlong) {
  const Prepared model = model_text(steered_pendulum);
  const State exact = run(model, *find_method("dopri5"), 1, tolerance(1e-11)).state;
  for (const char* method : {"adams", "bdf"}) {
    const Ended end = run(model, *find_method(method), 1, tolerance(1e-7));
    EXPECT_LE(difference(end.state, exact), 3e-6) << method;
  }
}

TEST(Multistep, NeedsNoDegreeOfFreedom) {
  const Prepared model = model_text(bead_on_turning_rod);
  for (const char* method : {"adams", "bdf"}) {
    const Ended end = run(model, *find_method(method), 0.5, tolerance(1e-8));
    EXPECT_LE(difference(end.state, bead_state(0.5)), 1e-6) << method;
  }
  const Prepared driven = model_text(R"(
kardan: 1
dimension: 2
bodies:
  rod: {mass: 1, inertia: 0.3, angular_velocity: 2}
joints:
  pivot: {type: revolute, between: [ground, rod]}
drivers:
  turn: {type: driver, between: [ground, rod], motion: 2*t}
)");
  const Ended end = run(driven, adams(), 0.5, tolerance(1e-8));
  EXPECT_EQ(end.report.reason, Reason::finished) << end.report.message;
  EXPECT_NEAR(end.state.p[2], 1, 1e-12);
}

TEST(Multistep, GivesTheSameBitsAgain) {
  const Prepared model = model_file("chain.yaml", {{"N", 3}, {"tip_speed", 6}});
  for (const char* method : {"adams", "bdf"}) {
    const State first = run(model, *find_method(method), 0.5, tolerance(1e-6)).state;
    const State second = run(model, *find_method(method), 0.5, tolerance(1e-6)).state;
    EXPECT_EQ(first.p, second.p);
    EXPECT_EQ(first.v, second.v);
  }
}

TEST(Multistep, StopsAtStopTimesAndAtTheEnd) {
  const Prepared model = model_file("andrews.yaml");
  DriverOptions options = tolerance(1e-6);
  options.stop_times = {0.01, 0.02};
  std::vector<double> times;
  const Ended end = run(model, adams(), 0.03, options, [&](const StepView& step) {
    times.push_back(step.t);
    return std::string();
  });
  EXPECT_EQ(end.state.t, 0.03);
  for (const double t : options.stop_times) EXPECT_EQ(std::ranges::count(times, t), 1) << t;
}

TEST(Multistep, RefusesOptionsOfAnotherStepControl) {
  const Prepared model = model_file("andrews.yaml");
  DriverOptions options;
  options.fixed_step = 1e-4;
  const Ended fixed = run(model, bdf(), 0.03, options);
  EXPECT_EQ(fixed.report.reason, Reason::refused);
  EXPECT_THAT(fixed.report.message, HasSubstr("'bdf' has its own step control"));
  EXPECT_EQ(fixed.report.t, 0);
  options = {};
  options.control = StepControl::pi;
  EXPECT_EQ(run(model, adams(), 0.03, options).report.reason, Reason::refused);
}

TEST(Multistep, EndsAsTheDriverDoes) {
  const Prepared model = model_file("andrews.yaml");
  DriverOptions options = tolerance(1e-6);
  options.max_steps = 10;
  const Ended many = run(model, adams(), 0.03, options);
  EXPECT_EQ(many.report.reason, Reason::too_many_steps);
  EXPECT_EQ(many.report.counters.steps, 10);
  const Ended stopped = run(model, adams(), 0.03, tolerance(1e-6), [](const StepView& step) {
    return step.t > 0.01 ? std::string("seen enough") : std::string();
  });
  EXPECT_EQ(stopped.report.reason, Reason::stopped);
  EXPECT_EQ(stopped.report.message, "seen enough");
  EXPECT_GT(stopped.report.t, 0.01);
  EXPECT_LT(stopped.report.t, 0.011);
}

TEST(Multistep, NamesTheForceThatEndsTheMotion) {
  // The bead falls into the centre: the force is infinite there.
  const Prepared model = model_text(R"(
kardan: 1
dimension: 2
gravity: [0, 0]
bodies:
  bead: {kind: point, mass: 1, position: [1, 0]}
forces:
  well: {type: spring_damper, between: [ground, bead], law: -1/length^2}
)");
  for (const char* method : {"adams", "bdf"}) {
    const Ended end = run(model, *find_method(method), 3, tolerance(1e-6));
    EXPECT_EQ(end.report.reason, Reason::step_too_small) << method;
    EXPECT_THAT(end.report.message, HasSubstr(method));
    // The fall takes pi / (2 sqrt(2)).
    EXPECT_NEAR(end.report.t, std::numbers::pi / (2 * std::numbers::sqrt2), 1e-3) << method;
  }
}

TEST(StateSpaceWeights, AreTheErrorNormsOfSingleCoordinates) {
  const Prepared model = model_file("hmmwv.yaml");
  StateSpace problem(*model.system);
  ASSERT_EQ(problem.rebase(model.start.state), Eval::ok);
  const ErrorScale scale = problem.default_scale(1e-4);
  Local fast, slow;
  problem.error_weights(model.start.state, scale, fast);
  slow = fast;
  Local one;
  one.resize(problem.second_order(), problem.first_order());
  for (const auto& [e, w] :
       {std::pair(&one.x, &slow.x), std::pair(&one.u, &slow.u), std::pair(&one.z, &slow.z)})
    for (std::size_t i = 0; i < e->size(); ++i) {
      (*e)[i] = 1;
      (*w)[i] = problem.error_norm(one, model.start.state, scale);
      (*e)[i] = 0;
    }
  for (const auto& [a, b] :
       {std::pair(&fast.x, &slow.x), std::pair(&fast.u, &slow.u), std::pair(&fast.z, &slow.z)}) {
    ASSERT_EQ(a->size(), b->size());
    for (std::size_t i = 0; i < a->size(); ++i) EXPECT_NEAR((*a)[i] / (*b)[i], 1, 1e-12);
  }
}

}  // namespace
}  // namespace kardan
