#include "kardan/system/user_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace kardan {
namespace {

std::shared_ptr<const SparsePattern> dense(int rows, int cols) {
  PatternBuilder builder(rows, cols);
  builder.add_block(0, 0, rows, cols);
  return builder.build();
}

ElementType make_type(std::string_view name, std::string_view equation, Category category) {
  ElementType type;
  type.name = name;
  type.summary = "written by the user";
  type.equation = equation;
  type.category = category;
  type.frames = 0;
  return type;
}

const ElementType& equation_type(RowKind kind) {
  static const ElementType holonomic = make_type("holonomic constraint", "g = 0", Category::joint);
  static const ElementType nonholonomic =
      make_type("nonholonomic constraint", "H v + h = 0", Category::nonholonomic);
  return kind == RowKind::holonomic ? holonomic : nonholonomic;
}

Vector starts(const std::vector<UserVariable>& variables) {
  Vector out;
  for (const UserVariable& x : variables) out.push_back(x.start);
  return out;
}

/// Names used twice, or that mean something else.
void check_names(const UserDescription& d, Diagnostics& diagnostics) {
  std::set<std::string> known{"t"};
  const auto check = [&](const std::string& name) {
    if (!known.insert(name).second)
      diagnostics.error("name.duplicate",
                        fmt::format("equations: the name '{}' is used twice", name), {},
                        name == "t" ? "'t' is the time" : "rename one of them");
  };
  for (const auto* list : {&d.positions, &d.velocities, &d.dynamic, &d.auxiliary, &d.contact})
    for (const UserVariable& x : *list) check(x.name);
  for (const auto* list : {&d.holonomic, &d.nonholonomic, &d.invariants, &d.events, &d.outputs})
    for (const std::string& name : *list) check(name);
}

/// Equations that give no numbers at the start, by name.
void check_start(const UserSystem& system, const UserDescription& d, Diagnostics& diagnostics) {
  const auto ws = system.make_workspace();
  const State start = system.start();
  const SourceLocation place = d.places.empty() ? SourceLocation{} : d.places.front();
  const auto blame = [&](const Vector& values, const auto& names, const char* what) {
    for (std::size_t i = 0; i < names.size() && i < values.size(); ++i)
      if (!std::isfinite(values[i]))
        diagnostics.error("equations.not_finite",
                          fmt::format("{}: the {} is not finite at the start", names[i], what),
                          place, "give another start, or correct the formula");
  };
  const auto names = [](const std::vector<UserVariable>& variables) {
    std::vector<std::string> out;
    out.reserve(variables.size());
    for (const UserVariable& x : variables) out.push_back(x.name);
    return out;
  };
  const std::size_t before = diagnostics.error_count();
  if (system.evaluate(start, Request::all(), *ws) == Eval::ok) return;
  blame(ws->g, d.holonomic, "constraint");
  blame(ws->f, names(d.velocities), "force");
  blame(ws->b, names(d.dynamic), "rate");
  blame(ws->d, names(d.auxiliary), "residual");
  if (diagnostics.error_count() > before) return;
  diagnostics.error("equations.not_finite",
                    fmt::format("{}: the equations cannot be evaluated at the start", d.name),
                    place,
                    d.contact.empty() ? "look for divisions by zero and roots of negative numbers"
                                      : "the contact variables were not found: give another start");
}

}  // namespace

State start_of(const UserDescription& d) {
  State state;
  state.p = starts(d.positions);
  state.v = starts(d.velocities);
  state.r = starts(d.dynamic);
  state.w = starts(d.auxiliary);
  state.s = starts(d.contact);
  return state;
}

std::unique_ptr<System> make_system(std::unique_ptr<UserEquations> equations,
                                    Diagnostics& diagnostics, Blueprint blueprint) {
  const std::size_t errors = diagnostics.error_count();
  const UserDescription& d = equations->description();
  check_names(d, diagnostics);
  if (d.positions.size() != d.velocities.size())
    diagnostics.error(
        "equations.kinematics",
        fmt::format("equations: {} positions but {} velocities; wanted as many of one as of the "
                    "other",
                    d.positions.size(), d.velocities.size()),
        {},
        "choose coordinates without conditions among them (angles instead of unit quaternions), or "
        "use bodies");
  if (d.positions.empty())
    diagnostics.error("equations.empty", "equations: there are no positions", {},
                      "give at least one position with its velocity");
  if (diagnostics.error_count() > errors) return nullptr;
  auto system = std::make_unique<UserSystem>(std::move(equations), std::move(blueprint));
  check_start(*system, d, diagnostics);
  if (diagnostics.error_count() > errors) return nullptr;
  return system;
}

