#include <fmt/format.h>

#include <memory>

#include "apps/cli/command.h"
#include "apps/cli/print.h"
#include "kardan/io/start_json.h"
#include "kardan/run/friction_remark.h"
#include "kardan/run/stability.h"

namespace kardan::cli {
namespace {

void print_stability(const StabilityReport& s) {
  const std::string text =
      s.kind == Stability::stable     ? "stable: every small motion dies out"
      : s.kind == Stability::undamped ? "no small motion grows, but some do not die out"
      : s.kind == Stability::unstable
          ? fmt::format("NOT stable: a small motion of {} grows e-fold in {:.3g} s", s.moves,
                        1 / s.growth)
          : "not known: " + s.why;
  fmt::print("{:<22}{}\n", "stability", text);
}

void print_prepared(const Prepared& p, const StabilityReport& stability) {
  const AssemblyReport& r = p.start.report;
  print_title(p.system->blueprint().name);
  if (p.equilibrium) {
    const EquilibriumReport& e = *p.equilibrium;
    fmt::print("{:<22}{} in {}{}\n", "balance", e.status == Eval::ok ? "found" : "NOT found",
               counted(e.iterations, "iteration", "iterations"),
               e.relaxed ? ", by damped relaxation" : "");
    fmt::print("{:<22}{:.2e} (largest of all bodies)\n", "acceleration left",
               e.largest_acceleration);
    if (e.status == Eval::ok) print_stability(stability);
    for (const auto& [name, value] : p.solved) fmt::print("  found {:<35} {:.15g}\n", name, value);
    print_wishes(e.wishes);
    for (const ForceImbalance& f : e.imbalance)
      fmt::print("  on '{}' remain {:.4g} N and {:.4g} N m\n", f.body, f.force, f.torque);
  } else {
    fmt::print("{:<22}{} in {}{}\n", "assembled", r.status == Eval::ok ? "yes" : "NO",
               counted(r.iterations, "iteration", "iterations"),
               r.shaken ? ", after shaking the guess: it stands in a singular position" : "");
    print_given(r.given);
    if (r.status != Eval::ok && r.moved > 0)
      fmt::print("{:<22}up to {:.3g}{} ('{}')\n", "moved", r.moved,
                 p.system->has_bodies() ? " m" : "", r.moved_body);
    print_changes(r.changes);
    print_wishes(r.wishes);
    // Of interest to whoever has wishes; `kardan check` counts degrees of freedom for all.
    if (!r.wishes.empty() && !(r.free_positions.empty() && r.free_velocities.empty()))
      fmt::print("{:<22}{}: nearest to those given\n", "left free",
                 fmt::format("{}{}{}", fmt::join(r.free_positions, ", "),
                             r.free_positions.empty() || r.free_velocities.empty() ? "" : "; ",
                             fmt::join(r.free_velocities, ", ")));
  }
  print_residuals(r.status == Eval::ok ? "consistent start" : "best reached", r.reached);
  print_start(*p.system, p.start);
}

enum class Start { as_told, in_balance };

int show(const ModelOptions& options, Start start) {
  const auto overrides = parse_overrides(options);
  if (!overrides) return bad_input;
  auto loaded = load(options, *overrides);
  if (!loaded) return bad_input;
  if (start == Start::in_balance) loaded->model.start = "equilibrium";
  Diagnostics diagnostics;
  Prepared prepared = prepare(loaded->model, *overrides, std::move(loaded->system), diagnostics);
  warn_of_friction(prepared);
  if (diagnostics.has_errors() || !prepared.system) {
    print_faults(diagnostics);
    return bad_input;
  }
  const AssemblyReport& r = prepared.start.report;
  StabilityReport stability;
  const bool balanced = prepared.equilibrium && r.status == Eval::ok;
  if (balanced) stability = find_stability(prepared);
  if (options.json) {
    Json out = to_json(prepared);
    if (balanced)
      out["stability"] = {{"kind", to_string(stability.kind)},
                          {"growth", stability.growth},
                          {"moves", stability.moves},
                          {"why", stability.why}};
    print_json(out);
  } else if (!options.quiet) {
    print_prepared(prepared, stability);
  }
  if (r.status == Eval::ok) return finished;
  fmt::print(stderr, "kardan: {}\n        {}\n", r.message, r.advice);
  return failed;
}

}  // namespace

Verb assemble_verb() {
  auto o = std::make_shared<ModelOptions>();
  return {"assemble", "consistent positions, velocities, accelerations, multipliers",
          model_arguments(*o), [o] { return show(*o, Start::as_told); }};
}

Verb equilibrium_verb() {
  auto o = std::make_shared<ModelOptions>();
  return {"equilibrium", "static balance, or steady motion at given velocities",
          model_arguments(*o), [o] { return show(*o, Start::in_balance); }};
}

}  // namespace kardan::cli
