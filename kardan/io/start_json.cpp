#include "kardan/io/start_json.h"

namespace kardan {

std::string_view to_string(Priority p) {
  switch (p) {
    case Priority::exactly:
      return "exactly";
    case Priority::if_possible:
      return "if_possible";
    case Priority::free:
      break;
  }
  return "free";
}

namespace {

Json to_json(const WishResult& w) {
  return {{"wish", w.text},
          {"priority", to_string(w.priority)},
          {"met", w.met},
          {"wanted", w.wanted},
          {"reached", w.reached}};
}

Json to_json(const Energy& e) {
  return {{"kinetic", e.kinetic}, {"potential", e.potential}, {"applied_power", e.applied_power}};
}

Json named_values(const System& system, const ConsistentStart& start) {
  Json out = to_json(system, Instant{&start.state, &start.a, &start.lambda});
  out.erase("time");
  return out;
}

Json complex_json(const std::complex<double>& z) {
  return {{"re", z.real()}, {"im", z.imag()}};
}

}  // namespace

Json to_json(const System& system, const CheckReport& r) {
  Json out;
  out["model"] = system.blueprint().name;
  out["bodies"] = r.bodies;
  out["coordinates"] = r.sizes.p;
  out["velocities"] = r.sizes.v;
  out["constraints"] = r.sizes.constraints();
  out["nonholonomic"] = r.sizes.mu;
  out["rank"] = r.analysis.rank;
  out["degrees_of_freedom"] = r.analysis.degrees_of_freedom;
  out["rank_tolerance"] = rank_tolerance;
  out["condition"] = r.analysis.condition;
  out["redundant"] = Json::array();
  for (const RedundantSet& set : r.analysis.redundant) {
    Json members = Json::array();
    for (const auto& [row, c] : set.others)
      members.push_back({{"row", system.row_name(row)}, {"coefficient", c}});
    out["redundant"].push_back(
        {{"row", system.row_name(set.row)}, {"with", members}, {"text", set.text}});
  }
  out["diagnosis"] = to_string(r.assembly.diagnosis);
  out["contradictory"] = Json::array();
  for (const Conflict& c : r.assembly.conflicts)
    out["contradictory"].push_back({{"level", c.level}, {"members", c.members}, {"size", c.size}});
  out["massless"] = r.analysis.massless;
  out["unused"] = r.analysis.unused;
  out["notes"] = r.analysis.notes;
  out["given_residuals"] = to_json(r.given);
  out["changes"] = to_json(r.assembly.changes);
  out["warnings"] = r.assembly.changes.warnings;
  out["residuals"] = to_json(r.assembly.reached);
  out["energy"] = to_json(r.energy);
  out["reactions"] = Json::array();
  for (const Reaction& x : r.reactions)
    out["reactions"].push_back({{"element", x.element},
                                {"force", {x.force.x, x.force.y, x.force.z}},
                                {"torque", {x.torque.x, x.torque.y, x.torque.z}},
                                {"unique", x.unique}});
  return out;
}

Json to_json(const Prepared& p) {
  const AssemblyReport& r = p.start.report;
  Json out;
  out["model"] = p.system->blueprint().name;
  out["consistent"] = r.status == Eval::ok;
  out["diagnosis"] = to_string(r.diagnosis);
  out["message"] = r.message;
  out["iterations"] = p.equilibrium ? p.equilibrium->iterations : r.iterations;
  out["shaken"] = r.shaken;
  out["given_residuals"] = to_json(r.given);
  out["changes"] = to_json(r.changes);
  out["warnings"] = r.changes.warnings;
  out["residuals"] = to_json(r.reached);
  out["wishes"] = Json::array();
  for (const WishResult& w : p.equilibrium ? p.equilibrium->wishes : r.wishes)
    out["wishes"].push_back(to_json(w));
  out["free"] = {{"positions", r.free_positions}, {"velocities", r.free_velocities}};
  out["conflicts"] = Json::array();
  for (const Conflict& c : r.conflicts)
    out["conflicts"].push_back({{"level", c.level}, {"members", c.members}, {"size", c.size}});
  if (p.equilibrium) {
    out["largest_acceleration"] = p.equilibrium->largest_acceleration;
    out["parameters"] = Json::object();
    for (const auto& [name, value] : p.solved) out["parameters"][name] = value;
    out["imbalance"] = Json::array();
    for (const ForceImbalance& f : p.equilibrium->imbalance)
      out["imbalance"].push_back({{"body", f.body}, {"force", f.force}, {"torque", f.torque}});
  }
  out["start"] = named_values(*p.system, p.start);
  return out;
}

Json to_json(const System& system, double t, const Linearization& r) {
  Json out;
  out["model"] = system.blueprint().name;
  out["t"] = t;
  out["variables"] = r.variables;
  out["cyclic"] = r.cyclic;
  out["largest_acceleration"] = r.largest_acceleration;
  out["zero"] = r.zero;
  const auto rows_of = [](const Matrix& m) {
    Json rows = Json::array();
    for (int i = 0; i < m.rows(); ++i)
      rows.push_back(std::vector<double>(m.row(i), m.row(i) + m.cols()));
    return rows;
  };
  out["matrix"] = rows_of(r.modes.A);
  const Channels& c = r.channels;
  out["inputs"] = Json::array();
  for (std::size_t k = 0; k < c.inputs.size(); ++k)
    out["inputs"].push_back(
        {{"name", c.inputs[k]}, {"unit", c.input_units[k]}, {"value", c.input_values[k]}});
  out["outputs"] = Json::array();
  for (std::size_t k = 0; k < c.outputs.size(); ++k)
    out["outputs"].push_back(
        {{"name", c.outputs[k]}, {"unit", c.output_units[k]}, {"value", c.output_values[k]}});
  out["B"] = rows_of(c.B);
  out["C"] = rows_of(c.C);
  out["D"] = rows_of(c.D);
  out["remarks"] = r.remarks;
  out["modes"] = Json::array();
  for (const Mode& m : r.modes.modes) {
    Json mode{{"value", complex_json(m.value)}, {"frequency", m.frequency}, {"zero", m.zero}};
    mode["damping_ratio"] = m.zero ? Json() : Json(m.damping_ratio);
    for (std::size_t j = 0; j < m.shape.size(); ++j)
      mode["shape"][r.coordinates[j]] = complex_json(m.shape[j]);
    out["modes"].push_back(std::move(mode));
  }
  return out;
}

}  // namespace kardan
