#include "kardan/run/error_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kardan {
namespace {

/// Errors over time are kept in at most so many pieces.
constexpr std::size_t most_pieces = 400;
/// Displacements along which differences are taken, in units of the state.
constexpr double probe = 1e-6;
/// Accelerations before and after that differ by more are those of other equations.
constexpr double same_rates = 1e-6;
/// Where the estimate is as large as the motion there is nothing left to estimate.
constexpr double lost = 0.5;

double largest(const Vector& x) {
  double out = 0;
  for (const double value : x) out = std::max(out, std::abs(value));
  return out;
}

bool differ(const Vector& a, const Vector& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most > same_rates * largest(a);
}

}  // namespace

ErrorWatch::ErrorWatch(const Method& method, EstimatedError& estimate)
    : method_(method), estimate_(estimate) {
  estimate_.void_from = std::numeric_limits<double>::infinity();
}

void ErrorWatch::use(const System& system) {
  begun_ = false;
  events_ = 0;
  if (!estimate_.missing.empty()) return;
  if (system_ && system_ != &system) {
    give_up("what rests changes");
    return;
  }
  if (system_) return;
  system_ = &system;
  ws_ = system.make_workspace();
  nearby_ = std::make_unique<NearbySystem>(system);
  error_ = std::make_unique<GlobalError>(*nearby_, error_blocks(method_));
  z_.resize(system.sizes().events);
  z_near_ = z_later_ = z_;
}

void ErrorWatch::give_up(std::string why) {
  if (estimate_.missing.empty()) estimate_.missing = std::move(why);
}

void ErrorWatch::observe(const StepView& step) {
  if (!estimate_.missing.empty()) return;
  if (!begun_)
    begin(step);
  else
    goes_on_differently(step);
  if (!estimate_.missing.empty()) return;
  const ChartPoint& to = step.dense->to;
  if (to.a.empty() || to.dz.size() != b_.size()) {
    if (nearby_->evaluate(*step.state, a_, b_) != Eval::ok)
      return give_up("the equations could not be evaluated at the end of a step");
  } else {
    a_ = to.a;
    b_ = to.dz;
  }
  if (error_->step(*step.state, a_, b_)) judge();
  last_ = *step.state;
}

void ErrorWatch::begin(const StepView& step) {
  if (!system_->frictions().empty()) return give_up("errors are not followed through dry friction");
  const ChartPoint& from = step.dense->from;
  last_ = *step.start;
  events_ = step.events->size();
  if (from.a.empty() || from.dz.size() != last_.r.size()) {
    if (nearby_->evaluate(last_, a_, b_) != Eval::ok)
      return give_up("the equations could not be evaluated at the start");
  } else {
    a_ = from.a;
    b_ = from.dz;
  }
  error_->begin(last_, a_, b_);
  begun_ = estimate_.made = true;
  estimate_.until = last_.t;
}

/// The block ends where an event, or a kink of an input, changes the equations.
void ErrorWatch::goes_on_differently(const StepView& step) {
  const State& now = *step.start;
  const ChartPoint& from = step.dense->from;
  const bool happened = step.events->size() > events_,
             moved = now.p != last_.p || now.v != last_.v || now.r != last_.r,
             other = now.modes != last_.modes,
             kink = !from.a.empty() && (differ(from.a, a_) || now.t != last_.t);
  if (!happened && !moved && !other && !kink) return;
  const int event = happened ? step.events->back().event : -1;
  events_ = step.events->size();
  if (error_->close()) judge();
  if (!estimate_.missing.empty()) return;
  if (now.v != last_.v) return give_up("an event changes velocities");
  if (moved) return give_up("an event changes the state");
  Vector& a = point_.u;
  Vector& b = point_.z;
  if (from.a.empty() || from.dz.size() != b_.size()) {
    if (nearby_->evaluate(now, a, b) != Eval::ok)
      return give_up("the equations could not be evaluated after an event");
  } else {
    a = from.a;
    b = from.dz;
  }
  if (event >= 0 && (differ(a, a_) || differ(b, b_))) {
    if (const std::string why = switch_over(step, event); !why.empty()) return give_up(why);
  }
  a_ = a;
  b_ = b;
  last_ = now;
  error_->begin(now, a_, b_);
}

/// An event that nearby motions meet at another time leaves them with the difference of the
/// accelerations over that time: with z the event function, e := e + (f_after - f_before) z_y e /
/// z'. The accelerations after it are in point_.
std::string ErrorWatch::switch_over(const StepView& step, int event) {
  const Local& e = error_->error();
  const double size = std::max({largest(e.x), largest(e.u), largest(e.z)});
  if (size == 0) return {};
  const double s = probe / size, tau = probe * std::min(1.0, step.h);
  const Vector a = point_.u, b = point_.z;
  Local at;
  at.resize(system_->sizes().v, system_->sizes().r);
  nearby_->rebase(last_);
  const auto functions = [&](double along_e, double later, Vector& z) {
    for (std::size_t i = 0; i < at.x.size(); ++i) {
      at.x[i] = -along_e * e.x[i] + later * last_.v[i];
      at.u[i] = last_.v[i] - along_e * e.u[i] + later * a_[i];
    }
    for (std::size_t i = 0; i < at.z.size(); ++i)
      at.z[i] = last_.r[i] - along_e * e.z[i] + later * b_[i];
    near_ = last_;
    near_.t += later;
    nearby_->state_at(at, near_);
    system_->events(near_, z, *ws_);
  };
  functions(0, 0, z_);
  functions(s, 0, z_near_);
  functions(0, -tau, z_later_);
  const double along = (z_[event] - z_near_[event]) / s, rate = (z_[event] - z_later_[event]) / tau;
  const double time = along / rate;
  if (!std::isfinite(time) || std::abs(time) > step.h) return "an event function only grazes zero";
  for (std::size_t i = 0; i < a.size(); ++i) at.u[i] = (a[i] - a_[i]) * time;
  for (std::size_t i = 0; i < b.size(); ++i) at.z[i] = (b[i] - b_[i]) * time;
  std::ranges::fill(at.x, 0.0);
  error_->add(at);
  point_.u = a;
  point_.z = b;
  return {};
}

