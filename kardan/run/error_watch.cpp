#include "kardan/run/error_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kardan/run/error_pieces.h"

namespace kardan {
namespace {

/// Displacements along which differences are taken, in units of the state.
constexpr double probe = 1e-6;
/// Accelerations before and after that differ by more are those of other equations.
constexpr double same_rates = 1e-6;
/// Impulses explain what happened, but for constraints that are closed before and after them.
constexpr double same_impulse = 1e-6;
/// Where the estimate is as large as the motion there is nothing left to estimate.
constexpr double lost = 0.5;
constexpr const char* grazes = "an event function only grazes zero";

double largest(const Vector& x) {
  double out = 0;
  for (const double value : x) out = std::max(out, std::abs(value));
  return out;
}

double apart(const Vector& a, const Vector& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

bool differ(const Vector& a, const Vector& b) {
  return apart(a, b) > same_rates * largest(a);
}

}  // namespace

ErrorWatch::Known::Known(const System& with, const Method& method)
    : system(&with),
      nearby(with),
      error(nearby, error_blocks(method)),
      ws(with.make_workspace()) {}

ErrorWatch::ErrorWatch(const System& system, RunMemory& memory)
    : base_(system), estimate_(memory.report.error_estimate), memory_(memory.error) {
  if (!memory_.begun) estimate_.void_from = std::numeric_limits<double>::infinity();
}

void ErrorWatch::begin_part(const Method& method) {
  method_ = &method;
  all_.clear();
  stops_.reset();
  now_ = before_ = nullptr;
  anew_ = true;
}

void ErrorWatch::use(const System& system) {
  begun_ = false;
  events_ = 0;
  if (!estimate_.missing.empty()) return;
  Known* const last = now_;
  now_ = &all_.try_emplace(&system, system, *method_).first->second;
  before_ = last;
  z_.resize(system.sizes().events);
  z_near_ = z_later_ = z_;
}

void ErrorWatch::give_up(std::string why) {
  if (estimate_.missing.empty()) estimate_.missing = std::move(why);
}

/// Accelerations and rates as the run has them, or as the equations give them.
bool ErrorWatch::rates_at(const ChartPoint& point, const State& state, Known& with, Vector& a,
                          Vector& b) {
  if (point.a.empty() || point.dz.size() != state.r.size())
    return with.nearby.evaluate(state, a, b) == Eval::ok;
  a = point.a;
  b = point.dz;
  return true;
}

void ErrorWatch::observe(const StepView& step, const Happened& happened) {
  if (!estimate_.missing.empty()) return;
  if (!begun_)
    begin(step, happened);
  else
    go_on(step, happened);
  if (!estimate_.missing.empty()) return;
  if (!rates_at(step.dense->to, *step.state, *now_, a_, b_))
    return give_up("the equations could not be evaluated at the end of a step");
  if (now_->error.step(*step.state, a_, b_)) judge();
  last_ = *step.state;
}

/// The first step with these equations: of the run, of a part of it, or after an event.
void ErrorWatch::begin(const StepView& step, const Happened& happened) {
  events_ = step.events->size();
  begun_ = true;
  if (!anew_) {
    cross(step, happened.event, happened, before_ ? *before_ : *now_);
    before_ = nullptr;
    return;
  }
  anew_ = false;
  last_ = *step.start;
  if (!rates_at(step.dense->from, last_, *now_, a_, b_))
    return give_up("the equations could not be evaluated at the start");
  now_->error.begin(last_, a_, b_);
  if (memory_.begun) {
    now_->error.set(memory_.error);
  } else {
    estimate_.until = last_.t;
    memory_.begun = estimate_.made = true;
  }
}

/// The block ends where an event, or a kink of an input, changes the equations.
void ErrorWatch::go_on(const StepView& step, const Happened& happened) {
  const State& now = *step.start;
  const ChartPoint& from = step.dense->from;
  const bool any = step.events->size() > events_ || happened.event >= 0,
             moved = now.p != last_.p || now.v != last_.v || now.r != last_.r,
             other = now.modes != last_.modes,
             kink = !from.a.empty() && (differ(from.a, a_) || now.t != last_.t);
  if (!any && !moved && !other && !kink) return;
  const int event = happened.event >= 0                   ? happened.event
                    : step.events->size() > events_ ? step.events->back().event
                                                    : -1;
  events_ = step.events->size();
  if (now_->error.close()) judge();
  if (estimate_.missing.empty()) cross(step, event, happened, *now_);
}

/// From `before` to the equations that hold now, after an event or none. Accelerations after it are
/// in point_.
void ErrorWatch::cross(const StepView& step, int event, const Happened& happened, Known& before) {
  const State& now = *step.start;
  Vector& a = point_.u;
  Vector& b = point_.z;
  error_ = before.error.error();
  if (!rates_at(step.dense->from, now, *now_, a, b))
    return give_up("the equations could not be evaluated after an event");
  std::string why;
  if (!happened.blows.empty())
    why = strike(step, event, happened.blows, before);
  else if (apart(now.v, last_.v) > same_impulse * (1 + largest(now.v)))
    why = "an event changes velocities";
  else if (apart(now.p, last_.p) > same_impulse * (1 + largest(now.p)) || now.r != last_.r)
    why = "an event changes the state";
  else if (event >= 0 && (differ(a, a_) || differ(b, b_)))
    why = switch_over(step, event, before);
  if (!why.empty()) return give_up(why);
  a_ = a;
  b_ = b;
  last_ = now;
  now_->error.begin(now, a_, b_);
  now_->error.set(error_);
}

/// The point beside last_ that is off by -along_e e and `later` on the way before the event.
void ErrorWatch::go_beside(Known& with, double along_e, double later) {
  const Local& e = error_;
  beside_.resize(base_.sizes().v, base_.sizes().r);
  for (std::size_t i = 0; i < beside_.x.size(); ++i) {
    beside_.x[i] = -along_e * e.x[i] + later * last_.v[i];
    beside_.u[i] = last_.v[i] - along_e * e.u[i] + later * a_[i];
  }
  for (std::size_t i = 0; i < beside_.z.size(); ++i)
    beside_.z[i] = last_.r[i] - along_e * e.z[i] + later * b_[i];
  near_ = last_;
  near_.t += later;
  with.nearby.state_at(beside_, near_);
}

/// Event functions at near_, with the reactions of what rests.
void ErrorWatch::events(Known& with, Vector& z) {
  with.system->events(near_, z, *with.ws);
  if (with.system == &base_) return;
  if (!stops_) stops_ = std::make_unique<Stops>(base_);
  stops_->add_reactions(near_, z);
}

/// [s] How much later the motion meets an event than the run, z_y e / z' with z its function; NaN
/// where it may not meet it at all.
double ErrorWatch::delay(const StepView& step, int event, double s, Known& before) {
  if (event < 0) return std::nan("");
  const double tau = probe * std::min(1.0, step.h);
  before.nearby.rebase(last_);
  go_beside(before, 0, 0);
  events(before, z_);
  go_beside(before, s, 0);
  events(before, z_near_);
  go_beside(before, 0, -tau);
  events(before, z_later_);
  const double along = (z_[event] - z_near_[event]) / s, rate = (z_[event] - z_later_[event]) / tau;
  if (along == 0) return 0;
  const double time = along / rate;
  return std::abs(time) <= step.h ? time : std::nan("");
}

/// What e is multiplied with to be a probe; 0: there is none.
double ErrorWatch::probe_share() const {
  const double size = std::max({largest(error_.x), largest(error_.u), largest(error_.z)});
  return size > 0 ? probe / size : 0;
}

/// An event that nearby motions meet at another time leaves them with the difference of the
/// accelerations over that time: e := e + (f_after - f_before) z_y e / z'.
std::string ErrorWatch::switch_over(const StepView& step, int event, Known& before) {
  const double s = probe_share();
  if (s == 0) return {};
  const double time = delay(step, event, s, before);
  if (std::isnan(time)) return grazes;
  for (std::size_t i = 0; i < a_.size(); ++i) error_.u[i] += (point_.u[i] - a_[i]) * time;
  for (std::size_t i = 0; i < b_.size(); ++i) error_.z[i] += (point_.z[i] - b_[i]) * time;
  return {};
}

/// What an event does to velocities, F, meets the motion `time` later, on the way before it, and at
/// the time of the run it comes from as much earlier: with y the run before it,
///
///   e := F(y) - F(y - e + time f_before) + time f_after.
std::string ErrorWatch::strike(const StepView& step, int event, const std::vector<Blow>& blows,
                               Known& before) {
  constexpr const char* lost_way = "an impulse cannot be followed";
  const State& now = *step.start;
  if (!stops_) stops_ = std::make_unique<Stops>(base_);
  const double s = probe_share() > 0 ? probe_share() : 1;
  const double time = delay(step, event, s, before);
  if (std::isnan(time)) return grazes;
  State alone = last_;
  if (repeat(blows, *stops_, alone) != Eval::ok) return lost_way;
  if (!(apart(alone.v, now.v) <= same_impulse * (1 + largest(now.v)))) return lost_way;
  go_beside(before, s, s * time);
  if (repeat(blows, *stops_, near_) != Eval::ok) return lost_way;
  Local after = beside_, run = beside_;
  LocalRate none;
  NearbySystem& nearby = now_->nearby;
  nearby.rebase(now);
  nearby.place(near_, a_, b_, after, none);
  nearby.place(alone, a_, b_, run, none);
  for (std::size_t i = 0; i < error_.x.size(); ++i) {
    error_.x[i] = (run.x[i] - after.x[i]) / s + time * now.v[i];
    error_.u[i] = (run.u[i] - after.u[i]) / s + time * point_.u[i];
  }
  for (std::size_t i = 0; i < error_.z.size(); ++i)
    error_.z[i] = (run.z[i] - after.z[i]) / s + time * point_.z[i];
  return left_out(now, blows);
}

/// What still bounces when it is said to rest: those velocities are missing for a short time.
std::string ErrorWatch::left_out(const State& now, const std::vector<Blow>& blows) {
  std::vector<Blow> bounces = blows;
  bool any = false;
  const auto bounce = [&](int stop, double& restitution) {
    if (restitution > 0) return;
    restitution = stops_->event(stop).restitution;
    any = any || restitution > 0;
  };
  for (Blow& blow : bounces) {
    if (blow.stop >= 0) bounce(blow.stop, blow.restitution);
    for (std::size_t i = 0; i < blow.all.size(); ++i)
      if (blow.modes[base_.impulses()[i].mode] == 0) bounce(static_cast<int>(i), blow.all[i]);
  }
  if (!any) return {};
  State bounced = last_;
  if (repeat(bounces, *stops_, bounced) != Eval::ok) return "an impulse cannot be followed";
  // They rise as far as the acceleration before lets them.
  Vector& way = beside_.x;
  std::size_t most = 0;
  double power = 0, time = 0;
  for (std::size_t i = 0; i < way.size(); ++i) {
    way[i] = bounced.v[i] - now.v[i];
    if (const double here = std::abs(way[i] * a_[i]); here > power) power = here, most = i;
  }
  if (power > 0) time = std::abs(way[most] / a_[most]);
  for (double& x : way) x *= 0.5 * time;
  base_.retract(now.p, way, bounced.p);
  compare(now, bounced);
  return {};
}

/// Errors at the end of a block.
void ErrorWatch::judge() {
  if (!now_->error.known()) return give_up("the equations could not be evaluated near the run");
  const State& at = now_->error.at();
  const Local& e = now_->error.error();
  point_.resize(base_.sizes().v, base_.sizes().r);
  for (std::size_t i = 0; i < e.x.size(); ++i) {
    point_.x[i] = -e.x[i];
    point_.u[i] = at.v[i] - e.u[i];
  }
  for (std::size_t i = 0; i < e.z.size(); ++i) point_.z[i] = at.r[i] - e.z[i];
  near_ = at;
  now_->nearby.state_at(point_, near_);
  for (const GlobalError::Inner& inner : now_->error.inner()) compare(inner.run, inner.motion);
  compare(at, near_);
  if (!(std::max(estimate_.end_position, estimate_.end_velocity) < lost))
    give_up("the estimate is as large as the motion");
}

void ErrorWatch::compare(const State& run, const State& motion) {
  estimate_.until = run.t;
  LargestError& positions = estimate_.position;
  const int rest = static_cast<int>(run.p.size());
  estimate_.end_position = std::max(look(run, run.p, motion.p, 0, positions, memory_.position),
                                    look(run, run.r, motion.r, rest, positions, memory_.position));
  estimate_.end_velocity = look(run, run.v, motion.v, 0, estimate_.velocity, memory_.velocity);
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
    place = first + static_cast<int>(i);
  }
  return here;
}

void ErrorWatch::note(double t, double position, double velocity) {
  EstimatedError& out = estimate_;
  if (memory_.in_piece == 0) {
    if (out.times.size() == most_error_pieces) {
      for (std::size_t i = 0; i < most_error_pieces / 2; ++i) {
        out.times[i] = out.times[2 * i + 1];
        out.positions[i] = std::max(out.positions[2 * i], out.positions[2 * i + 1]);
        out.velocities[i] = std::max(out.velocities[2 * i], out.velocities[2 * i + 1]);
      }
      for (std::vector<double>* x : {&out.times, &out.positions, &out.velocities})
        x->resize(most_error_pieces / 2);
      memory_.stride *= 2;
    }
    out.times.push_back(t);
    out.positions.push_back(position);
    out.velocities.push_back(velocity);
  }
  out.times.back() = t;
  out.positions.back() = std::max(out.positions.back(), position);
  out.velocities.back() = std::max(out.velocities.back(), velocity);
  memory_.in_piece = (memory_.in_piece + 1) % memory_.stride;
}

std::string ErrorWatch::name_of(Quantity::Kind kind, int index) const {
  const int positions = base_.sizes().p;
  if (kind == Quantity::Kind::position && index >= positions) {
    kind = Quantity::Kind::state;
    index -= positions;
  }
  for (const std::string& name : base_.quantity_names()) {
    const std::optional<Quantity> q = base_.find_quantity(name);
    if (!q || q->kind != kind) continue;
    const int place = kind == Quantity::Kind::state ? q->index
                      : kind == Quantity::Kind::position
                          ? base_.bodies()[static_cast<std::size_t>(q->body)].p + q->index
                          : base_.bodies()[static_cast<std::size_t>(q->body)].v + q->index;
    if (place == index) return name;
  }
  return {};
}

void ErrorWatch::rest() {
  if (estimate_.missing.empty() && begun_ && now_->error.close()) judge();
}

void ErrorWatch::end_part() {
  for (const auto& [system, known] : all_) {
    estimate_.evaluations += known.error.evaluations();
    estimate_.jacobians += known.error.jacobians();
  }
  if (now_ && !anew_) memory_.error = now_->error.error();
  begin_part(*method_);
}

void ErrorWatch::end() {
  if (!estimate_.made) return;
  if (memory_.position >= 0)
    estimate_.position.name = name_of(Quantity::Kind::position, memory_.position);
  if (memory_.velocity >= 0)
    estimate_.velocity.name = name_of(Quantity::Kind::velocity, memory_.velocity);
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
