#include "kardan/fmi/instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kardan/base/text.h"
#include "kardan/io/memory_archive.h"

namespace kardan {
namespace {

using Of = FmuVariable::Of;

/// [of a time] Sums of steps differ by as much.
constexpr double same_time = 1e-9;

}  // namespace

template <class A>
static void fields(A& a, InputHistory::Given& x) {
  a(x.t, x.value);
}
template <class A>
static void fields(A& a, InputLine::Memory& x) {
  for (auto& given : x.history.given) a(given);
  bool rate = x.history.rate.has_value();
  double value = x.history.rate.value_or(0);
  a(x.history.count, rate, value, x.course.t0);
  if (rate)
    x.history.rate = value;
  else
    x.history.rate.reset();
  for (double& c : x.course.c) a(c);
}
template <class A>
static void fields(A& a, SavedSimulation& x) {
  a(x.memory, x.inputs, x.parameters, x.calm, x.given);
}

FmuInstance::FmuInstance(FmuData data, std::string token)
    : data_(std::move(data)), token_(std::move(token)) {
  reset();
}

void FmuInstance::reset() {
  simulation_.reset();
  values_.reset();
  places_.assign(data_.variables.size(), {});
  for (std::size_t i = 0; i < places_.size(); ++i) places_[i].value = data_.variables[i].start;
  tolerance_.reset();
  stop_time_.reset();
  start_time_ = 0;
  running_ = stale_ = false;
  events_told_ = 0;
}

std::string FmuInstance::set_up(std::optional<double> tolerance, double start,
                                std::optional<double> stop) {
  if (tolerance && !(*tolerance > 0 && *tolerance < 1))
    return fmt::format("tolerance {}; wanted a number between 0 and 1", format_number(*tolerance));
  if (!std::isfinite(start) || (stop && !(*stop >= start)))
    return fmt::format("start {} and stop {}: wanted finite times, the start before the stop",
                       format_number(start), format_number(stop.value_or(start)));
  tolerance_ = tolerance;
  start_time_ = start;
  stop_time_ = stop;
  return {};
}

ParameterValues FmuInstance::parameters() const {
  ParameterValues out = data_.overrides;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (data_.variables[i].of != Of::parameter || !places_[i].set) continue;
    const auto known =
        std::ranges::find(out, data_.variables[i].name, &ParameterValues::value_type::first);
    if (known != out.end())
      known->second = places_[i].value;
    else
      out.emplace_back(data_.variables[i].name, places_[i].value);
  }
  return out;
}

/// Values that inputs are given before the motion begins are those it begins with.
Model FmuInstance::model_with_inputs() const {
  Model out = data_.model;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (data_.variables[i].of != Of::input || !places_[i].set) continue;
    for (auto& [name, function] : out.functions) {
      auto* map = name == data_.variables[i].name ? std::get_if<FieldMap>(&function.data) : nullptr;
      if (!map) continue;
      std::erase_if(*map, [](const auto& field) { return field.first == "start"; });
      map->emplace_back("start", places_[i].value);
    }
  }
  return out;
}

std::string FmuInstance::begin() {
  if (simulation_ && !stale_) return {};
  SimulateOptions options = data_.options;
  if (tolerance_) {
    options.driver.tolerance = *tolerance_;
    options.relative = options.absolute = 0;
  }
  if (stop_time_) options.t_end = *stop_time_;
  const std::string method = options.method.substr(0, options.method.find('@'));
  if (const Method* m = find_method(method); m && !m->make && !m->integrate)
    return fmt::format(
        "the method '{}' is of SUNDIALS, which FMUs do not carry; take 'radau5' or 'rn4'", method);
  Diagnostics diagnostics;
  simulation_ = Simulation::make(model_with_inputs(), parameters(), options, diagnostics);
  values_.reset();
  events_told_ = 0;
  if (!simulation_) {
    std::string all = format(diagnostics);
    while (!all.empty() && all.back() == '\n') all.pop_back();
    return all;
  }
  if (std::abs(simulation_->time() - start_time_) >
      same_time * std::max(1.0, std::abs(start_time_))) {
    const double own = simulation_->time();
    simulation_.reset();
    return fmt::format("the experiment starts at t = {}; the model begins at t = {}",
                       format_number(start_time_), format_number(own));
  }
  for (std::size_t i = 0; i < places_.size(); ++i) {
    places_[i].column = -1;
    if (data_.variables[i].of != Of::input) continue;
    const auto place = simulation_->find_input(data_.variables[i].name);
    if (!place) return fmt::format("there is no input '{}'", data_.variables[i].name);
    places_[i].index = *place;
  }
  stale_ = false;
  return {};
}

