/// Formulas of the state with narrow peaks, kinks and jumps: no method passes them over, wherever a
/// step begins and ends.

#include "kardan/base/features.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "kardan/base/enclosure.h"
#include "kardan/integrate/method.h"
#include "run/event_runs.h"

namespace kardan {
namespace {

using namespace test;

class FeaturesOfEveryMethod : public testing::TestWithParam<std::string> {};

/// Methods that take a law for linear in a step find none that ends behind a jump, and say so.
bool refuses_jumps(const Ran& run, const std::string& method) {
  return find_method(method)->exact_if_linear && run.report.driver.reason == Reason::step_too_small;
}

/// A point flies at 10 m/s along x, from 1 m on, and passes a law over its distance.
double speed_behind(const std::string& law, const std::string& method, double speed = 10,
                    double t_end = 1, const std::string& functions = {}) {
  const Ran run = run_model(
      fmt::format("kardan: 1\ndimension: 2\n{}bodies:\n  a: {{kind: point, mass: 1, position: [{}, "
                  "0], velocity: [{}, 0]}}\nforces:\n  f: {{type: spring_damper, between: [ground, "
                  "a], law: '{}'}}\n",
                  functions, speed > 0 ? 1 : 10, speed, law),
      method, t_end, 1e-6);
  if (refuses_jumps(run, method)) return std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(run.report.driver.reason, Reason::finished) << method << run.report.driver.message;
  return run.end().v[0];
}

void expect_speed(double speed, double truth, double within) {
  if (std::isnan(speed)) return;  // refused
  EXPECT_NEAR(speed, truth, within);
}

/// What a push along 10 m/s does by its work.
double after(double work) {
  return std::sqrt(100 + 2 * work);
}

TEST_P(FeaturesOfEveryMethod, SeesPushesAtAPlace) {
  const std::string m = GetParam();
  expect_speed(speed_behind("abs(length - 5) < 0.001 ? 1e4 : 0", m), after(20), 1e-3);
  EXPECT_NEAR(speed_behind("1e4*exp(-((length - 5)/0.001)^2)", m),
              after(10 * std::sqrt(std::numbers::pi)), 1e-3);
  // The arc of the way to the left and to the right.
  EXPECT_NEAR(speed_behind("1e4/(1 + ((length - 5)/0.001)^2)", m),
              after(10 * (std::atan(4000.0) + std::atan(7660.0))), 1e-3);
  EXPECT_NEAR(speed_behind("f(length)", m, 10, 1,
                           "functions:\n  f: {points: [[0, 0], [4.999, 0], [5, 2e4], [5.001, 0], "
                           "[6, 0]], interpolation: linear}\n"),
              after(20), 1e-3);
}

/// A stop that a long step would jump over: the point comes back as fast as it came.
TEST_P(FeaturesOfEveryMethod, SeesAStopThatIsALaw) {
  EXPECT_NEAR(speed_behind("length < 0.3 ? 1e9*(0.3 - length) : 0", GetParam(), -200, 0.2), 200,
              0.02);
}

/// The same in equations of a user, in forces and in rates, also behind a definition.
TEST_P(FeaturesOfEveryMethod, SeesPushesInWrittenEquations) {
  const std::string text =
      "kardan: 1\nequations:\n  positions: {x: 0}\n  velocities: {v: 10}\n"
      "  definitions: {push: 'abs(x - 5) < 0.001 ? 1e4 : 0'}\n"
      "  forces: {v: push}\n  dynamic: {r: {start: 0, rate: 'x > 8 && x < 8.001 ? 1e4 : 0'}}\n";
  const Ran run = run_model(text, GetParam(), 1, 1e-6);
  if (refuses_jumps(run, GetParam())) return;
  ASSERT_EQ(run.report.driver.reason, Reason::finished) << run.report.driver.message;
  EXPECT_NEAR(run.end().v[0], after(20), 1e-3);
  EXPECT_NEAR(run.end().r[0], 10 / after(20), 1e-3);
}
TEST_P(FeaturesOfEveryMethod, SeesSmoothPeaksInWrittenEquations) {
  const std::string text =
      "kardan: 1\nequations:\n  positions: {x: 1, y: 0}\n  velocities: {v: 10, u: 0}\n"
      "  definitions: {way: '(x - 5)/0.001'}\n  forces: {u: 1e4/(1 + way^2)}\n";
  const Ran run = run_model(text, GetParam(), 1, 1e-6);
  ASSERT_EQ(run.report.driver.reason, Reason::finished) << run.report.driver.message;
  EXPECT_NEAR(run.end().v[1], std::atan(4000.0) + std::atan(6000.0), 1e-3);
}

std::vector<std::string> featured_methods() {
  std::vector<std::string> out;
  for (const Method& m : methods())
    if (m.order > 1) out.emplace_back(m.name);
  return out;
}
INSTANTIATE_TEST_SUITE_P(Methods, FeaturesOfEveryMethod, testing::ValuesIn(featured_methods()),
                         [](const auto& p) { return p.param; });

/// Pushes of random places, widths down to a millionth of the way, and impulses above 10 tolerances.
TEST(Features, AreSeenHoweverNarrow) {
  std::mt19937 random(1609);
  std::uniform_real_distribution<double> place(1.5, 9.5), power(-6, -1), impulse(-4, 0);
  const char* const some[] = {"rn4", "dop853", "radau5", "generalized_alpha"};
  for (int trial = 0; trial < 40; ++trial) {
    const double at = place(random), width = 10 * std::pow(10, power(random));
    const double work = 10 * std::pow(10, impulse(random)), force = work / width;
    const std::string law =
        fmt::format("length > {0:.17g} && length < {1:.17g} ? {2:.17g} : 0", at, at + width, force);
    const std::string method = some[trial % 4];
    // A tolerance in each of the two steps before and behind each of its edges.
    const double tolerance = 1e-6 * (1 + 10);
    EXPECT_NEAR(speed_behind(law, method), after(work), 4 * tolerance) << method << ": " << law;
  }
}

/// Of t and x, of which x depends on the state.
Dependence of(const char* text) {
  const Expression e = Expression::parse(text).value();
  std::vector<Dependence> names;
  for (const std::string& name : e.names())
    names.push_back(name == "t" ? Dependence::none : Dependence::straight);
  return dependence(e, names);
}

TEST(Features, AreThoseThatValuesElsewhereDoNotTell) {
  for (const char* text : {"3", "max(t, 2)*exp(-t)", "t > 1 ? 2 : 3"})
    EXPECT_EQ(of(text), Dependence::none) << text;
  for (const char* text :
       {"-4*(x - 1) - 2*v", "max(t, 2)^6*x", "t < 1 ? x : 2*x", "(x - t)/(1 + abs(t))"})
    EXPECT_EQ(of(text), Dependence::straight) << text;
  for (const char* text : {"sin(x)*x^3", "x*v", "1/x", "max(t, 1)*x^2", "sqrt(x)", "x^1.5"})
    EXPECT_EQ(of(text), Dependence::smooth) << text;
  for (const char* text : {"sin(x)*x^3/sqrt(1 + x^2)", "1/(1 + x^2)", "(1 + x^2)^-1", "atan(x)",
                           "hypot(x*x, 1)", "sqrt(x^2 + 1)", "1/cosh(x)"})
    EXPECT_EQ(of(text), Dependence::narrow) << text;
  for (const char* text :
       {"abs(x)", "x < 1 ? 1 : 0", "max(x, 0)", "tanh(v/0.01)", "exp(-x^2)", "step(x, 0, 0, 1, 1)",
        "floor(x)", "mod(x, 1)", "x > 0", "t > 1 ? abs(x) : x", "sin(x > 0 ? 1 : 2)",
        "x > 0 and t > 1 ? 1 : 0", "2 + 3*max(x*t, 0)^2"})
    EXPECT_EQ(of(text), Dependence::featured) << text;
}

/// The enclosure along a way holds the cubic through its ends.
TEST(Features, OfAWayHoldItsCubic) {
  std::mt19937 random(1854);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 500; ++trial) {
    const double x0 = normal(random), v0 = normal(random), x1 = normal(random), v1 = normal(random);
    const double h = std::exp(normal(random));
    const double a = 0.3 * h, b = 0.6 * h;
    const Taylor since = Taylor::time(a, b, 3);
    const Taylor x = along_chord(x0, v0, x1, v1, h, since);
    const Taylor v = rate_along_chord(x0, v0, x1, v1, h, since);
    for (double t = a; t <= b; t += (b - a) / 16) {
      const double s = t / h, r = 1 - s, way = x1 - x0;
      EXPECT_TRUE(x.c[0].contains(x0 + s * s * (1 + 2 * r) * way + h * s * r * (r * v0 - s * v1)));
      EXPECT_TRUE(
          v.c[0].contains(6 * s * r * way / h + r * (1 - 3 * s) * v0 + s * (1 - 3 * r) * v1));
    }
  }
}

/// A table that holds its last value is remarked when it is used beyond its ends, whatever uses it
/// and at any time of the run, and only then.
TEST(HeldTables, AreRemarkedWhateverUsesThem) {
  const std::string plane = "kardan: 1\ndimension: 2\n",
                    table = "functions:\n  f: {points: [[0, 0], [2, 1]], interpolation: linear}\n";
  const std::string pushed = plane + table +
                             "bodies:\n  a: {kind: point, mass: 1, position: [1, 0], velocity: "
                             "[1.5, 0]}\nforces:\n  p: ";
  const std::string turned =
      plane + table + "bodies:\n  a: {mass: 1, inertia: 1, angular_velocity: 2.5}\nforces:\n  p: ";
  const std::string written =
      "kardan: 1\n" + table + "equations:\n  positions: {x: 1}\n  velocities: {v: 1.5}\n";
  const std::string road =
      "kardan: 1\nbodies:\n  w: {mass: 20, inertia: [1, 1, 1], position: [0, 0, 0.3], velocity: "
      "[10, 0, 0]}\nforces:\n  back: {type: force, on: w, fx: -400}\n";
  struct Case {
    std::string text, beyond;  // empty: none
  };
  for (const Case& c : {
           Case{pushed + "{type: force, on: a, fx: 'f(t)'}", ""},
           {pushed + "{type: force, on: a, fx: 'f(3*t)'}", "p.fx: its table is held"},
           {pushed + "{type: force, on: a, fy: 'f(2.5*sin(pi*t))'}", "p.fy: its table is held"},
           {pushed + "{type: spring_damper, between: [ground, a], law: '-f(length)'}",
            "p.law: its table is held at its last value beyond an argument of 2"},
           {pushed + "{type: spring_damper, between: [ground, a], law: '-f(length/2)'}", ""},
           {turned + "{type: rotational_spring_damper, between: [ground, a], law: '-f(rate)'}",
            "p.law: its table is held"},
           {turned + "{type: rotational_spring_damper, between: [ground, a], law: '-f(angle)'}",
            "p.law: its table is held"},
           {pushed + "{type: force, on: a, fx: '-f(a.x)'}", "p.fx: its table is held"},
           {pushed + "{type: force, on: a, fx: '-f(a.x/2)'}", ""},
           {pushed + "{type: spring_damper, between: [ground, a], law: '-f(length) - a.vy'}",
            "p.law: its table is held"},
           {written + "  forces: {v: '-f(x)'}\n", "equations.forces.v: its table is held"},
           {written + "  forces: {v: '-f(x/2)'}\n", ""},
           // Out and back again.
           {road + "contacts:\n  tyre: {type: tyre, on: w, radius: 0.3, stiffness: 1, road: table, "
                   "table: [[-1, 0], [1.2, 0]]}\n",
            "tyre.table: its table is held at its last value beyond x = 1.2 m"},
       }) {
    const Ran run = run_model(c.text, "rn4", 1, 1e-6);
    ASSERT_EQ(run.report.driver.reason, Reason::finished) << c.text;
    int said = 0;
    for (const std::string& remark : run.report.remarks)
      said += remark.find(c.beyond.empty() ? "its table is held" : c.beyond) != std::string::npos;
    EXPECT_EQ(said, c.beyond.empty() ? 0 : 1) << c.text;
  }
}

}  // namespace
}  // namespace kardan
