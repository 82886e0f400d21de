/// Statistics of rows, against sorting, against long sums, against closed forms.

#include "kardan/study/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "kardan/study/counter_random.h"
#include "kardan/study/design.h"

namespace kardan {
namespace {

/// Rows of a study with parameters and kept values, as a table in memory.
struct Rows {
  RowShape shape;
  std::vector<std::vector<double>> rows;

  void add(std::vector<double> values, bool failed = false) {
    values.resize(shape.width(), 0);
    values[shape.met()] = values[shape.verdict()] = failed ? 0 : 1;
    rows.push_back(std::move(values));
  }
  RowScan scan() const {
    return [this](const RowVisitor& visit) {
      for (std::size_t i = 0; i < rows.size(); ++i) visit(i, rows[i]);
    };
  }
};

Rows random_rows(int count) {
  Rows out{{{"x"}, {"y"}}, {}};
  for (int i = 0; i < count; ++i) {
    const double x = random_unit(1, Draw::sample, i, 0) - 0.3,
                 e = random_unit(1, Draw::sample, i, 1);
    out.add({x, i % 7 == 0 ? std::nan("") : 1e3 * x + 200 * e}, i % 7 == 0);
  }
  return out;
}

TEST(Statistics, AreThoseOfLongSums) {
  const Rows data = random_rows(1001);
  const StudyStatistics s = statistics(data.shape, data.scan());
  long double n = 0, sum = 0, x_sum = 0;
  for (const auto& row : data.rows)
    if (!std::isnan(row[1])) ++n, sum += row[1], x_sum += row[0];
  long double yy = 0, xx = 0, xy = 0;
  for (const auto& row : data.rows)
    if (!std::isnan(row[1])) {
      yy += (row[1] - sum / n) * (row[1] - sum / n);
      xx += (row[0] - x_sum / n) * (row[0] - x_sum / n);
      xy += (row[0] - x_sum / n) * (row[1] - sum / n);
    }
  EXPECT_EQ(s.runs, 1001U);
  EXPECT_EQ(s.failed, 143U);
  EXPECT_EQ(s.not_met.hits, 143U);
  EXPECT_EQ(s.moments[0].count, 1001U);
  EXPECT_EQ(s.moments[1].count, 858U);
  EXPECT_NEAR(s.moments[1].mean, static_cast<double>(sum / n), 1e-10);
  EXPECT_NEAR(s.moments[1].deviation, static_cast<double>(std::sqrt(yy / (n - 1))), 1e-10);
  EXPECT_NEAR(s.correlation[1][0], static_cast<double>(xy / std::sqrt(xx * yy)), 1e-13);
  EXPECT_EQ(data.rows[s.moments[1].largest_run][1], s.moments[1].largest);
  EXPECT_EQ(data.rows[s.moments[0].smallest_run][0], s.moments[0].smallest);
}

TEST(Quantiles, AreThoseOfSorting) {
  for (const int count : {1, 2, 9, 1001}) {
    const Rows data = random_rows(count);
    const StudyStatistics s = statistics(data.shape, data.scan());
    const std::vector<double> shares{0.001, 0.05, 0.5, 0.93};
    const auto q = quantiles(2, s.moments, shares, data.scan());
    for (std::size_t c = 0; c < 2; ++c) {
      std::vector<double> sorted;
      for (const auto& row : data.rows)
        if (!std::isnan(row[c])) sorted.push_back(row[c]);
      std::ranges::sort(sorted);
      for (std::size_t k = 0; k < shares.size(); ++k) {
        if (sorted.empty()) {
          EXPECT_TRUE(std::isnan(q[c][k]));
          continue;
        }
        const double at = shares[k] * static_cast<double>(sorted.size() - 1);
        const auto i = static_cast<std::size_t>(at);
        const double above = sorted[std::min(i + 1, sorted.size() - 1)];
        EXPECT_EQ(q[c][k], sorted[i] + (at - std::floor(at)) * (above - sorted[i]));
      }
    }
  }
}

TEST(ShareOfTrials, HasTheIntervalOfWilson) {
  // R. G. Newcombe, Statist. Med. 17 (1998) 857-872, table I, method 3.
  const Share a = share_of_trials(81, 263), b = share_of_trials(0, 20), c = share_of_trials(1, 29);
  EXPECT_NEAR(a.low, 0.2553, 5e-5);
  EXPECT_NEAR(a.high, 0.3662, 5e-5);
  EXPECT_EQ(b.low, 0);
  EXPECT_NEAR(b.high, 0.1611, 5e-5);
  EXPECT_NEAR(c.low, 0.0061, 5e-5);
  EXPECT_NEAR(c.high, 0.1718, 5e-5);
}

/// T. Ishigami, T. Homma, An importance quantification technique in uncertainty analysis for
/// computer models, ISUMA '90, 398-403.
double ishigami(const std::vector<double>& u) {
  std::vector<double> x;
  for (const double share : u) x.push_back(std::numbers::pi * (2 * share - 1));
  return std::sin(x[0]) + 7 * std::pow(std::sin(x[1]), 2) +
         0.1 * std::pow(x[2], 4) * std::sin(x[0]);
}

TEST(Sensitivities, OfIshigamisFunctionAreWithinTheirErrors) {
  Rows data{{{"a", "b", "c"}, {"y"}}, {}};
  const auto type = std::ranges::find(design_catalog(), "sensitivity", &DesignType::name);
  const Environment none;
  Diagnostics faults;
  const auto design = type->make({{"rows", 4096}}, {{"a", "b", "c"}, {0, 0, 0}, true, ""}, {},
                                 ValueReader(none, faults));
  ASSERT_TRUE(design);
  for (std::uint64_t run = 0; run < design->runs(); ++run) {
    std::vector<double> u(3);
    design->point(run, u);
    u.push_back(ishigami(u));
    data.add(u);
  }
  // A row that is not whole does not count.
  data.rows[7][3] = std::nan("");
  const Sensitivities s = sensitivities(data.shape, data.scan());
  EXPECT_EQ(s.rows[0], 4095U);
  const double pi = std::numbers::pi, b = 0.1, p4 = std::pow(pi, 4), p8 = std::pow(pi, 8);
  const double v1 = std::pow(1 + b * p4 / 5, 2) / 2, v2 = 49.0 / 8, v13 = 8 * b * b * p8 / 225;
  const double v = v1 + v2 + v13;
  const double first[] = {v1 / v, v2 / v, 0}, total[] = {(v1 + v13) / v, v2 / v, v13 / v};
  for (int j = 0; j < 3; ++j) {
    const Sensitivity& x = s.of[0][j];
    EXPECT_NEAR(x.first, first[j], 1.96 * x.first_error) << j;
    EXPECT_NEAR(x.total, total[j], 1.96 * x.total_error) << j;
  }
}

/// The standard error that a row's terms have, with the true mean and variance of the function, and
/// how far an estimate of it from `rows` rows may be off: the fourth moment tells (4 standard errors
/// of s, by linearization: s (kurtosis - 1)^1/2/(2 n^1/2)).
struct TrueError {
  double error, bound;
};
TrueError true_error(const std::function<double(std::mt19937_64&)>& term, double rows) {
  std::mt19937_64 random(1);
  constexpr int draws = 400'000;
  double second = 0, fourth = 0;
  for (int i = 0; i < draws; ++i) {
    const double t = term(random);
    second += t * t / draws;
    fourth += t * t * t * t / draws;
  }
  const double kurtosis = fourth / (second * second);
  const double error = std::sqrt(second / rows);
  // Of the draws here, too.
  return {error,
          4 * 0.5 * std::sqrt(kurtosis - 1) * error * (1 / std::sqrt(rows) + 1 / std::sqrt(draws))};
}

TEST(Sensitivities, TellTheStandardErrorsThatTheirTermsHave) {
  Rows data{{{"a", "b", "c"}, {"y"}}, {}};
  constexpr int rows = 4096;
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit;
  for (int row = 0; row < rows; ++row) {
    std::vector<double> A(3), B(3);
    for (double& u : A) u = unit(random);
    for (double& u : B) u = unit(random);
    for (int block = 0; block < 5; ++block) {
      std::vector<double> u = block == 1 ? B : A;
      if (block > 1) u[block - 2] = B[block - 2];
      u.push_back(ishigami(u));
      data.add(u);
    }
  }
  const Sensitivities s = sensitivities(data.shape, data.scan());
  const double p4 = std::pow(std::numbers::pi, 4), v1 = std::pow(1 + 0.1 * p4 / 5, 2) / 2;
  const double v2 = 49.0 / 8, v13 = 0.08 * p4 * p4 / 225, v = v1 + v2 + v13, mean = 3.5;
  const double first[] = {v1 / v, v2 / v, 0}, total[] = {(v1 + v13) / v, v2 / v, v13 / v};
  for (int j = 0; j < 3; ++j) {
    const auto term = [&](std::mt19937_64& draw, bool of_total) {
      std::vector<double> A(3), B(3);
      for (double& u : A) u = unit(draw);
      for (double& u : B) u = unit(draw);
      std::vector<double> M = A;
      M[j] = B[j];
      const double a = ishigami(A) - mean, b = ishigami(B) - mean, m = ishigami(M) - mean;
      const double below = (a * a + b * b) / 2;
      return of_total ? ((a - m) * (a - m) / 2 - total[j] * below) / v
                      : (b * (m - a) - first[j] * below) / v;
    };
    const TrueError one = true_error([&](auto& draw) { return term(draw, false); }, rows);
    const TrueError all = true_error([&](auto& draw) { return term(draw, true); }, rows);
    const Sensitivity& x = s.of[0][j];
    EXPECT_NEAR(x.first_error, one.error, one.bound) << j;
    EXPECT_NEAR(x.total_error, all.error, all.bound) << j;
    // The bounds say something.
    EXPECT_LT(one.bound, 0.3 * one.error);
    EXPECT_LT(all.bound, 0.3 * all.error);
  }
}

}  // namespace
}  // namespace kardan
