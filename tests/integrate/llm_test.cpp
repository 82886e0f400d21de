/// Local linearization: its error estimate, exactness on linear problems, dense output, step
/// control.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "integrate/free_problem.h"
#include "integrate/problems.h"
#include "integrate/runs.h"
#include "kardan/formulation/catalog.h"
#include "support/places.h"

namespace kardan {
namespace {

using namespace test;

const Method& llm_method() {
  return *find_method("llm");
}

/// Eq. (35) of Gil, Sanfelice, Nikravesh (2013): x1' = -x2/x3^2, x2' = x1/x3^2, x3' = 1.
FreeProblem turning() {
  return FreeProblem(
      0, 3,
      [](double, const Local& y, LocalRate& out) {
        const double s = 1 / (y.z[2] * y.z[2]);
        out.b = {-y.z[1] * s, y.z[0] * s, 1};
      },
      [](double, const Local& y, LocalJacobian& out) {
        const double s = 1 / (y.z[2] * y.z[2]), d = -2 * s / y.z[2];
        out.B_z(0, 1) = -s;
        out.B_z(0, 2) = -y.z[1] * d;
        out.B_z(1, 0) = s;
        out.B_z(1, 2) = y.z[0] * d;
      });
}

State turning_start() {
  State s;
  s.t = std::numbers::inv_pi;
  s.r = {0, -1, std::numbers::inv_pi};
  return s;
}

Trial one_step(ChartProblem& problem, const State& start, double h,
               const char* exponential = "auto") {
  EXPECT_EQ(problem.rebase(start), Eval::ok);
  LocalJacobian J;
  EXPECT_EQ(problem.jacobian(J), Eval::ok);
  const ErrorScale scale;
  const StepStart from{start.t, &problem.base(), &problem.base_rate(), &J, &start, &scale};
  const auto stepper =
      llm_method().make(complete_options(llm_method().options, {{"exponential", exponential}}));
  Trial trial;
  Counters counters;
  EXPECT_EQ(stepper->attempt(problem, from, h, trial, counters), Eval::ok);
  return trial;
}

/// Fig. 6, exact and estimated errors of one step, computed for Kardan.
TEST(Llm, EstimatesTheLocalErrorOfThePapersExample) {
  std::ifstream file(test_data() + "/local_linearization.json");
  const auto rows = nlohmann::json::parse(file).at("llm_local_error_eq35").at("rows");
  ASSERT_EQ(rows.size(), 8u);
  FreeProblem problem = turning();
  for (const auto& row : rows)
    for (const char* exponential : {"pade", "krylov"}) {
      const double h = row[0];
      const Trial trial = one_step(problem, turning_start(), h, exponential);
      const double s = 1 / (std::numbers::inv_pi + h);
      const double exact[] = {std::sin(s) - trial.y.z[0], std::cos(s) - trial.y.z[1]};
      const double accuracy = std::string_view(exponential) == "pade" ? 1e-9 : 1e-3;
      for (int i = 0; i < 2; ++i) {
        EXPECT_NEAR(exact[i], row[1 + i].get<double>(), 2e-15) << h;
        EXPECT_NEAR(trial.error.z[i], row[3 + i].get<double>(),
                    accuracy * std::abs(row[3 + i].get<double>()) + 1e-15)
            << h << ' ' << exponential;
      }
    }
}

TEST(Llm, EstimateTendsToTheError) {
  FreeProblem problem = turning();
  const double h = 5e-4, s = 1 / (std::numbers::inv_pi + h);
  const Trial trial = one_step(problem, turning_start(), h);
  EXPECT_NEAR(trial.error.z[0] / (std::sin(s) - trial.y.z[0]), 1, 1e-3);  // 1.0008
  EXPECT_NEAR(trial.error.z[1] / (std::cos(s) - trial.y.z[1]), 1, 1e-3);  // 0.9990
}

/// A damped, loaded pair of masses with a lagging force and a load that grows with time.
FreeProblem linear_problem() {
  const auto a = [](const Local& y, double t, LocalRate& out) {
    out.a = {-4e4 * y.x[0] + 2e4 * y.x[1] - 3 * y.u[0] + y.z[0],
             2e4 * y.x[0] - 2e4 * y.x[1] - 0.5 * y.u[1] - 9.81 + 7 * t};
    out.b = {-20 * y.z[0] + 3 * y.u[1] - 11 * t};
  };
  return FreeProblem(
      2, 1, [a](double t, const Local& y, LocalRate& out) { a(y, t, out); },
      [](double, const Local&, LocalJacobian& J) {
        J.A_x(0, 0) = -4e4;
        J.A_x(0, 1) = J.A_x(1, 0) = 2e4;
        J.A_x(1, 1) = -2e4;
        J.A_u(0, 0) = -3;
        J.A_u(1, 1) = -0.5;
        J.A_z(0, 0) = 1;
        J.A_t[1] = 7;
        J.B_u(0, 1) = 3;
        J.B_z(0, 0) = -20;
        J.B_t[0] = -11;
      });
}

State linear_start() {
  State s;
  s.p = {0.01, -0.02};
  s.v = {1, -2};
  s.r = {0.3};
  return s;
}

State linear_end(int steps) {
  FreeProblem problem = linear_problem();
  State s = linear_start();
  DriverOptions options;
  options.fixed_step = 1.0 / steps;
  EXPECT_EQ(integrate(problem, llm_method(), s, 1, options, {}).reason, Reason::finished);
  return s;
}

/// 1 s is more than 30 periods of the fast mode: a single step is as good as a thousand, and both
/// as good as a method of order 5 in tiny steps.
TEST(Llm, SolvesLinearProblemsExactlyAtAnyStep) {
  FreeProblem problem = linear_problem();
  State reference = linear_start();
  DriverOptions tiny;
  tiny.fixed_step = 2e-5;
  ASSERT_EQ(integrate(problem, *find_method("dopri5"), reference, 1, tiny, {}).reason,
            Reason::finished);
  const State fine = linear_end(1000);
  EXPECT_LE(difference(fine, reference), 2e-9);
  for (int steps : {1, 3, 50}) EXPECT_LE(difference(linear_end(steps), fine), 2e-11) << steps;
}

/// A linear problem leaves nothing to estimate but rounding.
TEST(Llm, EstimatesNoErrorOnLinearProblems) {
  FreeProblem problem = linear_problem();
  const Trial trial = one_step(problem, linear_start(), 0.5);
  for (const Vector* e : {&trial.error.x, &trial.error.u, &trial.error.z})
    EXPECT_LE(norm_max(*e), 1e-10);
}

/// Inside a step, a point of the dense output is the end of a shorter step.
TEST(Llm, GivesTheFlowItselfAsDenseOutput) {
  const Prepared model = model_file("double_pendulum_gil.yaml");
  for (const char* formulation : {"index1_ode", "state_space"}) {
    const auto problem = problem_of(model, formulation);
    State state = model.start.state;
    DriverOptions options;
    options.fixed_step = 0.02;
    int looked = 0;
    (void)integrate(*problem, llm_method(), state, 0.02, options, [&](const StepView& step) {
      for (double theta : {0.13, 0.5, 0.91}) {
        ChartPoint point;
        State inside, shorter = model.start.state;
        step.dense->at(theta, point);
        EXPECT_EQ(step.problem->state_at(point, step.dense->consistency(), inside), Eval::ok);
        DriverOptions once;
        once.fixed_step = theta * 0.02;
        const auto again = problem_of(model, formulation);
        (void)integrate(*again, llm_method(), shorter, theta * 0.02, once, {});
        EXPECT_LE(difference(inside, shorter), 3e-13) << formulation << ' ' << theta;
        ++looked;
      }
      return std::string();
    });
    EXPECT_EQ(looked, 3);
  }
}

/// All coordinates drift, independent ones do not; both show order 2 on the constrained pendulum.
TEST(Llm, HasOrderTwoOnEveryFormulationAndDriftsOnlyWhereItMust) {
  const Prepared model = model_file("double_pendulum.yaml");
  State exact = model.start.state;
  DriverOptions tight;
  tight.tolerance = 1e-12;
  exact = run(model, *find_method("dopri5"), 1, tight).state;
  for (const char* formulation : {"index1_ode", "baumgarte", "state_space"}) {
    std::string_view name = formulation;
    const OptionValues of_formulation =
        name == "baumgarte" ? OptionValues{{"alpha", "10"}, {"beta", "10"}, {"gains", "constant"}}
                            : OptionValues{};
    double drift = 0;
    const auto ws = model.system->make_workspace();
    const OrderStudy s = measure_order({100, 200, 400, 800}, [&](int n) {
      DriverOptions options;
      options.fixed_step = 1.0 / n;
      drift = 0;
      const Ended end = run_on(
          model, llm_method(), name, 1, options,
          complete_options(find_formulation(name)->options, of_formulation),
          [&](const StepView& step) {
            EXPECT_EQ(model.system->evaluate(*step.state, {.position = true}, *ws), Eval::ok);
            drift = std::max(drift, norm_max(ws->g));
            return std::string();
          });
      return difference(end.state, exact);
    });
    EXPECT_NEAR(s.order(), 2, 0.2) << name << s;
    if (name == "state_space") {
      EXPECT_LE(drift, 1e-13);
    } else {
      EXPECT_GE(drift, 1e-12) << name;
    }
  }
}

TEST(Llm, HoldsTheErrorOrTheErrorPerSecondBelowTheTolerance) {
  const Prepared model = model_file("double_pendulum_gil.yaml");
  for (ErrorMeasure per : {ErrorMeasure::per_step, ErrorMeasure::per_unit_step})
    for (StepControl control : {StepControl::elementary, StepControl::pi}) {
      DriverOptions options;
      options.tolerance = 1e-6;
      options.control = control;
      options.error_per = per;
      long steps[2] = {};
      for (int k = 0; k < 2; ++k) {
        if (k == 1) options.tolerance /= 8;
        const Ended end = run(model, llm_method(), 1, options, [&](const StepView& step) {
          EXPECT_LE(step.error, 1);
          return std::string();
        });
        EXPECT_EQ(end.report.reason, Reason::finished);
        steps[k] = end.report.counters.steps;
      }
      // A local error ~ h^3: an eighth of the tolerance takes 2 times the steps, per second
      // 8^(1/2).
      const double ratio = static_cast<double>(steps[1]) / static_cast<double>(steps[0]);
      EXPECT_NEAR(ratio, per == ErrorMeasure::per_step ? 2 : std::sqrt(8), 0.35)
          << to_string(per) << ' ' << to_string(control);
    }
}

TEST(Llm, KrylovAndPadeGiveTheSameMotion) {
  const Prepared model = model_file("chain.yaml");
  State end[2];
  for (int k = 0; k < 2; ++k) {
    DriverOptions options;
    options.fixed_step = 0.005;
    options.method_options["exponential"] = k == 0 ? "pade" : "krylov";
    const Ended e = run(model, llm_method(), 0.1, options);
    ASSERT_EQ(e.report.reason, Reason::finished);
    end[k] = e.state;
  }
  EXPECT_LE(difference(end[0], end[1]), 1e-9);
}

/// Two equal balls exchange their velocities. How long they touch, 4 ms to 2.5 us, is no matter of
/// accuracy: the steps are as many, and the errors as large.
TEST(Llm, TakesNoMoreStepsForAShorterImpact) {
  long soft = 0;
  for (const char* stiffness : {"1e5", "1e9", "1e13"}) {
    const Prepared model = model_text(fmt::format(R"(
kardan: 1
bodies:
  a: {{kind: point, mass: 0.01, position: [-0.3, 0, 0], velocity: [1, 0, 0]}}
  b: {{kind: point, mass: 0.01}}
contacts:
  hit: {{type: sphere_sphere, between: [a, b], radius_a: 0.1, radius_b: 0.1, law: hunt_crossley, stiffness: {}}}
)",
                                                  stiffness));
    DriverOptions options;
    options.tolerance = 1e-5;
    options.max_steps = 10000;
    const Ended end = run(model, llm_method(), 0.3, options);
    ASSERT_EQ(end.report.reason, Reason::finished) << stiffness << ": " << end.report.message;
    EXPECT_EQ(end.report.events.size(), 2);
    EXPECT_NEAR(value(*model.system, end.state, "a.vx"), 0, 10 * options.tolerance) << stiffness;
    EXPECT_NEAR(value(*model.system, end.state, "b.vx"), 1, 10 * options.tolerance) << stiffness;
    const long steps = end.report.counters.steps;
    if (soft == 0) soft = steps;
    EXPECT_LE(steps, 1.2 * static_cast<double>(soft)) << stiffness;
  }
}

}  // namespace
}  // namespace kardan