UserSystem::UserSystem(std::unique_ptr<UserEquations> equations, Blueprint blueprint)
    : equations_(std::move(equations)), blueprint_(std::move(blueprint)) {
  const UserDescription& d = equations_->description();
  if (blueprint_.name.empty()) blueprint_.name = d.name;
  blueprint_.dimension = 1;
  start_ = start_of(d);
  lay_out();
  name_rows();
  find_scales();
  find_inputs();
  name_quantities();
}

void UserSystem::lay_out() {
  const UserDescription& d = equations_->description();
  const int n = static_cast<int>(d.positions.size());
  sizes_.p = sizes_.v = n;
  sizes_.r = static_cast<int>(d.dynamic.size());
  sizes_.w = static_cast<int>(d.auxiliary.size());
  sizes_.s = static_cast<int>(d.contact.size());
  sizes_.lambda = static_cast<int>(d.holonomic.size());
  sizes_.mu = static_cast<int>(d.nonholonomic.size());
  sizes_.e = static_cast<int>(d.invariants.size());
  event_names_ = d.events;
  for (int i : blueprint_.impulses) event_names_.push_back(blueprint_.events[i].name + ".rest");
  sizes_.events = static_cast<int>(event_names_.size());
  sizes_.modes = static_cast<int>(blueprint_.impulses.size());
  start_.modes.assign(sizes_.modes, 0);
  sizes_.multiplier_forces = equations_->multiplier_forces();
  if (sizes_.multiplier_forces) {
    start_.lambda = d.multiplier_starts;
    start_.lambda.resize(sizes_.constraints(), 0.0);
  }
  const int own = sizes_.r + sizes_.w, rows = sizes_.constraints();
  patterns_.constraint = dense(rows, n);
  patterns_.force = patterns_.mass = dense(n, n);
  patterns_.aux = dense(own, n);
  patterns_.aux_aux = dense(own, own);
  patterns_.force_aux = dense(n, own);
  if (sizes_.multiplier_forces) {
    patterns_.force_lambda = dense(n, rows);
    patterns_.aux_lambda = dense(own, rows);
  }
  if (sizes_.e > 0) patterns_.invariant = dense(sizes_.e, n);
}

void UserSystem::name_rows() {
  const UserDescription& d = equations_->description();
  blueprint_.bodies.resize(1);
  blueprint_.bodies[0].name = "ground";
  blueprint_.bodies[0].kind = BodyKind::ground;
  blueprint_.elements.clear();
  bodies_.assign(1, {});
  std::vector<int> all;
  for (int i = 0; i < sizes_.v; ++i) {
    BodyData body;
    body.name = d.positions[i].name;
    body.kind = BodyKind::point;
    blueprint_.bodies.push_back(std::move(body));
    bodies_.push_back({i, 1, i, 1});
    all.push_back(i + 1);
  }
  const auto add = [&](const std::string& name, RowKind kind) {
    ElementData element;
    element.name = name;
    element.type = &equation_type(kind);
    rows_.push_back({static_cast<int>(blueprint_.elements.size()), "", RowUnit::angle, kind, 0});
    blueprint_.elements.push_back(std::move(element));
    row_bodies_.push_back(all);
  };
  for (const std::string& name : d.holonomic) add(name, RowKind::holonomic);
  for (const std::string& name : d.nonholonomic) add(name, RowKind::nonholonomic);
  for (const UserVariable& x : d.dynamic) states_.push_back({0, x.name, x.start});
  for (const UserVariable& x : d.auxiliary) auxiliaries_.push_back({0, x.name, x.start});
}

