#include "kardan/system/coordinate_equations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

/// Sizes, patterns, start and events.
void lay_out(const UserEquations& equations, NameData& names) {
  const UserDescription& d = equations.description();
  Sizes& sizes = names.sizes;
  const int n = static_cast<int>(d.positions.size());
  sizes.p = sizes.v = n;
  sizes.r = static_cast<int>(d.dynamic.size());
  sizes.w = static_cast<int>(d.auxiliary.size());
  sizes.s = static_cast<int>(d.contact.size());
  sizes.lambda = static_cast<int>(d.holonomic.size());
  sizes.mu = static_cast<int>(d.nonholonomic.size());
  sizes.e = static_cast<int>(d.invariants.size());
  sizes.multiplier_forces = equations.multiplier_forces();
  names.start = start_of(d);
  if (sizes.multiplier_forces) {
    names.start.lambda = d.multiplier_starts;
    names.start.lambda.resize(sizes.constraints(), 0.0);
  }
  // Events of `when` are the last of all.
  names.event_names = d.events;
  names.event_names.resize(d.events.size() -
                           std::min(d.events.size(), names.blueprint.events.size()));
  names.add_events();
  const int own = sizes.r + sizes.w, rows = sizes.constraints();
  Patterns& patterns = names.patterns;
  patterns.constraint = dense(rows, n);
  patterns.force = patterns.mass = dense(n, n);
  patterns.aux = dense(own, n);
  patterns.aux_aux = dense(own, own);
  patterns.force_aux = dense(n, own);
  if (sizes.multiplier_forces) {
    patterns.force_lambda = dense(n, rows);
    patterns.aux_lambda = dense(own, rows);
  }
  if (sizes.e > 0) patterns.invariant = dense(sizes.e, n);
}

/// Every coordinate as a body, every row as an element.
void name_rows(const UserDescription& d, NameData& names) {
  Blueprint& blueprint = names.blueprint;
  blueprint.bodies.resize(1);
  blueprint.bodies[0].name = "ground";
  blueprint.bodies[0].kind = BodyKind::ground;
  blueprint.elements.clear();
  names.bodies.assign(1, {});
  std::vector<int> all;
  for (int i = 0; i < names.sizes.v; ++i) {
    BodyData body;
    body.name = d.positions[i].name;
    body.kind = BodyKind::point;
    blueprint.bodies.push_back(std::move(body));
    names.bodies.push_back({i, 1, i, 1});
    // With kinematics of its own the rate of a position is none of the user's velocities.
    names.velocity_names.push_back(d.kinematics ? d.positions[i].name + "'" : d.velocities[i].name);
    all.push_back(i + 1);
  }
  const auto add = [&](const std::string& name, RowKind kind) {
    ElementData element;
    element.name = name;
    element.type = &equation_type(kind);
    names.rows.push_back(
        {static_cast<int>(blueprint.elements.size()), "", RowUnit::angle, kind, 0});
    blueprint.elements.push_back(std::move(element));
    names.row_bodies.push_back(all);
  };
  for (const std::string& name : d.holonomic) add(name, RowKind::holonomic);
  for (const std::string& name : d.nonholonomic) add(name, RowKind::nonholonomic);
  for (const UserVariable& x : d.dynamic) names.states.push_back({0, x.name, x.start});
  for (const UserVariable& x : d.auxiliary) names.auxiliaries.push_back({0, x.name, x.start});
}

/// There are no scales but those of the constraint rows, which are what they change by per unit of
/// the coordinates at the start, and of the masses: their mean.
void find_scales(const Equations& equations, NameData& names) {
  const int rows = names.sizes.constraints(), n = names.sizes.v;
  names.row_scales.assign(rows, 1.0);
  const auto ws = equations.make_workspace();
  if (equations.evaluate(names.start, {.velocity = true}, *ws) == Eval::ok)
    for (int i = 0; i < rows; ++i) {
      const double size = norm_max({ws->G.values.data() + i * n, static_cast<std::size_t>(n)});
      if (size > 0) names.row_scales[i] = size;
    }
  if (equations.evaluate(names.start, {.force = true}, *ws) != Eval::ok) return;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double mass = ws->M.values[i * n + i];
    names.blueprint.bodies[i + 1].mass = mass;
    sum += std::abs(mass);
  }
  if (sum > 0) names.scales.mass = sum / n;
}