std::string FmuInstance::check(std::span<const unsigned> references, std::size_t values) const {
  if (references.size() != values)
    return fmt::format("{} references and {} values", references.size(), values);
  for (const unsigned r : references)
    if (r >= places_.size())
      return fmt::format("there is no variable with the reference {}; there are {}", r,
                         places_.size());
  return {};
}

std::string FmuInstance::set(std::span<const unsigned> references, std::span<const double> values) {
  if (std::string none = check(references, values.size()); !none.empty()) return none;
  bool tuned = false;
  for (std::size_t i = 0; i < references.size(); ++i) {
    const FmuVariable& v = data_.variables[references[i]];
    if (v.of != Of::input && v.of != Of::parameter)
      return fmt::format("'{}' is neither an input nor a parameter and cannot be set", v.name);
    if (!std::isfinite(values[i]))
      return fmt::format("'{}' = {}; wanted a finite number", v.name, format_number(values[i]));
    tuned = tuned || v.of == Of::parameter;
  }
  std::vector<Place> before;
  if (running_ && tuned) before = places_;
  for (std::size_t i = 0; i < references.size(); ++i) {
    Place& p = places_[references[i]];
    p.set = true;
    p.value = values[i];
    p.slope.reset();
  }
  if (!running_) {
    stale_ = true;
  } else if (tuned) {
    std::string none = change_parameters();
    if (none.empty()) return none;
    places_ = std::move(before);
    return none;
  }
  return {};
}

std::string FmuInstance::change_parameters() {
  std::string none = simulation_->change(parameters());
  values_.reset();
  return none;
}

std::string FmuInstance::set_slopes(std::span<const unsigned> references,
                                    std::span<const double> values) {
  if (std::string none = check(references, values.size()); !none.empty()) return none;
  for (std::size_t i = 0; i < references.size(); ++i) {
    const FmuVariable& v = data_.variables[references[i]];
    if (v.of != Of::input) return fmt::format("'{}' is no input and has no slope", v.name);
    if (!std::isfinite(values[i]))
      return fmt::format("slope of '{}': {}; wanted a finite number", v.name,
                         format_number(values[i]));
  }
  for (std::size_t i = 0; i < references.size(); ++i) {
    places_[references[i]].set = true;
    places_[references[i]].slope = values[i];
  }
  return {};
}

std::string FmuInstance::get(std::span<const unsigned> references, std::span<double> values) {
  if (std::string none = check(references, values.size()); !none.empty()) return none;
  bool columns = false;
  for (const unsigned r : references) {
    if (data_.variables[r].of != Of::column) continue;
    columns = true;
    if (!simulation_ || (stale_ && !running_))
      if (std::string none = begin(); !none.empty()) return none;
    if (places_[r].column >= 0) continue;
    const auto column = simulation_->find(data_.variables[r].name);
    if (!column) return fmt::format("'{}' is not known", data_.variables[r].name);
    places_[r].column = *column;
    values_.reset();
  }
  if (columns && !values_) values_ = simulation_->values();
  for (std::size_t i = 0; i < references.size(); ++i) {
    const Place& p = places_[references[i]];
    switch (data_.variables[references[i]].of) {
      case Of::time:
        values[i] = time();
        break;
      case Of::input:
      case Of::parameter:
        values[i] = p.value;
        break;
      case Of::column:
        values[i] = (*values_)[static_cast<std::size_t>(p.column)];
        break;
    }
  }
  return {};
}

/// Of inputs that were set since the last step.
std::string FmuInstance::give_inputs() {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Place& p = places_[i];
    if (data_.variables[i].of != Of::input || !p.set) continue;
    if (std::string none = simulation_->set(p.index, p.value, p.slope); !none.empty()) return none;
    p.set = false;
    p.slope.reset();
  }
  return {};
}

