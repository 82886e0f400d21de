#include "kardan/fmi/import/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kardan/base/text.h"
#include "kardan/formulation/formulation.h"
#include "kardan/integrate/driver.h"
#include "kardan/run/choice.h"
#include "kardan/system/callback_equations.h"

namespace kardan {
namespace {

/// [of a time] Times as near as this are the same.
constexpr double exchange_slack = 1e-12;

class Exchange {
 public:
  Exchange(ImportedFmu& fmu, const SimulateOptions& options,
           const std::function<std::string(double)>& row)
      : fmu_(fmu), options_(options), row_(row) {}

  ExchangeReport run(double start, double every, Diagnostics& diagnostics) {
    const ImportedDescription& d = fmu_.description();
    report_.t = state_.t = start;
    state_.r.resize(d.states.size());
    next_row_ = every;
    every_ = every;
    start_ = start;
    handle_event(false);
    if (good()) told_row(start);
    if (d.states.empty()) {
      go_without_states();
      return report_;
    }
    const auto system = make(diagnostics);
    Choice choice =
        choose_method(options_.method == automatic_method ? name_for(Task::not_stiff_with_events)
                                                          : options_.method,
                      diagnostics);
    if (!system || !choice.method || diagnostics.has_errors()) return report_;
    report_.method = choice.method->name;
    if (choice.method->needs_exact_jacobian)
      diagnostics.error("fmu.method",
                        fmt::format("the method '{}' needs exact derivatives, which an FMU does "
                                    "not tell",
                                    report_.method),
                        {}, "take one without: dopri5, dop853, radau5, bdf");
    else if (choice.formulation && choice.formulation->refuse)
      choice.formulation->refuse(*system, diagnostics);
    if (!choice.formulation || diagnostics.has_errors()) return report_;
    const std::vector<double> states = std::exchange(state_, system->data().start).r;
    state_.t = start;
    state_.r = states;
    while (good() && !ended_ && state_.t < options_.t_end - slack()) segment(*system, choice);
    report_.t = state_.t;
    return report_;
  }

 private:
  bool good() const { return report_.end != ImportedStep::End::failed; }
  double slack() const { return exchange_slack * std::max(1.0, std::abs(options_.t_end)); }

  void fail(std::string why) {
    if (!good()) return;
    report_.end = ImportedStep::End::failed;
    report_.message = fmu_.told(std::move(why));
  }
  bool check(std::string none) {
    if (!none.empty()) fail(std::move(none));
    return none.empty() && good();
  }

  /// The states as an event leaves them.
  void handle_event(bool enter) {
    ImportedEvent event;
    if (enter && !check(fmu_.functions().enter_event_mode())) return;
    if (!check(fmu_.functions().handle_event(event))) return;
    next_event_ = event.next;
    ended_ = event.ends;
    if (ended_) report_.end = ImportedStep::End::stopped;
    if (ended_) report_.message = "it asks to end the simulation";
    if (!ended_) check(fmu_.functions().states(state_.r));
  }

  bool place(double t, std::span<const double> states) {
    return check(fmu_.functions().set_point(t, states));
  }

  void told_row(double t) { check(row_(t)); }

  std::unique_ptr<System> make(Diagnostics& diagnostics) {
    const ImportedDescription& d = fmu_.description();
    CallbackEquations equations;
    equations.description.name = d.model_name;
    // Equations have a coordinate: this one stays where it is.
    equations.description.positions = {{"at_rest", 0}};
    equations.description.velocities = {{"rate_at_rest", 0}};
    equations.force = {independent, independent, independent, independent,
                       independent, independent, independent, independent};
    equations.dynamic.by_p = equations.dynamic.by_v = independent;
    for (std::size_t i = 0; i < d.states.size(); ++i)
      equations.description.dynamic.push_back({d.states[i], state_.r[i]});
    for (int i = 0; i < d.indicators; ++i)
      equations.description.events.push_back(fmt::format("indicator_{}", i + 1));
    equations.dynamic.value = [this](const Variables<double>& v, std::span<double> b) {
      if (!place(v.t, v.r) || !check(fmu_.functions().derivatives(b)))
        std::ranges::fill(b, std::nan(""));
    };
    if (d.indicators > 0)
      equations.events = [this](const Variables<double>& v, std::span<double> z) {
        if (!place(v.t, v.r) || !check(fmu_.functions().indicators(z)))
          std::ranges::fill(z, std::nan(""));
      };
    return make_system(std::move(equations), diagnostics);
  }