/// Equations are numbers: only the time has a known unit.
void name_quantities(const UserDescription& d, const Equations& equations, NameData& names) {
  using Kind = Quantity::Kind;
  QuantityList& list = names.quantities;
  std::vector<int> all;
  for (int i = 0; i < names.sizes.v; ++i) all.push_back(i);
  list.add({"t", {Kind::time, 0, 0}, "s"});
  for (int i = 0; i < names.sizes.v; ++i)
    list.add({d.positions[i].name, {Kind::position, i + 1, 0}, "", {i}});
  for (int i = 0; i < names.sizes.v; ++i)
    list.add({d.velocities[i].name,
              {Kind::velocity, i + 1, 0},
              "",
              d.kinematics ? all : std::vector<int>{i},
              true});
  for (int i = 0; i < names.sizes.r; ++i) list.add({d.dynamic[i].name, {Kind::state, 0, i}});
  for (int i = 0; i < names.sizes.w; ++i) list.add({d.auxiliary[i].name, {Kind::auxiliary, 0, i}});
  for (int i = 0; i < names.sizes.s; ++i)
    list.add({d.contact[i].name, {Kind::contact, 0, i}, "", all});
  const auto ws = equations.make_workspace();
  for (int i = 0; i < static_cast<int>(d.outputs.size()); ++i) {
    Vector by_v(names.sizes.v, 0.0);
    const Quantity output{Kind::expression, 0, i};
    equations.quantity(output, names.start, 1, {}, by_v, *ws);
    const bool moves = std::any_of(by_v.begin(), by_v.end(), [](double x) { return x != 0; });
    list.add({d.outputs[i], output, "", all, moves});
  }
}

/// Equations that give no numbers at the start, by name.
void check_start(const System& system, const UserDescription& d, Diagnostics& diagnostics) {
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
  NameData names;
  names.blueprint = std::move(blueprint);
  names.blueprint.dimension = 1;
  if (names.blueprint.name.empty()) names.blueprint.name = d.name;
  names.exact_derivatives = equations->exact();
  lay_out(*equations, names);
  name_rows(d, names);
  auto coordinates = std::make_unique<CoordinateEquations>(std::move(equations), names.sizes,
                                                           names.patterns, names.start);
  names.start = coordinates->start();
  find_scales(*coordinates, names);
  if (names.blueprint.equations) coordinates->bind_inputs(*names.blueprint.equations);
  name_quantities(d, *coordinates, names);
  auto system = std::make_unique<System>(Names(std::move(names)), std::move(coordinates));
  check_start(*system, d, diagnostics);
  if (diagnostics.error_count() > errors) return nullptr;
  return system;
}

CoordinateEquations::CoordinateEquations(std::unique_ptr<UserEquations> equations, Sizes sizes,
                                         Patterns patterns, State start)
    : equations_(std::move(equations)),
      sizes_(sizes),
      patterns_(std::move(patterns)),
      start_(std::move(start)) {
  const auto ws = make_workspace();
  int side = 0;
  (void)equations_->contact(start_, start_.s, side, *ws);
  const Vector given = start_.v;
  (void)equations_->rates(start_, given, start_.v, *ws);
}

std::unique_ptr<Workspace> CoordinateEquations::make_workspace() const {
  auto ws = std::make_unique<Workspace>();
  const int rows = sizes_.constraints();
  for (Vector* x : {&ws->g, &ws->rate, &ws->g_t, &ws->gamma, &ws->accel, &ws->rate_t, &ws->accel_t})
    x->assign(rows, 0.0);
  for (Vector* x : {&ws->f, &ws->f_t}) x->assign(sizes_.v, 0.0);
  for (Vector* x : {&ws->b, &ws->b_t}) x->assign(sizes_.r, 0.0);
  for (Vector* x : {&ws->d, &ws->d_t}) x->assign(sizes_.w, 0.0);
  ws->e.assign(sizes_.e, 0.0);
  ws->following.between = start_;
  ws->following.follower.reserve(start_.s.size());
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
  adopt(*ws);
  return ws;
}

/// The mass matrix serves as a metric before forces are asked for.
void CoordinateEquations::adopt(Workspace& ws) const {
  ws.constants_of = this;
  (void)equations_->evaluate(start_, {.force = true}, ws);
}

/// There are no modes; contact variables are brought up to date.
void CoordinateEquations::choose_modes(State& state, Workspace& ws) const {
  int side = 0;
  (void)equations_->contact(state, state.s, side, ws);
}

void CoordinateEquations::follow_turns(const State& from, std::span<const double>, State& to,
                                       Workspace& ws) const {
  to.s = from.s;
  if (sizes_.s == 0) return;
  State& between = ws.following.between;
  between = from;
  int side = 0;  // of the branch
  const auto solve = [&](double theta, std::vector<double>& s) {
    between.t = from.t + theta * (to.t - from.t);
    for (int i = 0; i < sizes_.p; ++i) between.p[i] = from.p[i] + theta * (to.p[i] - from.p[i]);
    int here = 0;
    if (equations_->contact(between, s, here, ws) != Eval::ok) return false;
    if (side == 0) side = here;
    return here == side;
  };
  if (!solve(0, to.s) || !ws.following.follower.follow(to.s, solve))
    std::fill(to.s.begin(), to.s.end(), std::nan(""));
}

double CoordinateEquations::quantity(const Quantity& q, const State& state, double factor,
                                     std::span<double> by_p, std::span<double> by_v,
                                     Workspace& ws) const {
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

}  // namespace kardan
