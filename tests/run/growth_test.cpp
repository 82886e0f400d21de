/// Growing modes: the test that there is none is a proof, and no method steps over one.

#include "kardan/integrate/growth.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kardan/integrate/method.h"
#include "kardan/integrate/state_matrix.h"
#include "kardan/linalg/eigenvalues.h"
#include "run/event_runs.h"

namespace kardan {
namespace {

using namespace test;

/// Random equations: masses of several sizes, and everything else small or large against them.
LocalJacobian random_jacobian(std::mt19937& random, int n, int first) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> power(-2, 2);
  const auto fill = [&](int rows, int cols) {
    Matrix m(rows, cols);
    const double size = std::pow(10.0, power(random));
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < cols; ++j) m(i, j) = size * normal(random);
    return m;
  };
  LocalJacobian J;
  const Matrix root = fill(n, n);
  J.M = Matrix(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      J.M(i, j) = i == j ? 0.1 : 0.0;
      for (int k = 0; k < n; ++k) J.M(i, j) += root(i, k) * root(j, k);
    }
  J.A_x = fill(n, n), J.A_u = fill(n, n), J.A_z = fill(n, first);
  J.B_x = fill(first, n), J.B_u = fill(first, n), J.B_z = fill(first, first);
  return J;
}

EigenSystem eigenvalues(const LocalJacobian& J) {
  Matrix A;
  EigenSystem modes;
  EXPECT_EQ(state_matrix(J, A), Eval::ok);
  EXPECT_EQ(find_eigenvalues(A, EigenOutput::values, modes), Eval::ok);
  return modes;
}

double largest_real_eigenvalue(const LocalJacobian& J) {
  double out = 0;
  for (const auto& mode : eigenvalues(J).values)
    if (mode.imag() == 0) out = std::max(out, mode.real());
  return out;
}

TEST(Growth, ThatIsDisprovedIsNotThere) {
  std::mt19937 random(1812);
  int passed = 0, failed = 0, grows = 0;
  NoGrowthTest test;
  for (int trial = 0; trial < 4000; ++trial) {
    const int n = 1 + trial % 5, first = trial % 3;
    const LocalJacobian J = random_jacobian(random, n, first);
    const double h = std::pow(10.0, std::uniform_real_distribution<double>(-3, 2)(random));
    const double rate = largest_real_eigenvalue(J);
    const bool none = test.passes(J, h);
    EXPECT_FALSE(none && rate * h > 1 + 1e-9) << "trial " << trial;
    (none ? passed : failed)++;
    grows += rate * h > 1;
  }
  EXPECT_GT(passed, 200);
  EXPECT_GT(failed, 200);
  EXPECT_GT(grows, 200);
}

TEST(Growth, NothingIsFastWhereThatIsProved) {
  std::mt19937 random(1864);
  int proved = 0, fast = 0;
  NoGrowthTest test;
  for (int trial = 0; trial < 4000; ++trial) {
    const LocalJacobian J = random_jacobian(random, 1 + trial % 5, trial % 3);
    const double h = std::pow(10.0, std::uniform_real_distribution<double>(-6, 0)(random));
    double largest = 0;
    for (const auto& mode : eigenvalues(J).values) largest = std::max(largest, std::abs(mode));
    const bool slow = test.all_slow(J, h);
    EXPECT_FALSE(slow && largest * h > 1 + 1e-9) << "trial " << trial;
    proved += slow;
    fast += largest * h > 1;
  }
  EXPECT_GT(proved, 200);
  EXPECT_GT(fast, 200);
}

/// Pendulums on their heads, displaced by 1e-9, beside one that swings: none, one or two modes grow
/// like exp(lambda t).
std::string upright(int count) {
  std::string ground =
      "kardan: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {eps: 1e-9}\n"
      "ground:\n  markers:\n    hook: {at: [9, 0]}\n";
  std::string bodies =
      "bodies:\n"
      "  bob: {mass: 1, inertia: 1/12, position: [9.5, 0], markers: {foot: {at: [-0.5, 0]}}}\n";
  std::string joints = "joints:\n  hook: {type: revolute, between: [ground.hook, bob.foot]}\n";
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    ground += "    p" + n + ": {at: [" + n + ", 0]}\n";
    bodies += "  rod" + n + ": {mass: 1, inertia: 1/12, position: [" + n +
              " + 0.5*sin(eps), 0.5*cos(eps)], angle: -eps, markers: {foot: {at: [0, -0.5]}}}\n";
    joints += "  pin" + n + ": {type: revolute, between: [ground.p" + n + ", rod" + n + ".foot]}\n";
  }
  return ground + bodies + joints;
}

