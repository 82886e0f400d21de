/// Whether balances are stable, against closed forms.

#include "kardan/run/stability.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace kardan {
namespace {

constexpr double gravity = 9.81, mass = 2, inertia = 0.3, arm = 0.5;

StabilityReport judged(double angle, double damping) {
  Model m;
  m.dimension = 2;
  m.gravity = FieldValue(FieldValue::List{0.0, -gravity});
  m.add_body("rod", {{"mass", mass},
                     {"inertia", inertia},
                     {"position",
                      FieldValue(FieldValue::List{arm * std::cos(angle), arm * std::sin(angle)})},
                     {"angle", angle}});
  m.elements.push_back({"pin",
                        {{"type", "revolute"},
                         {"bodies", FieldValue(FieldValue::List{"ground", "rod"})},
                         {"at", FieldValue(FieldValue::List{0.0, 0.0})}},
                        {}});
  m.elements.push_back({"damper",
                        {{"type", "rotational_spring_damper"},
                         {"bodies", FieldValue(FieldValue::List{"ground", "rod"})},
                         {"at", FieldValue(FieldValue::List{0.0, 0.0})},
                         {"damping", damping}},
                        {}});
  Diagnostics diagnostics;
  const Prepared prepared = prepare(m, {}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
  return find_stability(prepared);
}

TEST(StabilityOfABalance, OfAHangingPendulumDependsOnItsDamping) {
  EXPECT_EQ(judged(-std::numbers::pi / 2, 0).kind, Stability::undamped);
  EXPECT_EQ(judged(-std::numbers::pi / 2, 0.1).kind, Stability::stable);
}

/// J a'' = m g s a - c a': lambda = -c/2J + sqrt((c/2J)^2 + m g s/J), J about the pin.
TEST(StabilityOfABalance, OfAStandingPendulumIsNoneAndHasTheRateOfTheClosedForm) {
  const double J = inertia + mass * arm * arm;
  for (const double c : {0.0, 1.5}) {
    const StabilityReport got = judged(std::numbers::pi / 2, c);
    EXPECT_EQ(got.kind, Stability::unstable);
    const double half = c / (2 * J);
    EXPECT_NEAR(got.growth, -half + std::sqrt(half * half + mass * gravity * arm / J), 1e-9);
    EXPECT_EQ(got.moves.substr(0, 4), "rod.");
  }
}

}  // namespace
}  // namespace kardan
