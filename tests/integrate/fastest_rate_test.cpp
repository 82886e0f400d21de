/// The fastest rate that a few answers of linear equations show.

#include "kardan/integrate/fastest_rate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kardan {
namespace {

/// u' = -k x - c u for each of some modes, z' = -b z, looked at along steps of these lengths.
double found(const Vector& k, const Vector& c, const Vector& b, const Vector& lengths) {
  FastestRate rate;
  rate.resize(static_cast<int>(k.size()), static_cast<int>(b.size()));
  LocalRate change;
  change.resize(static_cast<int>(k.size()), static_cast<int>(b.size()));
  for (const double H : lengths) {
    const Local w = rate.direction(1e-4, H);
    for (std::size_t i = 0; i < k.size(); ++i) change.a[i] = -k[i] * w.x[i] - c[i] * w.u[i];
    for (std::size_t i = 0; i < b.size(); ++i) change.b[i] = -b[i] * w.z[i];
    rate.answered(change, H);
  }
  EXPECT_TRUE(rate.known());
  return rate.rate();
}

TEST(FastestRate, IsThatOfAVibration) {
  EXPECT_NEAR(found({400}, {0}, {}, {0.1, 0.1, 0.1}), 20, 1e-9);
  EXPECT_NEAR(found({400, 1, 9}, {0, 0, 0}, {}, Vector(8, 0.2)), 20, 0.5);
}

TEST(FastestRate, IsThatOfADamper) {
  EXPECT_NEAR(found({0}, {1e5}, {}, {1e-6, 1e-6, 1e-6}), 1e5, 1);
  EXPECT_NEAR(found({9, 4}, {1e5, 0}, {}, {1e-6, 1e-6, 1e-6, 2e-5, 3e-4}), 1e5, 100);
}

TEST(FastestRate, IsThatOfAFirstOrderVariable) {
  EXPECT_NEAR(found({4}, {0}, {300}, {0.01, 0.01, 0.01, 0.01}), 300, 15);
}

/// Equations that answer nothing have no modes.
TEST(FastestRate, IsZeroWhereNothingAnswers) {
  EXPECT_EQ(found({0, 0}, {0, 0}, {0}, Vector(5, 0.1)), 0);
}

}  // namespace
}  // namespace kardan
