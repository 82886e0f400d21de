#pragma once
#include <cmath>
#include <limits>

#include "kardan/study/kept.h"

namespace kardan {

inline constexpr double not_seen = std::numeric_limits<double>::quiet_NaN();
inline constexpr double lowest = -std::numeric_limits<double>::infinity();

struct Largest final : Reduction, SeeksPeaks {
  static constexpr std::string_view name = "max";
  static constexpr std::string_view summary = "The largest value.";
  static constexpr Sight sight = Sight::all;
  double most = lowest;

  void begin() override { most = lowest; }
  /// What is no number stays: a moment that is not known may have been the largest.
  void see(double, double y) override { most = std::isnan(y) || y > most ? y : most; }
  double result() override { return most == lowest ? not_seen : most; }
  Side side() const override { return Side::above; }
  double best() const override { return most; }
};

struct Smallest final : Reduction, SeeksPeaks {
  static constexpr std::string_view name = "min";
  static constexpr std::string_view summary = "The smallest value.";
  static constexpr Sight sight = Sight::all;
  double least = -lowest;

  void begin() override { least = -lowest; }
  void see(double, double y) override { least = std::isnan(y) || y < least ? y : least; }
  double result() override { return least == -lowest ? not_seen : least; }
  Side side() const override { return Side::below; }
  double best() const override { return least; }
};

struct Final final : Reduction {
  static constexpr std::string_view name = "final";
  static constexpr std::string_view summary = "The value where the run ends.";
  static constexpr Sight sight = Sight::all;
  double at = not_seen, last = not_seen;

  void begin() override { at = last = not_seen; }
  /// A row at the end of the run may come before or after the end of the step.
  void see(double t, double y) override {
    if (t < at) return;
    at = t;
    last = y;
  }
  double result() override { return last; }
};

}  // namespace kardan