/// Rows by what a unit change of the coordinates does to them at the start, masses by their mean.
void UserSystem::find_scales() {
  row_scale_.assign(sizes_.constraints(), 1.0);
  const auto ws = make_workspace();
  (void)equations_->contact(start_, start_.s, *ws);
  const Vector given = start_.v;
  (void)equations_->rates(start_, given, start_.v, *ws);
  if (equations_->evaluate(start_, {.velocity = true}, *ws) == Eval::ok)
    for (int i = 0; i < sizes_.constraints(); ++i) {
      const double size =
          norm_max({ws->G.values.data() + i * sizes_.v, static_cast<std::size_t>(sizes_.v)});
      if (size > 0) row_scale_[i] = size;
    }
  if (equations_->evaluate(start_, {.force = true}, *ws) != Eval::ok) return;
  double sum = 0;
  for (int i = 0; i < sizes_.v; ++i) {
    const double mass = ws->M.values[i * sizes_.v + i];
    blueprint_.bodies[i + 1].mass = mass;
    sum += std::abs(mass);
  }
  if (sum > 0) scales_.mass = sum / sizes_.v;
}

void UserSystem::name_quantities() {
  const UserDescription& d = equations_->description();
  const auto add = [&](const std::string& name, Quantity quantity) {
    quantity_order_.push_back(name);
    quantities_.emplace(name, quantity);
  };
  add("t", {Quantity::Kind::time, 0, 0});
  for (int i = 0; i < sizes_.v; ++i) add(d.positions[i].name, {Quantity::Kind::position, i + 1, 0});
  for (int i = 0; i < sizes_.v; ++i)
    add(d.velocities[i].name, {Quantity::Kind::velocity, i + 1, 0});
  for (int i = 0; i < sizes_.r; ++i) add(d.dynamic[i].name, {Quantity::Kind::state, 0, i});
  for (int i = 0; i < sizes_.w; ++i) add(d.auxiliary[i].name, {Quantity::Kind::auxiliary, 0, i});
  for (int i = 0; i < sizes_.s; ++i) add(d.contact[i].name, {Quantity::Kind::contact, 0, i});
  const auto ws = make_workspace();
  for (int i = 0; i < static_cast<int>(d.outputs.size()); ++i) {
    add(d.outputs[i], {Quantity::Kind::expression, 0, i});
    Vector by_v(sizes_.v, 0.0);
    equations_->quantity(UserQuantity::output, i, start_, 1, {}, by_v, *ws);
    output_moves_.push_back(std::any_of(by_v.begin(), by_v.end(), [](double x) { return x != 0; }));
  }
}

std::unique_ptr<Workspace> UserSystem::make_workspace() const {
  auto ws = std::make_unique<Workspace>();
  const int rows = sizes_.constraints();
  for (Vector* x : {&ws->g, &ws->rate, &ws->g_t, &ws->gamma, &ws->accel, &ws->rate_t, &ws->accel_t})
    x->assign(rows, 0.0);
  for (Vector* x : {&ws->f, &ws->f_t}) x->assign(sizes_.v, 0.0);
  for (Vector* x : {&ws->b, &ws->b_t}) x->assign(sizes_.r, 0.0);
  for (Vector* x : {&ws->d, &ws->d_t}) x->assign(sizes_.w, 0.0);
  ws->e.assign(sizes_.e, 0.0);
  ws->between = start_;
  ws->follower.reserve(start_.s.size());
  for (SparseMatrix* A : {&ws->G, &ws->rate_p, &ws->accel_p, &ws->accel_v})
    *A = SparseMatrix(patterns_.constraint);
  for (SparseMatrix* A : {&ws->M, &ws->f_p, &ws->f_v}) *A = SparseMatrix(patterns_.force);
  for (SparseMatrix* A : {&ws->aux_p, &ws->aux_v}) *A = SparseMatrix(patterns_.aux);
  ws->aux_aux = SparseMatrix(patterns_.aux_aux);
  ws->force_aux = SparseMatrix(patterns_.force_aux);
  if (sizes_.multiplier_forces) {
    ws->force_lambda = SparseMatrix(patterns_.force_lambda);
    ws->aux_lambda = SparseMatrix(patterns_.aux_lambda);
  }
  if (sizes_.e > 0) {
    ws->e_p = SparseMatrix(patterns_.invariant);
    ws->e_v = SparseMatrix(patterns_.invariant);
  }
  ws->scratch = equations_->make_scratch();
  // The mass matrix serves as a metric before forces are asked for.
  (void)equations_->evaluate(start_, {.force = true}, *ws);
  return ws;
}

std::unique_ptr<System> UserSystem::hold(const std::vector<int>& events) const {
  if (!blueprint_.equations) return nullptr;
  Blueprint blueprint = blueprint_;
  std::vector<int> places;
  places.reserve(events.size());
  for (int e : events) places.push_back(asked_event(e));
  blueprint.equations = kardan::hold(std::move(*blueprint.equations), places);
  Diagnostics discarded;  // what can be wrong was found when this system was compiled
  return compile(std::move(blueprint), discarded);
}

