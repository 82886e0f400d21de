#include "kardan/study/peak_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kardan {
namespace {

/// A course may bend more between ends of steps than they tell.
constexpr double more_bent = 4;
constexpr int most_looks = 40, most_halvings = 12, few_halvings = 3;

struct Top {
  double t = 0, y = 0;
};

/// Of the parabola through three points, in order of time; the middle one where it has none between
/// them.
Top top_of(double t0, double y0, double t1, double y1, double t2, double y2) {
  const double left = (y1 - y0) / (t1 - t0), right = (y2 - y1) / (t2 - t1);
  const double bend = (right - left) / (t2 - t0);
  if (!(bend < 0)) return {t1, y1};
  const double t = std::clamp(0.5 * (t0 + t1) - 0.5 * left / bend, t0, t2);
  return {t, y0 + (t - t0) * (left + bend * (t - t1))};
}

}  // namespace

void PeakSearch::end_of_step(double t, double y) {
  if (known_ > 0 && t == ends_[0].t) {  // after an event the motion begins anew
    ends_[0].y = y;
    return;
  }
  ends_[2] = ends_[1];
  ends_[1] = ends_[0];
  ends_[0] = {t, y};
  known_ = std::min(known_ + 1, 3);
}

/// `y` and the best: times the side.
bool PeakSearch::beats(double y) const {
  const double best = side() * seeker_->best();
  return y > best + worth_ * std::abs(best);
}

/// y'' is taken to be bounded by it.
double PeakSearch::most_bend() const {
  if (known_ < 3) return std::numeric_limits<double>::infinity();
  const auto& [last, before, first] = ends_;
  const double h = last.t - before.t, h0 = before.t - first.t;
  return more_bent * std::abs((last.y - before.y) / h - (before.y - first.y) / h0) /
         (0.5 * (h + h0));
}

void PeakSearch::look(double begin, double end, const Course& at) const {
  if (known_ < 2) return;
  const double bend = most_bend();
  double t0 = begin, y0 = side() * ends_[1].y, t2 = end, y2 = side() * ends_[0].y;
  double t1 = 0, y1 = 0;
  const int most = std::isfinite(bend) ? most_halvings : few_halvings;
  for (int looks = 0;; ++looks) {
    // The course leaves its chord by no more than bend h^2/8.
    const double h = t2 - t0;
    if (looks == most || !beats(std::max(y0, y2) + bend * h * h / 8)) return;
    t1 = 0.5 * (t0 + t2);
    y1 = side() * at(t1, Look::first);
    if (y1 != y1 || beats(std::max(y1, top_of(t0, y0, t1, y1, t2, y2).y))) break;
    // It may stand right beside the higher end, if the course can rise from there.
    if (y1 - std::max(y0, y2) + bend * h * h / 8 <= 0) return;
    if (y0 > y2)
      t2 = t1, y2 = y1;
    else
      t0 = t1, y0 = y1;
  }
  // Not-a-number ends the search: the reduction says that a moment is not known. Else it goes on
  // until the course is flat between the outer two points.
  double before = t2 - t0, before_that = 2 * before;
  for (int looks = 1; looks < most_looks && y1 == y1; ++looks) {
    if (y1 - std::min(y0, y2) <= worth_ * std::abs(y1)) break;
    const double width = t2 - t0, least = 1e-3 * width;
    double t = top_of(t0, y0, t1, y1, t2, y2).t;
    // Parabolas may gain on one side only: the wider one is halved where two looks have not halved
    // it, or where the top is a point that is known.
    if (width > 0.5 * before_that || std::abs(t - t1) < least || t - t0 < least || t2 - t < least)
      t = t1 - t0 > t2 - t1 ? 0.5 * (t0 + t1) : 0.5 * (t1 + t2);
    if (!(t > t0 && t < t2) || t == t1) break;  // rounding
    before_that = before;
    before = width;
    const double y = side() * at(t, Look::first);
    // The better one of the inner two stays in the middle.
    double ta = t1, ya = y1, tb = t, yb = y;
    if (ta > tb) {
      std::swap(ta, tb);
      std::swap(ya, yb);
    }
    if (ya >= yb) {
      t2 = tb, y2 = yb, t1 = ta, y1 = ya;
    } else {
      t0 = ta, y0 = ya, t1 = tb, y1 = yb;
    }
  }
  at(t1, Look::counts);
}

}  // namespace kardan
