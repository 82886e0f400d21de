#include "kardan/integrate/newmark.h"

#include <fmt/format.h>

#include "integrate/implicit_models.h"

namespace kardan {
namespace {

using namespace test;

TEST(Newmark, IsOfOrderTwoOnFreeProblems) {
  struct Case {
    const char* name;
    KnownProblem known;
  };
  for (const auto& [name, known] :
       {Case{"oscillator", oscillator(2, 0.1)}, Case{"pendulum", mathematical_pendulum()},
        Case{"coupled", coupled()}}) {
    const double order =
        order_between(3, 200, [&](DriverOptions o) { return error_after(known, newmark(), 3, o); });
    fmt::print("{:<12} order {:.3f}\n", name, order);
    EXPECT_NEAR(order, 2, 0.05) << name;
  }
}

TEST(Newmark, IsOfOrderTwoWithConstraints) {
  const Prepared model = load_model("double_pendulum_welch.yaml");
  for (const Method& method : {newmark(), newmark_fv()}) {
    const double order =
        order_between(1, 100, [&](DriverOptions o) { return welch_error(model, method, o); });
    fmt::print("{:<12} order {:.3f}\n", method.name, order);
    EXPECT_NEAR(order, 2, 0.05) << method.name;
  }
}

TEST(Newmark, IsOfOrderOneForOtherGamma) {
  const Method method = newmark({.beta = 0.3025, .gamma = 0.6});
  EXPECT_EQ(method.order, 1);
  const double order = order_between(
      3, 400, [&](DriverOptions o) { return error_after(mathematical_pendulum(), method, 3, o); });
  EXPECT_NEAR(order, 1, 0.05);
}

double oscillator_energy(const Method& method, double omega, double h, int steps) {
  KnownProblem known = oscillator(omega);
  State s = known.start;
  const DriverReport r = integrate(known.problem, method, s, steps * h, fixed(h), {});
  EXPECT_EQ(r.counters.steps, steps);
  return (s.v[0] * s.v[0] + omega * omega * s.p[0] * s.p[0]) / (omega * omega);
}

TEST(Newmark, TrapezoidalRuleKeepsTheEnergyOfALinearOscillator) {
  EXPECT_NEAR(oscillator_energy(newmark(), 5, 1, 1000), 1, 1e-9);
}

TEST(Newmark, DampsFastOscillationsByTheKnownFactorForGammaAboveOneHalf) {
  // With beta = (gamma + 1/2)^2 / 4 both amplification factors tend to
  // (gamma - 3/2)/(gamma + 1/2) as h omega grows (Hughes, The Finite Element Method, 9.1).
  const double gamma = 0.7, factor = (1.5 - gamma) / (gamma + 0.5);
  const Method method = newmark({.beta = 0.36, .gamma = gamma});
  const double a = oscillator_energy(method, 1e4, 1, 100);
  const double b = oscillator_energy(method, 1e4, 1, 101);
  EXPECT_NEAR(std::sqrt(b / a), factor, 0.02);
}

TEST(Newmark, SolvesLinearProblemsWithTwoIterationsAStep) {
  DriverReport r;
  error_after(oscillator(3, 0.2), newmark(), 2, fixed(0.05), &r);
  EXPECT_EQ(r.counters.iterations, 2 * r.counters.steps);
  EXPECT_EQ(r.counters.jacobians, r.counters.steps);
  EXPECT_EQ(r.counters.factorizations, r.counters.steps);
}

TEST(Newmark, ReachedErrorTracksTheTolerance) {
  const Prepared welch = load_model("double_pendulum_welch.yaml");
  for (double tolerance : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7}) {
    DriverOptions o;
    o.tolerance = tolerance;
    const double free = error_after(mathematical_pendulum(), newmark(), 3, o);
    const double constrained = welch_error(welch, newmark(), o);
    fmt::print("tolerance {:.0e}: pendulum {:.1e}, double pendulum {:.1e}\n", tolerance, free,
               constrained);
    for (double e : {free, constrained}) {
      EXPECT_LE(e, 10 * tolerance);
      EXPECT_GE(e, 0.1 * tolerance);
    }
  }
}

/// The seven-body mechanism with the stiff spring-damper of Haug, Negrut, Iancu (1997).
DriverReport seven_bodies(const Method& method, double h) {
  const Prepared model = load_model("andrews.yaml", {{"c0", 30000}, {"spring_damping", 100000}});
  StateSpace problem(*model.system);
  State state = model.start.state;
  DriverOptions o;
  o.tolerance = 1e-8;
  o.fixed_step = h;
  return integrate(problem, method, state, 0.035, o, {});
}

TEST(Newmark, NeedsNoMoreIterationsThanWithTheMatrixOfFisetteAndVaneghem) {
  for (double h : {1e-4, 2e-4, 5e-4}) {
    const DriverReport exact = seven_bodies(newmark(), h), fv = seven_bodies(newmark_fv(), h);
    ASSERT_EQ(exact.reason, Reason::finished) << exact.message;
    auto print = [&](const char* name, const DriverReport& r) {
      fmt::print("h = {:.0e} {:<6} {} steps, {} iterations ({:.2f} a step), {} matrices, {}\n", h,
                 name, r.counters.steps, r.counters.iterations,
                 static_cast<double>(r.counters.iterations) / r.counters.steps,
                 r.counters.jacobians, to_string(r.reason));
    };
    print("exact", exact);
    print("FV", fv);
    if (fv.reason != Reason::finished) continue;
    EXPECT_LE(exact.counters.iterations, fv.counters.iterations);
  }
}

TEST(Newmark, EndsWhenTheStepHasNoSolutionRatherThanAcceptIt) {
  // x'' = 1 + x^2 from rest at 0 with h = 10: a = (25 + 25 a)^2 + 1 has no real root.
  FreeProblem problem(
      1, 0, [](double, const Local& y, LocalRate& out) { out.a[0] = 1 + y.x[0] * y.x[0]; },
      [](double, const Local& y, LocalJacobian& out) { out.A_x(0, 0) = 2 * y.x[0]; });
  State state = state_of(0, {0}, {0});
  const DriverReport r = integrate(problem, newmark(), state, 20, fixed(10), {});
  EXPECT_EQ(r.reason, Reason::step_too_small);
  EXPECT_EQ(r.counters.failed, 1);
  EXPECT_EQ(r.counters.steps, 0);
}

}  // namespace
}  // namespace kardan
