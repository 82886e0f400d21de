#include "kardan/run/input_line.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kardan {
namespace {

/// [roundings of the value] A line through values that lie on a line is that line, within this.
constexpr double blur = 256;

/// Whether two values of a signal of this size, or of its derivatives times powers of the time over
/// which they were found, are the same.
bool same(double a, double b, double size) {
  return std::abs(a - b) <= blur * std::numeric_limits<double>::epsilon() * size;
}

}  // namespace

void InputLine::give(double t, double value, std::optional<double> rate) {
  auto& given = history_.given;
  if (history_.count == 0 || given[0].t != t) {
    std::shift_right(given.begin(), given.end(), 1);
    history_.count = std::min(history_.count + 1, InputHistory::most);
  }
  given[0] = {t, value};
  history_.rate = rate;
}

void InputLine::take_back() {
  if (history_.count == 0) return;
  std::shift_left(history_.given.begin(), history_.given.end(), 1);
  --history_.count;
  history_.rate.reset();
}

/// Newton's form of the polynomial through the values, by powers of t - t0 with t0 the latest time.
SignalCourse InputLine::wanted() const {
  if (history_.count == 0) return *course_;
  const auto& given = history_.given;
  SignalCourse out{given[0].t, {given[0].value, 0, 0, 0}};
  if (history_.rate) {
    out.c[1] = *history_.rate;
    return out;
  }
  const int most = mode_ == SignalMode::hold ? 1 : mode_ == SignalMode::ramp ? 2 : 4;
  const int n = std::min(history_.count, most);
  std::array<double, InputHistory::most> d{};  // divided differences
  for (int i = 0; i < n; ++i) d[i] = given[i].value;
  for (int k = 1; k < n; ++k)
    for (int i = n - 1; i >= k; --i) d[i] = (d[i] - d[i - 1]) / (given[i].t - given[i - k].t);
  // p = d0 + (s - s0) (d1 + (s - s1) (d2 + ...)), s0 = 0, multiplied out from the inside.
  std::array<double, 4> c{};
  for (int k = n - 1; k >= 0; --k) {
    const double s = given[k].t - out.t0;
    for (int j = 3; j > 0; --j) c[j] = c[j - 1] - s * c[j];
    c[0] = d[k] - s * c[0];
  }
  out.c = c;
  return out;
}

Integration::Change InputLine::change(double t) const {
  if (history_.count == 0) return Integration::Change::none;
  const SignalCourse now = wanted();
  if (now == *course_) return Integration::Change::none;
  const TimeJet a = course_->at(t), b = now.at(t);
  // The time over which derivatives matter is that between the values given.
  const double span =
      history_.count > 1 ? std::abs(history_.given[0].t - history_.given[1].t) : 0.0;
  double size = 0;
  for (int i = 0; i < history_.count; ++i) size = std::max(size, std::abs(history_.given[i].value));
  if (!same(a.value, b.value, size)) return Integration::Change::jump;
  const bool smooth = same(span * a.d1, span * b.d1, size) &&
                      same(span * span * a.d2, span * span * b.d2, size) &&
                      same(span * span * span * a.d3, span * span * span * b.d3, size);
  // Without a time to compare by, derivatives are the same or they are not.
  if (span == 0 && (a.d1 != b.d1 || a.d2 != b.d2 || a.d3 != b.d3)) return Integration::Change::kink;
  return smooth ? Integration::Change::none : Integration::Change::kink;
}

}  // namespace kardan
