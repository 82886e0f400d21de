/// Radau IIA with 3 and 5 stages: coefficients; order, general form, dense output and work of 5.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "integrate/problems.h"
#include "integrate/runs.h"
#include "kardan/formulation/assembly.h"
#include "kardan/formulation/catalog.h"
#include "kardan/integrate/radau_tableau.h"
#include "support/general_problems.h"

namespace kardan {
namespace {

using namespace test;

class RadauCoefficients : public testing::TestWithParam<int> {};

TEST_P(RadauCoefficients, SatisfyTheOrderConditions) {
  const int s = GetParam();
  const RadauTableau t = make_radau_tableau(s);
  // Collocation: sum_j a_ij c_j^(k-1) = c_i^k / k for k = 1, ..., s; the last row is a quadrature
  // of order 2s - 1.
  for (int i = 0; i < s; ++i)
    for (int k = 1; k <= (i == s - 1 ? 2 * s - 1 : s); ++k) {
      double sum = 0;
      for (int j = 0; j < s; ++j) sum += t.A(i, j) * std::pow(t.c[j], k - 1);
      EXPECT_NEAR(sum, std::pow(t.c[i], k) / k, 1e-15) << i << ' ' << k;
    }
  // The estimate is the defect at the start: it vanishes for polynomials of degree s.
  for (int k = 1; k <= s; ++k) {
    double slope = 0;
    for (int j = 0; j < s; ++j) slope -= t.e[j] * std::pow(t.c[j], k);
    EXPECT_NEAR(slope, k == 1 ? 1 : 0, 1e-13) << k;
  }
}

TEST_P(RadauCoefficients, FallApartIntoOneRealAndComplexNumbers) {
  const int s = GetParam();
  const RadauTableau t = make_radau_tableau(s);
  ASSERT_EQ(static_cast<int>(t.pairs.size()), (s - 1) / 2);
  Matrix Lambda(s, s);
  Lambda(0, 0) = t.gamma;
  for (std::size_t k = 0; k < t.pairs.size(); ++k) {
    const int i = static_cast<int>(2 * k) + 1;
    Lambda(i, i) = Lambda(i + 1, i + 1) = t.pairs[k].real();
    Lambda(i, i + 1) = -t.pairs[k].imag();
    Lambda(i + 1, i) = t.pairs[k].imag();
  }
  const auto product = [&](const Matrix& A, const Matrix& B) {
    Matrix C(s, s);
    for (int i = 0; i < s; ++i)
      for (int j = 0; j < s; ++j)
        for (int k = 0; k < s; ++k) C(i, j) += A(i, k) * B(k, j);
    return C;
  };
  const Matrix unit = product(t.A, t.A_inverse), same = product(t.T, t.T_inverse),
               back = product(t.T, product(Lambda, t.T_inverse));
  for (int i = 0; i < s; ++i)
    for (int j = 0; j < s; ++j) {
      EXPECT_NEAR(unit(i, j), i == j ? 1 : 0, 1e-13);
      EXPECT_NEAR(same(i, j), i == j ? 1 : 0, 1e-12);
      EXPECT_NEAR(back(i, j), t.A_inverse(i, j), 1e-11);
    }
}

INSTANTIATE_TEST_SUITE_P(Stages, RadauCoefficients, testing::Values(3, 5));

/// Hairer, Wanner, Solving Ordinary Differential Equations II, Table IV.5.6 and section IV.8.
TEST(RadauCoefficients, AreThoseInPrintForThreeStages) {
  const RadauTableau t = make_radau_tableau(3);
  const double root = std::sqrt(6.0), a = std::cbrt(9.0), b = std::cbrt(81.0);
  EXPECT_NEAR(t.c[0], (4 - root) / 10, 1e-16);
  EXPECT_NEAR(t.c[1], (4 + root) / 10, 1e-16);
  EXPECT_NEAR(t.A(0, 0), (88 - 7 * root) / 360, 1e-15);
  EXPECT_NEAR(t.A(1, 0), (296 + 169 * root) / 1800, 1e-15);
  EXPECT_NEAR(t.A(0, 2), (-2 + 3 * root) / 225, 1e-15);
  EXPECT_NEAR(t.gamma, 30 / (6 + b - a), 1e-14);
  EXPECT_NEAR(t.e[0], -(13 + 7 * root) / 3, 1e-13);
  EXPECT_NEAR(t.e[1], (-13 + 7 * root) / 3, 1e-13);
  EXPECT_NEAR(t.e[2], -1.0 / 3, 1e-14);
}

struct Motion9 {
  State state;
  Vector lambda;
  DriverReport report;
};

Motion9 run_general(const System& system, std::string_view method, std::string_view formulation,
                    double t_end, const DriverOptions& options,
                    const OptionValues& of_formulation = {}) {
  const ConsistentStart start = assemble(system, system.start(), {});
  EXPECT_EQ(start.report.status, Eval::ok) << start.report.message;
  const Formulation& f = *find_formulation(formulation);
  const auto problem = f.make(system, complete_options(f.options, of_formulation));
  Motion9 out{start.state, {}, {}};
  out.report = integrate(*problem, *find_method(method), out.state, t_end, options, {});
  EXPECT_EQ(out.report.reason, Reason::finished) << out.report.message;
  out.lambda = problem->multipliers();
  return out;
}

class Radau9GeneralForm : public testing::TestWithParam<std::string> {};

TEST_P(Radau9GeneralForm, IsSolvedToTheToleranceInAllVariables) {
  const GeneralProblem problem = general_problem(GetParam());
  for (const ReferencePoint& reference : problem.reference) {
    if (reference.state.t <= problem.system->start().t || reference.state.t > 10) continue;
    DriverOptions options;
    options.tolerance = 1e-9;
    const Motion9 end =
        run_general(*problem.system, "radau9", "strangeness_free", reference.state.t, options);
    const State& y = reference.state;
    const double largest = std::max(
                     {weighed_difference(end.state.p, y.p), weighed_difference(end.state.v, y.v),
                      weighed_difference(end.state.r, y.r), weighed_difference(end.state.w, y.w)}),
                 lambda = weighed_difference(end.lambda, reference.lambda);
    fmt::print("{:<16} t = {:<6} error {:.1e} lambda {:.1e}  {} steps, {} Newton failures\n",
               GetParam(), y.t, largest, lambda, end.report.counters.steps,
               end.report.counters.failed);
    EXPECT_LE(largest, 1e-8);
    EXPECT_LE(lambda, 1e-8);
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, Radau9GeneralForm,
                         testing::Values("pendulum", "sleigh_turning", "sleigh_driven", "disc",
                                         "parallelogram"),
                         [](const auto& of) { return of.param; });

class Radau9Order : public testing::TestWithParam<const char*> {};

TEST_P(Radau9Order, IsNineInPositionsAndVelocities) {
  const GeneralProblem problem = general_pendulum(2.8);
  const double t_end = 0.8;
  const bool has_invariants = std::string_view(GetParam()).starts_with("strangeness");
  const OptionValues free{{"invariants", "free"}},
      of_formulation = has_invariants ? free : OptionValues{};
  DriverOptions exact;
  exact.tolerance = 1e-13;
  const Motion9 best =
      run_general(*problem.system, "radau9", "strangeness_free", t_end, exact, free);
  double p[2], v[2];
  for (const int i : {0, 1}) {
    DriverOptions options;
    options.tolerance = 1e-13;  // of Newton's method
    options.method_options = {{"newton_iterations", "40"}};
    options.fixed_step = t_end / (i == 0 ? 5 : 10);
    const Motion9 end =
        run_general(*problem.system, "radau9", GetParam(), t_end, options, of_formulation);
    p[i] = weighed_difference(end.state.p, best.state.p);
    v[i] = weighed_difference(end.state.v, best.state.v);
    fmt::print("{:<20} p {:.2e} v {:.2e}\n", GetParam(), p[i], v[i]);
  }
  EXPECT_GE(std::log2(p[0] / p[1]), 8.5);
  EXPECT_GE(std::log2(v[0] / v[1]), 8.5);
}

INSTANTIATE_TEST_SUITE_P(Formulations, Radau9Order,
                         testing::Values("strangeness_free", "strangeness_free_2", "ggl", "index_1",
                                         "index_2"),
                         [](const auto& of) { return std::string(of.param); });

/// What it is for: half the work of radau5 where 10 digits are wanted.
TEST(Radau9, TracksTheToleranceOnAndrewsWithHalfTheWork) {
  const GeneralProblem problem = general_problem("andrews");
  const ReferencePoint& reference = problem.reference.back();
  // Together: one run alone gains or loses a rejection by rounding.
  long own = 0, half = 0;
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-9, 1e-10}) {
    DriverOptions options;
    options.tolerance = tolerance;
    const Motion9 end = run_general(*problem.system, "radau9", "strangeness_free",
                                    reference.state.t, options),
                  other = run_general(*problem.system, "radau5", "strangeness_free",
                                      reference.state.t, options);
    const double p = weighed_difference(end.state.p, reference.state.p);
    fmt::print("{:.0e}: position {:.1e}, {} steps, {} evaluations; radau5 {} evaluations\n",
               tolerance, p, end.report.counters.steps, end.report.counters.evaluations,
               other.report.counters.evaluations);
    EXPECT_LE(p, 10 * tolerance);
    if (tolerance < 1e-7) {
      own += end.report.counters.evaluations;
      half += other.report.counters.evaluations / 2;
    }
  }
  EXPECT_LE(own, half);
}

/// B0 at t = 20 from the one pendulum equation of the regular branch, in quadruple precision. What is
/// reached scatters from 0.1 to 40 tolerances over neighbouring ones; another branch would be off by the
/// order of one.
TEST(Radau9, PassesSingularPositionsOnTheRightBranch) {
  const Prepared model = model_file("n_four_bar.yaml", {{"N", 2.0}});
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    DriverOptions options;
    options.tolerance = tolerance;
    const Ended end = run_on(model, *find_method("radau9"), "strangeness_free", 20, options);
    EXPECT_EQ(end.report.reason, Reason::finished) << end.report.message;
    const double x = 2 * value(*model.system, end.state, "crank_0.x") - 0.83974657430684354654,
                 y = 2 * value(*model.system, end.state, "crank_0.y") - 0.54297853635288466159;
    fmt::print("{:.0e}: {:.1e} {:.1e}, {} steps, {} rejected, {} failed\n", tolerance, x, y,
               end.report.counters.steps, end.report.counters.rejected, end.report.counters.failed);
    EXPECT_LE(std::max(std::abs(x), std::abs(y)), 50 * tolerance);
  }
}

