/// A step of backward differentiation from ends at any distances.

#include "kardan/integrate/backward_step.h"

#include <gtest/gtest.h>

#include <cmath>

#include "integrate/free_problem.h"

namespace kardan::test {
namespace {

/// z' = b(t, z) alone, from ends at uneven distances, as `z` gives them.
struct Trial {
  FreeProblem problem;
  State state;
  ErrorScale scale;
  BackwardStep step;

  Trial(const std::function<double(double, double)>& b,
        const std::function<double(double, double)>& b_z, const std::function<double(double)>& z,
        double unit = 1)
      : problem(
            0, 1, [b](double t, const Local& y, LocalRate& out) { out.b[0] = b(t, y.z[0]); },
            [b_z](double t, const Local& y, LocalJacobian& out) {
              out.B_z(0, 0) = b_z(t, y.z[0]);
            }) {
    constexpr double behind[] = {0, 0.8, 2.1, 2.9, 4.6, 5};
    state.r = {z(0)};
    EXPECT_EQ(problem.rebase(state), Eval::ok);
    scale = problem.default_scale(1e-6);
    for (double t : behind) {
      step.ends[step.count].t = -unit * t;
      step.ends[step.count++].y = {{}, {}, {z(-unit * t)}};
    }
  }
  double at(double t, int order) {
    Local y;
    EXPECT_EQ(step.solve(problem, t, order, state, scale, y), Eval::ok);
    return y.z[0];
  }
};

TEST(BackwardStep, IsExactForPolynomialsOfItsOrder) {
  for (int order = 1; order <= 5; ++order) {
    const auto z = [order](double t) { return 1 + std::pow(t - 0.3, order); };
    Trial trial([order](double t, double) { return order * std::pow(t - 0.3, order - 1); },
                [](double, double) { return 0; }, z);
    for (double t : {0.01, 0.5, 1.3}) EXPECT_NEAR(trial.at(t, order), z(t), 1e-11) << order;
  }
}

TEST(BackwardStep, HasItsOrderWhereRatesAreNotLinear) {
  const auto z = [](double t) { return 1 / (2 + t); };  // z' = -z^2
  for (int order = 1; order <= 5; ++order) {
    double error[2];
    for (int half = 0; half < 2; ++half) {
      const double unit = half ? 0.01 : 0.02;
      Trial trial([](double, double y) { return -y * y; }, [](double, double y) { return -2 * y; },
                  z, unit);
      error[half] = std::abs(trial.at(0.6 * unit, order) - z(0.6 * unit));
    }
    EXPECT_NEAR(std::log2(error[0] / error[1]), order + 1, 0.3) << order;
  }
}

/// What ends carry beside the slow motion dies away as in a step of a method, whatever the order.
TEST(BackwardStep, DampsWhatItsEndsCarryInFastModes) {
  constexpr double rate = 1e6, off = 1e-3;
  int end = 0;
  const auto b = [](double t, double y) { return -rate * (y - std::cos(t)) - std::sin(t); };
  for (int order = 1; order <= 5; ++order) {
    Trial trial(
        b, [](double, double) { return -rate; },
        [&end](double t) { return std::cos(t) + (end++ % 2 ? off : -off); }, 0.01);
    EXPECT_NEAR(trial.at(0.005, order), std::cos(0.005), 0.01 * off) << order;
    // Right behind the last end it is what that end is.
    EXPECT_NEAR(trial.at(1e-12, order), trial.step.ends[0].y.z[0], 1e-4 * off) << order;
  }
}

TEST(BackwardStep, SaysWhereItFindsNone) {
  Trial trial([](double, double y) { return std::sqrt(y - 10); }, [](double, double) { return 1; },
              [](double) { return 1; });
  Local y;
  EXPECT_NE(trial.step.solve(trial.problem, 0.5, 2, trial.state, trial.scale, y), Eval::ok);
}

}  // namespace
}  // namespace kardan::test
