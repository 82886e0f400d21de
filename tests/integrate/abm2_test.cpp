#include "kardan/integrate/abm2.h"

#include <gtest/gtest.h>

#include <cmath>

#include "integrate/problems.h"
#include "integrate/runs.h"

namespace kardan {
namespace {

using namespace test;

void expect_order_two(const Prepared& model, double t_end, const State& exact, int steps) {
  const OrderStudy s = measure_order({steps, 2 * steps, 4 * steps}, [&](int n) {
    return difference(run_fixed(model, abm2(), t_end, n).state, exact);
  });
  EXPECT_NEAR(s.order(), 2, 0.15) << s;
}

TEST(Abm2, HasOrderTwoOnAFreeProblem) {
  expect_order_two(model_text(kepler), 2, kepler_state(2), 200);
}

TEST(Abm2, HasOrderTwoInSpaceThoughTheChartMoves) {
  expect_order_two(model_text(symmetric_top), 2, symmetric_top_state(2), 200);
}

TEST(Abm2, HasOrderTwoThoughThePartitionChanges) {
  const Prepared model = model_file("chain.yaml", {{"N", 3}, {"tip_speed", 6}});
  const State exact = run_fixed(model, *find_method("dopri5"), 0.5, 4000).state;
  EXPECT_GE(run_fixed(model, abm2(), 0.5, 400).partitions, 3);
  expect_order_two(model, 0.5, exact, 400);
}

TEST(Abm2, IsBetterThanHeunByItsMemory) {
  // On y' = i w y the error constants of the pairs per step: Heun 1/6, here 1/12 (Hairer, Norsett,
  // Wanner I, III.1 and III.2): at the same step the error must be about a half.
  const Prepared model = model_text(kepler);
  const double error = difference(run_fixed(model, abm2(), 2, 400).state, kepler_state(2));
  Method forgetful = abm2();
  forgetful.make = [](const OptionValues&) -> std::unique_ptr<Stepper> {
    struct Forgetful final : Stepper {
      Eval attempt(ChartProblem& problem, const StepStart& start, double h, Trial& trial,
                   Counters& counters) override {
        return abm2().make({})->attempt(problem, start, h, trial, counters);
      }
      StepAbilities abilities() override { return {}; }
    };
    return std::make_unique<Forgetful>();
  };
  const double heun = difference(run_fixed(model, forgetful, 2, 400).state, kepler_state(2));
  EXPECT_LT(error, 0.75 * heun);
}

TEST(Abm2, ReachedErrorTracksTheToleranceWithErrorControl) {
  const Prepared model = model_text(kepler);
  for (const double tol : {1e-3, 1e-5, 1e-7}) {
    DriverOptions options;
    options.tolerance = tol;
    const double error = difference(run(model, abm2(), 2, options).state, kepler_state(2));
    EXPECT_LE(error, 30 * tol);
    EXPECT_GE(error, tol / 30);
  }
}

TEST(Abm2, MeetsEventsWithAFreshStart) {
  // A ball on an elastic floor keeps its energy; a rate remembered from before the contact would
  // act as a push of half a step.
  const Prepared model = model_file("bouncing_balls.yaml");
  DriverOptions options;
  options.fixed_step = 2e-5;
  const auto ws = model.system->make_workspace();
  const Energy before = model.system->energy(model.start.state, *ws);
  const Ended end = run(model, abm2(), 1, options);
  EXPECT_EQ(end.report.events.size(), 8u);
  const Energy after = model.system->energy(end.state, *ws);
  EXPECT_NEAR(after.kinetic + after.potential, before.kinetic + before.potential, 1e-4);
}

/// After `time` the present chart holds the former base.
void expect_past(double time, Parametrize choose) {
  const Prepared model = model_file("chain.yaml", {{"N", 3}, {"tip_speed", 6}});
  StateSpace problem(*model.system, choose);
  ASSERT_EQ(problem.rebase(model.start.state), Eval::ok);
  double t = 0;
  Local y;
  LocalRate rate, direct;
  EXPECT_FALSE(problem.past(t, y, rate)) << "nothing was before the start";
  const State later = run_fixed(model, *find_method("dopri5"), time, 20).state;
  ASSERT_EQ(problem.rebase(later), Eval::ok);
  ASSERT_TRUE(problem.past(t, y, rate));
  EXPECT_EQ(t, model.start.state.t);
  // The equations of motion, solved there in this chart, give the remembered rate.
  ASSERT_EQ(problem.rate(t, y, direct), Eval::ok) << problem.culprit();
  for (std::size_t i = 0; i < rate.a.size(); ++i)
    EXPECT_NEAR(rate.a[i], direct.a[i], 1e-9 * (1 + std::abs(direct.a[i])));
  State back;
  ChartPoint point;
  ASSERT_EQ(problem.finish(t, y, back, point), Eval::ok);
  EXPECT_LE(difference(back, model.start.state), 1e-12);
}

TEST(StateSpacePast, IsTheFormerBaseInThePresentChart) {
  expect_past(0.01, partition_coordinates);
}

TEST(StateSpacePast, ReachesFartherInTheTangentSpace) {
  expect_past(0.05, span_tangent_space);
}

TEST(StateSpacePast, MayLieAtAFoldOfThePartition) {
  // Over 0.05 s the chain turns by 1 rad. The coordinates along it that are free there do not
  // change to first order where it lies along x, as it did at the start: no chart reaches back.
  const Prepared model = model_file("chain.yaml", {{"N", 3}, {"tip_speed", 6}});
  const State later = run_fixed(model, *find_method("dopri5"), 0.05, 20).state;
  const auto ws = model.system->make_workspace();
  Parametrization split;
  ASSERT_EQ(partition_coordinates(*model.system, later, *ws, split), Eval::ok);
  auto condition = [&](const State& state) {
    EXPECT_EQ(model.system->evaluate(state, {.velocity = true}, *ws), Eval::ok);
    const DependentBlock block(split, *ws->G.pattern, split.holonomic);
    Vector values(block.pattern()->nonzeros());
    block.gather(ws->G.values, values);
    LinearSolver solver(block.pattern());
    return solver.factor(values) == Eval::ok ? solver.rcond() : 0.0;
  };
  EXPECT_GT(condition(later), 1e-3);
  EXPECT_LT(condition(model.start.state), 1e-8);
}

}  // namespace
}  // namespace kardan
