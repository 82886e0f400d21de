#pragma once
/// Over the time of the motion, by the trapezoidal rule on the rows.

#include <cmath>

#include "kardan/study/kept.h"
#include "kardan/study/extremes.h"

namespace kardan {

/// The integrals of y and of y^2, which is that of the square of the straight line between rows.
class Integrals {
 public:
  void begin() { *this = {}; }
  void see(double t, double y) {
    if (std::isnan(first_)) first_ = t;
    if (!std::isnan(t_)) {
      sum_ += (t - t_) * (y_ + y) / 2;
      squares_ += (t - t_) * (y_ * y_ + y_ * y + y * y) / 3;
    }
    t_ = t;
    y_ = y;
  }
  double sum() const { return std::isnan(t_) ? not_seen : sum_; }
  double squares() const { return squares_; }
  double duration() const { return t_ - first_; }

 private:
  double first_ = not_seen, t_ = not_seen, y_ = 0, sum_ = 0, squares_ = 0;
};

struct Integral final : Reduction {
  static constexpr std::string_view name = "integral";
  static constexpr std::string_view summary = "The integral over time.";
  static constexpr Sight sight = Sight::rows;
  Integrals it;

  void begin() override { it.begin(); }
  void see(double t, double y) override { it.see(t, y); }
  double result() override { return it.sum(); }
};

struct Mean final : Reduction {
  static constexpr std::string_view name = "mean";
  static constexpr std::string_view summary = "The integral over time, divided by the time.";
  static constexpr Sight sight = Sight::rows;
  Integrals it;

  void begin() override { it.begin(); }
  void see(double t, double y) override { it.see(t, y); }
  double result() override { return it.sum() / it.duration(); }
};

struct RootMeanSquare final : Reduction {
  static constexpr std::string_view name = "rms";
  static constexpr std::string_view summary = "The root of the mean of the square.";
  static constexpr Sight sight = Sight::rows;
  Integrals it;

  void begin() override { it.begin(); }
  void see(double t, double y) override { it.see(t, y); }
  double result() override { return std::sqrt(it.squares() / it.duration()); }
};

}  // namespace kardan
