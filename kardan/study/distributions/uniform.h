#pragma once
#include <fmt/format.h>

#include "kardan/study/distribution.h"

namespace kardan {

struct Uniform {
  static constexpr std::string_view type = "uniform";
  static constexpr std::string_view summary = "Every value between two ends is equally likely.";
  double from = 0, to = 0;

  template <class F>
  static void fields(F& f) {
    f("from", &Uniform::from, {.doc = "lower end", .need = Need::required});
    f("to", &Uniform::to, {.doc = "upper end", .need = Need::required});
  }
  std::string fault() const {
    return from < to ? "" : fmt::format("got from {} to {}; wanted from < to", from, to);
  }
  double at(double u) const { return from + u * (to - from); }
};

}  // namespace kardan