  /// Indicator i has changed its sign. Its root is known up to rounding, and an FMU handles an
  /// event only where the sign has changed: else it is shown the states just behind.
  EventEffect pass(int i, int direction, State& state, const State& after) {
    state_ = state;
    std::vector<double> z(static_cast<std::size_t>(fmu_.description().indicators));
    if (!place(state.t, state.r) || !check(fmu_.functions().indicators(z)))
      return EventEffect::failed;
    const double own = z[static_cast<std::size_t>(i)];
    if ((direction > 0) != (own > 0) && !place(state.t, after.r)) return EventEffect::failed;
    handle_event(true);
    ++report_.events;
    if (!good()) return EventEffect::failed;
    state.r = state_.r;
    return ended_ ? EventEffect::hand_over : EventEffect::changed;
  }

  /// To the next event of time, a request of the FMU, or the end.
  void segment(const System& system, const Choice& choice) {
    const Method& method = *choice.method;
    const auto problem =
        choice.formulation->make(system, complete_options(choice.formulation->options, {}));
    DriverOptions driver = options_.driver;
    const double end = std::min(options_.t_end, next_event_.value_or(options_.t_end));
    for (double k = next_row_; start_ + k < end - slack(); k += every_)
      driver.stop_times.push_back(start_ + k);
    for (int i = 0; i < fmu_.description().indicators; ++i) {
      EventRule rule;
      rule.act = [this, i](State& state, int direction, double, State& after) {
        return pass(i, direction, state, after);
      };
      driver.events.push_back(std::move(rule));
    }
    driver.method_options = complete_options(method.options, options_.options);
    State state = state_;
    bool asked = false;
    const auto observer = [&](const StepView& step) -> std::string {
      ++report_.steps;
      if (!good()) return report_.message;
      if (!place(step.t, step.state->r)) return report_.message;
      if (start_ + next_row_ <= step.t + slack()) {
        told_row(step.t);
        next_row_ += every_;
      }
      bool event = false, ends = false;
      if (fmu_.description().tells_steps && !check(fmu_.functions().completed_step(event, ends)))
        return report_.message;
      ended_ = ended_ || ends;
      asked = event;
      if (ends) report_.end = ImportedStep::End::stopped;
      return event || ended_ ? "the FMU asks for an event" : "";
    };
    if (next_event_ && *next_event_ <= state.t + slack()) {
      happen_at(state);
      return;
    }
    const DriverReport done = integrate(*problem, method, state, end, driver, observer);
    state_ = state;
    if (!good() || ended_) return;
    if (done.reason != Reason::finished && !asked) {
      fail(done.message);
      return;
    }
    if (!place(state.t, state.r)) return;
    if (asked || (next_event_ && *next_event_ <= state.t + slack())) happen_at(state);
  }

  void happen_at(const State& state) {
    state_ = state;
    if (!place(state.t, state.r)) return;
    handle_event(true);
    ++report_.events;
  }

  /// An FMU without continuous states lives from event to event.
  void go_without_states() {
    while (good() && !ended_ && state_.t < options_.t_end - slack()) {
      const double row = std::min(start_ + next_row_, options_.t_end);
      state_.t = std::min(row, next_event_.value_or(row));
      if (!place(state_.t, {})) break;
      if (next_event_ && state_.t >= *next_event_ - slack()) {
        handle_event(true);
        ++report_.events;
      }
      if (good() && !ended_ && state_.t >= row - slack()) {
        told_row(state_.t);
        next_row_ += every_;
      }
    }
    report_.t = state_.t;
  }

  ImportedFmu& fmu_;
  const SimulateOptions& options_;
  const std::function<std::string(double)>& row_;
  ExchangeReport report_;
  State state_;
  std::optional<double> next_event_;
  double start_ = 0, every_ = 0, next_row_ = 0;
  bool ended_ = false;
};

}  // namespace

ExchangeReport integrate_fmu(ImportedFmu& fmu, double start, double every,
                             const SimulateOptions& options,
                             const std::function<std::string(double t)>& row,
                             Diagnostics& diagnostics) {
  return Exchange(fmu, options, row).run(start, every, diagnostics);
}

}  // namespace kardan
