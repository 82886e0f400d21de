#include "kardan/base/kinks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "kardan/base/taylor.h"

namespace kardan {
namespace {

constexpr int most_points = 10'000;
/// Both sides of a point are the same up to this share of what the derivative is elsewhere.
constexpr double alike = 1e-9;
/// At which places of a run that is looked up.
constexpr int samples = 32;
/// [roundings of t] Places on both sides of a point: rounding blurs on which side of it a time is.
constexpr double aside = 16;

std::array<double, 3> derivatives(const TimeFunction& f, double t) {
  const TimeJet jet = f.at(t);
  return {jet.value, jet.d1, jet.d2};
}

class Search {
 public:
  Search(const TimeFunction& f, double from, double to)
      : f_(f),
        from_(from),
        to_(to),
        rounding_(4 * std::numeric_limits<double>::epsilon() *
                  std::max(std::abs(from), std::abs(to))) {
    for (int i = 0; i <= samples; ++i) {
      const auto at = derivatives(f_, from_ + (to_ - from_) * i / samples);
      for (std::size_t k = 0; k < at.size(); ++k)
        if (std::isfinite(at[k])) size_[k] = std::max(size_[k], std::abs(at[k]));
    }
  }

  std::optional<Kink> run() {
    std::vector<std::pair<double, double>> open{{from_, to_}};  // the first one last
    for (int points = 0; !open.empty() && points < most_points;) {
      const auto [a, b] = open.back();
      open.pop_back();
      // Pieces overlap: what lies right between two of them is seen by both.
      const double before = std::max(a - rounding_, from_), behind = std::min(b + rounding_, to_);
      if (f_.enclose(Taylor::time(before, behind, 3)).smooth()) continue;
      if (b - a > rounding_) {
        const double middle = 0.5 * (a + b);
        open.emplace_back(middle, b);
        open.emplace_back(a, middle);
        continue;
      }
      ++points;
      if (const std::optional<Kink> kink = compare(a, b)) return kink;
    }
    return std::nullopt;
  }

 private:
  std::optional<Kink> compare(double a, double b) const {
    const double before = a - aside * rounding_, behind = b + aside * rounding_;
    if (before <= from_ || behind >= to_) return std::nullopt;
    const auto left = derivatives(f_, before), right = derivatives(f_, behind);
    const double third = std::max(std::abs(f_.at(before).d3), std::abs(f_.at(behind).d3));
    for (int k = 0; k < 3; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const double slope = k < 2 ? std::max(std::abs(left[i + 1]), std::abs(right[i + 1])) : third;
      const double allowed = alike * std::max({size_[i], std::abs(left[i]), std::abs(right[i])}) +
                             2 * (behind - before) * (std::isfinite(slope) ? slope : 0);
      if (!(std::abs(right[i] - left[i]) <= allowed))
        return Kink{0.5 * (a + b), k, left[i], right[i]};
    }
    return std::nullopt;
  }

  const TimeFunction& f_;
  double from_, to_, rounding_;
  std::array<double, 3> size_{};
};

}  // namespace

std::optional<Kink> find_kink(const TimeFunction& f, double from, double to) {
  return from < to ? Search(f, from, to).run() : std::nullopt;
}

}  // namespace kardan
