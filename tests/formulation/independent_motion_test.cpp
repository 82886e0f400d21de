/// Accelerations by independent rows against those by all rows, whatever their rank.

#include "kardan/formulation/independent_motion.h"

#include <gtest/gtest.h>

#include "kardan/formulation/accelerations.h"
#include "support/models.h"

namespace kardan {
namespace {

class EveryModel : public testing::TestWithParam<std::string> {};

TEST_P(EveryModel, HasTheAccelerationsOfAllRows) {
  Diagnostics diagnostics;
  Prepared prepared = prepare(test::shipped(GetParam()), {}, diagnostics);
  ASSERT_TRUE(prepared.system) << format(diagnostics);
  const System& system = *prepared.system;
  if (system.sizes().multiplier_forces)
    GTEST_SKIP() << "accelerations are found by Newton's method";
  const auto ws = system.make_workspace();
  State state = prepared.start.state;
  Vector all, multipliers;
  ASSERT_EQ(solve_accelerations(system, state, all, multipliers, *ws), Eval::ok);
  ASSERT_EQ(system.evaluate(state, Request::all(), *ws), Eval::ok);
  IndependentMotion motion(system);
  ASSERT_EQ(motion.factor(state, *ws), Eval::ok);
  Vector a = ws->f, lambda = ws->gamma;
  motion.solve(a, lambda);
  double largest = 1;
  for (const double value : all) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], all[i], 1e-8 * largest) << i;
  // And they balance the forces: M a + G' lambda = f.
  Vector left = ws->f;
  ws->M.multiply_add(-1, a, left);
  double most = 0, size = 1;
  for (std::size_t i = 0; i < ws->f.size(); ++i) size = std::max(size, std::abs(ws->f[i]));
  const SparsePattern& rows = *ws->G.pattern;
  for (int i = 0; i < rows.rows; ++i) {
    size = std::max(size, std::abs(lambda[i]));
    for (int k = rows.row_start[i]; k < rows.row_start[i + 1]; ++k)
      left[rows.column[k]] -= ws->G.values[k] * lambda[i];
  }
  for (const double value : left) most = std::max(most, std::abs(value));
  EXPECT_LT(most, 1e-8 * size);
}

INSTANTIATE_TEST_SUITE_P(IndependentMotion, EveryModel, testing::ValuesIn(test::shipped_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace kardan
