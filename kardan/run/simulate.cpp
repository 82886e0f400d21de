#include "kardan/run/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "kardan/base/text.h"

namespace kardan {
namespace {

/// Three-point Gauss on [0, 1]: order 6, above that of every method.
constexpr double gauss_node[3] = {0.11270166537925831, 0.5, 0.88729833462074169};
constexpr double gauss_weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};

/// Watches a run: residuals at three levels, work against energy, the output grid.
class Monitor {
 public:
  Monitor(const System& system, const State& start, const SimulateOptions& options,
          const GridSink& grid, RunReport& report)
      : system_(system),
        options_(options),
        grid_(grid),
        report_(report),
        ws_(system.make_workspace()),
        accel_(system.sizes().constraints()) {
    const Energy e = system.energy(start, *ws_);
    report.energy.initial = report.energy.final = e.kinetic + e.potential;
    if (grid && options.every > 0) grid({&start});
    next_ = start.t + options.every;
  }

  void observe(const StepView& step) {
    work(step);
    const State& s = *step.state;
    const Energy e = system_.energy(s, *ws_);
    EnergyBalance& b = report_.energy;
    b.final = e.kinetic + e.potential;
    b.balance_error = std::max(b.balance_error, std::abs(b.final - b.initial - b.work));
    residuals(s);
    if (!grid_ || options_.every <= 0) return;
    // The grid is filled from dense output; steps are never shortened for it.
    const double slack = 1e-9 * options_.every;
    for (; next_ <= step.t + slack; next_ += options_.every) {
      const double theta = (next_ - (step.t - step.h)) / step.h;
      if (theta >= 1 - 1e-12) {
        grid_({&s});
        continue;
      }
      step.dense->at(theta, point_);
      if (step.problem->state_at(point_, ChartProblem::Consistency::projected, inside_) == Eval::ok)
        grid_({&inside_});
    }
  }

 private:
  void work(const StepView& step) {
    for (int k = 0; k < 3; ++k) {
      step.dense->at(gauss_node[k], point_);
      if (step.problem->state_at(point_, ChartProblem::Consistency::as_interpolated, inside_) !=
          Eval::ok)
        return;
      report_.energy.work += gauss_weight[k] * step.h * system_.energy(inside_, *ws_).applied_power;
    }
  }

  void residuals(const State& s) {
    if (system_.evaluate(s, {true, true, false, false}, *ws_) != Eval::ok) return;
    for (int i = 0; i < system_.sizes().constraints(); ++i) {
      Residuals& r = report_.residuals;
      r.position = std::max(r.position, std::abs(scaled_residual(system_, i, 0, ws_->g[i])));
      r.velocity = std::max(r.velocity, std::abs(scaled_residual(system_, i, 1, ws_->rate[i])));
    }
  }

  const System& system_;
  const SimulateOptions& options_;
  const GridSink& grid_;
  RunReport& report_;
  std::unique_ptr<Workspace> ws_;
  Vector accel_;
  ChartPoint point_;
  State inside_;
  double next_ = 0;
};

/// Places of the variables a name stands for.
struct Places {
  std::vector<int> position, velocity, first;
  bool empty() const { return position.empty() && velocity.empty() && first.empty(); }
};

Places find_places(const System& system, const std::string& name) {
  Places out;
  for (std::size_t b = 1; b < system.bodies().size(); ++b) {
    if (system.blueprint().bodies[b].name != name) continue;
    for (int k = 0; k < system.bodies()[b].v_count; ++k) {
      out.position.push_back(system.bodies()[b].v + k);
      out.velocity.push_back(system.bodies()[b].v + k);
    }
    return out;
  }
  const auto quantity = system.find_quantity(name);
  if (!quantity) return out;
  const BodyLayout& body = system.bodies()[quantity->body];
  const int k = quantity->index;
  switch (quantity->kind) {
    case Quantity::Kind::position:
      // Components of a quaternion stand for the turn as a whole.
      for (int c = k < 3 ? k : 3; c <= (k < 3 ? k : 5); ++c) out.position.push_back(body.v + c);
      break;
    case Quantity::Kind::velocity:
      out.velocity.push_back(body.v + k);
      break;
    case Quantity::Kind::state:
      out.first.push_back(k);
      break;
    default:
      break;
  }
  return out;
}

/// Tolerances of every variable, where they are not simply those of the problem.
std::optional<ErrorScale> find_scale(const System& system, const ChartProblem& problem,
                                     const SimulateOptions& options, Diagnostics& diagnostics) {
  if (options.relative <= 0 && options.absolute <= 0 && options.tolerance_of.empty())
    return std::nullopt;
  const double tolerance = options.driver.tolerance;
  ErrorScale s = problem.default_scale(options.absolute > 0 ? options.absolute : tolerance);
  s.relative = options.relative > 0 ? options.relative : tolerance;
  s.relative_position.assign(s.position.size(), s.relative);
  s.relative_velocity.assign(s.velocity.size(), s.relative);
  s.relative_first.assign(s.first.size(), s.relative);
  for (const VariableTolerance& t : options.tolerance_of) {
    const Places at = find_places(system, t.name);
    if (at.empty()) {
      std::vector<std::string> names = system.quantity_names();
      for (const BodyData& b : system.blueprint().bodies) names.push_back(b.name);
      const std::string near = did_you_mean(t.name, names);
      diagnostics.error("tolerance.name",
                        fmt::format("tolerance of '{}': there is no such variable", t.name), {},
                        near.empty() ? "name a body, a coordinate, a velocity or a dynamic variable"
                                     : "did you mean '" + near + "'?");
    }
    if (!(t.value > 0))
      diagnostics.error("tolerance.range", fmt::format("tolerance of '{}' = {}; wanted > 0", t.name,
                                                       format_number(t.value)));
    for (int j : at.position) s.position[j] = s.relative_position[j] = t.value;
    for (int j : at.velocity) s.velocity[j] = s.relative_velocity[j] = t.value;
    for (int j : at.first) s.first[j] = s.relative_first[j] = t.value;
  }
  return s;
}

/// The nearest name of a catalog, or all of them.
template <class Entry>
std::string suggest(const std::string& name, const std::vector<Entry>& known) {
  std::vector<std::string> names;
  for (const Entry& e : known) names.emplace_back(e.name);
  const std::string near = did_you_mean(name, names);
  return near.empty() ? fmt::format("there are: {}", fmt::join(names, ", "))
                      : fmt::format("did you mean '{}'?", near);
}

/// Options that neither the method nor the formulation has, and values they cannot take.
void check_options(const Choice& choice, const OptionValues& given, Diagnostics& diagnostics) {
  std::vector<OptionInfo> declared = choice.method->options;
  declared.insert(declared.end(), choice.formulation->options.begin(),
                  choice.formulation->options.end());
  for (const auto& [name, value] : given) {
    const auto info = std::find_if(declared.begin(), declared.end(),
                                   [&](const OptionInfo& o) { return o.name == name; });
    if (info != declared.end())
      check_option(*info, value, diagnostics);
    else
      diagnostics.error("option.unknown", fmt::format("there is no option '{}'", name), {},
                        suggest(name, declared));
  }
}

/// Events of elements count both ways; those of `when` as they say.
std::vector<EventRule> event_rules(const System& system) {
  std::vector<EventRule> rules;
  for (const std::string& name : system.event_names()) rules.push_back({0, false, name});
  const std::vector<EventData>& asked = system.blueprint().events;
  const std::size_t first = rules.size() - asked.size();
  for (std::size_t i = 0; i < asked.size(); ++i) {
    rules[first + i].direction = asked[i].direction;
    rules[first + i].stop = asked[i].action == EventAction::stop;
  }
  return rules;
}

}  // namespace

