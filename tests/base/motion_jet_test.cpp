/// Numbers that follow a motion give what nested duals do.

#include "kardan/base/motion_jet.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kardan {
namespace {

using Seeded = Dual<double, 4>;
using SeededAlong = Dual<Dual<Seeded, 1>, 1>;
using Twice = Dual<Seeded, 4>;

constexpr int variables = 3;
constexpr double at[variables] = {0.7, -0.4, 1.3}, rate[variables] = {1.1, 0.6, -0.8},
                 second[variables] = {0.3, -2.0, 0.9};

void expect_close(double got, double wanted, const char* what) {
  EXPECT_LE(std::abs(got - wanted), 1e-13 * (1 + std::abs(wanted))) << what << ' ' << got;
}

/// One function of three variables, with each scalar.
template <class F>
void compare(const char* name, const F& f) {
  SCOPED_TRACE(name);
  double plain[variables];
  MotionJet p[variables];
  CurvedMotionJet c[variables];
  SeededAlong along[variables];
  Twice twice[variables];
  for (int i = 0; i < variables; ++i) {
    plain[i] = at[i];
    p[i].set(at[i], rate[i], second[i], i);
    p[i].x[3 + 4] = rate[i];  // the last seed goes along the motion, too
    c[i].set(at[i], rate[i], second[i], i);
    const Seeded base = Seeded::variable(at[i], i);
    along[i].value.value = base;
    along[i].value.d[0] = along[i].d[0].value = Seeded(rate[i]);
    along[i].d[0].d[0] = Seeded(second[i]);
    twice[i] = Twice(base);
    twice[i].d[i] = Seeded(1.0);
  }
  const double y = f(plain);
  const MotionJet y_p = f(p);
  const CurvedMotionJet y_c = f(c);
  const SeededAlong y_a = f(along);
  const Twice y_t = f(twice);
  EXPECT_EQ(value_of(y_p), y);
  EXPECT_EQ(value_of(y_c), y);
  expect_close(y_p.first(), y_a.d[0].value.value, "first");
  expect_close(y_p.second(), y_a.d[0].d[0].value, "second");
  expect_close(y_p.by(4), y_p.first(), "along a seed");
  expect_close(y_c.first(), y_a.d[0].value.value, "first");
  expect_close(y_c.second(), y_a.d[0].d[0].value, "second");
  for (int i = 0; i < variables; ++i) {
    expect_close(y_p.by(i), y_a.value.value.d[i], "by a seed");
    expect_close(y_c.by(i), y_a.value.value.d[i], "by a seed");
    expect_close(y_c.first_by(i), y_a.d[0].value.d[i], "first by a seed");
    expect_close(y_c.second_by(i), y_a.d[0].d[0].d[i], "second by a seed");
    for (int j = 0; j < variables; ++j) expect_close(y_c.by(i, j), y_t.d[i].d[j], "by two seeds");
  }
}

#define FUNCTION(expression)                    \
  compare(#expression, [](const auto* q) {      \
    const auto &a = q[0], &b = q[1], &c = q[2]; \
    (void)a, (void)b, (void)c;                  \
    return expression;                          \
  })

TEST(MotionJet, FollowsArithmetic) {
  FUNCTION(a + b - 2.0 * c);
  FUNCTION(1.0 - a + 3 - (-b) + (+c) + a * 2.0 - 1.5);
  FUNCTION(a * b * c);
  FUNCTION(a * b + b / c - a / 3.0);
  FUNCTION(2.0 / (a * c) + (2.0 + b));
}

TEST(MotionJet, FollowsFunctionsOfOneVariableByTheirJets) {
  FUNCTION(extend(sin(TimeJet::variable(value_of(a * c))), a * c) + b);
}

TEST(MotionJet, FollowsFunctions) {
  FUNCTION(sin(a * b) + cos(b - c) * tan(a));
  FUNCTION(asin(a * b) + acos(b) * atan(c));
  FUNCTION(sinh(a) * cosh(b) + tanh(b * c));
  FUNCTION(exp(b) * log(a * c) + log10(c));
  FUNCTION(sqrt(a * a + c) + abs(b) * abs(c));
  FUNCTION(pow(a, 3.0) + pow(b, 2) + pow(c, -1.5) + pow(a, c) + pow(2.0, b));
  FUNCTION(atan2(a, b) + atan2(b, c * 2.0) + atan2(b, 1.0) + atan2(-0.5, c));
  FUNCTION(hypot(a, b) + hypot(c, 2.0) + hypot(0.5, a));
  FUNCTION(min(a, b) * max(b, c) + min(a, 0.1) + max(c, 0.2));
}

template <class S>
class MotionJetLimits : public testing::Test {};
using Scalars = testing::Types<MotionJet, CurvedMotionJet>;
TYPED_TEST_SUITE(MotionJetLimits, Scalars);

TYPED_TEST(MotionJetLimits, InfiniteSlopesSpoilNothingThatDoesNotMove) {
  using S = TypeParam;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  S a;
  a.set(0, 0, 0, 1);
  const S root = sqrt(a);
  EXPECT_EQ(root.value(), 0);
  EXPECT_EQ(root.by(1), infinity);
  EXPECT_EQ(root.by(0), 0);
  EXPECT_EQ(root.first(), 0);
  EXPECT_EQ(root.second(), 0);
  EXPECT_TRUE(is_independent(sqrt(S(0.0))));
  EXPECT_TRUE(is_independent(hypot(S(0.0), S(0.0))));
  EXPECT_TRUE(is_independent(abs(a)));
  EXPECT_EQ(pow(a, 2.0).by(1), 0);
  EXPECT_TRUE(std::isnan(atan2(a, S(0.0)).by(1)));
}

TYPED_TEST(MotionJetLimits, ComparesValues) {
  using S = TypeParam;
  S a;
  a.set(1, 2, 3, 0);
  EXPECT_TRUE(a == S(1.0) && a == 1.0 && a < 2.0 && 0.5 < a && a >= S(1.0));
  a += 1;
  a -= S(0.5);
  a *= 2.0;
  const S same = a;
  a /= same;
  EXPECT_EQ(value_of(with_value(a, 7.0)), 7.0);
  EXPECT_EQ(a.first(), 0);
}

}  // namespace
}  // namespace kardan
