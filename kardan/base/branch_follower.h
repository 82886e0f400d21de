#pragma once
/// Solutions x(theta) of equations F(theta, x) = 0 on the way from theta = 0 to 1, on the branch
/// that begins at x(0). Newton's method alone may land on another one.
///
/// A part of the way begins at the point that the rate at its start foretells. It is taken where x
/// has changed as the rates at both ends say,
///
///   |x_1 - x_0 - (theta_1 - theta_0) (x_0' + x_1')/2| <= a share of what the rates change x by,
///
/// else halved. Rates are those of two solutions next to each other.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace kardan {

class BranchFollower {
 public:
  /// Room for solutions of this size: following them allocates nothing.
  void reserve(std::size_t size) {
    for (std::vector<double>* x : {&begin_, &rate_begin_, &rate_end_}) x->reserve(size);
  }

  /// Moves x from x(0) to x(1). `solve(theta, x)` finds the solution at theta next to x, in place;
  /// false where there is none. False: the branch ends on the way.
  template <class Solve>
  bool follow(std::vector<double>& x, const Solve& solve) {
    double from = 0, part = 1;
    begin_ = x;
    if (!find_rate(0, small, x, rate_begin_, solve)) return false;
    while (from < 1) {
      const double to = std::min(1.0, from + part), width = to - from;
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = begin_[i] + width * rate_begin_[i];
      const bool found = solve(to, x) && find_rate(to, -small * width, x, rate_end_, solve);
      if (!found || !changes_evenly(x, width)) {
        part = width / 2;
        if (part < shortest) return false;
        continue;
      }
      begin_ = x;
      std::swap(rate_begin_, rate_end_);
      from = to;
      part = 2 * width;
    }
    return true;
  }

 private:
  /// Of the way or a part of it, between two solutions that give a rate.
  static constexpr double small = 1e-6;
  static constexpr double shortest = 1e-4;
  /// Of what the rates change x by; of x itself, below which a change is no other branch.
  static constexpr double uneven = 0.1, rounding = 1e-6;

  template <class Solve>
  bool find_rate(double theta, double offset, const std::vector<double>& x,
                 std::vector<double>& rate, const Solve& solve) {
    rate = x;
    if (!solve(theta + offset, rate)) return false;
    for (std::size_t i = 0; i < x.size(); ++i) rate[i] = (rate[i] - x[i]) / offset;
    return true;
  }

  bool changes_evenly(const std::vector<double>& x, double width) const {
    double most = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      most = std::max({most, std::abs(rate_begin_[i]), std::abs(rate_end_[i])});
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double off = x[i] - begin_[i] - 0.5 * width * (rate_begin_[i] + rate_end_[i]);
      if (!(std::abs(off) <= uneven * width * most + rounding * (1 + std::abs(x[i])))) return false;
    }
    return true;
  }

  std::vector<double> begin_, rate_begin_, rate_end_;
};

}  // namespace kardan