/// Errors at the end of a block.
void ErrorWatch::judge() {
  estimate_.evaluations = error_->evaluations();
  estimate_.jacobians = error_->jacobians();
  if (!error_->known()) return give_up("the equations could not be evaluated near the run");
  const State& at = error_->at();
  const Local& e = error_->error();
  point_.resize(system_->sizes().v, system_->sizes().r);
  for (std::size_t i = 0; i < e.x.size(); ++i) {
    point_.x[i] = -e.x[i];
    point_.u[i] = at.v[i] - e.u[i];
  }
  for (std::size_t i = 0; i < e.z.size(); ++i) point_.z[i] = at.r[i] - e.z[i];
  near_ = at;
  nearby_->state_at(point_, near_);
  for (const GlobalError::Inner& inner : error_->inner()) compare(inner.run, inner.motion);
  compare(at, near_);
  if (!(std::max(estimate_.end_position, estimate_.end_velocity) < lost))
    give_up("the estimate is as large as the motion");
}

void ErrorWatch::compare(const State& run, const State& motion) {
  estimate_.until = run.t;
  LargestError& positions = estimate_.position;
  const int rest = static_cast<int>(run.p.size());
  estimate_.end_position = std::max(look(run, run.p, motion.p, 0, positions, position_),
                                    look(run, run.r, motion.r, rest, positions, position_));
  estimate_.end_velocity = look(run, run.v, motion.v, 0, estimate_.velocity, velocity_);
  if (std::max(estimate_.end_position, estimate_.end_velocity) >= void_error)
    estimate_.void_from = std::min(estimate_.void_from, run.t);
  note(run.t, estimate_.end_position, estimate_.end_velocity);
}

double ErrorWatch::look(const State& at, const Vector& value, const Vector& near, int first,
                        LargestError& worst, Place& place) const {
  double here = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const double off = std::abs(value[i] - near[i]), reached = off / (1 + std::abs(value[i]));
    here = std::max(here, reached);
    if (reached <= worst.reached) continue;
    worst.reached = reached;
    worst.absolute = off;
    worst.t = at.t;
    place.index = first + static_cast<int>(i);
  }
  return here;
}

void ErrorWatch::note(double t, double position, double velocity) {
  EstimatedError& out = estimate_;
  if (in_bin_ == 0) {
    if (out.times.size() == most_pieces) {
      for (std::size_t i = 0; i < most_pieces / 2; ++i) {
        out.times[i] = out.times[2 * i + 1];
        out.positions[i] = std::max(out.positions[2 * i], out.positions[2 * i + 1]);
        out.velocities[i] = std::max(out.velocities[2 * i], out.velocities[2 * i + 1]);
      }
      for (std::vector<double>* x : {&out.times, &out.positions, &out.velocities})
        x->resize(most_pieces / 2);
      stride_ *= 2;
    }
    out.times.push_back(t);
    out.positions.push_back(position);
    out.velocities.push_back(velocity);
  }
  out.times.back() = t;
  out.positions.back() = std::max(out.positions.back(), position);
  out.velocities.back() = std::max(out.velocities.back(), velocity);
  in_bin_ = (in_bin_ + 1) % stride_;
}

std::string ErrorWatch::name_of(Quantity::Kind kind, int index) const {
  const int positions = system_->sizes().p;
  if (kind == Quantity::Kind::position && index >= positions) {
    kind = Quantity::Kind::state;
    index -= positions;
  }
  for (const std::string& name : system_->quantity_names()) {
    const std::optional<Quantity> q = system_->find_quantity(name);
    if (!q || q->kind != kind) continue;
    const int place = kind == Quantity::Kind::state ? q->index
                      : kind == Quantity::Kind::position
                          ? system_->bodies()[static_cast<std::size_t>(q->body)].p + q->index
                          : system_->bodies()[static_cast<std::size_t>(q->body)].v + q->index;
    if (place == index) return name;
  }
  return {};
}

void ErrorWatch::rest() {
  if (estimate_.missing.empty() && begun_ && error_->close()) judge();
}

void ErrorWatch::end() {
  if (!system_ || !estimate_.made) return;
  if (position_.index >= 0)
    estimate_.position.name = name_of(Quantity::Kind::position, position_.index);
  if (velocity_.index >= 0)
    estimate_.velocity.name = name_of(Quantity::Kind::velocity, velocity_.index);
  std::vector<double> worst(estimate_.times.size());
  for (std::size_t i = 0; i < worst.size(); ++i)
    worst[i] = std::max(estimate_.positions[i], estimate_.velocities[i]);
  // Errors that are made grow too, from nothing: what the motion makes of them is more.
  constexpr double sensitive = 10;
  const double growth = error_growth(estimate_.times, worst);
  if (worst.size() > 1 && growth * (estimate_.times.back() - estimate_.times.front()) > sensitive)
    estimate_.growth = growth;
}

}  // namespace kardan
