/// Peaks inside steps are found as exactly as they are asked for, however skewed the course.

#include "kardan/study/peak_search.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kardan {
namespace {

struct Largest final : SeeksPeaks {
  double seen = -INFINITY;
  Side side() const override { return Side::above; }
  double best() const override { return seen; }
};

/// The largest value that a search finds in steps of h over [0, 4].
double found(double (*course)(double), double h, double worth) {
  Largest largest;
  PeakSearch search(largest, worth);
  const auto see = [&](double y) { largest.seen = std::max(largest.seen, y); };
  see(course(0));
  search.end_of_step(0, course(0));
  for (int k = 1; k * h <= 4 + 1e-9; ++k) {
    see(course(k * h));
    search.end_of_step(k * h, course(k * h));
    search.look((k - 1) * h, k * h, [&](double t, PeakSearch::Look look) {
      if (look == PeakSearch::Look::counts) see(course(t));
      return course(t);
    });
  }
  return largest.seen;
}

TEST(PeakSearch, FindsTheTopOfASkewedCourse) {
  // t exp(-t/a) is largest at t = a.
  constexpr double a = 0.3;
  const auto course = [](double t) { return t * std::exp(-t / a); };
  const double top = a * std::exp(-1.0);
  for (const double worth : {1e-3, 1e-5, 1e-9})
    for (const double h : {0.05, 0.21, 0.29, 0.295, 0.305, 0.31, 0.4, 0.47})
      EXPECT_NEAR(found(course, h, worth), top, 2 * worth * top) << "steps of " << h;
}

TEST(PeakSearch, FindsAnOscillationsTopBetweenEndsOfSteps) {
  const auto course = [](double t) { return std::cos(3 * (t - 0.789)) * std::exp(-0.1 * t); };
  // The derivative is zero where tan(3 (t - 0.789)) = -1/30.
  const double t = 0.789 - std::atan(1.0 / 30) / 3;
  const double top = course(t);
  for (const double h : {0.1, 0.25, 0.4})
    EXPECT_NEAR(found(course, h, 1e-6), top, 2e-6) << "steps of " << h;
}

}  // namespace
}  // namespace kardan