/// Iterations across a singular position that seem to have converged, and have not, would change
/// the energy by a thousand tolerances: at a few tolerances out of a hundred.
TEST(Radau9, ConvergesAcrossSingularPositionsAtEveryTolerance) {
  const Prepared model = model_file("n_four_bar.yaml", {{"N", 2.0}});
  constexpr int runs = 40;
  for (const char* method : {"radau5", "radau9"})
    for (int k = 0; k < runs; ++k) {
      DriverOptions options;
      options.tolerance = std::pow(10.0, -3 - 2.0 * k / runs);
      const Ended end = run_on(model, *find_method(method), "strangeness_free", 20, options);
      EXPECT_EQ(end.report.reason, Reason::finished) << end.report.message;
      const double x = 2 * value(*model.system, end.state, "crank_0.x") - 0.83974657430684354654,
                   y = 2 * value(*model.system, end.state, "crank_0.y") - 0.54297853635288466159;
      EXPECT_LE(std::max(std::abs(x), std::abs(y)), 100 * options.tolerance)
          << method << " at " << options.tolerance;
    }
}

/// The collocation polynomial, in the chart of a rotation.
TEST(Radau9, KeepsOrderFiveInsideItsSteps) {
  const Prepared model = model_text(symmetric_top);
  const auto worst = [&](int steps) {
    DriverOptions options;
    options.tolerance = 1e-12;
    options.fixed_step = 2.0 / steps;
    double largest = 0;
    ChartPoint point;
    State s;
    const Ended end =
        run_on(model, *find_method("radau9"), "strangeness_free", 2, options, {},
               [&](const StepView& step) {
                 for (double theta = 0.1; theta < 0.95; theta += 0.1) {
                   step.dense->at(theta, point);
                   EXPECT_EQ(step.problem->state_at(point, ChartProblem::Consistency::projected, s),
                             Eval::ok);
                   largest = std::max(largest, difference(s, symmetric_top_state(point.t)));
                 }
                 return std::string();
               });
    EXPECT_EQ(end.report.reason, Reason::finished) << end.report.message;
    return largest;
  };
  const double coarse = worst(5), fine = worst(10);
  fmt::print("inside: {:.2e} {:.2e}\n", coarse, fine);
  EXPECT_GE(std::log2(coarse / fine), find_method("radau9")->dense_order - 0.3);
}

}  // namespace
}  // namespace kardan
