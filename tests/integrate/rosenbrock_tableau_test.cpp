/// Order conditions of Rosenbrock tableaus: Hairer & Wanner II, table IV.7.1, in beta = alpha +
/// gamma_ij with gamma on the diagonal; W-conditions of the same book, IV.7.

#include <gtest/gtest.h>

#include <cmath>

#include "kardan/integrate/rn4.h"
#include "kardan/integrate/rodasp.h"
#include "kardan/integrate/ros2w.h"

namespace kardan {
namespace {

/// Square matrices and sums of a tableau, in extended precision.
struct Sums {
  using Real = long double;
  using Row = std::vector<Real>;
  int s;
  std::vector<Row> alpha, gamma, beta;
  Row a, g, c;  // row sums of alpha, gamma, beta

  explicit Sums(const RosenbrockTableau& t) : s(t.stages) {
    const auto zero = std::vector<Row>(s, Row(s, 0));
    alpha = gamma = beta = zero;
    a = g = c = Row(s, 0);
    for (int i = 0; i < s; ++i) {
      gamma[i][i] = t.gamma;
      for (int j = 0; j < i; ++j) {
        alpha[i][j] = t.alpha[i][j];
        gamma[i][j] = t.gamma_ij[i][j];
      }
      for (int j = 0; j <= i; ++j) {
        beta[i][j] = alpha[i][j] + gamma[i][j];
        a[i] += alpha[i][j];
        g[i] += gamma[i][j];
        c[i] += beta[i][j];
      }
    }
  }
  Row times(const std::vector<Row>& A, const Row& x) const {
    Row y(s, 0);
    for (int i = 0; i < s; ++i)
      for (int j = 0; j < s; ++j) y[i] += A[i][j] * x[j];
    return y;
  }
  Row product(const Row& x, const Row& y) const {
    Row z(s);
    for (int i = 0; i < s; ++i) z[i] = x[i] * y[i];
    return z;
  }
  Real sum(const std::vector<double>& b, const Row& x) const {
    Real r = 0;
    for (int i = 0; i < s; ++i) r += static_cast<Real>(b[i]) * x[i];
    return r;
  }
  /// R(infinity) = 1 - b' beta^-1 1.
  Real at_infinity(const std::vector<double>& b) const {
    Row x(s, 1);
    for (int i = 0; i < s; ++i) {
      for (int j = 0; j < i; ++j) x[i] -= beta[i][j] * x[j];
      x[i] /= beta[i][i];
    }
    return 1 - sum(b, x);
  }
};

/// What is left of each order condition up to `order`.
std::vector<double> residuals(const RosenbrockTableau& t, const std::vector<double>& b, int order) {
  const Sums m(t);
  const Sums::Row one(m.s, 1);
  std::vector<double> r;
  auto condition = [&](int of, const Sums::Row& x, long double value) {
    if (of <= order) r.push_back(static_cast<double>(m.sum(b, x) - value));
  };
  const Sums::Row a2 = m.product(m.a, m.a), Bc = m.times(m.beta, m.c);
  condition(1, one, 1);
  condition(2, m.c, 1.0L / 2);
  condition(3, a2, 1.0L / 3);
  condition(3, Bc, 1.0L / 6);
  condition(4, m.product(a2, m.a), 1.0L / 4);
  condition(4, m.product(m.a, m.times(m.alpha, m.c)), 1.0L / 8);
  condition(4, m.times(m.beta, a2), 1.0L / 12);
  condition(4, m.times(m.beta, Bc), 1.0L / 24);
  return r;
}

/// Coefficients are doubles, sums of up to s^3 products of them of size up to 5.
constexpr double rounding = 1e-14;

void expect_order(const RosenbrockTableau& t, const std::vector<double>& b, int order) {
  for (double r : residuals(t, b, order)) EXPECT_NEAR(r, 0, rounding);
}

TEST(RosenbrockTableau, Rn4SatisfiesTheConditionsOfOrderFourAndThree) {
  expect_order(rn4_tableau(), rn4_tableau().b, 4);
  expect_order(rn4_tableau(), rn4_tableau().b_hat, 3);
}

TEST(RosenbrockTableau, RodaspSatisfiesTheConditionsOfOrderFourAndThree) {
  expect_order(rodasp_tableau(), rodasp_tableau().b, 4);
  expect_order(rodasp_tableau(), rodasp_tableau().b_hat, 3);
}

TEST(RosenbrockTableau, EmbeddedFormulasAreNotOfTheHigherOrder) {
  for (const RosenbrockTableau* t : {&rn4_tableau(), &rodasp_tableau()}) {
    double largest = 0;
    for (double r : residuals(*t, t->b_hat, 4)) largest = std::max(largest, std::abs(r));
    EXPECT_GT(largest, 1e-3);
  }
}

TEST(RosenbrockTableau, Ros2wIsOfOrderTwoForAnyMatrix) {
  const RosenbrockTableau& t = ros2w_tableau();
  const Sums m(t);
  expect_order(t, t.b, 2);
  expect_order(t, t.b_hat, 1);
  // W-conditions: the parts with alpha and with gamma hold apart.
  EXPECT_NEAR(static_cast<double>(m.sum(t.b, m.a)), 0.5, rounding);
  EXPECT_NEAR(static_cast<double>(m.sum(t.b, m.g)), 0.0, rounding);
}

TEST(RosenbrockTableau, TheDominantModeIsDampedCompletelyAtInfinity) {
  EXPECT_NEAR(static_cast<double>(Sums(rn4_tableau()).at_infinity(rn4_tableau().b)), 0, 1e-13);
  EXPECT_NEAR(static_cast<double>(Sums(rodasp_tableau()).at_infinity(rodasp_tableau().b)), 0,
              1e-13);
  EXPECT_NEAR(static_cast<double>(Sums(ros2w_tableau()).at_infinity(ros2w_tableau().b)), 0, 1e-13);
  // The estimates must not grow there either.
  EXPECT_LT(std::abs(static_cast<double>(Sums(rn4_tableau()).at_infinity(rn4_tableau().b_hat))),
            0.4);
  EXPECT_LT(
      std::abs(static_cast<double>(Sums(rodasp_tableau()).at_infinity(rodasp_tableau().b_hat))),
      1e-13);
}

TEST(RosenbrockTableau, RodaspIsStifflyAccurate) {
  const RosenbrockTableau& t = rodasp_tableau();
  const Sums m(t);
  for (int i = 0; i < t.stages; ++i)
    EXPECT_NEAR(t.b[i], static_cast<double>(m.beta[t.stages - 1][i]), rounding);
  EXPECT_NEAR(static_cast<double>(m.a[t.stages - 1]), 1, rounding);
}

/// The tables of A. Sandu, D. Negrut, E. J. Haug, F. A. Potra, C. Sandu, Rosenbrock-Nystrom
/// Integrators for SODE of Multibody Dynamics, CSTR-01-06 (2001), section 4, with gamma as printed;
/// corrected: gamma_21 is negative, a_21 is 2 (printed 0.2).
RosenbrockTableau printed() {
  return {.stages = 4,
          .gamma = 0.57281606,
          .alpha = {{},
                    {1.14563212},
                    {0.520920789130629029328516, 0.134294186842504800149232},
                    {0.520920789130629029328516, 0.134294186842504800149232, 0.0}},
          .gamma_ij = {{},
                       {-2.341993127112013949170520},
                       {-0.027333746543489836196505, 0.213811650836699689867472},
                       {-0.259083837785510222112641, -0.190595807732311751616358,
                        -0.228031035973133829477744}},
          .b = {0.324534707891734513474196, 0.049086544787523308684633, 0.0,
                0.626378747320742177841171},
          .b_hat = {0.520920789130629029328516, 0.144549714665364599584681,
                    0.124559686414702049774897, 0.209969809789304321311906}};
}

TEST(RosenbrockTableau, DerivedCoefficientsOfRn4AreThePrintedOnes) {
  const RosenbrockCoefficients k(printed());
  const double a[4][3] = {{},
                          {2.0},
                          {1.86794814949823713234476, 0.23444556851723885002322},
                          {1.86794814949823713234476, 0.23444556851723885002322, 0.0}};
  const double c[4][3] = {
      {},
      {-7.137649943349979830369260},
      {2.580923666509657714488050, 0.651629887302032023387417},
      {-2.137115266506619116806370, -0.321469531339951070769241, -0.694966049282445225157329}};
  const double m[4] = {2.255566228604565243728840, 0.287055063194157607662630,
                       0.435311963379983213402707, 1.093507656403247803214820};
  const double m_hat[4] = {2.068399160527583734258670, 0.238681352067532797956493,
                           0.363373345435391708261747, 0.366557127936155144309163};
  const double gamma_i[4] = {0.57281606, -1.769177067112013949170520, 0.759293964293209853670967,
                             -0.104894621490955803206743};
  const double alpha_i[4] = {0, 1.14563212, 0.655214975973133829477748, 0.655214975973133829477748};
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < i; ++j) {
      EXPECT_NEAR(k.a(i, j), a[i][j], 4e-15) << i << j;
      EXPECT_NEAR(k.c(i, j), c[i][j], 8e-15) << i << j;
    }
    EXPECT_NEAR(k.m[i], m[i], 4e-15) << i;
    EXPECT_NEAR(k.m[i] - k.e[i], m_hat[i], 4e-15) << i;
    EXPECT_NEAR(k.gamma_i[i], gamma_i[i], 2e-15) << i;
    EXPECT_NEAR(k.alpha[i], alpha_i[i], 2e-15) << i;
  }
  EXPECT_TRUE(k.same_point[3]);
  EXPECT_FALSE(k.same_point[2]);
}