Choice choose_method(const std::string& name, Diagnostics& diagnostics) {
  const std::size_t at = name.find('@');
  const std::string method_name = name.substr(0, at);
  Choice out{find_method(method_name), nullptr};
  if (!out.method) {
    diagnostics.error("method.unknown", fmt::format("there is no method '{}'", method_name), {},
                      suggest(method_name, methods()));
    return out;
  }
  const std::string formulation_name =
      at == std::string::npos ? std::string(out.method->formulation) : name.substr(at + 1);
  const Formulation* formulation = find_formulation(formulation_name);
  if (!formulation) {
    diagnostics.error("formulation.unknown",
                      fmt::format("there is no formulation '{}'", formulation_name), {},
                      suggest(formulation_name, formulations()));
  } else if (formulation->problem != out.method->problem) {
    diagnostics.error(
        "method.formulation",
        fmt::format("'{}' gives problems of kind '{}'; '{}' wants '{}'", formulation_name,
                    to_string(formulation->problem), method_name, to_string(out.method->problem)),
        {}, fmt::format("leave it out: '{}' then uses '{}'", method_name, out.method->formulation));
  } else {
    out.formulation = formulation;
  }
  return out;
}

RunReport simulate(Prepared& prepared, const SimulateOptions& options, const GridSink& grid,
                   const StepLog& log, Diagnostics& diagnostics) {
  RunReport report;
  const Choice choice = choose_method(options.method, diagnostics);
  if (!choice.formulation) return report;
  if (choice.formulation->refuse) choice.formulation->refuse(*prepared.system, diagnostics);
  check_options(choice, options.options, diagnostics);
  if (diagnostics.has_errors()) return report;
  report.method = choice.method->name;
  report.formulation = choice.formulation->name;
  report.tolerance = options.driver.tolerance;
  const auto made = choice.formulation->make(
      *prepared.system, complete_options(choice.formulation->options, options.options));
  ChartProblem& problem = *made;
  DriverOptions driver = options.driver;
  driver.method_options = options.options;
  driver.events = event_rules(*prepared.system);
  if (!driver.scale) driver.scale = find_scale(*prepared.system, problem, options, diagnostics);
  if (diagnostics.has_errors()) return report;
  State& state = prepared.start.state;
  Monitor monitor(*prepared.system, state, options, grid, report);
  const std::clock_t begin = std::clock();
  report.driver =
      integrate(problem, *choice.method, state, options.t_end, driver, [&](const StepView& step) {
        monitor.observe(step);
        if (log) log(step.t, step.h, step.error);
        return std::string();
      });
  report.cpu_seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  report.partitions = problem.partitions();
  const Reason reason = report.driver.reason;
  if (reason != Reason::evaluation_failed && reason != Reason::refused) {
    prepared.start.a = problem.accelerations();
    prepared.start.lambda = problem.multipliers();
    const auto ws = prepared.system->make_workspace();
    const Residuals end = constraint_residuals(*prepared.system, state, prepared.start.a, *ws);
    report.residuals.acceleration = end.acceleration;
  }
  return report;
}

}  // namespace kardan
