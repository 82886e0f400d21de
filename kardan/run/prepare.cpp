#include "kardan/run/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kardan/formulation/balance_slopes.h"
#include "kardan/formulation/wishes.h"
#include "kardan/run/outputs.h"
#include "kardan/run/result.h"

namespace kardan {

std::unique_ptr<System> compile_model(const Model& model, const ParameterValues& overrides,
                                      Diagnostics& diagnostics, const Catalog& catalog) {
  Blueprint blueprint = resolve(model, catalog, overrides, diagnostics);
  if (diagnostics.has_errors()) return nullptr;
  return compile(std::move(blueprint), diagnostics);
}

std::unique_ptr<System> find_faults(const Model& model, const ParameterValues& overrides,
                                    Diagnostics& diagnostics, const Catalog& catalog) {
  Blueprint blueprint = resolve(model, catalog, overrides, diagnostics);
  if (blueprint.equations && diagnostics.has_errors()) return nullptr;
  auto system = compile_draft(std::move(blueprint), diagnostics);
  if (!system) return nullptr;
  const Blueprint& b = system->blueprint();
  (void)bind_wishes(b.wishes, *system, diagnostics);
  (void)bind_wishes(b.equilibrium.wishes, *system, diagnostics);
  (void)bind_wishes(b.equilibrium.place, *system, diagnostics);
  (void)chosen_outputs(b, ResultColumns(*system).names(), diagnostics);
  return diagnostics.has_errors() ? nullptr : std::move(system);
}

SystemFactory make_factory(const ResolvedModel& resolved, Diagnostics& diagnostics,
                           std::unique_ptr<System> compiled) {
  auto made = std::make_shared<std::unique_ptr<System>>(std::move(compiled));
  return [&, made, first = true](const ParameterValues& more) mutable {
    if (*made && more.empty()) {
      first = false;
      return std::move(*made);
    }
    // Warnings of the model are reported once; a value out of range just makes the trial fail.
    Diagnostics discarded;
    Diagnostics& heard = first ? diagnostics : discarded;
    first = false;
    if (more.empty())
      return resolved.sound() ? compile(Blueprint(resolved.blueprint()), heard) : nullptr;
    ResolvedModel other = resolved.with(more, heard);
    return other.sound() ? compile(std::move(other).blueprint(), heard) : nullptr;
  };
}

namespace {

/// What the events of a model can set, one after the other, ends in no more combinations than this.
constexpr std::size_t most_variants = 64;

/// The system for all values of parameters its events can set; null after reporting an error.
std::unique_ptr<System> with_variants(const Model& model, const ParameterValues& overrides,
                                      std::unique_ptr<System> system, Diagnostics& diagnostics,
                                      const Catalog& catalog) {
  if (!system) return system;
  const std::vector<EventData> asked = system->blueprint().events;
  if (std::none_of(asked.begin(), asked.end(),
                   [](const EventData& e) { return e.action == EventAction::set; }))
    return system;
  const std::size_t events = system->event_names().size();
  const auto first = static_cast<std::size_t>(system->asked_event(0));
  std::vector<ParameterValues> values{{}};  // beyond `overrides`
  Successors next;
  std::vector<std::unique_ptr<System>> variants;
  variants.push_back(std::move(system));
  for (std::size_t k = 0; k < values.size(); ++k) {
    next.emplace_back(events, static_cast<int>(k));
    for (std::size_t e = 0; e < asked.size(); ++e) {
      if (asked[e].action != EventAction::set) continue;
      ParameterValues wanted = changed(values[k], asked[e].set);
      std::sort(wanted.begin(), wanted.end());
      const auto known = std::find(values.begin(), values.end(), wanted);
      next[k][first + e] = static_cast<int>(known - values.begin());
      if (known != values.end()) continue;
      if (values.size() == most_variants) {
        diagnostics.error("event.variants", "events set parameters in too many combinations",
                          asked[e].where, "fewer events that set parameters, or fewer of these");
        return nullptr;
      }
      auto variant = compile_model(model, changed(overrides, wanted), diagnostics, catalog);
      if (!variant) return nullptr;
      if (!same_layout(*variants.front(), *variant)) {
        diagnostics.error("event.variants",
                          asked[e].name + ": the model has other equations after it",
                          asked[e].where, "set parameters that change numbers only");
        return nullptr;
      }
      values.push_back(std::move(wanted));
      variants.push_back(std::move(variant));
    }
  }
  return std::make_unique<System>(std::move(variants), std::move(next));
}

}  // namespace

namespace {

/// Said of mechanisms in which nothing can move, and nothing is moved.
void warn_of_locked(const System& system, ConsistentStart& start) {
  const Sizes sizes = system.sizes();
  const bool may_be = start.report.status == Eval::ok && !system.blueprint().equations &&
                      sizes.v > 0 && sizes.constraints() >= sizes.v;
  if (!may_be || !system.prescribed_motions().empty()) return;
  const auto ws = system.make_workspace();
  const ConstraintAnalysis analysis = analyse(system, start.state, *ws);
  if (analysis.degrees_of_freedom > 0) return;
  std::string redundant;
  for (std::size_t i = 0; i < analysis.redundant.size() && i < 3; ++i)
    redundant += "; redundant: " + analysis.redundant[i].text;
  start.report.changes.warnings.push_back(fmt::format(
      "the mechanism cannot move: joints leave no degree of freedom{} (remove a joint, or take one "
      "that holds less)",
      redundant));
}

}  // namespace

namespace {

Prepared prepare_balanced(const SystemFactory& factory, const BalanceSlopes* begin,
                          BalanceSlopes* found, Diagnostics& diagnostics) {
  Prepared out;
  Equilibrium balance = find_equilibrium(factory, diagnostics, begin, found);
  if (diagnostics.has_errors()) return out;
  out.system = std::move(balance.system);
  out.start = std::move(balance.start);
  out.start.report.changes = {};  // to be moved into balance is what was asked for
  out.solved = std::move(balance.parameters);
  if (balance.report.status != Eval::ok) {
    out.start.report.status = balance.report.status;
    out.start.report.message = balance.report.message;
    out.start.report.advice = balance.report.advice;
  }
  out.equilibrium = std::move(balance.report);
  return out;
}

Prepared prepare_resolved(const ResolvedModel& resolved, std::unique_ptr<System> compiled,
                          const BalanceSlopes* begin, BalanceSlopes* found,
                          Diagnostics& diagnostics) {
  const Model& model = resolved.model();
  ParameterValues values = resolved.overrides();
  if (model.start == "equilibrium") {
    Prepared out = prepare_balanced(make_factory(resolved, diagnostics, std::move(compiled)), begin,
                                    found, diagnostics);
    values = changed(std::move(values), out.solved);
    out.system =
        with_variants(model, values, std::move(out.system), diagnostics, resolved.catalog());
    if (out.system)
      out.start.state.modes.resize(static_cast<std::size_t>(out.system->sizes().modes), 0);
    return out;
  }
  if (!compiled && resolved.sound())
    compiled = compile(Blueprint(resolved.blueprint()), diagnostics);
  return prepare(with_variants(model, values, std::move(compiled), diagnostics, resolved.catalog()),
                 diagnostics, model.start == "as_given" ? Start::as_given : Start::assembled);
}

}  // namespace

Prepared prepare_balanced(const SystemFactory& factory, Diagnostics& diagnostics) {
  return prepare_balanced(factory, nullptr, nullptr, diagnostics);
}

Prepared prepare(const Model& model, const ParameterValues& overrides, Diagnostics& diagnostics,
                 const Catalog& catalog) {
  return prepare(model, overrides, nullptr, diagnostics, catalog);
}

Prepared prepare(const Model& model, const ParameterValues& overrides,
                 std::unique_ptr<System> compiled, Diagnostics& diagnostics,
                 const Catalog& catalog) {
  if (model.bodies.empty() && model.equations.fields.empty()) {
    diagnostics.error("model.no_bodies", "the model has no bodies", model.where,
                      "add a section 'bodies' or 'equations'");
    return {};
  }
  if (model.start == "equilibrium") {
    Diagnostics discarded;  // reported when it was compiled
    const ResolvedModel resolved(model, catalog, overrides, compiled ? discarded : diagnostics);
    return prepare(resolved, std::move(compiled), diagnostics);
  }
  if (!compiled) compiled = compile_model(model, overrides, diagnostics, catalog);
  return prepare(with_variants(model, overrides, std::move(compiled), diagnostics, catalog),
                 diagnostics, model.start == "as_given" ? Start::as_given : Start::assembled);
}

Prepared prepare(const ResolvedModel& resolved, std::unique_ptr<System> compiled,
                 Diagnostics& diagnostics) {
  return prepare_resolved(resolved, std::move(compiled), nullptr, nullptr, diagnostics);
}

ModelSeries::ModelSeries(Model model, ParameterValues overrides, const Catalog& catalog)
    : model_(std::move(model)),
      resolved_(model_, catalog, std::move(overrides), faults_),
      slopes_(std::make_unique<BalanceSlopes>()) {
  if (!resolved_.sound() || model_.start != "equilibrium") return;
  Diagnostics discarded;
  (void)prepare_resolved(resolved_, nullptr, nullptr, slopes_.get(), discarded);
}

ModelSeries::~ModelSeries() = default;

Prepared ModelSeries::prepare(const ParameterValues& more, Diagnostics& diagnostics) const {
  const ResolvedModel resolved = resolved_.with(more, diagnostics);
  if (!resolved.sound()) return {};
  return prepare_resolved(resolved, nullptr, slopes_.get(), nullptr, diagnostics);
}

Prepared prepare(std::unique_ptr<System> system, Diagnostics& diagnostics, Start start) {
  Prepared out;
  if (!system) return out;
  const auto wishes = bind_wishes(system->blueprint().wishes, *system, diagnostics);
  if (diagnostics.has_errors()) return out;
  out.system = std::move(system);
  out.start = start == Start::as_given ? take_as_given(*out.system, out.system->start(), wishes)
                                       : assemble(*out.system, out.system->start(), wishes);
  warn_of_locked(*out.system, out.start);
  return out;
}

CheckReport check_start(const Prepared& prepared) {
  const System& system = *prepared.system;
  const ConsistentStart& start = prepared.start;
  CheckReport report;
  report.bodies = static_cast<int>(system.bodies().size()) - 1;
  report.sizes = system.sizes();
  const auto ws = system.make_workspace();
  report.assembly = start.report;
  report.given = constraint_residuals(system, system.start(), {}, *ws);
  report.analysis = analyse(system, start.state, *ws);
  report.energy = system.energy(start.state, *ws);
  if (start.report.status == Eval::ok)
    report.reactions = reactions(system, start.state, start.lambda, report.analysis, *ws);
  return report;
}

}  // namespace kardan
