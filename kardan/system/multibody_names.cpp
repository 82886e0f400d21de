/// What a model of bodies says of itself: names, scales, start.

#include <algorithm>
#include <cmath>

#include "kardan/system/mechanisms.h"
#include "kardan/system/multibody.h"

namespace kardan {
namespace {

Scales find_scales(const Blueprint& blueprint) {
  Scales s;
  double arm = 0, reach = 0, speed = 0, total = 0;
  for (const ElementData& e : blueprint.elements)
    for (const FrameData& f : e.frames)
      if (f.body > 0) arm = std::max(arm, norm(f.s));
  Vec3d centre;
  const auto n = static_cast<double>(std::max<std::size_t>(1, blueprint.bodies.size() - 1));
  for (std::size_t b = 1; b < blueprint.bodies.size(); ++b)
    centre += (1 / n) * blueprint.bodies[b].position;
  for (std::size_t b = 1; b < blueprint.bodies.size(); ++b) {
    const BodyData& body = blueprint.bodies[b];
    reach = std::max(reach, norm(body.position - centre));
    total += body.mass;
    // Rotation at the rim of the arms counts as speed.
    speed = std::max(speed, arm * norm(body.spin));
    // A body's own size, from its radius of gyration.
    if (body.mass > 0) {
      const Mat3d& J = body.inertia;
      const double trace = J[0][0] + J[1][1] + J[2][2];
      if (arm == 0) reach = std::max(reach, std::sqrt(trace / body.mass));
    }
  }
  // A common velocity of what floats is none of its own.
  for (const Mechanism& m : find_mechanisms(blueprint)) {
    Vec3d common;
    if (m.floats)
      for (int b : m.bodies)
        common += (1.0 / static_cast<double>(m.bodies.size())) * blueprint.bodies[b].velocity;
    for (int b : m.bodies) speed = std::max(speed, norm(blueprint.bodies[b].velocity - common));
  }
  if (arm > 0)
    s.length = arm;
  else if (reach > 0)
    s.length = reach;
  if (total > 0) s.mass = total / n;
  const double g = norm(blueprint.gravity);
  s.speed = std::max(speed, std::sqrt(g * s.length));
  if (s.speed == 0) s.speed = s.length;  // per second
  s.acceleration = std::max(g, s.speed * s.speed / s.length);
  return s;
}

/// Sensors and variables in their order, then the time.
template <int D>
void name_quantities(const Program<D>& program, const Topology& topology, NameData& names) {
  using Kind = Quantity::Kind;
  for (std::size_t b = 1; b < topology.bodies.size(); ++b)
    names.body_index.emplace(names.blueprint.bodies[b].name, static_cast<int>(b));
  for (int i = 0; i < static_cast<int>(program.sensors.size()); ++i) {
    const Sensor<D>& sensor = program.sensors[i];
    names.quantities.add({sensor.name,
                          {Kind::sensor, 0, i},
                          sensor.unit,
                          sensor.reading->columns(),
                          sensor.reading->of_velocities(),
                          sensor.followed != nullptr,
                          sensor.rate_of != nullptr});
  }
  for (const auto& [alias, name] : program.aliases) names.aliases.emplace(alias, name);
  for (int i = 0; i < names.sizes.r; ++i)
    names.quantities.add({names.states[i].name, {Kind::state, 0, i}});
  for (int i = 0; i < names.sizes.w; ++i)
    names.quantities.add({names.auxiliaries[i].name, {Kind::auxiliary, 0, i}});
  names.quantities.add({"t", {Kind::time, 0, 0}, "s", {}, false, true});
}

/// The start that the model gives; modes are chosen by the equations.
template <int D>
State find_start(const NameData& names) {
  State state;
  state.p.resize(names.sizes.p);
  state.v.resize(names.sizes.v);
  state.w.assign(names.sizes.w, 0.0);
  state.turns.assign(names.sizes.turns, 0);
  for (std::size_t b = 1; b < names.bodies.size(); ++b) {
    const BodyData& body = names.blueprint.bodies[b];
    double* p = state.p.data() + names.bodies[b].p;
    double* v = state.v.data() + names.bodies[b].v;
    for (int k = 0; k < D; ++k) {
      p[k] = body.position[k];
      v[k] = body.velocity[k];
    }
    if (names.bodies[b].v_count <= D) continue;
    if (D == 2) {
      p[2] = body.angle;
      v[2] = body.spin.z;
    } else {
      const Quaternion q = quaternion_from_matrix(body.R);
      p[3] = q.w, p[4] = q.x, p[5] = q.y, p[6] = q.z;
      for (int k = 0; k < 3; ++k) v[3 + k] = body.spin[k];
    }
  }
  for (const VariableInfo& variable : names.states) state.r.push_back(variable.initial);
  return state;
}

}  // namespace

template <int D>
NameData name_multibody(Blueprint blueprint, Program<D>& program, std::vector<BodyLayout> bodies,
                        const Topology& topology) {
  NameData names;
  names.blueprint = std::move(blueprint);
  names.bodies = std::move(bodies);
  names.alignments = std::move(program.alignments);
  names.states = program.states;  // patterns count them, too
  names.auxiliaries = program.auxiliaries;
  names.event_names = std::move(program.events);
  names.reaction_sensors = std::move(program.reactions);
  names.remarks = std::move(program.remarks);
  names.element_modes = program.modes;
  const BodyLayout& last = names.bodies.back();
  names.sizes.p = last.p + last.p_count;
  names.sizes.v = last.v + last.v_count;
  names.sizes.r = static_cast<int>(names.states.size());
  names.sizes.w = static_cast<int>(names.auxiliaries.size());
  names.sizes.turns = static_cast<int>(program.counters.size());
  names.scales = find_scales(names.blueprint);
  // Dynamic variables are forces, until elements declare their units.
  names.state_scale = names.scales.mass * names.scales.acceleration;
  name_quantities(program, topology, names);
  return names;
}

template <int D>
void name_rows(Program<D>& program, const Topology& topology, Patterns patterns, NameData& names) {
  names.patterns = std::move(patterns);
  names.row_bodies = topology.row_bodies;
  names.rows = std::move(program.rows);
  for (const RowInfo& row : names.rows) {
    (row.kind == RowKind::holonomic ? names.sizes.lambda : names.sizes.mu) += 1;
    names.row_scales.push_back(row.unit == RowUnit::length ? names.scales.length : 1.0);
  }
  for (const InvariantData& e : names.blueprint.invariants)
    names.sizes.e += e.kind == InvariantData::Kind::momentum           ? D
                     : e.kind == InvariantData::Kind::angular_momentum ? spins<D>
                                                                       : 1;
  if (names.sizes.e > 0) {
    PatternBuilder builder(names.sizes.e, names.sizes.v);
    builder.add_block(0, 0, names.sizes.e, names.sizes.v);
    names.patterns.invariant = builder.build();
  }
  for (const Input<D>& input : program.inputs)
    if (const auto* f = std::get_if<TimeFunction>(&input.source);
        f && input.kind == InputKind::row && input.derivative == 2)
      names.prescribed_motions.push_back({input.element, *f});
  names.start = find_start<D>(names);
  names.add_events();
}

template NameData name_multibody<2>(Blueprint, Program<2>&, std::vector<BodyLayout>,
                                    const Topology&);
template NameData name_multibody<3>(Blueprint, Program<3>&, std::vector<BodyLayout>,
                                    const Topology&);
template void name_rows<2>(Program<2>&, const Topology&, Patterns, NameData&);
template void name_rows<3>(Program<3>&, const Topology&, Patterns, NameData&);

}  // namespace kardan
