#include "kardan/base/expected.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace kardan {
namespace {

Expected<int, std::string> half_of(int x) {
  if (x % 2 != 0) return std::string("odd");
  return x / 2;
}

TEST(Expected, HoldsTheValueOrTheError) {
  const auto good = half_of(4), bad = half_of(3);
  ASSERT_TRUE(good && good.has_value());
  EXPECT_EQ(good.value(), 2);
  EXPECT_EQ(*good, 2);
  ASSERT_FALSE(bad || bad.has_value());
  EXPECT_EQ(bad.error(), "odd");
}

TEST(Expected, ReadingThePartThatIsNotThereThrows) {
  EXPECT_THROW((void)half_of(3).value(), std::bad_variant_access);
  EXPECT_THROW((void)half_of(4).error(), std::bad_variant_access);
}

TEST(Expected, ReachesIntoTheValueAndMovesItOut) {
  Expected<std::unique_ptr<std::string>, int> made(std::make_unique<std::string>("abc"));
  EXPECT_EQ((*made)->size(), 3u);
  EXPECT_EQ(made->get(), made.value().get());
  const std::unique_ptr<std::string> taken = std::move(made).value();
  EXPECT_EQ(*taken, "abc");
}

}  // namespace
}  // namespace kardan
