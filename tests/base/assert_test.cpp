#include "kardan/base/assert.h"

#include <gtest/gtest.h>

#include <string>

namespace kardan {
namespace {

#ifndef KARDAN_NO_ASSERT
TEST(AssertDeathTest, NamesFileLineConditionAndMessage) {
  const int rows = 0;
  EXPECT_DEATH(KARDAN_ASSERT(rows > 0, "the pattern has no rows"),
               "^tests/base/assert_test.cpp:[0-9]+: assertion failed: rows > 0: "
               "the pattern has no rows\n");
}
#endif

TEST(Assert, MakesTheMessageOnlyOnFailure) {
  int made = 0;
  const auto message = [&made] {
    ++made;
    return std::string("never shown");
  };
  KARDAN_ASSERT(made == 0, message());
  EXPECT_EQ(made, 0);
}

constexpr int half(int even) {
  KARDAN_ASSERT(even % 2 == 0, "half() of an odd number");
  return even / 2;
}

TEST(Assert, WorksInConstantExpressions) {
  static_assert(half(4) == 2);
}

}  // namespace
}  // namespace kardan
