#pragma once
/// The slope of a function, as a function that formulas may call.

#include <cmath>
#include <limits>

#include "kardan/base/taylor.h"
#include "kardan/base/time_function.h"

namespace kardan {

class Slope final : public NamedFunction {
 public:
  explicit Slope(TimeFunction of) : of_(std::move(of)) {}

  TimeJet at(double x) const override {
    const TimeJet y = of_.at(x);
    TimeJet out;
    out.value = y.d1;
    out.d1 = y.d2;
    out.d2 = y.d3;
    out.d3 = std::numeric_limits<double>::quiet_NaN();  // not known
    return out;
  }
  /// Of x = t, or of a constant x: of any other function it knows no bounds.
  Taylor enclose(const Taylor& x) const override {
    bool time = x.order > 0 && x.c[1].lo == 1 && x.c[1].hi == 1, constant = true;
    for (int k = 1; k <= x.order; ++k) {
      const bool none = x.c[k].lo == 0 && x.c[k].hi == 0;
      constant = constant && none;
      time = time && (k == 1 || none);
    }
    Taylor out = Taylor::constant(Interval(0, 0), x.order);
    if (!(time || constant) || x.order == Taylor::max_order) {
      out.forget_from(0);
      return out;
    }
    Taylor t = Taylor::time(x.c[0].lo, x.c[0].hi, x.order + 1);
    const Taylor slope = of_.enclose(t).derivative();
    if (time) return slope;
    out.c[0] = slope.c[0];
    return out;
  }
  int continuous_derivatives() const override {
    return of_.continuous_derivatives() == smooth ? smooth : of_.continuous_derivatives() - 1;
  }
  int depth() const override { return 1 + of_.depth(); }
  double calls() const override { return 1 + of_.calls(); }

 private:
  TimeFunction of_;
};

}  // namespace kardan
