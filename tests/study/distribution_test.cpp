/// Distributions: every one of the catalog against its moments in closed form.

#include "kardan/study/distribution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "kardan/study/normal.h"
#include "kardan/study/plan.h"

namespace kardan {
namespace {

std::unique_ptr<Distribution> make(const std::string& name, const FieldMap& fields,
                                   Diagnostics& faults) {
  const Environment none;
  for (const DistributionType& type : distribution_catalog())
    if (type.name == name) return type.make(fields, "vary.x", {}, ValueReader(none, faults));
  return nullptr;
}

struct Case {
  FieldMap fields;
  double mean, variance;
};

TEST(Distributions, HaveTheirMomentsAndNeverFall) {
  const std::map<std::string, Case> cases{
      {"uniform", {{{"from", 2}, {"to", 5}}, 3.5, 9.0 / 12}},
      {"normal", {{{"mean", -1}, {"deviation", 0.5}}, -1, 0.25}},
      {"triangular",
       {{{"from", 0}, {"mode", 1}, {"to", 4}}, 5.0 / 3, (0 + 1 + 16 - 0 - 0 - 4) / 18.0}},
      {"list", {{{"values", FieldValue::List{1, 2, 6}}}, 3, 14.0 / 3}},
      {"steps", {{{"from", 0}, {"to", 4}, {"count", 5}}, 2, 2}}};
  for (const DistributionType& type : distribution_catalog()) {
    const Case& c = cases.at(std::string(type.name));  // a new one needs its case
    Diagnostics faults;
    const auto d = make(std::string(type.name), c.fields, faults);
    ASSERT_TRUE(d) << type.name << format(faults);
    // By the middles of equal shares.
    constexpr int n = 300'000;
    double sum = 0, squares = 0, last = -1e300;
    for (int i = 0; i < n; ++i) {
      const double x = d->at((i + 0.5) / n);
      EXPECT_GE(x, last);
      last = x;
      sum += x / n;
      squares += (x - c.mean) * (x - c.mean) / n;
    }
    EXPECT_NEAR(sum, c.mean, 1e-5) << type.name;
    EXPECT_NEAR(squares, c.variance, 1e-4) << type.name;
  }
}

TEST(Distributions, RefuseNumbersThatMeanNothing) {
  const std::pair<const char*, FieldMap> cases[] = {
      {"uniform", {{"from", 1}, {"to", 1}}},
      {"normal", {{"mean", 0}, {"deviation", 0}}},
      {"triangular", {{"from", 0}, {"mode", 5}, {"to", 4}}},
      {"list", {{"values", FieldValue::List{}}}},
      {"steps", {{"from", 0}, {"to", 1}, {"count", 1}}},
  };
  for (const auto& [name, fields] : cases) {
    Diagnostics faults;
    EXPECT_FALSE(make(name, fields, faults)) << name;
    EXPECT_TRUE(faults.has_errors()) << name;
  }
}

TEST(Normal, QuantileAndShareAreInverse) {
  for (double u = 1e-12; u < 1; u = u < 0.001 ? u * 3 : u + 0.001)
    EXPECT_NEAR(normal_share(normal_quantile(u)), u, 2e-14 * std::max(u, 1e-2)) << u;
  EXPECT_EQ(normal_quantile(0.5), 0);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-15);
}

TEST(Cholesky, GivesTheMatrixBackAndNamesTheRowThatIsNotPositive) {
  const std::vector<std::vector<double>> matrix{{4, 2, -1}, {2, 3, 0.5}, {-1, 0.5, 2}};
  const auto factor = cholesky(matrix);
  ASSERT_TRUE(factor);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k <= j; ++k) sum += factor.value()[i][k] * factor.value()[j][k];
      EXPECT_NEAR(sum, matrix[i][j], 1e-14);
    }
  const auto bad = cholesky({{1, 2}, {2, 1}});
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().row, 1U);
  EXPECT_DOUBLE_EQ(bad.error().left, -3);
  EXPECT_FALSE(cholesky({{1, 1}, {1, 1}}));
}

}  // namespace
}  // namespace kardan
