#include "kardan/run/error_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kardan {
namespace {

/// Errors over time are kept in at most this many pieces.
constexpr std::size_t most_pieces = 400;
/// Displacements along which differences are taken, in units of the state.
constexpr double probe = 1e-6;
/// Accelerations before and after that differ by more are those of other equations.
constexpr double same_rates = 1e-6;
/// An impulse alone explains what happened, but for constraints that are closed before it.
constexpr double same_impulse = 1e-6;
/// Where the estimate is as large as the motion there is nothing left to estimate.
constexpr double lost = 0.5;
constexpr const char* grazes = "an event function only grazes zero";

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
  Vector& a = point_.u;
  Vector& b = point_.z;
  if (from.a.empty() || from.dz.size() != b_.size()) {
    if (nearby_->evaluate(now, a, b) != Eval::ok)
      return give_up("the equations could not be evaluated after an event");
  } else {
    a = from.a;
    b = from.dz;
  }
  if (now.v != last_.v) {
    if (const std::string why = strike(step, event); !why.empty()) return give_up(why);
  } else if (moved) {
    return give_up("an event changes the state");
  } else if (event >= 0 && (differ(a, a_) || differ(b, b_))) {
    if (const std::string why = switch_over(step, event); !why.empty()) return give_up(why);
  }
  a_ = a;
  b_ = b;
  last_ = now;
  error_->begin(now, a_, b_);
}

/// The point beside last_ that is off by -along_e e and `later` on the way before the event.
void ErrorWatch::go_beside(double along_e, double later) {
  const Local& e = error_->error();
  beside_.resize(system_->sizes().v, system_->sizes().r);
  for (std::size_t i = 0; i < beside_.x.size(); ++i) {
    beside_.x[i] = -along_e * e.x[i] + later * last_.v[i];
    beside_.u[i] = last_.v[i] - along_e * e.u[i] + later * a_[i];
  }
  for (std::size_t i = 0; i < beside_.z.size(); ++i)
    beside_.z[i] = last_.r[i] - along_e * e.z[i] + later * b_[i];
  near_ = last_;
  near_.t += later;
  nearby_->state_at(beside_, near_);
}

/// [s] How much later the motion meets an event than the run, z_y e / z' with z its function; NaN
/// where it may not meet it at all.
double ErrorWatch::delay(const StepView& step, int event, double s) {
  const double tau = probe * std::min(1.0, step.h);
  nearby_->rebase(last_);
  go_beside(0, 0);
  system_->events(near_, z_, *ws_);
  go_beside(s, 0);
  system_->events(near_, z_near_, *ws_);
  go_beside(0, -tau);
  system_->events(near_, z_later_, *ws_);
  const double along = (z_[event] - z_near_[event]) / s, rate = (z_[event] - z_later_[event]) / tau;
  const double time = along / rate;
  return std::abs(time) <= step.h ? time : std::nan("");
}

/// What e is multiplied with to be a probe; 0: there is none.
double ErrorWatch::probe_share() const {
  const Local& e = error_->error();
  const double size = std::max({largest(e.x), largest(e.u), largest(e.z)});
  return size > 0 ? probe / size : 0;
}

/// An event that nearby motions meet at another time leaves them with the difference of the
/// accelerations over that time: e := e + (f_after - f_before) z_y e / z'. The accelerations after
/// it are in point_.
std::string ErrorWatch::switch_over(const StepView& step, int event) {
  const double s = probe_share();
  if (s == 0) return {};
  const double time = delay(step, event, s);
  if (std::isnan(time)) return grazes;
  for (std::size_t i = 0; i < a_.size(); ++i) beside_.u[i] = (point_.u[i] - a_[i]) * time;
  for (std::size_t i = 0; i < b_.size(); ++i) beside_.z[i] = (point_.z[i] - b_[i]) * time;
  std::ranges::fill(beside_.x, 0.0);
  error_->add(beside_);
  return {};
}

/// An impulse F meets the motion `time` later, on the way before it, and at the time of the run it
/// comes from as much earlier: with y the run before it,
///
///   e := F(y) - F(y - e + time f_before) + time f_after.
std::string ErrorWatch::strike(const StepView& step, int event) {
  const State& now = *step.start;
  const std::vector<EventData>& asked = system_->blueprint().events;
  int stop = -1;
  for (std::size_t i = 0; i < asked.size(); ++i)
    if (system_->asked_event(static_cast<int>(i)) == event &&
        asked[i].action == EventAction::impulse) {
      if (!stops_) stops_ = std::make_unique<Stops>(*system_);
      stop = stops_->stop_of(static_cast<int>(i));
    }
  if (stop < 0 || !stops_->compiled()) return "an event changes velocities";
  const double restitution = stops_->event(stop).restitution;
  const auto struck = [&](State& state) {
    return stops_->impulses().look(state) == Eval::ok &&
           stops_->impulses().apply(stop, restitution, state) == Eval::ok;
  };
  const double s = probe_share() > 0 ? probe_share() : 1;
  const double time = delay(step, event, s);
  if (std::isnan(time)) return grazes;
  State alone = last_;
  if (!struck(alone)) return "an impulse cannot be followed";
  for (std::size_t i = 0; i < now.v.size(); ++i)
    if (!(std::abs(alone.v[i] - now.v[i]) <= same_impulse * (1 + largest(now.v))))
      return "several impulses at once";
  go_beside(s, s * time);
  if (!struck(near_)) return "an impulse cannot be followed";
  Local after = beside_, run = beside_;
  LocalRate none;
  nearby_->rebase(now);
  nearby_->place(near_, a_, b_, after, none);
  nearby_->place(alone, a_, b_, run, none);
  const Local e = error_->error();
  for (std::size_t i = 0; i < e.x.size(); ++i) {
    beside_.x[i] = (run.x[i] - after.x[i]) / s + time * now.v[i] - e.x[i];
    beside_.u[i] = (run.u[i] - after.u[i]) / s + time * point_.u[i] - e.u[i];
  }
  for (std::size_t i = 0; i < e.z.size(); ++i)
    beside_.z[i] = (run.z[i] - after.z[i]) / s + time * point_.z[i] - e.z[i];
  error_->add(beside_);
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
