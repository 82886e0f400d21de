#pragma once
/// Values one by one: a list, or equal steps.

#include <fmt/format.h>

#include <algorithm>

#include "kardan/study/distribution.h"

namespace kardan {

/// Which of `count` equal shares of (0, 1) holds u.
inline int share_of(double u, int count) {
  return std::min(count - 1, static_cast<int>(u * count));
}

struct ListOfValues {
  static constexpr std::string_view type = "list";
  static constexpr std::string_view summary = "These values and no others, all equally likely.";
  std::vector<double> values;

  template <class F>
  static void fields(F& f) {
    f("values", &ListOfValues::values, {.doc = "the values", .need = Need::required});
  }
  std::string fault() const { return values.empty() ? "the list is empty" : ""; }
  int levels() const { return static_cast<int>(values.size()); }
  double at(double u) const { return values[static_cast<std::size_t>(share_of(u, levels()))]; }
};

struct EqualSteps {
  static constexpr std::string_view type = "steps";
  static constexpr std::string_view summary = "Values at equal distances, both ends included.";
  double from = 0, to = 0;
  int count = 2;

  template <class F>
  static void fields(F& f) {
    f("from", &EqualSteps::from, {.doc = "first value", .need = Need::required});
    f("to", &EqualSteps::to, {.doc = "last value", .need = Need::required});
    f("count", &EqualSteps::count, {.doc = "how many", .need = Need::required});
  }
  std::string fault() const {
    if (count < 2) return fmt::format("got a count of {}; wanted 2 or more", count);
    return from < to ? "" : fmt::format("got from {} to {}; wanted from < to", from, to);
  }
  int levels() const { return count; }
  double at(double u) const {
    const int k = share_of(u, count);
    return k == count - 1 ? to : from + (to - from) * k / (count - 1);
  }
};

}  // namespace kardan
