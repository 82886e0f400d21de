#include "kardan/io/report_json.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <tuple>

#include "kardan/base/parse_number.h"
#include "kardan/io/driver_options.h"
#include "kardan/io/run_options.h"
#include "kardan/run/estimate_check.h"
#include "kardan/run/trajectory.h"
#include "kardan/run/versions.h"

namespace kardan {
namespace {

Json used(const RunReport& r) {
  Json out{{"method", r.method}, {"formulation", r.formulation}};
  out["method_options"] = r.method_options;
  out["formulation_options"] = r.formulation_options;
  for (const auto& [name, value] : driver_option_values(r.asked.driver))
    out["driver_options"][name] = value;
  return out;
}

void add_counts(const RunReport& r, Json& out) {
  const Counters& c = r.driver.counters;
  out["steps"] = c.steps;
  out["rejected"] = c.rejected;
  out["failed"] = c.failed;
  out["evaluations"] = c.evaluations;
  out["jacobians"] = c.jacobians;
  out["factorizations"] = c.factorizations;
  out["iterations"] = c.iterations;
  out["cpu_seconds"] = r.cpu_seconds;
  out["smallest_step"] = r.driver.smallest_step;
  out["largest_step"] = r.driver.largest_step;
}

/// The same work under the names of GEOMS' statistics, and what the problem counted itself.
Json counters(const RunReport& r) {
  const Counters& c = r.driver.counters;
  return {{"accepted", c.steps},
          {"rejected_error", c.rejected},
          {"rejected_newton", c.failed},
          {"evaluations", c.evaluations},
          {"mass_evaluations", r.counts.mass_evaluations},
          {"jacobians", c.jacobians},
          {"selectors", r.counts.selectors},
          {"predecompositions", r.counts.predecompositions},
          {"rank_decisions", r.counts.rank_decisions},
          {"factorizations", c.factorizations},
          {"solves", c.solves},
          {"newton_iterations", c.iterations}};
}

void add_history(const System& system, const RunReport& r, Json& out) {
  out["partitions"] = r.partitions;
  out["partition_history"] = Json::array();
  for (const PartitionRecord& p : r.partition_history)
    out["partition_history"].push_back({{"t", p.t}, {"rank", p.rank}, {"why", p.why}});
  out["events"] = Json::array();
  for (const EventRecord& e : r.driver.events)
    out["events"].push_back({{"t", e.t},
                             {"event", system.event_names()[e.event]},
                             {"direction", e.direction > 0 ? "rising" : "falling"}});
}

/// A band needs two digits, not seventeen.
Json rounded(double x) {
  return std::isfinite(x) ? Json(parse_number(fmt::format("{:.1e}", x)).value_or(x)) : Json();
}

}  // namespace

Json to_json(const SimulateOptions& o) {
  Json out{{"method", o.method}};
  for (const auto& [key, value] : run_option_values(o)) out[key] = value;
  for (const VariableTolerance& t : o.tolerance_of) out["tolerance_of"][t.name] = t.value;
  for (const auto& [name, value] : o.options) out["options"][name] = value;
  return out;
}

Json to_json(const Residuals& r) {
  return {{"position", r.position}, {"velocity", r.velocity}, {"acceleration", r.acceleration}};
}

Json to_json(const StartChanges& changes) {
  Json out{{"moved", Json::array()}, {"velocities", Json::array()}};
  for (const MovedBody& m : changes.moved)
    out["moved"].push_back({{"body", m.body}, {"length", m.length}, {"angle", m.angle}});
  for (const ChangedVelocity& v : changes.velocities)
    out["velocities"].push_back({{"name", v.name}, {"from", v.from}, {"to", v.to}});
  return out;
}

Json to_json(const System& system, const Instant& at) {
  const ResultColumns columns(system);
  Vector values(columns.names().size());
  columns.values(at, values, *system.make_workspace());
  Json out = Json::object();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isnan(values[i])) out[columns.names()[i]] = values[i];
  return out;
}

static Json to_json(const HeldAccuracy& h) {
  Json out{{"asked", h.asked}, {"held", h.held}, {"message", h.message}, {"runs", Json::array()}};
  for (const AccuracyRun& run : h.runs)
    out["runs"].push_back({{"tolerance", run.tolerance},
                           {"steps", run.steps},
                           {"estimate", run.estimate},
                           {"until", run.until}});
  return out;
}

