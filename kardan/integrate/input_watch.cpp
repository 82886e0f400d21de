#include "kardan/integrate/input_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kardan {
namespace {

/// Orders of methods of variable order: what they surely have after a few steps.
constexpr int order_of_multistep = 4;
/// Inputs that are polynomials of a degree below this are not missed: the method integrates them, or
/// its estimate shows what it does not.
int order_seen(const Method& method) {
  const int order = method.integrate ? std::min(method.order, order_of_multistep)
                                     : std::max(method.order, method.error_order + 1);
  return std::clamp(order, 1, InputBounds::max_order);
}

/// Steps for which bounds are looked for at once.
constexpr double steps_at_once = 8;
/// A limit is good enough when it is known to this share.
constexpr double well_known = 0.1;
/// Behind a kink, rounding blurs on which side of it a time is; not further than so many roundings.
constexpr double most_blurred = 1e4;
/// [roundings] No step is as short as this.
constexpr double least_step = 16;

}  // namespace

InputWatch::InputWatch(InputSource* source, const Method& method, const ErrorScale& scale,
                       double t_end)
    : source_(source), scale_(scale), t_end_(t_end), order_(order_seen(method)) {}

double InputWatch::rounding(double t) const {
  return 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), std::abs(t_end_));
}

bool InputWatch::smooth(const Bounds& bounds) const {
  return std::ranges::all_of(bounds, [this](const InputBounds& b) { return b.smooth(order_); });
}

double InputWatch::open(const std::vector<InputEffect>& effects, const Bounds& bounds,
                        const State& at, double h) {
  velocity_load_.assign(at.v.size(), 0.0);
  dynamic_load_.assign(at.r.size(), 0.0);
  for (std::size_t i = 0; i < effects.size(); ++i) {
    const double missed = h * bounds[i].deviation(h, order_);
    for (const auto& share : effects[i].velocities)
      velocity_load_[share.index] += share.factor * missed;
    for (const auto& share : effects[i].dynamic)
      dynamic_load_[share.index] += share.factor * missed;
  }
  double most = 0;
  const auto measure = [&](const Vector& load, const Vector& absolute, const Vector& relative,
                           const Vector& value) {
    for (std::size_t j = 0; j < load.size(); ++j)
      if (load[j] != 0)
        most = std::max(
            most, load[j] / (absolute[j] + (relative.empty() ? scale_.relative : relative[j]) *
                                               std::abs(value[j])));
  };
  measure(velocity_load_, scale_.velocity, scale_.relative_velocity, at.v);
  measure(dynamic_load_, scale_.first, scale_.relative_first, at.r);
  return most;
}

/// From left to right, by pieces over which what is open can be bounded.
template <class Enclose>
InputWatch::Reach InputWatch::search(const std::vector<InputEffect>& effects, const State& at,
                                     double proposed, bool may_break, const Enclose& enclose) {
  const double nothing = rounding(at.t);
  for (Bounds* b : {&now_, &sum_, &joined_}) b->resize(effects.size());
  double reached = 0, piece = proposed;
  double broken = std::numeric_limits<double>::infinity();  // before this there is a break
  while (proposed - reached > nothing) {
    piece = std::min(piece, proposed - reached);
    // Pieces overlap: what lies right between two of them is seen by one.
    enclose(at.t + reached - (reached > 0 ? nothing : 0), at.t + reached + piece, now_);
    joined_ = now_;
    if (reached > 0)
      for (std::size_t i = 0; i < sum_.size(); ++i) joined_[i].join(sum_[i]);
    if (open(effects, joined_, at, reached + piece) <= 1) {
      std::swap(sum_, joined_);
      reached += piece;
      if (reached >= broken) broken = std::numeric_limits<double>::infinity();
      piece = std::isfinite(broken) ? std::max(0.5 * (broken - reached), nothing) : 2 * piece;
      continue;
    }
    if (!may_break || smooth(now_)) {
      if (piece <= well_known * reached || piece <= nothing) return {std::max(reached, nothing)};
    } else {
      broken = reached + piece;
      if (piece <= 2 * nothing)
        return behind(effects, at, proposed, at.t + reached, at.t + broken, enclose);
    }
    piece = 0.5 * piece;
  }
  return {proposed};
}

/// An input breaks between two times: where it goes on, and whether with another value.
template <class Enclose>
InputWatch::Reach InputWatch::behind(const std::vector<InputEffect>& effects, const State& at,
                                     double proposed, double from, double to,
                                     const Enclose& enclose) {
  const double nothing = rounding(at.t);
  Reach out{std::max(from - 0.5 * nothing - at.t, 0.0), true, to, false};
  if (out.h <= least_step * nothing) out.h = 0;
  for (double step = nothing; step < most_blurred * nothing; step *= 2) {
    enclose(out.behind, out.behind + step, now_);
    if (smooth(now_)) break;
    out.behind += step;
  }
  enclose(out.behind, out.behind, now_);
  enclose(from, from, sum_);
  for (std::size_t i = 0; i < now_.size(); ++i) now_[i].join(sum_[i]);
  for (InputBounds& b : now_) b.size.fill(std::numeric_limits<double>::infinity());
  out.jumps = open(effects, now_, at, proposed) > 1;
  return out;
}

/// Bounds over a stretch that is longer than a step serve several.
bool InputWatch::known(const std::vector<InputEffect>& effects, const State& at, double proposed) {
  if (std::ranges::any_of(effects, [](const InputEffect& e) { return e.of_state; })) return false;
  const auto holds = [&] {
    return known_of_ == &effects && known_from_ <= at.t && at.t + proposed <= known_to_ &&
           open(effects, known_, at, proposed) <= 1;
  };
  if (holds()) return true;
  known_.resize(effects.size());
  known_of_ = &effects;
  known_from_ = at.t;
  known_to_ = at.t + steps_at_once * proposed;
  source_->enclose(at, known_from_, known_to_, order_, known_);
  return holds();
}

InputWatch::Reach InputWatch::ahead(const State& at, double proposed) {
  if (!source_) return {proposed};
  const std::vector<InputEffect>& effects = source_->of_time(at);
  if (effects.empty()) return {proposed};
  if (known(effects, at, proposed)) return {proposed};
  return search(effects, at, proposed, true,
                [&](double a, double b, Bounds& out) { source_->enclose(at, a, b, order_, out); });
}

double InputWatch::along(const State& from, const State& to) {
  const double h = to.t - from.t;
  if (!source_) return h;
  const std::vector<InputEffect>& effects = source_->of_way(from);
  if (effects.empty()) return h;
  const StepError error{scale_.position, scale_.relative};
  return search(effects, from, h, false,
                [&](double a, double b, Bounds& out) {
                  source_->enclose(from, to, error, a, b, order_, out);
                })
      .h;
}

}  // namespace kardan
