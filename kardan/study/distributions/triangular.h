#pragma once
#include <fmt/format.h>

#include <cmath>

#include "kardan/study/distribution.h"

namespace kardan {

struct Triangular {
  static constexpr std::string_view type = "triangular";
  static constexpr std::string_view summary =
      "The likelihood rises to a most likely value and falls "
      "behind it, in straight lines.";
  double from = 0, mode = 0, to = 0;

  template <class F>
  static void fields(F& f) {
    f("from", &Triangular::from, {.doc = "lower end", .need = Need::required});
    f("mode", &Triangular::mode, {.doc = "most likely value", .need = Need::required});
    f("to", &Triangular::to, {.doc = "upper end", .need = Need::required});
  }
  std::string fault() const {
    if (from < to && from <= mode && mode <= to) return {};
    return fmt::format("got from {}, mode {}, to {}; wanted from <= mode <= to, from < to", from,
                       mode, to);
  }
  /// The distribution function is (x - from)^2 / ((to - from)(mode - from)) up to the mode.
  double at(double u) const {
    const double width = to - from, rising = mode - from;
    if (u * width < rising) return from + std::sqrt(u * width * rising);
    return to - std::sqrt((1 - u) * width * (to - mode));
  }
};

}  // namespace kardan
