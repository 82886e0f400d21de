/// Equations written by a user: values, derivatives, starts.

#include <gtest/gtest.h>

#include "kardan/formulation/accelerations.h"
#include "support/difference_check.h"
#include "support/general_problems.h"
#include "support/models.h"

namespace kardan::test {
namespace {

class UserEquationsTest : public testing::TestWithParam<std::string> {};

TEST_P(UserEquationsTest, HaveExactDerivatives) {
  const GeneralProblem problem = general_problem(GetParam());
  for (const unsigned seed : {1u, 2u, 3u}) {
    const DerivativePoint at = random_point(*problem.system, seed, 0.05);
    const DerivativeReport report = check_derivatives(*problem.system, at);
    EXPECT_LE(report.worst, 1e-6) << report.where;
    EXPECT_GT(report.compared, 0);
  }
}

/// At the reference points everything is balanced: 0 = g, g', d, M a = f - G' lambda, G a = gamma.
TEST_P(UserEquationsTest, HoldAtTheReferenceSolution) {
  const GeneralProblem problem = general_problem(GetParam());
  const System& system = *problem.system;
  const auto ws = system.make_workspace();
  for (const ReferencePoint& point : problem.reference) {
    State state = point.state;
    system.choose_modes(state, *ws);
    EXPECT_LT(largest_difference(state.s, point.state.s), 1e-13);
    const Residuals at = constraint_residuals(system, state, {}, *ws);
    EXPECT_LT(at.position, 1e-14) << state.t;
    EXPECT_LT(at.velocity, 1e-12) << state.t;
    Vector a, lambda;
    ASSERT_EQ(solve_accelerations(system, state, a, lambda, *ws), Eval::ok);
    for (std::size_t i = 0; i < point.a.size(); ++i)
      EXPECT_NEAR(a[i], point.a[i], 1e-11 * std::abs(point.a[i])) << state.t;
    if (!point.constraint_force.empty()) {
      Vector force(a.size(), 0.0);
      ws->G.multiply_transposed_add(1, lambda, force);
      EXPECT_LT(largest_difference(force, point.constraint_force), 1e-12) << state.t;
    } else if (!point.lambda.empty()) {
      for (std::size_t i = 0; i < lambda.size(); ++i)
        EXPECT_NEAR(lambda[i], point.lambda[i], 1e-12 * (1 + std::abs(point.lambda[i]))) << state.t;
    }
    EXPECT_LT(largest_difference(state.w, point.state.w), 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, UserEquationsTest, testing::ValuesIn(general_problem_names()),
                         [](const auto& problem) { return problem.param; });

}  // namespace
}  // namespace kardan::test
