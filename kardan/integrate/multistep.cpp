#include "kardan/integrate/multistep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kardan {
namespace {

/// Steps aim below what the path allows, and are shortened to this share at once.
constexpr double path_safety = 0.8, most_shrink = 0.1;
/// Where inputs ask for steps below this share of the last one, its history says nothing of them,
/// nor does an error estimate that rests on it.
constexpr double least_share_of_last = 0.1;

}  // namespace

MultistepDriver::MultistepDriver(ChartProblem& problem, const Method& method, State& state,
                                 double t_end, const DriverOptions& options,
                                 const Observer& observer, int least_order)
    : run_(problem, method, state, t_end, options, observer),
      growth_(least_order, t_end - (options.from ? options.from->memory.start : state.t),
              method.is_explicit ? Unseen::oscillations : Unseen::all_that_grows) {}

DriverReport MultistepDriver::run() {
  DriverReport report =
      run_.run([this] { return begin_run(); }, [this] { return next() && complete(); });
  // Whoever looks at the problem after the run finds it at the end, unless the run was asked to end
  // and that would take long.
  if (report.reason != Reason::refused && !thrown_ && problem_at_ != state_.t) {
    try {
      const StopScope scope(options_.interrupt);
      (void)problem_.rebase(state_);
    } catch (const Stopped&) {
      problem_at_ = std::numeric_limits<double>::quiet_NaN();
    }
  }
  return report;
}

bool MultistepDriver::next() {
  return !run_.interrupted() && follow_growth() && make();
}

bool MultistepDriver::enter() {
  return run_.enter([this] { return begin_run(); });
}

bool MultistepDriver::settle() {
  return run_.guarded([this] { return complete(); });
}

bool MultistepDriver::step() {
  if (!settle()) return false;
  while (!run_.over()) {
    if (!run_.guarded([this] { return next(); })) return false;
    if (made_) return true;
  }
  return false;
}

/// The past is that of other equations, whatever the change.
bool MultistepDriver::go_on_from_here(Change /*change*/) {
  made_ = false;
  break_ = {};
  seen_ = std::numeric_limits<double>::infinity();
  run_.inputs.forget();
  return run_.guarded([this] { return restart(0); });
}

bool MultistepDriver::begin_run() {
  if (const std::string unused = refusal(); !unused.empty()) {
    run_.stop(Reason::refused, Diagnosis::options_wrong,
              fmt::format("'{}' has its own step control", method_.name),
              fmt::format("leave out {}", unused));
    return false;
  }
  if (!restart(options_.from ? 0 : options_.first_step)) return false;
  if (!options_.from) longest_ = run_.path.first_step(run_.dense.to);
  return true;
}

/// The option it would have to ignore, if any.
std::string MultistepDriver::refusal() const {
  const DriverOptions usual;
  if (options_.fixed_step > 0) return "the fixed step, or bound it by the largest step";
  if (options_.safety != usual.safety) return "safety";
  if (options_.growth != usual.growth) return "growth";
  if (options_.shrink != usual.shrink) return "shrink";
  if (options_.keep_below != usual.keep_below) return "keep_below";
  if (options_.control != usual.control) return "control";
  if (options_.estimate != usual.estimate) return "estimate";
  return "";
}

void MultistepDriver::unpack(const double* from, Local& to) const {
  to.resize(problem_.second_order(), problem_.first_order());
  for (Vector* part : {&to.x, &to.u, &to.z}) {
    std::copy_n(from, part->size(), part->begin());
    from += part->size();
  }
}

double* MultistepDriver::weigh(int count, double* to) {
  problem_.error_weights(state_, run_.scale, weights_);
  const double factor = std::sqrt(static_cast<double>(count)) * method_.error_weight;
  for (const Vector* part : {&weights_.x, &weights_.u, &weights_.z})
    for (const double w : *part) *to++ = factor * w;
  return to;
}

void MultistepDriver::no_step(Diagnosis diagnosis) {
  run_.no_step(diagnosis, fmt::format("{} found no step that is small enough", method_.name));
}

/// Moves the base to the state and begins there.
bool MultistepDriver::restart(double first) {
  if (!run_.rebase()) return false;
  problem_at_ = state_.t;
  problem_.base_point(run_.dense.to);
  last_h_ = 0;
  return begin(first);
}

/// The integrator's steps are bounded by what grows; where they are longer, it begins anew.
bool MultistepDriver::follow_growth() {
  if (!options_.free_form) return true;
  constexpr double lengthens = 10;       // by which it may lengthen a step; the first one more
  constexpr double little_more = 1.001;  // than a bound a step may be that rounding has lengthened
  const double proposed = last_h_ > 0 ? lengthens * last_h_ : run_.next_stop() - state_.t;
  growth_.limit(proposed, [this] { return jacobian_in(*options_.free_form, state_, jacobian_); });
  const double longest = growth_.longest();
  if (longest != bound_) {
    bound_ = longest;
    bound_steps(largest_step());
  }
  return last_h_ <= little_more * longest || restart(0.5 * longest);
}

