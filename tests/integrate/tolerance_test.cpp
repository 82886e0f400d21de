/// The error reached most_tracks the tolerance asked for; constraints and energy hold meanwhile.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "integrate/runs.h"

namespace kardan {
namespace {

using namespace test;

constexpr int grid_points = 100;
/// A reached error most_tracks the tolerance when it is at most this many times as large.
constexpr double most_tracks = 10;

struct Problem {
  std::string file;
  double t_end;
};

const std::vector<State>& reference(const Prepared& model, const Problem& problem) {
  static std::map<std::string, std::vector<State>> known;
  std::vector<State>& r = known[problem.file];
  if (r.empty()) r = run_grid(model, "dopri5", problem.t_end, grid_points, 1e-13);
  return r;
}

/// On Andrews' mechanism |error|/(1 + |velocity|) is 350 to 440 times the positions' error with
/// rn4, rodasp and dopri5 at every tolerance: with one degree of freedom and up to 6e5 rad/s^2, a
/// motion that is a little late shows most in velocities that pass through zero. Only positions
/// track there.
enum class Compared { positions, all };

void expect_tracking(const Problem& problem, std::string_view method,
                     const std::vector<double>& tolerances, Compared compared = Compared::all) {
  const Prepared model = model_file(problem.file);
  const std::vector<State>& exact = reference(model, problem);
  for (double tolerance : tolerances) {
    RunReport report;
    const Reached e =
        reached(run_grid(model, method, problem.t_end, grid_points, tolerance, &report), exact);
    fmt::print(
        "{:<28}{:<8}{:.0e}  position {:.1e}  velocity {:.1e}  ({} steps, {} rejected, {} failed, "
        "{} partitions)\n",
        problem.file, method, tolerance, e.position, e.velocity, report.driver.counters.steps,
        report.driver.counters.rejected, report.driver.counters.failed, report.partitions);
    // A thousandth leaves explicit methods of order 5 and 8 some twenty steps: too few for their
    // estimates, which err to either side.
    const bool few = tolerance > 5e-4;
    const double factor = method == "dopri5" && few ? 2 * most_tracks : most_tracks;
    const double least = method == "dop853" && few ? 2 * most_tracks : most_tracks;
    EXPECT_LE(e.position, factor * tolerance) << method << " at " << tolerance;
    EXPECT_GE(std::max(e.position, e.velocity), tolerance / least) << method << " wastes work";
    if (compared == Compared::all) {
      EXPECT_LE(e.velocity, factor * tolerance) << method << " at " << tolerance;
    }
  }
}

std::vector<double> powers(int from, int to) {
  std::vector<double> t;
  for (int k = from; k <= to; ++k) t.push_back(std::pow(10.0, -k));
  return t;
}

const Problem andrews{"andrews.yaml", 0.03}, pendulum{"pendulum.yaml", 2},
    welch{"double_pendulum_welch.yaml", 2};

TEST(ReachedError, ReferenceOfAndrewsAgreesWithThatOf26Digits) {
  // beta, gamma, delta, epsilon at t = 0.03: one closed-form loop equation, extrapolation in
  // 36-digit arithmetic, computed for Kardan (the Test Set's own solution is off by 1e-9).
  const Prepared model = model_file(andrews.file);
  const State& end = reference(model, andrews).back();
  EXPECT_NEAR(value(*model.system, end, "K1.angle"), 15.81077119515370709712, 2e-11);
  EXPECT_NEAR(value(*model.system, end, "K3.angle"), 0.04082224011964580485828, 2e-11);
  EXPECT_NEAR(value(*model.system, end, "K5.angle"), 0.5244099658799540693717, 2e-12);
  EXPECT_NEAR(value(*model.system, end, "K7.angle"), 1.048080741041937873069, 2e-12);
  EXPECT_NEAR(value(*model.system, end, "K1.omega") / 1139.920302259106064198, 1, 2e-11);
}

TEST(ReachedError, TracksTheToleranceOnAndrewsWithRn4) {
  expect_tracking(andrews, "rn4", powers(3, 9), Compared::positions);
}
TEST(ReachedError, TracksTheToleranceOnAndrewsWithRodasp) {
  expect_tracking(andrews, "rodasp", powers(3, 9), Compared::positions);
}
TEST(ReachedError, TracksTheToleranceOnAndrewsWithDopri5) {
  expect_tracking(andrews, "dopri5", powers(3, 11), Compared::positions);
}
TEST(ReachedError, TracksTheToleranceOnAndrewsWithDop853) {
  expect_tracking(andrews, "dop853", powers(3, 11), Compared::positions);
}
TEST(ReachedError, TracksTheToleranceOnAndrewsWithNystrom4) {
  expect_tracking(andrews, "nystrom4", powers(3, 9), Compared::positions);
}
TEST(ReachedError, TracksTheToleranceOnThePendulum) {
  for (const char* method : {"rn4", "rodasp", "dopri5", "dop853", "nystrom4"})
    expect_tracking(pendulum, method, powers(3, 9));
}
TEST(ReachedError, TracksTheToleranceOnTheDoublePendulum) {
  for (const char* method : {"rn4", "rodasp", "dopri5", "dop853", "nystrom4"})
    expect_tracking(welch, method, powers(3, 9));
}

/// Accepted steps, at most 5 % above those measured: an efficiency regression fails here.
TEST(StepCounts, StayWhatTheyWere) {
  const struct {
    Problem problem;
    const char* method;
    double tolerance;
    int measured;
  } golden[] = {{andrews, "rn4", 1e-6, 346},   {andrews, "rodasp", 1e-6, 216},
                {andrews, "dopri5", 1e-6, 93}, {pendulum, "rn4", 1e-6, 212},
                {welch, "rn4", 1e-6, 139},     {welch, "dopri5", 1e-6, 39},
                {andrews, "dop853", 1e-8, 66}, {andrews, "nystrom4", 1e-6, 135},
                {welch, "nystrom4", 1e-6, 59}};
  for (const auto& g : golden) {
    DriverOptions options;
    options.tolerance = g.tolerance;
    const Ended end =
        run(model_file(g.problem.file), *find_method(g.method), g.problem.t_end, options);
    EXPECT_LE(static_cast<double>(end.report.counters.steps), 1.05 * g.measured + 1)
        << g.problem.file << ' ' << g.method;
  }
}

TEST(StepControls, ReachTheSameAccuracyWithSimilarWork) {
  const Prepared model = model_file(welch.file);
  const std::vector<State>& exact = reference(model, welch);
  for (const char* method : {"rn4", "dopri5"}) {
    long fewest = 1'000'000, most = 0;
    for (StepControl control :
         {StepControl::elementary, StepControl::pi, StepControl::predictive}) {
      DriverOptions options;
      options.tolerance = 1e-6;
      options.control = control;
      const Ended end = run(model, *find_method(method), welch.t_end, options);
      EXPECT_LE(difference(end.state, exact.back()), 1e-4) << method << ' ' << to_string(control);
      fewest = std::min(fewest, end.report.counters.steps);
      most = std::max(most, end.report.counters.steps);
    }
    EXPECT_LE(static_cast<double>(most), 1.3 * static_cast<double>(fewest)) << method;
  }
}

TEST(StopTimes, AreEndsOfSteps) {
  const Prepared model = model_file(pendulum.file);
  DriverOptions options;
  options.tolerance = 1e-5;
  options.stop_times = {0.7, 0.31, 5};
  std::vector<double> ends;
  const Ended end = run(model, *find_method("rn4"), 1, options, [&](const StepView& step) {
    ends.push_back(step.t);
    return std::string();
  });
  auto is_end = [&](double t) {
    return std::any_of(ends.begin(), ends.end(), [&](double e) { return std::abs(e - t) < 1e-14; });
  };
  EXPECT_TRUE(is_end(0.31));
  EXPECT_TRUE(is_end(0.7));
  EXPECT_NEAR(end.report.t, 1, 1e-14);
  options.stop_times.clear();
  // Stops cost a step or two each, not a slow start.
  const Ended without = run(model, *find_method("rn4"), 1, options);
  EXPECT_LE(end.report.counters.steps, without.report.counters.steps + 5);
}

TEST(NoChangeBand, KeepsStepsThatWouldGrowALittle) {
  const Prepared model = model_file(pendulum.file);
  DriverOptions options;
  options.tolerance = 1e-6;
  options.keep_below = 1.2;
  double last = 0;
  int kept = 0;
  (void)run(model, *find_method("rn4"), 2, options, [&](const StepView& step) {
    kept += std::abs(step.h - last) < 1e-15;
    last = step.h;
    return std::string();
  });
  EXPECT_GT(kept, 50);
}

TEST(TolerancePerVariable, IsMetByThatVariable) {
  Prepared model = model_file(welch.file);
  SimulateOptions options;
  options.method = "rn4";
  options.t_end = 2;
  options.driver.tolerance = 1e-3;
  options.tolerance_of = {{"link_2", 1e-7}};
  Diagnostics diagnostics;
  const RunReport tight = simulate(model, options, {}, {}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  EXPECT_GT(tight.driver.counters.steps, 150);
  options.tolerance_of = {{"link_3", 1e-7}};
  Prepared again = model_file(welch.file);
  (void)simulate(again, options, {}, {}, diagnostics);
  ASSERT_TRUE(diagnostics.has_errors());
  EXPECT_EQ(diagnostics.all()[0].code, "tolerance.name");
}

RunReport simulated(const std::string& file, const char* method, double t_end, double tolerance) {
  Prepared model = model_file(file);
  SimulateOptions options;
  options.method = method;
  options.t_end = t_end;
  options.driver.tolerance = tolerance;
  Diagnostics diagnostics;
  RunReport r = simulate(model, options, {}, {}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  EXPECT_EQ(r.driver.reason, Reason::finished) << r.driver.message;
  return r;
}

TEST(Certificate, ConstraintsHoldAtThreeLevelsAndEnergyBalances) {
  const struct {
    std::string file;
    double t_end, tolerance;
  } cases[] = {{"andrews.yaml", 0.03, 1e-6},
               {"pendulum.yaml", 2, 1e-6},
               {"double_pendulum_welch.yaml", 2, 1e-6},
               {"double_pendulum.yaml", 2, 1e-5},
               {"three_link.yaml", 1, 1e-5},
               {"bricard.yaml", 1, 1e-5},
               {"hmmwv.yaml", 1, 1e-3}};
  for (const auto& c : cases) {
    for (const char* method : {"rn4", "rodasp"}) {
      const RunReport r = simulated(c.file, method, c.t_end, c.tolerance);
      EXPECT_LT(r.residuals.position, 1e-10) << c.file << ' ' << method;
      EXPECT_LT(r.residuals.velocity, 1e-10) << c.file << ' ' << method;
      // Andrews' mechanism starts at rest without gravity: its accelerations, up to 6e5 rad/s^2,
      // leave their round-off in units of a scale of 1.
      EXPECT_LT(r.residuals.acceleration, c.file == andrews.file ? 4e-10 : 1e-10)
          << c.file << ' ' << method;
      // Energy that moves: of the order of what was there or was put in.
      const double scale = std::abs(r.energy.initial) + std::abs(r.energy.work) + 1;
      fmt::print("{:<28}{:<8}{:.0e}  unbalanced {:.1e} of {:.1e} J\n", c.file, method, c.tolerance,
                 r.energy.balance_error, scale);
      EXPECT_LT(r.energy.balance_error, 100 * c.tolerance * scale) << c.file << ' ' << method;
    }
  }
}

}  // namespace
}  // namespace kardan
