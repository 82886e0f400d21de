#include <fmt/format.h>

#include <memory>

#include "apps/cli/command.h"
#include "apps/cli/print.h"
#include "kardan/io/simulate_options.h"
#include "kardan/io/start_json.h"
#include "kardan/run/friction_remark.h"
#include "kardan/run/prescribed.h"

namespace kardan::cli {
namespace {

void print_report(const System& system, const CheckReport& r) {
  const ConstraintAnalysis& a = r.analysis;
  print_title(system.blueprint().name);
  if (system.has_bodies())
    fmt::print("{:<22}{} ({})\n", "bodies", r.bodies,
               system.dimension() == 2 ? "planar" : "spatial");
  else
    fmt::print("{:<22}written by the user{}\n", "equations",
               system.exact_derivatives() ? "" : ", with differences for derivatives");
  fmt::print("{:<22}{} positions, {} velocities\n", "coordinates", r.sizes.p, r.sizes.v);
  fmt::print("{:<22}{}{}\n", "constraint equations", r.sizes.constraints(),
             r.sizes.mu > 0 ? fmt::format(", {} of them nonholonomic", r.sizes.mu) : "");
  fmt::print("{:<22}{} (tolerance {:.0e} on unit rows; condition {:.3g})\n", "rank", a.rank,
             rank_tolerance, a.condition);
  fmt::print("{:<22}{}{}\n", "degrees of freedom", a.degrees_of_freedom,
             r.sizes.mu > 0
                 ? fmt::format(" (of {} free directions of position)", r.sizes.v - a.position_rank)
                 : "");
  if (a.redundant.empty()) {
    fmt::print("{:<22}none\n", "redundant");
  } else {
    fmt::print("{:<22}{}\n", "redundant",
               counted(static_cast<int>(a.redundant.size()), "equation", "equations"));
    for (const RedundantSet& set : a.redundant) fmt::print("  {}\n", set.text);
  }
  for (const Conflict& c : r.assembly.conflicts) {
    fmt::print("contradictory at {} level, {:.3g} remains:\n", c.level, c.size);
    for (const std::string& m : c.members) fmt::print("  {}\n", m);
  }
  for (const std::string& note : a.notes) fmt::print("note: {}\n", note);
  for (const std::string& b : a.massless)
    fmt::print("note: '{}' has no mass or inertia in some direction\n", b);
  for (const std::string& b : a.unused) fmt::print("note: nothing is attached to '{}'\n", b);
  for (const std::string& remark : system.remarks()) fmt::print("note: {}\n", remark);
  print_given(r.given);
  print_changes(r.assembly.changes);
  print_residuals(r.assembly.status == Eval::ok ? "consistent start" : "best reached",
                  r.assembly.reached);
  if (r.energy.known)
    fmt::print("{:<22}kinetic {:.10g} J, potential {:.10g} J\n", "energy", r.energy.kinetic,
               r.energy.potential);
  else
    fmt::print("{:<22}not known: the equations give none\n", "energy");
  int shared = 0;
  for (const Reaction& x : r.reactions) shared += !x.unique;
  if (!r.reactions.empty())
    fmt::print("{:<22}{} unique{}\n", "reactions", r.reactions.size() - shared,
               shared > 0 ? fmt::format(", {} not (redundant joints share them)", shared) : "");
}

}  // namespace

static int check(const ModelOptions& options) {
  const auto overrides = parse_overrides(options);
  if (!overrides) return bad_input;
  auto loaded = load(options, *overrides);
  if (!loaded) return bad_input;
  Diagnostics diagnostics;
  Prepared prepared = prepare(loaded->model, *overrides, std::move(loaded->system), diagnostics);
  warn_of_friction(prepared);
  if (prepared.system) {
    // Over the run that the file asks for.
    SimulateOptions run;
    Diagnostics unused;
    read_simulate_options(loaded->model.simulate, prepared.system->blueprint().parameters,
                          MethodChoice::of_the_file, run, unused);
    refuse_kinks(*prepared.system, prepared.start.state.t, run.t_end, diagnostics);
  }
  if (diagnostics.has_errors() || !prepared.system) {
    print_faults(diagnostics);
    return bad_input;
  }
  loaded.reset();  // the system is made: its description takes as much room
  const CheckReport report = check_start(prepared);
  const System& system = *prepared.system;
  if (options.json)
    print_json(to_json(system, report));
  else if (!options.quiet)
    print_report(system, report);
  if (report.assembly.status != Eval::ok) {
    fmt::print(stderr, "kardan: {}\n        {}\n", report.assembly.message, report.assembly.advice);
    return failed;
  }
  return finished;
}

Verb check_verb() {
  auto o = std::make_shared<ModelOptions>();
  return {"check", "degrees of freedom, redundant or contradictory constraints, consistency",
          model_arguments(*o), [o] { return check(*o); }};
}

}  // namespace kardan::cli