void UserSystem::retract(std::span<const double> p, std::span<const double> delta,
                         std::span<double> p_new) const {
  for (std::size_t i = 0; i < p.size(); ++i) p_new[i] = p[i] + delta[i];
}

/// There are no modes; contact variables are brought up to date.
void UserSystem::choose_modes(State& state, Workspace& ws) const {
  (void)equations_->contact(state, state.s, ws);
}

void UserSystem::follow_turns(const State& from, std::span<const double>, State& to,
                              Workspace& ws) const {
  to.s = from.s;
  if (sizes_.s == 0) return;
  State& between = ws.between;
  between = from;
  const auto solve = [&](double theta, std::vector<double>& s) {
    between.t = from.t + theta * (to.t - from.t);
    for (int i = 0; i < sizes_.p; ++i) between.p[i] = from.p[i] + theta * (to.p[i] - from.p[i]);
    return equations_->contact(between, s, ws) == Eval::ok;
  };
  if (!solve(0, to.s) || !ws.follower.follow(to.s, solve))
    std::fill(to.s.begin(), to.s.end(), std::nan(""));
}

void UserSystem::element_forces(const State&, std::span<double> out, Workspace&) const {
  std::fill(out.begin(), out.end(), 0.0);
}

void UserSystem::force_vectors(const State&, std::span<Vec3d> out, Workspace&) const {
  std::fill(out.begin(), out.end(), Vec3d{});
}

void UserSystem::event_guards(const State&, std::span<const double>, std::span<double>,
                              std::span<double> rate, Workspace&) const {
  std::fill(rate.begin(), rate.end(), std::numeric_limits<double>::infinity());
}

std::optional<Quantity> UserSystem::find_quantity(std::string_view name) const {
  const auto found = quantities_.find(std::string(name));
  if (found == quantities_.end()) return std::nullopt;
  return found->second;
}

std::vector<int> UserSystem::quantity_columns(const Quantity& q) const {
  if (q.kind == Quantity::Kind::position) return {q.body - 1};
  const bool plain = q.kind == Quantity::Kind::velocity && !equations_->description().kinematics;
  if (plain) return {q.body - 1};
  std::vector<int> all;
  if (q.kind == Quantity::Kind::velocity || q.kind == Quantity::Kind::contact ||
      q.kind == Quantity::Kind::expression)
    for (int i = 0; i < sizes_.v; ++i) all.push_back(i);
  return all;
}

bool UserSystem::is_velocity(const Quantity& q) const {
  return q.kind == Quantity::Kind::velocity ||
         (q.kind == Quantity::Kind::expression && output_moves_[q.index]);
}

double UserSystem::quantity(const Quantity& q, const State& state, double factor,
                            std::span<double> by_p, std::span<double> by_v, Workspace& ws) const {
  switch (q.kind) {
    case Quantity::Kind::position:
      if (!by_p.empty()) by_p[q.body - 1] += factor;
      return state.p[q.body - 1];
    case Quantity::Kind::velocity:
      if (equations_->description().kinematics)
        return equations_->quantity(UserQuantity::velocity, q.body - 1, state, factor, by_p, by_v,
                                    ws);
      if (!by_v.empty()) by_v[q.body - 1] += factor;
      return state.v[q.body - 1];
    case Quantity::Kind::state:
      return state.r[q.index];
    case Quantity::Kind::auxiliary:
      return state.w[q.index];
    case Quantity::Kind::contact:
      return equations_->quantity(UserQuantity::contact, q.index, state, factor, by_p, by_v, ws);
    case Quantity::Kind::expression:
      return equations_->quantity(UserQuantity::output, q.index, state, factor, by_p, by_v, ws);
    default:
      return state.t;
  }
}

std::string UserSystem::coordinate_name(int column) const {
  return equations_->description().positions[column].name;
}

/// With kinematics of its own the rate of a position is none of the user's velocities.
std::string UserSystem::velocity_name(int column) const {
  const UserDescription& d = equations_->description();
  return d.kinematics ? d.positions[column].name + "'" : d.velocities[column].name;
}

std::string UserSystem::acceleration_name(int column) const {
  return velocity_name(column) + "'";
}

}  // namespace kardan
