/// The two ways to the accelerations of the state-space form agree.

#include <gtest/gtest.h>

#include <cmath>

#include "kardan/formulation/state_space.h"
#include "support/models.h"

namespace kardan {
namespace {

class BothWays : public testing::TestWithParam<const char*> {};

TEST_P(BothWays, GiveTheSameAccelerationsAndMultipliers) {
  Diagnostics diagnostics;
  const Prepared model = prepare(test::shipped(GetParam()), {}, diagnostics);
  ASSERT_FALSE(diagnostics.has_errors()) << format(diagnostics);
  for (Parametrize choose : {partition_coordinates, span_tangent_space}) {
    StateSpace reduced(*model.system, choose, Accelerations::reduced);
    StateSpace saddle(*model.system, choose, Accelerations::saddle);
    ASSERT_EQ(reduced.rebase(model.start.state), Eval::ok);
    ASSERT_EQ(saddle.rebase(model.start.state), Eval::ok);
    auto expect_near = [](const Vector& a, const Vector& b, const char* what) {
      const double size = std::max(1.0, norm_max(b));
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t i = 0; i < a.size(); ++i)
        EXPECT_NEAR(a[i], b[i], 1e-10 * size) << what << " " << i;
    };
    expect_near(reduced.accelerations(), saddle.accelerations(), "a");
    expect_near(reduced.multipliers(), saddle.multipliers(), "lambda");
    // Away from the base, along the motion.
    const double t = model.start.state.t, h = 1e-3;
    Local y = reduced.base();
    for (std::size_t i = 0; i < y.x.size(); ++i) {
      y.x[i] += h * y.u[i];
      y.u[i] += h * reduced.base_rate().a[i];
    }
    LocalRate by_reduced, by_saddle;
    ASSERT_EQ(reduced.rate(t + h, y, by_reduced), Eval::ok);
    ASSERT_EQ(saddle.rate(t + h, y, by_saddle), Eval::ok);
    expect_near(by_reduced.a, by_saddle.a, "x''");
    expect_near(by_reduced.b, by_saddle.b, "b");
  }
}

INSTANTIATE_TEST_SUITE_P(Models, BothWays,
                         testing::Values("pendulum", "chain", "andrews", "bricard", "hmmwv",
                                         "n_four_bar_spatial", "rolling_disc", "sleigh_belt"),
                         [](const auto& parameter) { return std::string(parameter.param); });

}  // namespace
}  // namespace kardan