/// That was asked for, or that follows what grows; 0: any.
double MultistepDriver::largest_step() const {
  const double asked = options_.largest_step;
  return asked > 0 ? std::min(asked, bound_) : std::isfinite(bound_) ? bound_ : 0;
}

bool MultistepDriver::make() {
  const bool fresh = problem_at_ == state_.t;
  std::swap(run_.dense.from, run_.dense.to);
  double t = state_.t, end = run_.next_stop();
  // A stop behind the step to be tried would shorten the one after it to what is left.
  if (next_step() > longest_) end = std::min(end, t + longest_);
  const double proposed = std::min({next_step(), end - t, seen_});
  break_ = run_.inputs.ahead(state_, proposed);
  if (break_.breaks && break_.h == 0) {
    run_.pass(break_);
    return restart(0);
  }
  if (break_.h < least_share_of_last * last_h_) return restart(0);
  if (break_.h < end - t && (break_.breaks || break_.h < proposed || seen_ == proposed))
    end = t + break_.h;
  break_.breaks = break_.breaks && end == t + break_.h;
  const int answer = advance(end, t);
  count();
  if (thrown_) std::rethrow_exception(thrown_);
  Eval e = answer < 0 ? Eval::recoverable : Eval::ok;
  // A step below round-off is none, whatever the library says.
  if (e == Eval::ok && t - state_.t < run_.rounding() && t < end - run_.rounding())
    e = Eval::recoverable;
  if (e == Eval::ok) e = end_at(t);
  if (e != Eval::ok) {
    // Away from the base the chart may be at fault: once more from a new one.
    if (!fresh && !not_evaluated(answer)) return restart(0);
    explain(answer);
    return false;
  }
  seen_ = run_.inputs.along(state_, run_.next);
  if (seen_ < (1 - 1e-9) * (t - state_.t)) {
    ++report_.counters.rejected;
    return restart(seen_);
  }
  seen_ = std::numeric_limits<double>::infinity();
  break_.breaks = break_.breaks && t >= end - run_.rounding();
  const double h = t - state_.t, factor = run_.path.allowed(run_.dense);
  if (factor < 1) return retake(h, factor);
  longest_ = path_safety * factor * h;
  return conclude(h, problem_.advance(run_.dense.to));
}

/// The step from the state once more, with the memory of none.
bool MultistepDriver::retake(double h, double factor) {
  ++report_.counters.rejected;
  longest_ = std::max(path_safety * factor, most_shrink) * h;
  if (longest_ < 4 * run_.rounding()) {
    no_step(run_.path.diagnosis());
    return false;
  }
  return restart(longest_);
}

Eval MultistepDriver::end_at(double t) {
  ++report_.counters.evaluations;
  unpack(values(), y_);
  return problem_.finish(t, y_, run_.next, run_.dense.to);
}

bool MultistepDriver::conclude(double h, bool chart_holds) {
  unpack(errors(), y_);
  const double error = method_.error_weight * problem_.error_norm(y_, run_.next, run_.scale);
  bool event = false;
  if (problem_.events().count() > 0) {
    const double whole = h;
    const EventSearch::Ending ending =
        run_.events.end_step(run_.dense, state_, run_.next, h, [&](double trial) {
          h = std::min(trial, whole);
          return look_back(state_.t + h) == 0 ? end_at(state_.t + h) : Eval::recoverable;
        });
    event = ending.event;
    if (ending.nearer) return retake(whole, 0.5 * ending.length / (path_safety * whole));
    if (ending.eval != Eval::ok) {
      explain(0);
      return false;
    }
  }
  last_h_ = h;
  run_.ends = last_order();
  event ? growth_.forget() : growth_.count();
  run_.note(h, error, event);
  made_ = true;
  event_ = event;
  chart_holds_ = chart_holds;
  return true;
}

/// On to the end of the step made last, if there is one.
bool MultistepDriver::complete() {
  if (!std::exchange(made_, false)) return true;
  if (run_.complete() != Course::Taken::goes_on) return false;
  if (state_.t >= run_.t_end - run_.rounding()) return true;
  if (break_.breaks && !event_) {
    run_.pass(break_);
    return restart(0);
  }
  if (!event_ && run_.may_pause()) {
    report_.reason = Reason::paused;
    return false;
  }
  return event_ || !chart_holds_ ? restart(0) : true;
}

}  // namespace kardan