FmuStep FmuInstance::step_to(double t) {
  using End = FmuStep::End;
  if (std::string none = give_inputs(); !none.empty()) return {End::failed, time(), none};
  values_.reset();
  std::string none = simulation_->step_to(std::max(t, simulation_->time()));
  if (none.empty()) return {End::reached, time(), {}};
  const bool stopped = simulation_->report().driver.reason == Reason::stopped;
  return {stopped ? End::stopped : End::failed, time(), std::move(none)};
}

std::vector<SimulationEvent> FmuInstance::new_events() {
  std::vector<SimulationEvent> all = simulation_->events();
  const std::size_t told = std::min(std::exchange(events_told_, all.size()), all.size());
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(told));
  return all;
}

std::string FmuInstance::save(std::string& out) {
  ArchiveWriter writer;
  std::vector<double> values;
  std::vector<int> marks;  // set, and a slope
  for (const Place& p : places_) {
    values.push_back(p.value);
    values.push_back(p.slope.value_or(0));
    marks.push_back((p.set ? 1 : 0) + (p.slope ? 2 : 0));
  }
  bool begun = simulation_ && !stale_, tolerance = tolerance_.has_value(),
       stop = stop_time_.has_value();
  double tolerance_value = tolerance_.value_or(0), stop_value = stop_time_.value_or(0);
  writer(token_, values, marks, tolerance, tolerance_value, stop, stop_value, start_time_, running_,
         begun, events_told_);
  if (begun) {
    SavedSimulation saved;
    if (std::string none = simulation_->save(saved); !none.empty()) return none;
    values_.reset();
    fields(writer, saved);
  }
  out = writer.take();
  return {};
}

std::string FmuInstance::restore(std::string_view saved) {
  ArchiveReader head(saved);
  const std::string wrong = "what was saved is not of this model, or was changed or cut";
  std::string token;
  std::vector<double> values;
  std::vector<int> marks;
  bool tolerance = false, stop = false, running = false, begun = false;
  double tolerance_value = 0, stop_value = 0, start = 0;
  std::size_t told = 0;
  head(token, values, marks, tolerance, tolerance_value, stop, stop_value, start, running, begun,
       told);
  const std::size_t n = places_.size();
  if (!head.good() || token != token_ || marks.size() != n || values.size() != 2 * n ||
      (running && !begun))
    return wrong;
  FmuInstance next(data_, token_);
  for (std::size_t i = 0; i < n; ++i) {
    Place& p = next.places_[i];
    p.value = values[2 * i];
    p.set = (marks[i] & 1) != 0;
    if ((marks[i] & 2) != 0) p.slope = values[2 * i + 1];
  }
  if (tolerance) next.tolerance_ = tolerance_value;
  if (stop) next.stop_time_ = stop_value;
  next.start_time_ = start;
  if (!begun) {
    *this = std::move(next);
    return {};
  }
  // The simulation there is goes back, if it is one with the same options.
  if (simulation_ && !simulation_->ended() && tolerance_ == next.tolerance_ &&
      stop_time_ == next.stop_time_ && start_time_ == next.start_time_) {
    next.simulation_ = std::move(simulation_);
    for (std::size_t i = 0; i < n; ++i) {
      next.places_[i].index = places_[i].index;
      next.places_[i].column = places_[i].column;
    }
  } else {
    const std::vector<Place> given = next.places_;
    if (std::string none = next.begin(); !none.empty()) return none;
    for (std::size_t i = 0; i < n; ++i) next.places_[i].set = given[i].set;
  }
  SavedSimulation memory;
  std::string none = next.simulation_->save(memory);
  if (none.empty()) {
    fields(head, memory);
    if (!head.complete()) none = wrong;
  }
  if (none.empty()) {
    memory.memory.report.driver.reason = Reason::paused;
    none = next.simulation_->restore(memory);
  }
  next.running_ = running;
  next.events_told_ = told;
  *this = std::move(next);
  return none;
}

}  // namespace kardan
