/// Kept functions on courses that are known.

#include "kardan/study/kept.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace kardan {
namespace {

const KeptFunction& function(const std::string& name) {
  return *std::ranges::find(kept_catalog(), name, &KeptFunction::name);
}

/// 3 + 2 sin(2 pi 5 t) over 2 s, in 2001 rows.
double of_sine(const MadeReduction& made) {
  Reduction& r = *made.reduction;
  r.begin();
  for (int i = 0; i <= 2000; ++i) {
    const double t = i * 1e-3;
    r.see(t, 3 + 2 * std::sin(10 * std::numbers::pi * t));
  }
  if (made.events) {
    made.events->happened(510 * 1e-3);
    made.events->happened(0.7);
  }
  return r.result();
}

TEST(KeptFunctions, TellWhatTheySayOfASine) {
  const std::map<std::string, std::pair<double, double>> expected{
      {"max", {5, 1e-3}},
      {"min", {1, 1e-3}},
      {"final", {3, 1e-12}},
      {"mean", {3, 1e-12}},
      {"rms", {std::sqrt(9 + 2), 1e-3}},
      {"integral", {6, 1e-12}},
      {"time_of", {0.51, 0}},
      {"at", {3 + 2 * std::sin(10 * std::numbers::pi * 0.51), 1e-12}},
      {"spectrum_peak", {2, 2e-3}},
      {"spectrum_frequency", {5, 2e-3}}};
  for (const KeptFunction& f : kept_catalog()) {
    const auto& [value, error] = expected.at(std::string(f.name));  // a new one needs its value
    const auto r = f.make();
    EXPECT_NEAR(of_sine(r), value, error) << f.name;
    // A second run knows nothing of the first.
    EXPECT_NEAR(of_sine(r), value, error) << f.name;
    r.reduction->begin();
    EXPECT_TRUE(std::isnan(r.reduction->result())) << f.name << ": of nothing";
  }
}

TEST(KeptFunctions, OfAMotionThatIsNotKnownAreNotKnown) {
  for (const char* name : {"max", "min"}) {
    const auto r = function(name).make();
    r.reduction->begin();
    r.reduction->see(0, 1);
    r.reduction->see(1, std::nan(""));
    r.reduction->see(2, 0);
    EXPECT_TRUE(std::isnan(r.reduction->result())) << name;
  }
}

}  // namespace
}  // namespace kardan
