#include "kardan/formulation/singular_watch.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kardan {
namespace {

using Before = SingularWatch::Before;

TEST(SingularWatch, ForetellsTheZeroOfALinearMeasure) {
  const double zero = 2;
  SingularWatch watch;
  watch.see(1, 0.5 * (zero - 1), Before::unrelated);
  watch.foretell(1);
  EXPECT_TRUE(std::isinf(watch.time())) << "one base tells nothing";
  watch.see(1.6, 0.5 * (zero - 1.6), Before::comparable);
  watch.foretell(1);
  EXPECT_DOUBLE_EQ(watch.time(), zero);
  watch.foretell(1, 0.75);
  EXPECT_DOUBLE_EQ(watch.time(), 1.6 + 0.75 * (zero - 1.6)) << "told earlier";
}

TEST(SingularWatch, ForetellsNothingFarAwayOrWhereTheMeasureGrows) {
  SingularWatch watch;
  watch.see(0, 0.5, Before::unrelated);
  watch.see(1, 0.4, Before::comparable);
  watch.foretell(0.3);
  EXPECT_TRUE(std::isinf(watch.time())) << "not near";
  watch.see(2, 0.45, Before::comparable);
  watch.foretell(1);
  EXPECT_TRUE(std::isinf(watch.time())) << "it grows";
  watch.see(3, 0.1, Before::unrelated);
  watch.foretell(1);
  EXPECT_TRUE(std::isinf(watch.time())) << "measured in another way";
}

TEST(SingularWatch, KnowsThatAPositionWasPassed) {
  SingularWatch watch;
  watch.see(0, 1, Before::unrelated);
  watch.see(1, 0.05, Before::comparable);
  EXPECT_FALSE(watch.passed()) << "it still falls";
  watch.see(2, 0.6, Before::comparable);
  EXPECT_TRUE(watch.passed());
  EXPECT_EQ(watch.before_t(), 1);
  EXPECT_EQ(watch.best(), 1);
  watch.see(3, 0.5, Before::comparable);
  watch.see(4, 0.7, Before::comparable);
  EXPECT_FALSE(watch.passed()) << "0.5 is not near, beside 1";
}

}  // namespace
}  // namespace kardan
