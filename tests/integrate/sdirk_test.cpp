#include "kardan/integrate/sdirk.h"

#include <fmt/format.h>

#include "integrate/implicit_models.h"

namespace kardan {
namespace {

using namespace test;

/// The full tableau.
struct Tableau {
  explicit Tableau(const SdirkTableau& t) : s(t.stages), A(s, s), c(s), b(s), b_hat(t.b_hat) {
    for (int i = 0; i < s; ++i) {
      for (int j = 0; j < i; ++j) A(i, j) = t.a[i][j];
      A(i, i) = t.gamma;
      for (int j = 0; j <= i; ++j) c[i] += A(i, j);
    }
    b.assign(A.row(s - 1), A.row(s - 1) + s);
  }
  Vector times(const Vector& x) const {
    Vector y(s);
    multiply(A, x, y);
    return y;
  }
  int s;
  Matrix A;
  Vector c, b, b_hat;
};

Vector product(const Vector& x, const Vector& y) {
  Vector z(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) z[i] = x[i] * y[i];
  return z;
}

/// What is left of the order conditions of the rooted trees up to order 4 (Hairer, Norsett, Wanner
/// I, Table II.2.2), first that of order 1.
std::vector<double> residuals(const Tableau& t, const Vector& b) {
  const Vector one(t.s, 1.0), c2 = product(t.c, t.c), Ac = t.times(t.c);
  return {dot(b, one) - 1,
          dot(b, t.c) - 1.0 / 2,
          dot(b, c2) - 1.0 / 3,
          dot(b, Ac) - 1.0 / 6,
          dot(b, product(c2, t.c)) - 1.0 / 4,
          dot(b, product(t.c, Ac)) - 1.0 / 8,
          dot(b, t.times(c2)) - 1.0 / 12,
          dot(b, t.times(Ac)) - 1.0 / 24};
}

TEST(Sdirk4, SatisfiesTheOrderConditions) {
  const Tableau t(sdirk4_tableau());
  for (double r : residuals(t, t.b)) EXPECT_NEAR(r, 0, 1e-14);
  const std::vector<double> embedded = residuals(t, t.b_hat);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(embedded[i], 0, 1e-14);
  EXPECT_GT(norm_max(std::span(embedded).subspan(4)), 1e-3);  // not of order 4
  EXPECT_NEAR(t.c.back(), 1, 1e-14);
}

TEST(Sdirk4, VanishesAtInfinity) {
  // R(infinity) = 1 - b' A^-1 1, by forward substitution.
  const Tableau t(sdirk4_tableau());
  Vector x(t.s, 1.0);
  for (int i = 0; i < t.s; ++i) {
    for (int j = 0; j < i; ++j) x[i] -= t.A(i, j) * x[j];
    x[i] /= t.A(i, i);
  }
  EXPECT_NEAR(1 - dot(t.b, x), 0, 1e-13);
}

TEST(Sdirk4, IsOfOrderFourOnFreeProblems) {
  struct Case {
    const char* name;
    KnownProblem known;
  };
  for (const auto& [name, known] :
       {Case{"oscillator", oscillator(2, 0.1)}, Case{"pendulum", mathematical_pendulum()},
        Case{"coupled", coupled()}}) {
    const double order =
        order_between(3, 60, [&](DriverOptions o) { return error_after(known, sdirk4(), 3, o); });
    fmt::print("{:<12} order {:.3f}\n", name, order);
    EXPECT_NEAR(order, 4, 0.2) << name;
  }
}

TEST(Sdirk4, IsOfOrderFourWithConstraints) {
  const Prepared model = load_model("double_pendulum_welch.yaml");
  // From errors of 5e-9 on: above, terms of order 5 still weigh more.
  const double order =
      order_between(1, 80, [&](DriverOptions o) { return welch_error(model, sdirk4(), o); });
  fmt::print("double pendulum order {:.3f}\n", order);
  EXPECT_NEAR(order, 4, 0.2);
}

TEST(Sdirk4, DampsFastMotionInOneStep) {
  KnownProblem known = oscillator(1e6, 1e5);
  State s = known.start;
  const DriverReport r = integrate(known.problem, sdirk4(), s, 1, fixed(1), {});
  EXPECT_EQ(r.counters.steps, 1);
  EXPECT_LE(std::abs(s.p[0]), 1e-5);
}

TEST(Sdirk4, FactorsOneMatrixAStep) {
  DriverReport r;
  error_after(coupled(), sdirk4(), 2, fixed(0.02), &r);
  EXPECT_EQ(r.counters.factorizations, r.counters.steps);
  EXPECT_EQ(r.counters.jacobians, r.counters.steps);
}

TEST(Sdirk4, ReachedErrorTracksTheTolerance) {
  const Prepared welch = load_model("double_pendulum_welch.yaml");
  // At 1e-4 the 12 steps over the pendulum's motion are more accurate than asked by a factor 15.
  for (double tolerance : {1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
    DriverOptions o;
    o.tolerance = tolerance;
    DriverReport r;
    const double free = error_after(mathematical_pendulum(), sdirk4(), 3, o, &r);
    const double constrained = welch_error(welch, sdirk4(), o);
    fmt::print(
        "tolerance {:.0e}: pendulum {:.1e}, double pendulum {:.1e}; {} steps, {:.1f} "
        "iterations a stage\n",
        tolerance, free, constrained, r.counters.steps,
        static_cast<double>(r.counters.iterations) / (5.0 * r.counters.steps));
    for (double e : {free, constrained}) {
      EXPECT_LE(e, 10 * tolerance);
      EXPECT_GE(e, 0.1 * tolerance);
    }
  }
}

}  // namespace
}  // namespace kardan