class GrowthOfEveryMethod : public testing::TestWithParam<std::string> {};

/// By how many powers of e the angle has grown: a method may err in that by a fifth.
TEST_P(GrowthOfEveryMethod, FollowsWhatGrowsOutOfSight) {
  const double t_end = 4, lambda = std::sqrt(9.81 * 0.5 * 3);
  const double truth = lambda * t_end - std::log(2.0);
  for (const int count : {1, 2}) {
    const Ran run = run_model(upright(count), GetParam(), t_end, 1e-4);
    ASSERT_EQ(run.report.driver.reason, Reason::finished) << run.report.driver.message;
    for (int i = 0; i < count; ++i) {
      const auto q = run.prepared.system->find_quantity("rod" + std::to_string(i) + ".angle");
      const auto ws = run.prepared.system->make_workspace();
      const double angle = run.prepared.system->quantity(*q, run.end(), 0, {}, {}, *ws);
      EXPECT_NEAR(std::log(std::abs(angle) / 1e-9), truth, truth / 5)
          << count << " upright, angle " << angle;
    }
  }
}

/// dr/dt = 3 (r - cos t) - sin t beside an oscillator: r = cos t, and errors grow like exp(3 t).
TEST_P(GrowthOfEveryMethod, SeesThatADynamicVariableGrows) {
  const std::string model =
      "kardan: 1\nequations:\n  positions: {x: 1}\n  velocities: {v: 0}\n  forces: {v: -x}\n"
      "  dynamic: {r: {start: 1e-9, rate: 3*r}}\n";
  const Ran run = run_model(model, GetParam(), 5, 1e-4);
  ASSERT_EQ(run.report.driver.reason, Reason::finished) << run.report.driver.message;
  EXPECT_NEAR(std::log(run.end().r[0] / 1e-9), 15, 3) << run.end().r[0];
}

/// x'' - c x' + w^2 x = 0 from 1e-9: far below the tolerance, it swings and grows like exp(c t/2).
/// Methods that damp what is fast must not damp this. (Explicit ones that damp nothing let more grow
/// than there is: errors of the tolerance, which no estimate of one step tells.)
TEST_P(GrowthOfEveryMethod, FollowsOscillationsThatGrow) {
  const Method* method = find_method(GetParam());
  ASSERT_TRUE(method);
  const bool magnifies = method->is_explicit && !method->damps_swinging;
  struct Oscillation {
    double w, c, t_end;
  };
  for (const Oscillation& one :
       {Oscillation{30, 10, 4}, {100, 8, 2.5}, {1e4, 2e3, 0.01}, {30, 1, 20}}) {
    const std::string model = fmt::format(
        "kardan: 1\nequations:\n  positions: {{x: 1e-9}}\n  velocities: {{v: 0}}\n"
        "  forces: {{v: {:g}*v - {:g}*x}}\n",
        one.c, one.w * one.w);
    const Ran run = run_model(model, GetParam(), one.t_end, 1e-6);
    ASSERT_EQ(run.report.driver.reason, Reason::finished) << run.report.driver.message;
    // The sum of the squares of x and of (v - c x/2)/Omega grows like exp(c t).
    const double omega = std::sqrt(one.w * one.w - one.c * one.c / 4);
    const double x = run.end().p[0], y = (run.end().v[0] - one.c / 2 * x) / omega;
    const double start = 1e-9 * std::hypot(1, one.c / (2 * omega));
    const double truth = one.c * one.t_end / 2;
    const double grown = std::log(std::hypot(x, y) / start);
    EXPECT_GT(grown, 0.75 * truth)
        << "w = " << one.w << ", after " << run.report.driver.counters.steps << " steps";
    if (!magnifies) {
      EXPECT_LT(grown, 1.25 * truth) << "w = " << one.w;
    }
  }
}

