#include "kardan/run/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kardan/base/text.h"
#include "kardan/run/channels.h"
#include "kardan/run/prescribed.h"
#include "kardan/run/ranges.h"

namespace kardan {
namespace {

/// Calls without a change of inputs after which steps run ahead again. An input that has changed
/// will change again, and steps that are taken back are lost.
constexpr int calm_again = 3;
/// [scaled] Constraints that other parameters leave as open as this hold: rounding.
constexpr double still_closed = 1e-8;

}  // namespace

Simulation::Simulation(SimulationSource source, const ParameterValues& parameters,
                       const SimulateOptions& options)
    : source_(std::move(source)), parameters_(parameters), options_(options), calm_(calm_again) {}

std::unique_ptr<Simulation> Simulation::make(const Model& model, const ParameterValues& parameters,
                                             const SimulateOptions& options,
                                             Diagnostics& diagnostics, const Catalog& catalog) {
  const auto prepare = [model, &catalog](const ParameterValues& values, Diagnostics& found) {
    return kardan::prepare(model, values, found, catalog);
  };
  return make({prepare, model.functions}, parameters, options, diagnostics);
}

std::unique_ptr<Simulation> Simulation::make(SimulationSource source,
                                             const ParameterValues& parameters,
                                             const SimulateOptions& options,
                                             Diagnostics& diagnostics) {
  std::unique_ptr<Simulation> out(new Simulation(std::move(source), parameters, options));
  if (!out->prepare(diagnostics) || !out->choose(diagnostics)) return nullptr;
  out->memory_ = out->fresh_;
  if (out->begin()) return out;
  diagnostics.error("simulation.start", out->why());
  return nullptr;
}

/// The system for the parameters, at its start.
bool Simulation::prepare(Diagnostics& diagnostics) {
  Prepared next = source_.prepare(parameters_, diagnostics);
  if (!next.system || diagnostics.has_errors()) return false;
  const AssemblyReport& assembled = next.start.report;
  if (assembled.status != Eval::ok) {
    diagnostics.error("simulation.start", assembled.message, {}, assembled.advice);
    return false;
  }
  run_.reset();
  columns_.reset();
  prepared_ = std::move(next);
  columns_ = std::make_unique<ChosenColumns>(*prepared_.system);
  for (const std::string& name : columns_found_) (void)columns_->add(name);
  find_inputs();
  if (prepared_.system->varies() && !inputs_.empty()) {
    diagnostics.error("simulation.variants",
                      fmt::format("events set parameters, and '{}' is an input", inputs_[0].name),
                      {}, "do one of both: change parameters between steps instead");
    return false;
  }
  return true;
}

void Simulation::find_inputs() {
  inputs_.clear();
  lines_.clear();
  for (const ModelInput& input : model_inputs(system(), source_.functions)) {
    inputs_.push_back(input.info);
    lines_.emplace_back(input.course, input.info.mode);
  }
}

/// Method, formulation and options, checked as those of a run are.
bool Simulation::choose(Diagnostics& diagnostics) {
  const double t = prepared_.start.state.t;
  check_ranges(options_, t, {}, diagnostics);
  if (options_.error_estimate > 0 || options_.accuracy > 0)
    diagnostics.error("simulation.option", "the global error is not estimated step by step", {},
                      "leave out error_estimate and accuracy");
  if (options_.checkpoint_every > 0)
    diagnostics.error("simulation.option", "checkpoint_every has no meaning step by step", {},
                      "save the simulation where you like");
  if (diagnostics.has_errors()) return false;
  RunReport& report = fresh_.report;
  AutomaticChoice automatic;
  const SimulateOptions asked = options_;
  options_ = settle_method(system(), prepared_.start.state, asked, nullptr, automatic, diagnostics);
  if (diagnostics.has_errors()) return false;
  choice_ = choose_method(options_.method, diagnostics);
  if (!choice_.formulation) return false;
  if (choice_.formulation->refuse) choice_.formulation->refuse(system(), diagnostics);
  check_options(choice_, options_.options, diagnostics);
  refuse_kinks(system(), t, std::max(t, options_.t_end), diagnostics);
  if (diagnostics.has_errors()) return false;
  describe(system(), choice_, options_, report);
  report.asked = asked;
  report.automatic = std::move(automatic);
  report.start = prepared_.start.report.changes;
  refuse_missing_derivatives(*choice_.method, report);
  if (report.driver.reason == Reason::refused) {
    diagnostics.error("simulation.method", report.driver.message, {}, report.driver.advice);
    return false;
  }
  const auto problem = choice_.formulation->make(system(), report.formulation_options);
  (void)find_scale(system(), *problem, options_, diagnostics);
  return !diagnostics.has_errors();
}

bool Simulation::begin() {
  run_.reset();
  run_ = std::make_unique<SteppedRun>(prepared_, choice_, options_, memory_);
  return run_->begin();
}

std::string Simulation::why() const {
  const DriverReport report = run_->report().driver;
  return report.advice.empty() ? report.message : report.message + "; " + report.advice;
}

std::optional<int> Simulation::find_input(std::string_view name) const {
  const auto found = std::ranges::find(inputs_, name, &InputInfo::name);
  if (found == inputs_.end()) return std::nullopt;
  return static_cast<int>(found - inputs_.begin());
}

std::optional<int> Simulation::find(std::string_view column) {
  const auto place = columns_->add(column);
  if (!place) return std::nullopt;
  if (*place == columns_found_.size()) columns_found_.emplace_back(column);
  return static_cast<int>(*place);
}

std::span<const double> Simulation::values() {
  return columns_->read(run_->seen());
}

double Simulation::input(int input) const {
  return lines_[static_cast<std::size_t>(input)].at(time());
}

std::string Simulation::set(int input, double value, std::optional<double> rate) {
  const auto place = static_cast<std::size_t>(input);
  if (input < 0 || place >= lines_.size())
    return fmt::format("there is no input {}; there are {}", input, lines_.size());
  if (!std::isfinite(value) || (rate && !std::isfinite(*rate)))
    return fmt::format("input '{}': got {}; wanted a finite number", inputs_[place].name,
                       format_number(std::isfinite(value) ? *rate : value));
  lines_[place].give(time(), value, rate);
  given_ = true;
  return {};
}

/// What was set becomes part of the motion.
std::string Simulation::use_inputs() {
  using Change = Integration::Change;
  if (std::exchange(given_, false)) {
    Change change = Change::none;
    for (const InputLine& line : lines_) change = std::max(change, line.change(time()));
    if (change != Change::none) {
      calm_ = 0;
      if (!run_->halt()) return why();
      before_.clear();
      for (const InputLine& line : lines_) before_.push_back(line.memory());
      for (InputLine& line : lines_)
        if (line.change(time()) != Change::none) line.follow();
      std::string none = run_->resume(change);
      if (none.empty() || ended()) return none;
      for (std::size_t i = 0; i < lines_.size(); ++i) {
        lines_[i].recall(before_[i]);
        lines_[i].take_back();
      }
      (void)run_->resume(Change::none);
      return none;
    }
  }
  calm_ = std::min(calm_ + 1, calm_again);
  return {};
}

std::string Simulation::step_to(double t) {
  if (ended()) return "the simulation has ended: " + why();
  if (!std::isfinite(t) || t < time())
    return fmt::format("step_to({}): wanted a time not before t = {}", format_number(t),
                       format_number(time()));
  if (t == time()) return {};
  if (std::string none = use_inputs(); !none.empty()) return none;
  return run_->go(t, calm_ < calm_again ? Ahead::bounded : Ahead::free) ? std::string() : why();
}

std::vector<SimulationEvent> Simulation::events() const {
  std::vector<SimulationEvent> out;
  for (const EventRecord& e : run_->events())
    out.push_back({e.t, system().event_names()[static_cast<std::size_t>(e.event)], e.direction});
  return out;
}

std::string Simulation::save(SavedSimulation& out) {
  if (ended()) return "the simulation has ended: " + why();
  if (!run_->pause(out.memory)) return why();
  out.inputs.clear();
  for (const InputLine& line : lines_) out.inputs.push_back(line.memory());
  out.parameters = parameters_;
  out.calm = calm_;
  out.given = given_;
  return {};
}

std::string Simulation::restore(const SavedSimulation& saved) {
  if (saved.parameters != parameters_) {
    Diagnostics diagnostics;
    const ParameterValues before = std::exchange(parameters_, saved.parameters);
    if (!prepare(diagnostics)) {
      parameters_ = before;
      Diagnostics unused;
      if (!run_) (void)(prepare(unused) && begin());
      return format(diagnostics);
    }
  }
  if (saved.inputs.size() != lines_.size() || !fits(system(), saved.memory))
    return "what was saved is not of this model";
  for (std::size_t i = 0; i < lines_.size(); ++i) lines_[i].recall(saved.inputs[i]);
  memory_ = saved.memory;
  calm_ = saved.calm;
  given_ = saved.given;
  return begin() ? std::string() : why();
}

std::string Simulation::change(const ParameterValues& parameters) {
  SavedSimulation now;
  if (std::string none = save(now); !none.empty()) return none;
  SavedSimulation next = now;
  for (const auto& [name, value] : parameters) {
    const auto known =
        std::ranges::find(next.parameters, name, &ParameterValues::value_type::first);
    if (known != next.parameters.end())
      known->second = value;
    else
      next.parameters.emplace_back(name, value);
  }
  std::string none = restore(next);
  if (none.empty()) {
    const auto ws = system().make_workspace();
    const Residuals r = constraint_residuals(system(), *run_->seen().state, {}, *ws);
    if (r.position <= still_closed && r.velocity <= still_closed) return {};
    none = fmt::format("with these parameters the constraints do not hold here: residual {:.2g}",
                       std::max(r.position, r.velocity));
  }
  (void)restore(now);
  return none;
}

std::string Simulation::reset() {
  for (std::size_t i = 0; i < lines_.size(); ++i)
    lines_[i].recall({{}, {0, {inputs_[i].start, 0, 0, 0}}});
  memory_ = fresh_;
  calm_ = calm_again;
  given_ = false;
  return begin() ? std::string() : why();
}

Linearization Simulation::linearize(ModeShapes shapes, ModesOf of) {
  Linearization out;
  if (run_->holds()) {
    out.status = Eval::recoverable;
    out.message = "a stop is at rest: the motion is not that of the model's equations alone";
    out.advice = "linearize where nothing rests";
    return out;
  }
  State start = std::exchange(prepared_.start.state, *run_->seen().state);
  out = kardan::linearize(prepared_, shapes, of, source_.functions);
  prepared_.start.state = std::move(start);
  return out;
}

}  // namespace kardan
