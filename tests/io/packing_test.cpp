/// Bytes for a page, and histories of bounded size.

#include "kardan/io/packing.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "io/unpacking.h"
#include "kardan/io/thinning.h"

namespace kardan {
namespace {

TEST(Base64, EncodesTheVectorsOfRfc4648) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

TEST(Gzip, GivesTheBytesBackAndIsTheSameEveryTime) {
  std::vector<std::byte> data(100'000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = std::byte(i * i % 251);
  const std::string packed = gzip(data);
  EXPECT_LT(packed.size(), data.size());
  EXPECT_EQ(packed, gzip(data));
  EXPECT_EQ(test::gunzip(packed),
            std::string(reinterpret_cast<const char*>(data.data()), data.size()));
}

TEST(ThinnedRows, KeepTheFirstTheLastAndEvenSpacing) {
  for (const int count : {1, 7, 10, 11, 999, 1000, 1024, 12345}) {
    ThinnedRows rows(2, 10);
    for (int i = 0; i < count; ++i) rows.add(std::vector<double>{1.0 * i, 10.0 * i});
    rows.finish();
    ASSERT_LE(rows.count(), 11u);
    EXPECT_EQ(rows.seen(), static_cast<std::size_t>(count));
    EXPECT_EQ(rows.times().front(), 0);
    EXPECT_EQ(rows.times().back(), count - 1);
    for (std::size_t i = 0; i < rows.count(); ++i)
      EXPECT_EQ(rows.at(i, 1), static_cast<float>(10 * rows.times()[i]));
    for (std::size_t i = 2; i + 1 < rows.count(); ++i)
      EXPECT_EQ(rows.times()[i] - rows.times()[i - 1], rows.times()[1] - rows.times()[0]);
    if (count >= 10) {
      EXPECT_GE(rows.count(), 5u);
    }
  }
}

TEST(ThinnedSteps, KeepTheWorst) {
  ThinnedSteps steps(8);
  for (int i = 0; i <= 1000; ++i) {
    StepRecord s;
    s.t = i;
    s.h = i == 500 ? 1e-6 : 1;
    s.error = i == 333 ? 0.99 : 0.1;
    s.residuals.position = i == 777 ? 1e-3 : 1e-16;
    s.unbalanced = i == 100 ? -5 : 0.1;
    s.rejected = i >= 600 ? 1 : 0;
    steps.add(s);
  }
  ASSERT_LE(steps.steps().size(), 8u);
  EXPECT_EQ(steps.steps().back().t, 1000);
  EXPECT_GE(steps.merged() * steps.steps().size(), 1000u);
  StepRecord worst;
  worst.h = 1;
  for (const StepRecord& s : steps.steps()) {
    worst.h = std::min(worst.h, s.h);
    worst.error = std::max(worst.error, s.error);
    worst.residuals.position = std::max(worst.residuals.position, s.residuals.position);
    worst.unbalanced = std::min(worst.unbalanced, s.unbalanced);
  }
  EXPECT_EQ(worst.h, 1e-6);
  EXPECT_EQ(worst.error, 0.99);
  EXPECT_EQ(worst.residuals.position, 1e-3);
  EXPECT_EQ(worst.unbalanced, -5);
  EXPECT_EQ(steps.rejected(), std::vector<double>{599});
}

}  // namespace
}  // namespace kardan
