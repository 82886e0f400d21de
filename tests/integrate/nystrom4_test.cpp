/// The coefficients of nystrom4 and what they are for: order, and waves that bound the steps.

#include "kardan/integrate/nystrom4.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>

#include "integrate/problems.h"
#include "integrate/runs.h"

namespace kardan {
namespace {

using namespace test;

const ExplicitTableau& tableau() {
  return nystrom4_tableau();
}
int stages() {
  return static_cast<int>(tableau().c.size());
}

/// Products of the coefficients: A x, of the rows as they are stored, and b . x.
Vector times(const std::vector<std::vector<double>>& A, const Vector& x) {
  Vector y(x.size(), 0.0);
  for (std::size_t i = 0; i < A.size(); ++i)
    for (std::size_t j = 0; j < A[i].size(); ++j) y[i] += A[i][j] * x[j];
  return y;
}
double sum(const std::vector<double>& b, const Vector& x) {
  double s = 0;
  for (std::size_t i = 0; i < b.size(); ++i) s += b[i] * x[i];
  return s;
}
Vector by_parts(const Vector& x, const Vector& y) {
  Vector z(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) z[i] = x[i] * y[i];
  return z;
}

/// Hairer, Norsett, Wanner, Solving ODE I, section II.14: x" = f(x, x'), trees of up to four
/// vertices; those of A_x with A_x 1 = c^2/2 in them follow from others.
TEST(Nystrom4, MeetsTheConditionsOfOrderFour) {
  const auto& [A, c, b] = std::tie(tableau().A, tableau().c, tableau().b);
  const Vector one(c.size(), 1.0), c2 = by_parts(c, c), Ac = times(A, c);
  constexpr double round_off = 1e-15;
  for (int i = 0; i < stages(); ++i) {
    EXPECT_NEAR(times(A, one)[i], c[i], round_off);
    EXPECT_NEAR(times(tableau().A_x, one)[i], c2[i] / 2, round_off);
  }
  EXPECT_NEAR(sum(b, one), 1, round_off);
  EXPECT_NEAR(sum(b, c), 1.0 / 2, round_off);
  EXPECT_NEAR(sum(b, c2), 1.0 / 3, round_off);
  EXPECT_NEAR(sum(b, Ac), 1.0 / 6, round_off);
  EXPECT_NEAR(sum(b, by_parts(c, c2)), 1.0 / 4, round_off);
  EXPECT_NEAR(sum(b, by_parts(c, Ac)), 1.0 / 8, round_off);
  EXPECT_NEAR(sum(b, times(A, c2)), 1.0 / 12, round_off);
  EXPECT_NEAR(sum(b, times(A, Ac)), 1.0 / 24, round_off);
  EXPECT_NEAR(sum(b, times(tableau().A_x, c)), 1.0 / 24, round_off);
  const auto& b_x = tableau().b_x;
  EXPECT_NEAR(sum(b_x, one), 1.0 / 2, round_off);
  EXPECT_NEAR(sum(b_x, c), 1.0 / 6, round_off);
  EXPECT_NEAR(sum(b_x, c2), 1.0 / 12, round_off);
  EXPECT_NEAR(sum(b_x, Ac), 1.0 / 24, round_off);
}

TEST(Nystrom4, EstimatesToOrderThree) {
  const Vector one(tableau().c.size(), 1.0);
  const Vector& c = tableau().c;
  for (const Vector& x : {one, c, by_parts(c, c), times(tableau().A, c)})
    EXPECT_NEAR(sum(tableau().error, x), 0, 1e-16);
  for (const Vector& x : {one, c}) EXPECT_NEAR(sum(tableau().error_x, x), 0, 1e-16);
  EXPECT_GT(std::abs(sum(tableau().error, by_parts(c, by_parts(c, c)))), 1e-3);
  EXPECT_GT(std::abs(sum(tableau().error_x, by_parts(c, c))), 1e-3);
}

/// Largest modulus of an eigenvalue of a step on x" = -w^2 x + g w x', h = 1.
double growth(double w, std::complex<double> g) {
  using Complex = std::complex<double>;
  std::array<std::array<Complex, 2>, 2> R;
  for (int column = 0; column < 2; ++column) {
    const double x0 = column == 0, u0 = column == 1;
    std::vector<Complex> a(stages());
    auto along = [&](const std::vector<double>& row) {
      Complex s = 0;
      for (std::size_t j = 0; j < row.size(); ++j) s += row[j] * a[j];
      return s;
    };
    for (int i = 0; i < stages(); ++i)
      a[i] = -w * w * (x0 + tableau().c[i] * u0 + along(tableau().A_x[i])) +
             g * w * (u0 + along(tableau().A[i]));
    R[0][column] = x0 + u0 + along(tableau().b_x);
    R[1][column] = u0 + along(tableau().b);
  }
  const Complex half = 0.5 * (R[0][0] + R[1][1]);
  const Complex root = std::sqrt(half * half - (R[0][0] * R[1][1] - R[0][1] * R[1][0]));
  return std::max(std::abs(half + root), std::abs(half - root));
}

/// Where oscillations first grow.
double limit(std::complex<double> g) {
  double w = 0.01;
  while (w < 20 && growth(w, g) <= 1 + 1e-6) w += 0.01;
  return w;
}

TEST(Nystrom4, IsStableAlongTheImaginaryAxis) {
  EXPECT_GT(limit(0), 7.05);
  for (double w = 4.6; w < 6.95; w += 0.01) EXPECT_LT(growth(w, 0), 0.91) << w;
  // A fiftieth of critical damping, a tenth, a half; gyroscopic coupling.
  EXPECT_GT(limit(-0.04), 6.9);
  EXPECT_GT(limit(-0.2), 6.0);
  EXPECT_GT(limit(-1), 4.4);
  EXPECT_GT(limit({0, 0.05}), 6.9);
  EXPECT_GT(limit({0, 0.1}), 5.4);
}

/// Golden counts: 742 evaluations beside 1333 when the estimate was mended.
TEST(Nystrom4, TakesTheWavesOfALongChainInFewEvaluations) {
  const Prepared model = model_file("chain.yaml", {{"N", 1000}});
  auto run_at = [&](const char* method, double tolerance) {
    DriverOptions options;
    options.tolerance = tolerance;
    const Ended end = run_on(model, *find_method(method), "projected_ode", 1, options);
    EXPECT_EQ(end.report.reason, Reason::finished) << end.report.message;
    const Counters& c = end.report.counters;
    fmt::print("{:<9} {:.0e}  {} steps, {} rejected, {} evaluations\n", method, tolerance, c.steps,
               c.rejected, c.evaluations);
    return c.evaluations;
  };
  const long few = run_at("nystrom4", 3e-3);
  EXPECT_LE(few, 800);
  EXPECT_LE(7 * few, 4 * run_at("dop853", 1e-2));
}

}  // namespace
}  // namespace kardan
