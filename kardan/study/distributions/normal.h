#pragma once
#include "kardan/study/distribution.h"
#include "kardan/study/normal.h"

namespace kardan {

struct Normal {
  static constexpr std::string_view type = "normal";
  static constexpr std::string_view summary =
      "Gauss' bell; those that vary together stand under "
      "`correlated`.";
  double mean = 0, deviation = 0;

  template <class F>
  static void fields(F& f) {
    f("mean", &Normal::mean, {.doc = "mean", .need = Need::required});
    f("deviation", &Normal::deviation,
      {.doc = "standard deviation", .check = Check::positive, .need = Need::required});
  }
  std::string fault() const { return {}; }
  double at(double u) const { return mean + deviation * normal_quantile(u); }
};

}  // namespace kardan
