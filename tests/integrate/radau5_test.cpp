/// Radau IIA on the equations of motion in all coordinates: coefficients, orders, the general form.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "integrate/runs.h"
#include "kardan/formulation/assembly.h"
#include "kardan/formulation/catalog.h"
#include "kardan/formulation/descriptor.h"
#include "support/general_problems.h"

namespace kardan {
namespace {

using namespace test;

/// A run of radau5 on a formulation from a consistent start.
struct Motion {
  State state;
  Vector a, lambda;
  DriverReport report;
};

Motion run_in_form(const System& system, const State& guess, std::string_view formulation,
                   double t_end, const DriverOptions& options,
                   const OptionValues& formulation_options = {}) {
  ConsistentStart start = assemble(system, guess, {});
  EXPECT_EQ(start.report.status, Eval::ok) << start.report.message;
  const Formulation& f = *find_formulation(formulation);
  const auto problem = f.make(system, complete_options(f.options, formulation_options));
  Motion out{start.state, {}, {}, {}};
  out.report = integrate(*problem, *find_method("radau5"), out.state, t_end, options, {});
  EXPECT_EQ(out.report.reason, Reason::finished) << formulation << ": " << out.report.message;
  out.a = problem->accelerations();
  out.lambda = problem->multipliers();
  return out;
}

class RadauGeneralForm : public testing::TestWithParam<std::string> {};

TEST_P(RadauGeneralForm, IsSolvedToTheToleranceInAllVariables) {
  const GeneralProblem problem = general_problem(GetParam());
  for (const ReferencePoint& reference : problem.reference) {
    // Later the pendulum is a matter of its phase (below).
    if (reference.state.t <= problem.system->start().t || reference.state.t > 10) continue;
    DriverOptions options;
    options.tolerance = 1e-9;
    const Motion end = run_in_form(*problem.system, problem.system->start(), "strangeness_free",
                                   reference.state.t, options);
    const State& y = reference.state;
    const double p = weighed_difference(end.state.p, y.p), v = weighed_difference(end.state.v, y.v),
                 r = weighed_difference(end.state.r, y.r), w = weighed_difference(end.state.w, y.w),
                 s = weighed_difference(end.state.s, y.s),
                 lambda = weighed_difference(end.lambda, reference.lambda);
    fmt::print(
        "{:<16} t = {:<6} p {:.1e} v {:.1e} r {:.1e} w {:.1e} s {:.1e} lambda {:.1e}  {} steps, {} "
        "rejected, {} Newton failures\n",
        GetParam(), y.t, p, v, r, w, s, lambda, end.report.counters.steps,
        end.report.counters.rejected, end.report.counters.failed);
    EXPECT_LE(std::max({p, v, r, w, s}), 1e-8);
    EXPECT_LE(lambda, 1e-8);
    EXPECT_LE(end.report.counters.failed, 5);
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, RadauGeneralForm,
                         testing::Values("pendulum", "sleigh_turning", "sleigh_driven", "disc",
                                         "parallelogram"),
                         [](const auto& of) { return of.param; });

/// Errors of positions, velocities and multipliers at the end, for fixed steps.
struct StepErrors {
  double p = 0, v = 0, lambda = 0;
};

class RadauOrder : public testing::TestWithParam<std::tuple<std::string, double, double, double>> {
};

TEST_P(RadauOrder, IsWhatTheorySays) {
  const auto& [formulation, p_order, v_order, lambda_order] = GetParam();
  const GeneralProblem problem = general_pendulum(2.8);
  const double t_end = 0.8;
  DriverOptions exact;
  exact.tolerance = 1e-13;
  const OptionValues free{{"invariants", "free"}};
  const Motion best =
      run_in_form(*problem.system, problem.system->start(), "strangeness_free", t_end, exact, free);
  std::vector<StepErrors> errors;
  for (int steps : {60, 120}) {
    DriverOptions options;
    options.tolerance = 1e-13;  // of Newton's method
    options.method_options = {{"newton_iterations", "20"}};
    options.fixed_step = t_end / steps;
    const Motion end =
        run_in_form(*problem.system, problem.system->start(), formulation, t_end, options, free);
    errors.push_back({weighed_difference(end.state.p, best.state.p),
                      weighed_difference(end.state.v, best.state.v),
                      weighed_difference(end.lambda, best.lambda)});
    fmt::print("{:<20} {:>4} steps: p {:.2e} v {:.2e} lambda {:.2e}\n", formulation, steps,
               errors.back().p, errors.back().v, errors.back().lambda);
  }
  EXPECT_GE(std::log2(errors[0].p / errors[1].p), p_order - 0.3);
  EXPECT_GE(std::log2(errors[0].v / errors[1].v), v_order - 0.3);
  EXPECT_GE(std::log2(errors[0].lambda / errors[1].lambda), lambda_order - 0.3);
}

// Hairer, Lubich, Roche 1989: 5 for the differential variables of index-1 and index-2 forms; on
// index 3 Radau IIA with 3 stages has 5 for positions and 3 for velocities. Multipliers here are
// those of the positions and velocities reached, not of the stages.
INSTANTIATE_TEST_SUITE_P(Formulations, RadauOrder,
                         testing::Values(std::tuple{"strangeness_free", 5.0, 5.0, 5.0},
                                         std::tuple{"strangeness_free_2", 5.0, 5.0, 5.0},
                                         std::tuple{"ggl", 5.0, 5.0, 5.0},
                                         std::tuple{"index_1", 5.0, 5.0, 5.0},
                                         std::tuple{"index_1_projected", 5.0, 5.0, 5.0},
                                         std::tuple{"index_2", 5.0, 5.0, 5.0},
                                         std::tuple{"index_3", 5.0, 3.0, 3.0}),
                         [](const auto& of) { return std::get<0>(of.param); });

TEST(RadauInvariants, KeepEnergyToRoundOffAndPhaseOverAThousandSeconds) {
  const GeneralProblem problem = general_pendulum(0);
  const auto ws = problem.system->make_workspace();
  const ReferencePoint& reference = problem.reference.back();
  DriverOptions options;
  options.tolerance = 1e-7;
  for (const char* invariants : {"kept", "free"}) {
    ConsistentStart start = assemble(*problem.system, problem.system->start(), {});
    const Formulation& f = *find_formulation("strangeness_free");
    const auto dae =
        f.make(*problem.system, complete_options(f.options, {{"invariants", invariants}}));
    State state = start.state;
    double energy = 0;
    const DriverReport report = integrate(
        *dae, *find_method("radau5"), state, reference.state.t, options, [&](const StepView& step) {
          EXPECT_EQ(problem.system->invariants(*step.state, *ws), Eval::ok);
          energy = std::max(energy, std::abs(ws->e[0]));
          return std::string();
        });
    const double p = weighed_difference(state.p, reference.state.p);
    fmt::print(
        "pendulum to t = {} with the energy {}: energy error {:.1e}, position error {:.1e}, {} "
        "steps, {} rejected, {} failed\n",
        reference.state.t, invariants, energy, p, report.counters.steps, report.counters.rejected,
        report.counters.failed);
    ASSERT_EQ(report.reason, Reason::finished) << report.message;
    if (invariants == std::string("free")) continue;
    EXPECT_LE(energy, 1e-13);
    EXPECT_LE(p, 1e-6);
  }
}

/// States of a model file on a grid, by any method on its own formulation.
std::vector<State> grid_of(const std::string& file, const ParameterValues& values,
                           const std::string& method, double t_end, int count, double tolerance,
                           RunReport* report = nullptr) {
  Prepared model = model_file(file, values);
  SimulateOptions options;
  options.method = method;
  options.t_end = t_end;
  options.every = t_end / count;
  options.driver.tolerance = tolerance;
  std::vector<State> states;
  Diagnostics diagnostics;
  const RunReport ended = simulate(
      model, options,
      [&](const Instant& moment) {
        states.push_back(*moment.state);
        return std::string();
      },
      {}, diagnostics);
  EXPECT_EQ(ended.driver.reason, Reason::finished) << ended.driver.message;
  if (report) *report = ended;
  return states;
}

/// Positions against those of another method, on 100 times.
TEST(Radau5, TracksTheToleranceOnAndrewsInCartesianCoordinates) {
  const std::vector<State> exact = grid_of("andrews.yaml", {}, "dopri5", 0.03, 100, 1e-13);
  for (double tolerance : {1e-3, 1e-5, 1e-7, 1e-9, 1e-11}) {
    RunReport report;
    const Reached e =
        reached(grid_of("andrews.yaml", {}, "radau5", 0.03, 100, tolerance, &report), exact);
    fmt::print(
        "andrews {:.0e}: position {:.1e} velocity {:.1e} residuals {:.1e} {:.1e}, {} steps\n",
        tolerance, e.position, e.velocity, report.residuals.position, report.residuals.velocity,
        report.driver.counters.steps);
    EXPECT_LE(e.position, 10 * tolerance);
    EXPECT_GE(std::max(e.position, e.velocity), tolerance / 10);
    EXPECT_LE(report.residuals.position, 1e-13);
    EXPECT_LE(report.residuals.velocity, 1e-12);
  }
}

TEST(Radau5, StaysOnRedundantBricard) {
  const std::vector<State> exact = grid_of("bricard.yaml", {}, "rodasp", 5, 50, 1e-10);
  RunReport report;
  const Reached e = reached(grid_of("bricard.yaml", {}, "radau5", 5, 50, 1e-8, &report), exact);
  fmt::print("bricard: position {:.1e} velocity {:.1e}, {} steps, {} failed\n", e.position,
             e.velocity, report.driver.counters.steps, report.driver.counters.failed);
  EXPECT_LE(e.position, 1e-6);
  EXPECT_LE(report.residuals.position, 1e-12);
  EXPECT_LE(report.energy.balance_error, 1e-5);
}

TEST(Radau5, PassesSingularPositionsOnTheRightBranch) {
  // B0 at t = 20 from the one pendulum equation of the regular branch, in quadruple precision.
  const struct { double N, x, y; } cases[] = {{2, 0.83974657430684354654, 0.54297853635288466159}};
  for (const auto& c : cases) {
    const Prepared model = model_file("n_four_bar.yaml", {{"N", c.N}});
    RunReport report;
    const State end =
        grid_of("n_four_bar.yaml", {{"N", c.N}}, "radau5", 20, 1, 1e-8, &report).back();
    EXPECT_NEAR(2 * value(*model.system, end, "crank_0.x"), c.x, 3e-6);
    EXPECT_NEAR(2 * value(*model.system, end, "crank_0.y"), c.y, 3e-6);
    EXPECT_LE(report.energy.balance_error, 1e-6);
  }
}

/// Attempts from one base, as the driver makes them.
class DaeAttempts {
 public:
  explicit DaeAttempts(const Prepared& model)
      : problem_(find_formulation("strangeness_free")
                     ->make(*model.system,
                            complete_options(find_formulation("strangeness_free")->options, {}))),
        stepper_(find_method("radau5")->make(complete_options(find_method("radau5")->options, {}))),
        state_(model.start.state),
        scale_(problem_->default_scale(1e-6)) {
    EXPECT_EQ(problem_->rebase(state_), Eval::ok);
  }
  Eval attempt(double h, State& end) {
    Counters counters;
    Trial trial;
    ChartPoint point;
    const StepStart start{state_.t, &problem_->base(), &problem_->base_rate(),
                          nullptr,  &state_,           &scale_};
    if (Eval e = stepper_->attempt(*problem_, start, h, trial, counters); e != Eval::ok) return e;
    return problem_->finish(state_.t + h, trial.y, end, point);
  }
  void accept(const State& end) {
    state_ = end;
    EXPECT_EQ(problem_->rebase(state_), Eval::ok);
    if (StepHistory* const history = stepper_->abilities().history) history->accept(After::step);
  }

 private:
  std::unique_ptr<ChartProblem> problem_;
  std::unique_ptr<Stepper> stepper_;
  State state_;
  ErrorScale scale_;
};

TEST(Radau5, IsLeftWithoutATraceByARejectedAttempt) {
  const struct {
    const char* file;
    double good, huge;
  } cases[] = {{"andrews.yaml", 1e-4, 0.05}, {"three_link.yaml", 1e-2, 3}};
  for (const auto& c : cases) {
    const Prepared model = model_file(c.file);
    DaeAttempts fresh(model), used(model);
    // From a second step, which has memory.
    State a, b;
    ASSERT_EQ(fresh.attempt(c.good, a), Eval::ok);
    ASSERT_EQ(used.attempt(c.good, b), Eval::ok);
    fresh.accept(a);
    used.accept(b);
    State lost;
    (void)used.attempt(c.huge, lost);
    (void)used.attempt(0.1 * c.huge, lost);
    ASSERT_EQ(fresh.attempt(c.good, a), Eval::ok);
    ASSERT_EQ(used.attempt(c.good, b), Eval::ok);
    EXPECT_EQ(a.p, b.p) << c.file;
    EXPECT_EQ(a.v, b.v) << c.file;
  }
}

}  // namespace
}  // namespace kardan
