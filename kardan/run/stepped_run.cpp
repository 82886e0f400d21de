#include "kardan/run/stepped_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kardan/integrate/driver.h"

namespace kardan {
namespace {

/// By which a run becomes longer that is asked to go on beyond its end.
constexpr double lengthening = 2;
/// Of the time asked for, or of the whole: what is as short as this before the end of the run is not
/// left for a last step.
constexpr double sliver = 1e-3;
/// [scaled] Constraints may be as far from closed where an input changes: rounding.
constexpr double closed_enough = 1e-8;

}  // namespace

SteppedRun::SteppedRun(Prepared& prepared, const Choice& choice, const SimulateOptions& options,
                       RunMemory& memory)
    : prepared_(prepared),
      choice_(choice),
      options_(options),
      memory_(memory),
      watchers_{.evidence = Evidence::left_out},
      actions_(*prepared.system, memory),
      monitor_(prepared, *choice.method, options, watchers_, memory),
      state_(memory.paused ? memory.state : prepared.start.state),
      horizon_(std::max(options.t_end, state_.t)) {}

bool SteppedRun::begin() {
  RunReport& report = memory_.report;
  if (!memory_.started) {
    memory_.start = report.driver.t = state_.t;
    if (actions_.begin(state_, report.driver.events) != Eval::ok)
      return fail(Reason::evaluation_failed,
                  "the stops that touch at the start cannot be given their impulses");
    monitor_.use(*actions_.system(state_));
    (void)monitor_.begin(state_, {});
    // Steps that may yet be taken back are no evidence.
    report.energy.allowed = report.energy.balance_error = std::numeric_limits<double>::quiet_NaN();
    memory_.started = true;
  }
  if (!enter(memory_.paused)) return false;
  return see(monitor_.look(state_));
}

/// With the equations that hold at the state; `from`: it goes on with the report so far.
bool SteppedRun::enter(bool from) {
  system_ = actions_.system(state_);
  ws_.reset();
  state_ = fitted(*system_, std::move(state_));
  regime_ =
      std::make_unique<Regime>(*system_, choice_, options_, memory_.report.formulation_options,
                               actions_, state_, diagnostics_);
  monitor_.use(*system_);
  monitor_.solve_rows(*choice_.formulation, regime_->scale);
  if (from) {
    regime_->driver.from = std::exchange(memory_.report.driver, {});
    regime_->driver.from->handed_over = false;
    regime_->driver.from->message.clear();
  }
  made_ = false;
  integration_ = make_integration(regime_->problem(), *choice_.method, state_, horizon_,
                                  regime_->driver, nobody_);
  return integration_->enter() || follow();
}

/// The report of the integration joins those before.
void SteppedRun::close() {
  append(integration_->end(), memory_.report.driver);
  add_problem(regime_->problem(), memory_.report);
  actions_.note_rest(state_, memory_.report.driver.events);
  integration_.reset();
  made_ = false;
}

/// Behind the end of an integration: on with another one, or not.
bool SteppedRun::follow() {
  const double before = regime_->driver.from ? regime_->driver.from->t : memory_.report.driver.t;
  close();
  DriverReport& report = memory_.report.driver;
  if (report.handed_over) {
    changes_ = state_.t - before <= 1e-10 * std::max(1.0, std::abs(state_.t)) ? changes_ + 1 : 0;
    if (changes_ > most_changes_at_once)
      return fail(Reason::too_many_steps,
                  fmt::format("t = {:.9g}: what rests changes without end", state_.t));
    return enter(false);
  }
  if (report.reason == Reason::finished) return lengthen();
  ended_ = true;
  return false;
}

/// On beyond the end that the last integration was given.
bool SteppedRun::lengthen() {
  if (integration_) close();
  horizon_ = state_.t + lengthening * std::max(horizon_ - memory_.start, slack());
  return enter(true);
}

/// Times asked for may leave next to nothing of the run: too little for a step.
bool SteppedRun::leave_no_sliver(double t) {
  const double at = made_ ? step_.t : state_.t, left = horizon_ - at;
  if (left <= slack() || left >= sliver * (t - at)) return true;
  const bool on = !made_ || integration_->settle();
  made_ = false;
  return on ? lengthen() : follow();
}

bool SteppedRun::fail(Reason reason, std::string message) {
  if (integration_) close();
  memory_.report.driver.reason = reason;
  memory_.report.driver.message = std::move(message);
  ended_ = true;
  return false;
}

bool SteppedRun::see(std::string none) {
  if (!none.empty()) return fail(Reason::evaluation_failed, std::move(none));
  now_ = *monitor_.seen().state;
  return true;
}

/// [s] Below this times are the same.
double SteppedRun::slack() const {
  return 8 * std::numeric_limits<double>::epsilon() *
         std::max({std::abs(state_.t), std::abs(horizon_), std::numeric_limits<double>::min()});
}

bool SteppedRun::interrupted() const {
  return ended_ && memory_.report.driver.reason == Reason::interrupted;
}

/// After an interruption: on from the time reached.
bool SteppedRun::revive() {
  if (!interrupted()) return !ended_;
  ended_ = false;
  if (state_.t > now_.t + slack()) {
    state_ = now_;
    std::erase_if(memory_.report.driver.events,
                  [this](const EventRecord& e) { return e.t > now_.t; });
  }
  return enter(true);
}

bool SteppedRun::go(double t, Ahead ahead) {
  if (!revive() || !leave_no_sliver(t)) return false;
  constexpr double anywhere = std::numeric_limits<double>::infinity();
  while (!(made_ ? step_.t >= t - slack() : state_.t >= t - slack())) {
    integration_->stop_at(ahead == Ahead::bounded ? t : anywhere);
    made_ = integration_->step();
    if (made_) {
      step_ = integration_->view();
      if (std::string none = monitor_.observe(step_); !none.empty())
        return fail(Reason::evaluation_failed, std::move(none));
    } else if (!follow()) {
      // What the run has come to is what there is to see.
      if (state_.t > now_.t && monitor_.look(state_).empty()) now_ = *monitor_.seen().state;
      return false;
    }
  }
  return see(made_ ? monitor_.look(step_, std::min(t, step_.t)) : monitor_.look(state_));
}

bool SteppedRun::halt() {
  if (!revive()) return false;
  if (made_ && step_.t <= now_.t + slack()) {
    const bool on = integration_->settle() || follow();
    made_ = false;
    return on;
  }
  if (!made_ && state_.t <= now_.t + slack()) return true;
  // A step has run ahead. Of what it has found nothing remains.
  made_ = false;
  state_ = now_;
  return true;
}

std::string SteppedRun::resume(Integration::Change change) {
  if (!ws_) ws_ = system_->make_workspace();
  const Residuals r = constraint_residuals(*system_, state_, {}, *ws_);
  if (!(r.position <= closed_enough) || !(r.velocity <= closed_enough))
    return fmt::format(
        "t = {:.9g}: an input jumps that drivers or constraints follow: their residual would be "
        "{:.2g}",
        state_.t, std::max(r.position, r.velocity));
  monitor_.forget_rows();
  // Behind a jump a first step is a share of what is left.
  if (horizon_ - state_.t < sliver * (horizon_ - memory_.start) && !lengthen())
    return memory_.report.driver.message;
  if (!integration_->go_on_from_here(change) && !follow()) return memory_.report.driver.message;
  return {};
}

bool SteppedRun::pause(RunMemory& out) {
  if (!halt()) return false;
  close();
  memory_.state = state_;
  memory_.paused = true;
  out = memory_;
  return enter(true);
}

std::span<const EventRecord> SteppedRun::events() const {
  const auto& all = integration_ ? integration_->report().events : memory_.report.driver.events;
  const auto behind =
      std::ranges::find_if(all, [this](const EventRecord& e) { return e.t > now_.t + slack(); });
  return {all.begin(), behind};
}

RunReport SteppedRun::report() const {
  RunReport out = memory_.report;
  if (integration_) {
    DriverReport now = integration_->report();
    now.t = now_.t;
    append(std::move(now), out.driver);
    add_problem(regime_->problem(), out);
  }
  return out;
}

}  // namespace kardan