TEST(RosenbrockTableau, TheShippedRn4IsThePrintedOneWithGammaToAllDigits) {
  const RosenbrockTableau p = printed();
  const RosenbrockTableau& t = rn4_tableau();
  // gamma moves by 2.5e-9; the coefficients with it, times at most 11.
  constexpr double moved = 3e-8;
  EXPECT_NEAR(t.gamma, p.gamma, 3e-9);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(t.b[i], p.b[i], moved);
    EXPECT_NEAR(t.b_hat[i], p.b_hat[i], moved);
    for (int j = 0; j < i; ++j) {
      EXPECT_NEAR(t.alpha[i][j], p.alpha[i][j], moved);
      EXPECT_NEAR(t.gamma_ij[i][j], p.gamma_ij[i][j], moved);
    }
  }
}

/// Verwer's W-method as the same paper prints it.
TEST(RosenbrockTableau, DerivedCoefficientsOfRos2wAreThePrintedOnes) {
  const RosenbrockCoefficients k(ros2w_tableau());
  EXPECT_NEAR(k.a(1, 0), 0.58578643762690, 1e-13);
  EXPECT_NEAR(k.c(1, 0), -1.17157287525380, 1e-13);
  EXPECT_NEAR(k.m[0], 0.87867965644040, 1e-13);
  EXPECT_NEAR(k.m[1], 0.29289321881340, 1e-13);
}

}  // namespace
}  // namespace kardan
