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
/// Of derivatives that a motion must have.
constexpr int most_derivatives = 2;

using Values = std::array<double, most_derivatives + 2>;

Values derivatives(const NamedFunction& f, double t) {
  const TimeJet jet = f.at(t);
  return {jet.value, jet.d1, jet.d2, jet.d3};
}

/// One function, and how large it is.
class View {
 public:
  View(const NamedFunction& f, double from, double to) : f_(&f) {
    for (int i = 0; i <= samples; ++i) {
      const Values at = derivatives(f, from + (to - from) * i / samples);
      for (std::size_t k = 0; k < at.size(); ++k)
        if (std::isfinite(at[k])) size_[k] = std::max(size_[k], std::abs(at[k]));
    }
  }

  bool smooth(double a, double b, int order) const {
    return f_->enclose(Taylor::time(a, b, order)).smooth();
  }

  struct Sides {
    Values before, behind;
    double apart = 0;  ///< [s]
    bool known() const {
      const auto finite = [](double x) { return std::isfinite(x); };
      return std::ranges::all_of(before, finite) && std::ranges::all_of(behind, finite);
    }
  };
  Sides sides(double before, double behind) const {
    return {derivatives(*f_, before), derivatives(*f_, behind), behind - before};
  }
  /// Whether derivative `k` jumps.
  bool jumps(const Sides& s, std::size_t k) const {
    const double slope = std::max(std::abs(s.before[k + 1]), std::abs(s.behind[k + 1]));
    const double allowed =
        alike * std::max({size_[k], std::abs(s.before[k]), std::abs(s.behind[k])}) +
        2 * s.apart * (std::isfinite(slope) ? slope : 0);
    return !(std::abs(s.behind[k] - s.before[k]) <= allowed);
  }

 private:
  const NamedFunction* f_;
  Values size_{};
};

class Search {
 public:
  Search(std::span<const NamedFunction* const> views, int derivatives, double from, double to)
      : derivatives_(derivatives),
        from_(from),
        to_(to),
        rounding_(4 * std::numeric_limits<double>::epsilon() *
                  std::max(std::abs(from), std::abs(to))) {
    for (const NamedFunction* f : views) views_.emplace_back(*f, from, to);
  }

  std::optional<Kink> run() {
    std::vector<std::pair<double, double>> open{{from_, to_}};  // the first one last
    for (int points = 0; !open.empty() && points < most_points;) {
      const auto [a, b] = open.back();
      open.pop_back();
      if (is_smooth(a, b)) continue;
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
  /// In one view.
  bool is_smooth(double a, double b) const {
    // Pieces overlap: what lies right between two of them is seen by both.
    const double before = std::max(a - rounding_, from_), behind = std::min(b + rounding_, to_);
    return std::ranges::any_of(
        views_, [&](const View& v) { return v.smooth(before, behind, derivatives_ + 1); });
  }

  std::optional<Kink> compare(double a, double b) const {
    const double before = a - aside * rounding_, behind = b + aside * rounding_;
    if (before <= from_ || behind >= to_) return std::nullopt;
    for (int k = 0; k <= derivatives_; ++k) {
      const auto i = static_cast<std::size_t>(k);
      std::optional<View::Sides> first;
      bool all = true;
      for (const View& view : views_) {
        const View::Sides sides = view.sides(before, behind);
        if (views_.size() > 1 && !sides.known()) continue;
        if (!first) first = sides;
        all = all && view.jumps(sides, i);
      }
      if (first && all) return Kink{0.5 * (a + b), k, first->before[i], first->behind[i]};
    }
    return std::nullopt;
  }

  std::vector<View> views_;
  int derivatives_;
  double from_, to_, rounding_;
};

}  // namespace

std::optional<Kink> find_kink(std::span<const NamedFunction* const> views, int derivatives,
                              double from, double to) {
  return from < to ? Search(views, derivatives, from, to).run() : std::nullopt;
}

std::optional<Kink> find_kink(const NamedFunction& f, double from, double to) {
  const NamedFunction* const view = &f;
  return find_kink(std::span(&view, 1), most_derivatives, from, to);
}

}  // namespace kardan