static Json to_json(const EstimatedError& e) {
  Json out{{"made", e.made}, {"missing", e.missing}, {"in_words", in_words(e)}};
  if (!e.made) return out;
  out["until"] = e.until;
  for (const auto& [key, largest, at_end] : {std::tuple{"position", &e.position, e.end_position},
                                             std::tuple{"velocity", &e.velocity, e.end_velocity}})
    out[key] = {{"reached", largest->reached},
                {"absolute", largest->absolute},
                {"worst", largest->name},
                {"t", largest->t},
                {"at_end", at_end}};
  out["void_from"] = std::isfinite(e.void_from) ? Json(e.void_from) : Json();
  out["growth"] = e.growth;
  out["evaluations"] = e.evaluations;
  out["jacobians"] = e.jacobians;
  out["bands"] = {{"times", e.times}, {"position", Json::array()}, {"velocity", Json::array()}};
  for (std::size_t i = 0; i < e.times.size(); ++i) {
    out["bands"]["position"].push_back(rounded(e.positions[i]));
    out["bands"]["velocity"].push_back(rounded(e.velocities[i]));
  }
  return out;
}

Json to_json(const Accuracy& a) {
  Json out{{"asked", a.asked},
           {"verdict", to_string(a.verdict)},
           {"message", a.message},
           {"position", a.position},
           {"velocity", a.velocity},
           {"until", a.until},
           {"growth", a.growth},
           {"confirmed_by", a.crossed},
           {"apart", a.apart},
           {"magnified", a.magnified},
           {"tolerance", a.tolerance},
           {"reference", a.reference},
           {"referee", a.referee},
           {"budget", a.budget},
           {"used", a.used}};
  out["runs"] = Json::array();
  for (const CertifyRun& run : a.runs)
    out["runs"].push_back({{"tolerance", run.tolerance}, {"steps", run.steps}});
  out["bands"] = {{"times", a.times},
                  {"position", Json::array()},
                  {"velocity", Json::array()},
                  {"errors", Json::object()}};
  for (std::size_t i = 0; i < a.times.size(); ++i) {
    const ReachedError worst = reached_error(a.bands, i);
    out["bands"]["position"].push_back(rounded(worst.position));
    out["bands"]["velocity"].push_back(rounded(worst.velocity));
  }
  for (const ComponentError& c : a.bands) {
    Json& band = out["bands"]["errors"][c.name] = Json::array();
    for (const double error : c.absolute) band.push_back(rounded(error));
  }
  return out;
}

Json to_json(const System& system, const RunReport& r, const Instant& end) {
  Json out;
  out["model"] = system.blueprint().name;
  out["reason"] = to_string(r.driver.reason);
  out["diagnosis"] = to_string(r.driver.diagnosis);
  out["message"] = r.driver.message;
  out["advice"] = r.driver.advice;
  out["t_reached"] = r.driver.t;
  out["method"] = r.method;
  out["formulation"] = r.formulation;
  out["tolerance"] = r.tolerance;
  if (!r.automatic.method.empty())
    out["automatic"] = {{"method", r.automatic.method},
                        {"why", r.automatic.why},
                        {"evaluations", r.automatic.evaluations}};
  add_counts(r, out);
  out["counters"] = counters(r);
  if (r.error_estimate.asked_for()) out["error_estimate"] = to_json(r.error_estimate);
  if (r.accuracy)
    if (const auto check = check_estimate(r.error_estimate, *r.accuracy))
      out["error_estimate"]["checked"] = {{"t", check->t},
                                          {"estimated", check->estimated},
                                          {"measured", check->measured},
                                          {"low", check->low},
                                          {"in_words", in_words(*check)}};
  if (r.held) out["held_accuracy"] = to_json(*r.held);
  if (r.accuracy) out["accuracy"] = to_json(*r.accuracy);
  out["remarks"] = r.remarks;
  out["warnings"] = r.start.warnings;
  out["start"] = to_json(r.start);
  out["residuals"] = to_json(r.residuals);
  out["energy"] = {{"initial", r.energy.initial},
                   {"final", r.energy.final},
                   {"work", r.energy.work},
                   {"exchanged", r.energy.exchanged},
                   {"balance_error", r.energy.balance_error},
                   {"allowed", r.energy.allowed}};
  out["against"] = r.against;
  add_history(system, r, out);
  out["asked"] = to_json(r.asked);
  out["used"] = used(r);
  out["derivatives"] = {{"exact", r.exact_derivatives}, {"missing", r.without_derivatives}};
  out["dense_output_order"] = r.dense_order;
  for (const auto& [name, version] : versions()) out["versions"][name] = version;
  out["final"] = to_json(system, end);
  return out;
}

}  // namespace kardan
