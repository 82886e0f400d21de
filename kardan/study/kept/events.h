#pragma once
/// At the first time of an event; not-a-number where it does not happen. Steps end at events.

#include <algorithm>
#include <utility>

#include "kardan/study/kept.h"
#include "kardan/study/extremes.h"

namespace kardan {

struct TimeOfEvent final : Reduction, SeesEvents {
  static constexpr std::string_view name = "time_of";
  static constexpr std::string_view summary = "time_of(EVENT): when the event happens first.";
  static constexpr Sight sight = Sight::events;
  static constexpr bool takes_expression = false;
  double first = not_seen;

  void begin() override { first = not_seen; }
  void see(double, double) override {}
  void happened(double t) override { first = std::fmin(first, t); }
  double result() override { return first; }
};

struct ValueAtEvent final : Reduction, SeesEvents {
  static constexpr std::string_view name = "at";
  static constexpr std::string_view summary =
      "at(EVENT, EXPRESSION): the value just before the event acts for the first time.";
  static constexpr Sight sight = Sight::events;
  std::vector<std::pair<double, double>> ends;  // times and values
  double value = not_seen;
  bool found = false;

  void begin() override {
    ends.clear();
    value = not_seen;
    found = false;
  }
  void see(double t, double y) override { ends.emplace_back(t, y); }
  void happened(double t) override {
    if (std::exchange(found, true)) return;
    const auto end = std::ranges::lower_bound(ends, t, {}, &std::pair<double, double>::first);
    if (end != ends.end()) value = end->second;
  }
  double result() override { return value; }
};

}  // namespace kardan
