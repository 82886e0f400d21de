#include "kardan/run/prepare.h"

#include <algorithm>

#include "kardan/formulation/wishes.h"
#include "kardan/run/outputs.h"
#include "kardan/run/result.h"

namespace kardan {

std::unique_ptr<System> compile_model(const Model& model, const ParameterValues& overrides,
                                      Diagnostics& diagnostics) {
  Blueprint blueprint = resolve(model, Catalog::builtin(), overrides, diagnostics);
  if (diagnostics.has_errors()) return nullptr;
  return compile(std::move(blueprint), diagnostics);
}

void find_faults(const Model& model, const ParameterValues& overrides, Diagnostics& diagnostics) {
  Blueprint blueprint = resolve(model, Catalog::builtin(), overrides, diagnostics);
  if (blueprint.equations && diagnostics.has_errors()) return;
  const auto system = compile_draft(std::move(blueprint), diagnostics);
  if (!system) return;
  const Blueprint& b = system->blueprint();
  (void)bind_wishes(b.wishes, *system, diagnostics);
  (void)bind_wishes(b.equilibrium.wishes, *system, diagnostics);
  (void)bind_wishes(b.equilibrium.place, *system, diagnostics);
  (void)chosen_outputs(b, ResultColumns(*system).names(), diagnostics);
}

SystemFactory make_factory(const Model& model, const ParameterValues& overrides,
                           Diagnostics& diagnostics) {
  return [&model, overrides, &diagnostics, first = true](const ParameterValues& more) mutable {
    ParameterValues all = overrides;
    for (const auto& [name, value] : more) {
      const auto old = std::find_if(all.begin(), all.end(),
                                    [&](const auto& item) { return item.first == name; });
      if (old == all.end())
        all.emplace_back(name, value);
      else
        old->second = value;
    }
    // Warnings of the model are told once; a value out of range just makes the trial fail.
    Diagnostics ignored;
    auto system = compile_model(model, all, first ? diagnostics : ignored);
    first = false;
    return system;
  };
}

Prepared prepare(const Model& model, const ParameterValues& overrides, Diagnostics& diagnostics) {
  Prepared out;
  if (model.bodies.empty() && model.equations.fields.empty()) {
    diagnostics.error("model.no_bodies", "the model has no bodies", model.where,
                      "add a section 'bodies' or 'equations'");
    return out;
  }
  if (model.start == "equilibrium") {
    Equilibrium balance =
        find_equilibrium(make_factory(model, overrides, diagnostics), diagnostics);
    if (diagnostics.has_errors()) return out;
    out.system = std::move(balance.system);
    out.start = std::move(balance.start);
    out.solved = std::move(balance.parameters);
    if (balance.report.status != Eval::ok) {
      out.start.report.status = balance.report.status;
      out.start.report.message = balance.report.message;
      out.start.report.advice = balance.report.advice;
    }
    out.equilibrium = std::move(balance.report);
    return out;
  }
  return prepare(compile_model(model, overrides, diagnostics), diagnostics,
                 model.start == "as_given" ? Start::as_given : Start::assembled);
}

Prepared prepare(std::unique_ptr<System> system, Diagnostics& diagnostics, Start start) {
  Prepared out;
  if (!system) return out;
  const auto wishes = bind_wishes(system->blueprint().wishes, *system, diagnostics);
  if (diagnostics.has_errors()) return out;
  out.system = std::move(system);
  out.start = start == Start::as_given ? take_as_given(*out.system, out.system->start(), wishes)
                                       : assemble(*out.system, out.system->start(), wishes);
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
