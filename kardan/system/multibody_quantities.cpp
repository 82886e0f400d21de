/// Named quantities of a compiled model, their gradients, its scales and its start.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "kardan/base/text.h"
#include "kardan/model/observation.h"
#include "kardan/system/mechanisms.h"
#include "kardan/system/multibody.h"

namespace kardan {

namespace {

using Names = std::span<const char* const>;

template <int D>
Names position_names() {
  static constexpr const char* planar[] = {"x", "y", "angle"};
  static constexpr const char* spatial[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
  return D == 2 ? Names(planar) : Names(spatial);
}

template <int D>
Names velocity_names() {
  static constexpr const char* planar[] = {"vx", "vy", "omega"};
  static constexpr const char* spatial[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
  return D == 2 ? Names(planar) : Names(spatial);
}

}  // namespace

/// Names of coordinates are made when they are asked for: they would take as much room as bodies.
template <int D>
void MultibodySystem<D>::name_quantities() {
  using Kind = Quantity::Kind;
  const auto add = [&](const std::string& name, Quantity q) {
    quantity_order_.push_back(name);
    quantities_.emplace(name, q);
  };
  for (int b = 1; b < static_cast<int>(bodies_.size()); ++b)
    body_index_.emplace(blueprint_.bodies[b].name, b);
  for (int i = 0; i < static_cast<int>(program_.sensors.size()); ++i)
    add(program_.sensors[i].name, {Kind::sensor, 0, i});
  for (int i = 0; i < sizes_.r; ++i) add(program_.states[i].name, {Kind::state, 0, i});
  for (int i = 0; i < sizes_.w; ++i) add(program_.auxiliaries[i].name, {Kind::auxiliary, 0, i});
  add("t", {Kind::time, 0, 0});
}

/// BODY.x, BODY.vx, ...
template <int D>
std::optional<Quantity> MultibodySystem<D>::find_coordinate(std::string_view name) const {
  const auto dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto body = body_index_.find(std::string(name.substr(0, dot)));
  if (body == body_index_.end()) return std::nullopt;
  const int b = body->second;
  name.remove_prefix(dot + 1);
  for (int k = 0; k < bodies_[b].p_count; ++k)
    if (name == position_names<D>()[k]) return Quantity{Quantity::Kind::position, b, k};
  for (int k = 0; k < bodies_[b].v_count; ++k)
    if (name == velocity_names<D>()[k]) return Quantity{Quantity::Kind::velocity, b, k};
  return std::nullopt;
}

template <int D>
std::optional<Quantity> MultibodySystem<D>::find_quantity(std::string_view name) const {
  if (const auto coordinate = find_coordinate(name)) return coordinate;
  const auto found = quantities_.find(std::string(name));
  if (found == quantities_.end()) return std::nullopt;
  return found->second;
}

template <int D>
std::vector<std::string> MultibodySystem<D>::quantity_names() const {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(sizes_.p + sizes_.v) + quantity_order_.size());
  for (int b = 1; b < static_cast<int>(bodies_.size()); ++b) {
    const std::string prefix = blueprint_.bodies[b].name + ".";
    for (int k = 0; k < bodies_[b].p_count; ++k) names.push_back(prefix + position_names<D>()[k]);
    for (int k = 0; k < bodies_[b].v_count; ++k) names.push_back(prefix + velocity_names<D>()[k]);
  }
  names.insert(names.end(), quantity_order_.begin(), quantity_order_.end());
  return names;
}

template <int D>
std::string MultibodySystem<D>::quantity_unit(const Quantity& q) const {
  switch (q.kind) {
    case Quantity::Kind::position:
      return q.index < D ? "m" : D == 2 ? "rad" : "1";
    case Quantity::Kind::velocity:
      return q.index < D ? "m/s" : "rad/s";
    case Quantity::Kind::sensor:
      return program_.sensors[q.index].unit;
    case Quantity::Kind::time:
      return "s";
    default:
      return {};
  }
}

template <int D>
std::vector<int> MultibodySystem<D>::quantity_columns(const Quantity& q) const {
  std::vector<int> columns;
  auto add = [&](const BodyColumns& b) {
    for (int k = 0; k < b.count; ++k) columns.push_back(b.first + k);
  };
  if (q.kind == Quantity::Kind::position || q.kind == Quantity::Kind::velocity)
    add(topology_.bodies[q.body]);
  if (q.kind == Quantity::Kind::sensor) {
    add(program_.sensors[q.index].A);
    add(program_.sensors[q.index].B);
  }
  if (q.kind == Quantity::Kind::expression)
    for (const Quantity& argument : expressions_[q.index].arguments)
      for (int c : quantity_columns(argument)) columns.push_back(c);
  return columns;
}

template <int D>
bool MultibodySystem<D>::is_velocity(const Quantity& q) const {
  if (q.kind == Quantity::Kind::expression) {
    const auto& arguments = expressions_[q.index].arguments;
    return std::any_of(arguments.begin(), arguments.end(),
                       [&](const Quantity& a) { return is_velocity(a); });
  }
  return q.kind == Quantity::Kind::velocity ||
         (q.kind == Quantity::Kind::sensor &&
          program_.sensors[q.index].quantity == SensorQuantity::rate);
}

template <int D>
double MultibodySystem<D>::quantity(const Quantity& q, const State& state, double factor,
                                    std::span<double> by_p, std::span<double> by_v,
                                    Workspace& ws) const {
  const BodyLayout& body = bodies_[q.body];
  switch (q.kind) {
    case Quantity::Kind::position: {
      const double* p = state.p.data() + body.p;
      if (!by_p.empty()) {
        double* row = by_p.data() + body.v;
        if (D == 2 || q.index < 3) {
          row[q.index] += factor;
        } else {
          // dq = q * (0, dtheta) / 2
          const double w = p[3], x = p[4], y = p[5], z = p[6];
          const double rows[4][3] = {{-x, -y, -z}, {w, -z, y}, {z, w, -x}, {-y, x, w}};
          for (int k = 0; k < 3; ++k) row[3 + k] += 0.5 * factor * rows[q.index - 3][k];
        }
      }
      return p[q.index];
    }
    case Quantity::Kind::velocity:
      if (!by_v.empty()) by_v[body.v + q.index] += factor;
      return state.v[body.v + q.index];
    case Quantity::Kind::sensor:
      return sensor(q.index, state, factor, by_p, by_v, ws);
    case Quantity::Kind::state:
      return state.r[q.index];
    case Quantity::Kind::auxiliary:
      return state.w[q.index];
    case Quantity::Kind::contact:
      return state.s[q.index];
    case Quantity::Kind::time:
      return state.t;
    case Quantity::Kind::expression:
      return expression(expressions_[q.index], state, factor, by_p, by_v, ws);
  }
  return 0;
}

template <int D>
double MultibodySystem<D>::sensor(int index, const State& state, double factor,
                                  std::span<double> by_p, std::span<double> by_v,
                                  Workspace& ws) const {
  const auto& motion = move(state, {}, ws);
  const Sensor<D>& s = program_.sensors[index];
  Measure<D> y;
  std::visit(
      [&](const auto& m) {
        m.evaluate({motion[s.A.body], motion[s.B.body]}, Depth::second, y);
      },
      s.measure);
  if (s.counter >= 0) y.value += 2 * std::numbers::pi * state.turns[s.counter];
  auto scatter = [&](const double* row, std::span<double> out) {
    if (out.empty()) return;
    for (int k = 0; k < s.A.count; ++k) out[s.A.first + k] += factor * row[k];
    for (int k = 0; k < s.B.count; ++k) out[s.B.first + k] += factor * row[dofs<D> + k];
  };
  if (s.quantity == SensorQuantity::value) {
    scatter(y.G, by_p);
    return y.value;
  }
  scatter(y.rate_p, by_p);
  scatter(y.G, by_v);
  return y.rate;
}

template <int D>
typename MultibodySystem<D>::BoundExpression MultibodySystem<D>::bind(const std::string& owner,
                                                                      const Expression& value,
                                                                      const SourceLocation& where,
                                                                      Diagnostics& diagnostics) {
  BoundExpression bound{value, {}, arguments_};
  for (std::size_t i = 0; i < value.names().size(); ++i) {
    const std::string& name = value.names()[i];
    if (const auto found = find_quantity(name)) {
      bound.arguments.push_back(*found);
      continue;
    }
    // What was left out because of a fault is not missed here.
    if (blueprint_.faulty.contains(name.substr(0, name.find('.')))) continue;
    const std::string near = did_you_mean(name, quantity_names());
    diagnostics.error("expression.unknown_name",
                      fmt::format("{}: there is no quantity '{}' here", owner, name), where,
                      near.empty()
                          ? "use BODY.x, BODY.vx, ..., t or a sensor (in a sensor: an earlier one)"
                          : "did you mean '" + near + "'?");
  }
  arguments_ += static_cast<int>(bound.arguments.size());
  return bound;
}

/// An expression sensor may use what stands before it, so that none can depend on itself.
template <int D>
void MultibodySystem<D>::bind_expressions(Diagnostics& diagnostics) {
  for (int i = 0; i < static_cast<int>(program_.expressions.size()); ++i) {
    const ExpressionQuantity& e = program_.expressions[i];
    expressions_.push_back(bind(e.name, e.value, e.where, diagnostics));
    quantity_order_.push_back(e.name);
    quantities_.emplace(e.name, Quantity{Quantity::Kind::expression, 0, i});
  }
  for (const EventData& e : blueprint_.events) {
    asked_events_.push_back(bind(e.name, e.function, e.where, diagnostics));
    event_names_.push_back(e.name);
    if (e.action == EventAction::impulse && !of_positions(asked_events_.back()))
      refuse_impulse(e, diagnostics);
  }
  for (int i : blueprint_.impulses) event_names_.push_back(blueprint_.events[i].name + ".rest");
  sizes_.modes = program_.modes + static_cast<int>(blueprint_.impulses.size());
  sizes_.events = static_cast<int>(event_names_.size());
  for (const InvariantData& e : blueprint_.invariants)
    if (e.kind == InvariantData::Kind::expression)
      invariants_.push_back(bind("invariants", e.value, e.where, diagnostics));
  sizes_.e = invariant_rows();
  if (sizes_.e > 0) {
    PatternBuilder builder(sizes_.e, sizes_.v);
    builder.add_block(0, 0, sizes_.e, sizes_.v);
    patterns_.invariant = builder.build();
  }
}

template <int D>
bool MultibodySystem<D>::of_positions(const BoundExpression& bound) const {
  return std::none_of(bound.arguments.begin(), bound.arguments.end(), [&](const Quantity& q) {
    if (q.kind == Quantity::Kind::expression) return !of_positions(expressions_[q.index]);
    return q.kind == Quantity::Kind::state || q.kind == Quantity::Kind::auxiliary || is_velocity(q);
  });
}

template <int D>
double MultibodySystem<D>::expression(const BoundExpression& bound, const State& state,
                                      double factor, std::span<double> by_p, std::span<double> by_v,
                                      Workspace& ws) const {
  MotionScratch& scratch = static_cast<MotionScratch&>(*ws.scratch);
  const std::size_t count = bound.arguments.size();
  const std::span<double> values = std::span(scratch.argument_values).subspan(bound.first, count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = quantity(bound.arguments[i], state, 0, {}, {}, ws);
  if (by_p.empty() && by_v.empty()) return bound.value.evaluate(values);
  const std::span<double> gradient =
      std::span(scratch.argument_gradients).subspan(bound.first, count);
  const double value = bound.value.evaluate_with_gradient(values, gradient);
  for (std::size_t i = 0; i < count; ++i)
    quantity(bound.arguments[i], state, factor * gradient[i], by_p, by_v, ws);
  return value;
}

template <int D>
std::string MultibodySystem<D>::name_of(int column,
                                        const char* const (&names)[D == 2 ? 3 : 6]) const {
  const int body = body_of_column(column);
  return blueprint_.bodies[body].name + "." + names[column - bodies_[body].v];
}

template <int D>
std::string MultibodySystem<D>::coordinate_name(int column) const {
  // Rotations in the body frame: about its axes, as the spin is.
  if constexpr (D == 2)
    return name_of(column, {"x", "y", "angle"});
  else
    return name_of(column, {"x", "y", "z", "rx", "ry", "rz"});
}

template <int D>
std::string MultibodySystem<D>::velocity_name(int column) const {
  if constexpr (D == 2)
    return name_of(column, {"vx", "vy", "omega"});
  else
    return name_of(column, {"vx", "vy", "vz", "wx", "wy", "wz"});
}

template <int D>
std::string MultibodySystem<D>::acceleration_name(int column) const {
  if constexpr (D == 2)
    return name_of(column, {"ax", "ay", "alpha"});
  else
    return name_of(column, {"ax", "ay", "az", "alphax", "alphay", "alphaz"});
}

template <int D>
double MultibodySystem<D>::coordinate_scale(int column) const {
  return is_rotation(column) ? 1.0 : scales_.length;
}

template <int D>
double MultibodySystem<D>::row_scale(int row) const {
  return program_.rows[row].unit == RowUnit::length ? scales_.length : 1.0;
}

/// Dynamic variables are forces, until elements declare their units.
template <int D>
double MultibodySystem<D>::state_scale(int) const {
  return scales_.mass * scales_.acceleration;
}

template <int D>
Scales MultibodySystem<D>::find_scales() const {
  Scales s;
  double arm = 0, reach = 0, speed = 0, total = 0;
  for (const ElementData& e : blueprint_.elements)
    for (const FrameData& f : e.frames)
      if (f.body > 0) arm = std::max(arm, norm(f.s));
  Vec3d centre;
  const auto n = static_cast<double>(std::max<std::size_t>(1, blueprint_.bodies.size() - 1));
  for (std::size_t b = 1; b < blueprint_.bodies.size(); ++b)
    centre += (1 / n) * blueprint_.bodies[b].position;
  for (std::size_t b = 1; b < blueprint_.bodies.size(); ++b) {
    const BodyData& body = blueprint_.bodies[b];
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
  for (const Mechanism& m : find_mechanisms(blueprint_)) {
    Vec3d common;
    if (m.floats)
      for (int b : m.bodies)
        common += (1.0 / static_cast<double>(m.bodies.size())) * blueprint_.bodies[b].velocity;
    for (int b : m.bodies) speed = std::max(speed, norm(blueprint_.bodies[b].velocity - common));
  }
  if (arm > 0)
    s.length = arm;
  else if (reach > 0)
    s.length = reach;
  if (total > 0) s.mass = total / n;
  const double g = norm(blueprint_.gravity);
  s.speed = std::max(speed, std::sqrt(g * s.length));
  if (s.speed == 0) s.speed = s.length;  // per second
  s.acceleration = std::max(g, s.speed * s.speed / s.length);
  return s;
}

template <int D>
State MultibodySystem<D>::start() const {
  State state;
  state.p.resize(sizes_.p);
  state.v.resize(sizes_.v);
  state.r.resize(sizes_.r);
  state.w.assign(sizes_.w, 0.0);
  state.turns.assign(sizes_.turns, 0);
  state.modes.assign(sizes_.modes, 0);
  for (std::size_t b = 1; b < bodies_.size(); ++b) {
    const BodyData& body = blueprint_.bodies[b];
    double* p = state.p.data() + bodies_[b].p;
    double* v = state.v.data() + bodies_[b].v;
    for (int k = 0; k < D; ++k) {
      p[k] = body.position[k];
      v[k] = body.velocity[k];
    }
    if (bodies_[b].v_count <= D) continue;
    if (D == 2) {
      p[2] = body.angle;
      v[2] = body.spin.z;
    } else {
      const Quaternion q = quaternion_from_matrix(body.R);
      p[3] = q.w, p[4] = q.x, p[5] = q.y, p[6] = q.z;
      for (int k = 0; k < 3; ++k) v[3 + k] = body.spin[k];
    }
  }
  for (int i = 0; i < sizes_.r; ++i) state.r[i] = program_.states[i].initial;
  if (sizes_.modes > 0) {
    const auto ws = make_workspace();
    choose_modes(state, *ws);
  }
  return state;
}

template class MultibodySystem<2>;
template class MultibodySystem<3>;

}  // namespace kardan