/// x'' = -x in fixed steps of up to the method's stability: explicit methods that do not say that
/// they damp what swings keep its amplitude, or magnify it.
TEST_P(GrowthOfEveryMethod, IsDampedByNoExplicitMethodThatDoesNotSaySo) {
  const Method* method = find_method(GetParam());
  ASSERT_TRUE(method);
  if (!method->is_explicit || method->integrate) return;
  const Model model = model_of(
      "kardan: 1\nequations:\n  positions: {x: 1}\n  velocities: {v: 0}\n  forces: {v: -x}\n");
  double least = 1;
  for (const double h : {0.1, 0.3, 0.6, 0.9, 1.2, 1.6, 2.0, 2.5, 3.0, 4.0}) {
    Diagnostics faults;
    Prepared run = prepare(model, {}, faults);
    SimulateOptions options;
    options.method = GetParam();
    options.t_end = 100 * h;
    options.driver.fixed_step = h;
    (void)simulate(run, options, {}, {}, faults);
    const double amplitude = std::hypot(run.start.state.p[0], run.start.state.v[0]);
    if (std::isfinite(amplitude)) least = std::min(least, amplitude);
  }
  EXPECT_EQ(least < 0.9, method->damps_swinging) << least;
}

/// Among 105 coordinates, 210 variables: x is an oscillation that grows by e^10, y falls over by as
/// much.
TEST(GrowthInLargeModels, IsFollowed) {
  std::string positions = "x: 1e-9, y: 1e-9", velocities = "v: 0, u: 0",
              forces = "v: 10*v - 900*x, u: 25*y";
  for (int i = 0; i < 103; ++i) {
    positions += fmt::format(", a{}: 0", i);
    velocities += fmt::format(", b{}: 0", i);
    forces += fmt::format(", b{0}: -a{0}", i);
  }
  const std::string model = fmt::format(
      "kardan: 1\nequations:\n  positions: {{{}}}\n  velocities: {{{}}}\n  forces: {{{}}}\n",
      positions, velocities, forces);
  for (const char* method : {"rn4", "radau5", "generalized_alpha"}) {
    const Ran run = run_model(model, method, 2, 1e-5);
    ASSERT_EQ(run.report.driver.reason, Reason::finished) << run.report.driver.message;
    const double omega = std::sqrt(875), x = run.end().p[0], v = run.end().v[0];
    const double grown = std::log(std::hypot(x, (v - 5 * x) / omega) / 1e-9);
    EXPECT_NEAR(grown, 10, 2.5) << method;
    EXPECT_NEAR(std::log(2 * std::abs(run.end().p[1]) / 1e-9), 10, 2.5) << method;
  }
}

/// Fixed steps that are too long for what grows say so; those that follow it do not.
TEST(GrowthInFixedSteps, IsSaidWhereItIsPassedOver) {
  for (const char* method : {"rn4", "radau5", "rodasp", "generalized_alpha", "sdirk4"})
    for (const bool swings : {false, true})
      for (const double h : {0.5, 0.01}) {
        Diagnostics faults;
        Prepared run =
            prepare(model_of(fmt::format("kardan: 1\nequations:\n  positions: {{x: 1e-9}}\n"
                                         "  velocities: {{v: 0}}\n  forces: {{v: {}}}\n",
                                         swings ? "v - 25*x" : "25*x")),
                    {}, faults);
        SimulateOptions options;
        options.method = method;
        options.t_end = 10;
        options.driver.fixed_step = h;
        const RunReport report = simulate(run, options, {}, {}, faults);
        int said = 0;
        for (const std::string& remark : report.remarks)
          said += remark.find("something grows") != std::string::npos ? 1 : 0;
        EXPECT_EQ(said, h > 0.1 ? 1 : 0) << method << ' ' << swings << ' ' << h;
      }
}

std::vector<std::string> names_of_methods() {
  std::vector<std::string> out;
  for (const Method& m : methods())
    if (m.order > 1) out.emplace_back(m.name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Methods, GrowthOfEveryMethod, testing::ValuesIn(names_of_methods()),
                         [](const auto& p) { return p.param; });

}  // namespace
}  // namespace kardan
