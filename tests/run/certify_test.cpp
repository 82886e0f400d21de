/// `certify`: the measured error is the true one, and what cannot be reached is said.

#include "kardan/run/certify.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>

#include "kardan/formulation/analysis.h"
#include "kardan/run/compare.h"
#include "kardan/run/result.h"
#include "support/general_problems.h"
#include "support/models.h"

namespace kardan {
namespace {

using namespace test;
using testing::HasSubstr;

/// The estimate is promised to be right within this factor.
constexpr double promised = 3;
/// What double numbers let a run reach; smaller errors are not compared.
constexpr double round_off = 1e-12;

double weighed(double value, double exact) {
  return std::abs(value - exact) / (1 + std::abs(exact));
}

SimulateOptions options_of(const std::string& method, double t_end, double accuracy) {
  SimulateOptions out;
  out.method = method;
  out.t_end = t_end;
  out.driver.tolerance = accuracy;
  return out;
}

void expect_measured(const std::string& what, double accuracy, double estimate, double truth) {
  fmt::print("{:<28}{:.0e}  estimate {:.2e}  true {:.2e}\n", what, accuracy, estimate, truth);
  if (truth < round_off && estimate < promised * round_off) return;
  EXPECT_LE(estimate, promised * truth) << what << " at " << accuracy;
  EXPECT_GE(estimate, truth / promised) << what << " at " << accuracy;
}

void expect_right(const std::string& what, double accuracy, double estimate, double truth) {
  expect_measured(what, accuracy, estimate, truth);
  EXPECT_LE(truth, promised * accuracy) << what << " was certified at " << accuracy;
}

/// Largest error at the last time of the positions (with dynamic variables) or velocities whose
/// names are wanted. The bands also hold what is auxiliary, which the accuracy is not about.
double at_the_end(const Accuracy& a, bool velocity,
                  const std::function<bool(const std::string&)>& wanted) {
  double worst = 0;
  for (const ComponentError& c : a.bands)
    if (!c.auxiliary && c.velocity == velocity && wanted(c.name))
      worst = std::max(worst, c.reached.back());
  return worst;
}

/// Whether the constraints leave one set of multipliers.
bool has_unique_multipliers(const System& system, const State& state) {
  const auto ws = system.make_workspace();
  return analyse(system, state, *ws).redundant.empty();
}

/// Auxiliary and contact variables and multipliers at the end, as far as they are published: their
/// error is measured as well, although it is not what was asked for. Of multipliers that are not
/// unique rounding decides (left_open), not the error of the run.
void expect_auxiliary_measured(const std::string& what, double accuracy, const Accuracy& a,
                               const Prepared& run, const ReferencePoint& exact) {
  const auto ws = run.system->make_workspace();
  const bool multipliers =
      !exact.lambda.empty() && has_unique_multipliers(*run.system, run.start.state);
  const std::vector<std::string> names = multiplier_names(*run.system);
  double estimate = 0, truth = 0;
  bool known = false;
  for (const ComponentError& c : a.bands) {
    if (!c.auxiliary) continue;
    double value = 0, published = 0;
    if (const auto q = run.system->find_quantity(c.name)) {
      value = run.system->quantity(*q, run.start.state, 0, {}, {}, *ws);
      published = run.system->quantity(*q, exact.state, 0, {}, {}, *ws);
    } else {
      if (!multipliers) continue;
      const auto i = std::ranges::find(names, c.name) - names.begin();
      value = run.start.lambda.at(i);
      published = exact.lambda.at(i);
    }
    known = true;
    estimate = std::max(estimate, c.absolute.back() / (1 + std::abs(published)));
    truth = std::max(truth, weighed(value, published));
  }
  if (known) expect_measured(what, accuracy, estimate, truth);
}

class Published : public testing::TestWithParam<std::string> {};

TEST_P(Published, SolutionsShowThatTheEstimateIsTheTrueError) {
  const GeneralProblem problem = general_problem(GetParam());
  // The last that a short run reaches.
  const auto late = std::find_if(problem.reference.begin(), problem.reference.end(),
                                 [](const ReferencePoint& r) { return r.state.t > 10; });
  ASSERT_NE(late, problem.reference.begin());
  const ReferencePoint& exact = *std::prev(late);
  const PrepareRun make = [] {
    Diagnostics discarded;
    return prepare(general_problem(GetParam()).system, discarded);
  };
  const auto all = [](const std::string&) { return true; };
  for (const double accuracy : {1e-4, 1e-7}) {
    Diagnostics faults;
    const Certification c =
        certify(make, options_of("radau5", exact.state.t, accuracy), {}, faults);
    ASSERT_FALSE(faults.has_errors()) << format(faults);
    ASSERT_EQ(c.accuracy.verdict, Certified::reached) << c.accuracy.message;
    Prepared run = make();
    (void)simulate(run, c.options, {}, {}, faults);
    const State& end = run.start.state;
    double position = 0, velocity = 0;
    for (std::size_t i = 0; i < end.p.size(); ++i)
      position = std::max(position, weighed(end.p[i], exact.state.p[i]));
    for (std::size_t i = 0; i < end.r.size(); ++i)
      position = std::max(position, weighed(end.r[i], exact.state.r[i]));
    for (std::size_t i = 0; i < end.v.size(); ++i)
      velocity = std::max(velocity, weighed(end.v[i], exact.state.v[i]));
    expect_right(GetParam() + " p", accuracy, at_the_end(c.accuracy, false, all), position);
    expect_right(GetParam() + " v", accuracy, at_the_end(c.accuracy, true, all), velocity);
    expect_auxiliary_measured(GetParam() + " auxiliary", accuracy, c.accuracy, run, exact);
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, Published, testing::ValuesIn(general_problem_names()),
                         [](const auto& test) { return test.param; });

PrepareRun shipped_run(const std::string& name, const ParameterValues& overrides = {}) {
  return [=] {
    Diagnostics discarded;
    return prepare(shipped(name, overrides), overrides, discarded);
  };
}

class CertifyFourBars : public testing::TestWithParam<std::string> {};

TEST_P(CertifyFourBars, EstimateIsTheTrueError) {
  std::ifstream file(test_data() + "/n_four_bar.json");
  const auto rows = nlohmann::json::parse(file).at("rows");
  for (const auto& row : rows) {
    const int N = row[0].get<int>();
    const double t = row[1].get<double>();
    // At t = 2 the cranks have lain flat: behind a singular position errors are not smooth.
    if (t > 2 || N > 2) continue;
    // Half a crank of length 1: the reference is the crank's tip.
    const auto number = [&](int k) { return std::stod(row[k].get<std::string>()) / 2; };
    const PrepareRun make = shipped_run("n_four_bar", {{"N", N}});
    for (const double accuracy : {1e-4, 1e-7}) {
      Diagnostics faults;
      const Certification c = certify(make, options_of(GetParam(), t, accuracy), {}, faults);
      ASSERT_EQ(c.accuracy.verdict, Certified::reached) << c.accuracy.message;
      Prepared run = make();
      (void)simulate(run, c.options, {}, {}, faults);
      const auto value = [&](const char* name) {
        const auto ws = run.system->make_workspace();
        return run.system->quantity(*run.system->find_quantity(name), run.start.state, 0, {}, {},
                                    *ws);
      };
      const double position =
          std::max(weighed(value("crank_0.x"), number(2)), weighed(value("crank_0.y"), number(3)));
      const double velocity = std::max(weighed(value("crank_0.vx"), number(4)),
                                       weighed(value("crank_0.vy"), number(5)));
      const auto compared = [](const std::string& name) {
        return name == "crank_0.x" || name == "crank_0.y" || name == "crank_0.vx" ||
               name == "crank_0.vy";
      };
      const std::string what = fmt::format("n_four_bar N = {} t = {}", N, t);
      expect_right(what + " p", accuracy, at_the_end(c.accuracy, false, compared), position);
      expect_right(what + " v", accuracy, at_the_end(c.accuracy, true, compared), velocity);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, CertifyFourBars, testing::Values("rn4", "radau5", "radau9"),
                         [](const auto& test) { return test.param; });

struct Case {
  std::string model, method;
  double t_end;
};

double worst(const ComponentError& e) {
  return *std::max_element(e.reached.begin(), e.reached.end());
}

/// By another method than that of the case.
std::optional<Trajectory> tight_run(const PrepareRun& make, const Case& one, double tolerance) {
  SimulateOptions tight =
      options_of(one.method == "rodasp" ? "radau5" : "rodasp", one.t_end, tolerance);
  tight.every = one.t_end / 100;
  Prepared reference = make();
  RunReport report;
  Diagnostics faults;
  auto out = trajectory(reference, tight, report, faults);
  EXPECT_TRUE(out) << one.model << ": " << report.driver.message;
  return out;
}

/// What rounding leaves open of every component. Multipliers of redundant rows, of least norm, have
/// an error of rounding over the regularization of 1e-9 (theory.md, the saddle point), whatever the
/// tolerance: two tight references tell how large it is. Everything else is known.
std::vector<double> left_open(const PrepareRun& make, const Case& one, const Trajectory& exact) {
  constexpr double rounding = 2.2e-16, regularization = 1e-9;
  const Prepared model = make();
  std::vector<double> out(exact.names.size(), 0.0);
  if (has_unique_multipliers(*model.system, model.start.state)) return out;
  const auto other = tight_run(make, one, 1e-12);
  if (!other) return out;
  const auto apart = component_errors(*model.system, *other, exact);
  double largest = 0, furthest = 0;
  for (std::size_t k = 0; k < apart.size(); ++k) {
    if (model.system->find_quantity(apart[k].name)) continue;
    out[k] = worst(apart[k]);
    for (const double error : apart[k].absolute) furthest = std::max(furthest, error);
    for (const Vector& row : exact.rows) largest = std::max(largest, std::abs(row[k]));
  }
  EXPECT_LT(furthest, rounding / regularization * largest) << one.model;
  return out;
}

/// Against another method at 1e-11, over all components and times.
TEST(Certify, EstimateIsTheTrueErrorOnModelsThatShip) {
  for (const Case& one : {Case{"andrews", "rn4", 0.015}, Case{"bricard", "rodasp", 0.5},
                          Case{"double_pendulum_welch", "dopri5", 2}, Case{"pendulum", "ros2w", 1},
                          Case{"slider_crank_haug", "adams", 1}}) {
    const PrepareRun make = shipped_run(one.model);
    Diagnostics faults;
    const auto exact = tight_run(make, one, 1e-11);
    ASSERT_TRUE(exact);
    const double accuracy = one.method == "ros2w" ? 1e-4 : 1e-6;
    const Certification c = certify(make, options_of(one.method, one.t_end, accuracy), {}, faults);
    ASSERT_EQ(c.accuracy.verdict, Certified::reached) << one.model << ": " << c.accuracy.message;
    Prepared run = make();
    SimulateOptions again = c.options;
    again.every = one.t_end / 100;
    RunReport ignored;
    const auto path = trajectory(run, again, ignored, faults);
    ASSERT_TRUE(path);
    const auto errors = component_errors(*run.system, *path, *exact);
    const ReachedError truth = reached_error(errors);
    expect_right(one.model + " p", accuracy, c.accuracy.position, truth.position);
    expect_right(one.model + " v", accuracy, c.accuracy.velocity, truth.velocity);
    // And component by component, as far as they matter.
    ASSERT_EQ(errors.size(), c.accuracy.bands.size());
    const std::vector<double> open = left_open(make, one, *exact);
    for (std::size_t k = 0; k < errors.size(); ++k) {
      const double error = worst(errors[k]), estimate = worst(c.accuracy.bands[k]);
      if (error < round_off) continue;
      EXPECT_LE(estimate, promised * (error + open[k])) << errors[k].name;
      EXPECT_GE(estimate, (error - open[k]) / promised) << errors[k].name;
    }
  }
}

/// Three rods in a row, thrown upwards: errors grow like exp(t) and faster.
TEST(Certify, SaysFromWhenOnChaosPutsTheAccuracyOutOfReach) {
  const PrepareRun make = [] {
    Diagnostics discarded;
    return prepare(model_of("kardan: 1\n"
                            "dimension: 2\n"
                            "gravity: [0, -9.81]\n"
                            "bodies:\n"
                            "  a: {mass: 1, inertia: [0.1], position: [0.5, 0]}\n"
                            "  b: {mass: 1, inertia: [0.1], position: [1.5, 0]}\n"
                            "  c: {mass: 1, inertia: [0.1], position: [2.5, 0]}\n"
                            "joints:\n"
                            "  j1: {type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                            "  j2: {type: revolute, bodies: [a, b], at: [1, 0]}\n"
                            "  j3: {type: revolute, bodies: [b, c], at: [2, 0]}\n"),
                   {}, discarded);
  };
  Diagnostics faults;
  const Certification c = certify(make, options_of("dopri5", 30, 1e-6), {.budget = 1000}, faults);
  EXPECT_EQ(c.accuracy.verdict, Certified::out_of_reach) << c.accuracy.message;
  EXPECT_GT(c.accuracy.until, 3);
  EXPECT_LT(c.accuracy.until, 29);
  EXPECT_GT(c.accuracy.growth, 0.5);
  EXPECT_THAT(c.accuracy.message, HasSubstr("out of reach after t = "));
  EXPECT_THAT(c.accuracy.message, HasSubstr("grow like exp("));
  // What is said to hold holds.
  const Certification before =
      certify(make, options_of("dopri5", 0.9 * c.accuracy.until, 1e-6), {.budget = 1000}, faults);
  EXPECT_EQ(before.accuracy.verdict, Certified::reached) << before.accuracy.message;
}

/// A rod on its head, 1e-9 rad from upright, falls within 6 s: errors grow by 1e9, far less than
/// rounding leaves. No method may call that out of reach.
TEST(Certify, ReachesWhatRoundingLeaves) {
  constexpr const char* upright = R"(
kardan: 1
dimension: 2
gravity: [0, -9.81]
parameters: {eps: 1e-9}
bodies:
  rod: {mass: 1, inertia: 1/12, position: [0.5*sin(eps), 0.5*cos(eps)], angle: -eps, markers: {foot: {at: [0, -0.5]}}}
joints:
  pin: {type: revolute, between: [ground, rod.foot]}
)";
  // From rest at pi - eps from hanging, phi swings as sin(phi/2) = k cd(w t, k), k = cos(eps/2),
  // w^2 = 3 g/(2 l); with 30 digits phi = -0.42354609404570885.
  const double exact = -0.42354609404570885 - std::numbers::pi;
  const PrepareRun make = [&] {
    Diagnostics discarded;
    return prepare(model_of(upright), {}, discarded);
  };
  int reached = 0;
  for (const Method& m : methods()) {
    if (m.order < 4) continue;
    Diagnostics faults;
    const Certification c = certify(make, options_of(std::string(m.name), 6, 1e-3), {}, faults);
    if (c.accuracy.verdict == Certified::over_budget) continue;
    // Errors of 'ida' at 1e-9 are 0.08 rad here: what it would need is below what rounding lets its
    // steps be tested for, or over the budget by a little.
    if (c.accuracy.verdict == Certified::out_of_reach && m.problem == ProblemKind::dae &&
        m.integrate)
      continue;
    ++reached;
    EXPECT_EQ(c.accuracy.verdict, Certified::reached) << m.name << ": " << c.accuracy.message;
    Prepared run = make();
    const RunReport r = simulate(run, c.options, Watchers{}, faults);
    ASSERT_EQ(r.driver.reason, Reason::finished);
    EXPECT_LE(weighed(run.start.state.p[2], exact), 1e-3) << m.name;
  }
  EXPECT_GE(reached, 10) << "budgets are used up";
}

/// What a run of its own would take a thousand times its steps to prove, a method of higher order
/// does in fewer; and the error measured is the true one.
TEST(Certify, MeasuresMethodsOfLowOrderByOthers) {
  const PrepareRun make = shipped_run("pendulum");
  const auto exact = tight_run(make, {"pendulum", "radau5", 1}, 1e-12);
  ASSERT_TRUE(exact);
  int measured = 0;
  for (const Method& m : methods()) {
    if (m.error_order > 1) continue;
    const std::string name(m.name);
    Diagnostics faults;
    const Certification c = certify(make, options_of(name, 1, 1e-6), {}, faults);
    ASSERT_EQ(c.accuracy.verdict, Certified::reached) << name << ": " << c.accuracy.message;
    EXPECT_NE(c.accuracy.referee, "") << name;
    EXPECT_EQ(c.accuracy.crossed, c.accuracy.referee) << name;
    EXPECT_LE(c.accuracy.used, 60) << name;
    // Of a method of order 1 the root of the tolerance is asked for, and that is said.
    EXPECT_DOUBLE_EQ(c.accuracy.asked, m.order == 1 ? 1e-3 : 1e-6) << name;
    EXPECT_EQ(m.order == 1, c.accuracy.message.find("method of order 1") != std::string::npos)
        << c.accuracy.message;
    Prepared run = make();
    SimulateOptions again = c.options;
    again.every = 0.01;
    RunReport ignored;
    const auto path = trajectory(run, again, ignored, faults);
    ASSERT_TRUE(path);
    const ReachedError truth = reached_error(component_errors(*run.system, *path, *exact));
    expect_right(name, c.accuracy.asked, std::max(c.accuracy.position, c.accuracy.velocity),
                 std::max(truth.position, truth.velocity));
    ++measured;
  }
  EXPECT_GE(measured, 10);
}

/// No two runs are of one motion, so that nothing may be certified, whoever is the referee.
TEST(Certify, FailsWhereRunsDoNotAgree) {
  for (const char* method : {"newmark", "welch1", "rn4", "dopri5", "radau5"}) {
    int count = 0;
    const PrepareRun make = [&count] {
      Diagnostics discarded;
      const double g = 9.81 + 0.05 * ++count;
      return prepare(model_of(fmt::format("kardan: 1\ndimension: 2\ngravity: [0, -{}]\nbodies:\n"
                                          "  a: {{mass: 1, inertia: [0.1], position: [0.5, 0]}}\n"
                                          "joints:\n  j: {{type: revolute, bodies: [ground, a], "
                                          "at: [0, 0]}}\n",
                                          g)),
                     {}, discarded);
    };
    Diagnostics faults;
    const Certification c = certify(make, options_of(method, 1, 1e-6), {}, faults);
    EXPECT_NE(c.accuracy.verdict, Certified::reached) << method << ": " << c.accuracy.message;
  }
}

/// Every digit costs a method of order 1 ten times its steps: a run that would take more than there
/// are is not begun, and it is said what would do.
TEST(Certify, SaysAtOnceWhatOrderOneCannotReach) {
  for (const char* method : {"welch1", "baumgarte1"}) {
    Diagnostics faults;
    const Certification c = certify(shipped_run("double_pendulum_welch"),
                                    options_of(method, 2, 1e-7), {.budget = 0.15}, faults);
    EXPECT_EQ(c.accuracy.verdict, Certified::over_budget) << c.accuracy.message;
    EXPECT_DOUBLE_EQ(c.accuracy.budget, 1.5) << "ten times as many as of others";
    EXPECT_EQ(c.accuracy.runs.size(), 2U) << "that of the method and its reference";
    EXPECT_THAT(c.accuracy.message, HasSubstr("more steps lead there")) << method;
    EXPECT_THAT(c.accuracy.message, HasSubstr(c.accuracy.referee + " takes ")) << method;
  }
}

TEST(Certify, KeepsToItsBudget) {
  Diagnostics faults;
  const Certification c = certify(shipped_run("double_pendulum_welch"),
                                  options_of("ros2w", 2, 1e-8), {.budget = 2}, faults);
  EXPECT_EQ(c.accuracy.verdict, Certified::over_budget);
  EXPECT_LE(c.accuracy.used, 2.1);
  EXPECT_THAT(c.accuracy.message, HasSubstr("budget of 2 times the first run"));
}

TEST(Certify, MakesFixedStepsShorter) {
  Diagnostics faults;
  SimulateOptions options = options_of("newmark", 1, 1e-3);
  options.driver.fixed_step = 0.02;
  const Certification c = certify(shipped_run("pendulum"), options, {}, faults);
  EXPECT_EQ(c.accuracy.verdict, Certified::reached) << c.accuracy.message;
  EXPECT_LT(c.options.driver.fixed_step, 0.02);
  EXPECT_EQ(c.options.driver.fixed_step, c.accuracy.tolerance);
}

TEST(Certify, KeepsTheGridAndTheRatioOfTolerances) {
  Diagnostics faults;
  SimulateOptions options = options_of("rn4", 1, 1e-5);
  options.every = 0.125;
  options.relative = 1e-5;
  options.absolute = 1e-7;
  const Certification c = certify(shipped_run("pendulum"), options, {}, faults);
  EXPECT_EQ(c.accuracy.asked, 1e-7);
  EXPECT_EQ(c.options.every, 0.125);
  EXPECT_NEAR(c.options.relative / c.options.absolute, 100, 1e-10);
}

}  // namespace
}  // namespace kardan
