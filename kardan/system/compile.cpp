#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kardan/base/stop.h"
#include "kardan/base/text.h"
#include "kardan/system/expression_equations.h"
#include "kardan/system/moved_bodies.h"
#include "kardan/system/multibody.h"
#include "kardan/system/system.h"

namespace kardan {
namespace {

template <int D>
VecOf<D> in_space(const Vec3d& a) {
  if constexpr (D == 3) {
    return a;
  } else {
    return {a.x, a.y};
  }
}
template <int D>
RotationOf<D> rotation_in_space(const Mat3d& R) {
  if constexpr (D == 3) {
    return R;
  } else {
    return {R[0][0], R[1][0]};
  }
}

template <int D>
BodyMotion<D> start_motion(const BodyData& b) {
  BodyMotion<D> m;
  m.x = in_space<D>(b.position);
  m.R = rotation_in_space<D>(b.R);
  m.angle = b.angle;
  return m;
}

/// Where each body's coordinates stand.
template <int D>
std::vector<BodyLayout> lay_out_bodies(const Blueprint& blueprint, Topology& topology) {
  std::vector<BodyLayout> layout(1);
  topology.bodies.assign(1, {});
  int p = 0, v = 0;
  for (std::size_t b = 1; b < blueprint.bodies.size(); ++b) {
    const bool point = blueprint.bodies[b].kind == BodyKind::point;
    const int p_count = point ? D : (D == 2 ? 3 : 7);
    const int v_count = point ? D : dofs<D>;
    layout.push_back({p, p_count, v, v_count});
    topology.bodies.push_back({static_cast<int>(b), v, v_count});
    p += p_count;
    v += v_count;
  }
  return layout;
}

/// Nonholonomic rows go last, the order within a kind stays.
template <int D>
void order_rows(Program<D>& program) {
  std::vector<int> place(program.rows.size());
  std::vector<RowInfo> ordered;
  for (const RowKind kind : {RowKind::holonomic, RowKind::nonholonomic})
    for (std::size_t i = 0; i < program.rows.size(); ++i)
      if (program.rows[i].kind == kind) {
        place[i] = static_cast<int>(ordered.size());
        ordered.push_back(std::move(program.rows[i]));
      }
  program.rows = std::move(ordered);
  for (auto& bank : program.constraints)
    bank->each_slot(
        [](void* user, RowSlots& s) { s.row = (*static_cast<std::vector<int>*>(user))[s.row]; },
        &place);
  for (Input<D>& input : program.inputs)
    if (input.kind == InputKind::row) input.index = place[input.index];
  for (FormulaRow& formula : program.formulas.rows) formula.row = place[formula.row];
}

template <int D>
bool build_element(const ElementData& e, int index, const Blueprint& blueprint,
                   const Topology& topology, const ValueReader& reader, Builder<D>& builder) {
  std::vector<BodyFrame<D>> frames;
  std::vector<BodyMotion<D>> start;
  for (const FrameData& f : e.frames) {
    frames.push_back({topology.bodies[f.body], in_space<D>(f.s), rotation_in_space<D>(f.R)});
    start.push_back(start_motion<D>(blueprint.bodies[f.body]));
  }
  const bool in_pairs = e.type->frames != any_frames;
  for (std::size_t k = 0; in_pairs && k + 1 < frames.size(); k += 2)
    if (frames[k].body.body == frames[k + 1].body.body && e.type->category != Category::sensor) {
      reader.diagnostics().error("element.same_body",
                                 fmt::format("{}: joins '{}' to itself", e.name,
                                             blueprint.bodies[frames[k].body.body].name),
                                 e.where, "name markers on two different bodies");
      return false;
    }
  for (const FrameData& f : e.frames)
    if (blueprint.bodies[f.body].kind == BodyKind::point && norm(f.s) > 0) {
      reader.diagnostics().error(
          "element.point_mass",
          fmt::format("{}: its marker stands off the point mass '{}', which has no arm", e.name,
                      blueprint.bodies[f.body].name),
          e.where, "put the marker at the point, or make the body rigid");
      return false;
    }
  using Placed = typename Builder<D>::Placed;
  builder.begin(index, e.name, e.where, std::move(frames), std::move(start),
                e.together ? Placed::together : Placed::by_markers);
  if constexpr (D == 2) {
    return e.type->build_planar(e.fields, e.name, e.where, reader, builder);
  } else {
    return e.type->build_spatial(e.fields, e.name, e.where, reader, builder);
  }
}

/// Forces whose derivatives count as unknown are informed.
template <int D>
void leave_out_derivatives(const Blueprint& blueprint, Program<D>& program) {
  std::vector<char> known;
  for (const ElementData& e : blueprint.elements) known.push_back(e.differentiable);
  using Slots = typename ForceBank<D>::Slots;
  for (auto& bank : program.forces)
    bank->each_slot(
        [](void* user, Slots& s) {
          s.differentiable = (*static_cast<std::vector<char>*>(user))[s.element] != 0;
        },
        &known);
}

/// Reactions are of joints that exist.
template <int D>
void check_sensors(const Program<D>& program, const Blueprint& blueprint,
                   Diagnostics& diagnostics) {
  for (const ReactionQuantity& r : program.reactions) {
    const auto joint = std::find_if(blueprint.elements.begin(), blueprint.elements.end(),
                                    [&](const ElementData& e) { return e.name == r.joint; });
    const int index = static_cast<int>(joint - blueprint.elements.begin());
    const bool has_rows = std::any_of(program.rows.begin(), program.rows.end(),
                                      [&](const RowInfo& row) { return row.element == index; });
    if (has_rows || blueprint.faulty.contains(r.joint)) continue;
    std::vector<std::string> names;
    for (const RowInfo& row : program.rows) names.push_back(blueprint.elements[row.element].name);
    const std::string near = did_you_mean(r.joint, names);
    diagnostics.error("sensor.joint", fmt::format("{}: there is no joint '{}'", r.name, r.joint),
                      r.where, near.empty() ? "" : "did you mean '" + near + "'?");
  }
}

/// The type of events that are held: they move with time, so they count as drivers.
const ElementType& rest_type() {
  static const ElementType type = [] {
    ElementType t;
    t.name = "rest";
    t.summary = "a stop at rest";
    t.equation = "z = 0";
    t.category = Category::driver;
    t.frames = 0;
    return t;
  }();
  return type;
}

const ElementType& stick_type() {
  static const ElementType type = [] {
    ElementType t = rest_type();
    t.name = "stick";
    t.summary = "friction that sticks";
    t.equation = "y' = 0";
    return t;
  }();
  return type;
}

/// A row of its own, as an element that is called NAME and behind all others of its kind.
template <int D>
void add_row(Blueprint& blueprint, Program<D>& program, std::string name, const ElementType& type,
             const SourceLocation& where, RowUnit unit, RowKind kind) {
  ElementData element;
  element.name = std::move(name);
  element.type = &type;
  element.where = where;
  program.rows.push_back({static_cast<int>(blueprint.elements.size()), "", unit, kind, 0});
  blueprint.elements.push_back(std::move(element));
}

/// Events at rest and frictions that stick as elements, each with a row of its own behind the other
/// ones; then the rows that are formulas. What they touch, in the order of Blueprint::held, then of
/// Blueprint::frictions (those that slip have no row, and their force depends on that of all bodies
/// where it depends on a reaction), then of the formulas.
template <int D>
std::vector<SharedRow> add_shared(Blueprint& blueprint, Program<D>& program,
                                  const BoundFormulas& formulas, const Topology& topology) {
  for (std::size_t i = 0; i < formulas.rows.size(); ++i)
    if (formulas.rows[i].of_velocities)
      program.rows[program.formulas.rows[i].row].kind = RowKind::nonholonomic;
  for (Input<D>& input : program.inputs)
    if (const auto* f = std::get_if<FormulaInput>(&input.source);
        f && f->of == FormulaInput::Of::row && formulas.rows[f->index].of_velocities)
      input.derivative = 1;
  for (const HeldEvent& held : blueprint.held)
    add_row(blueprint, program, blueprint.events[held.event].name + ".rest", rest_type(),
            blueprint.events[held.event].where, held.unit, RowKind::holonomic);
  for (const int i : blueprint.stuck)
    add_row(blueprint, program, blueprint.frictions[i].name + ".stick", stick_type(),
            blueprint.frictions[i].where, blueprint.frictions[i].unit, RowKind::nonholonomic);
  order_rows(program);
  const auto end = std::find_if(program.rows.begin(), program.rows.end(), [](const RowInfo& row) {
    return row.kind == RowKind::nonholonomic;
  });
  std::vector<SharedRow> out;
  int row = static_cast<int>(end - program.rows.begin() - blueprint.held.size());
  for (const HeldEvent& held : blueprint.held) out.push_back({row++, held.bodies});
  row = static_cast<int>(program.rows.size() - blueprint.stuck.size());
  std::vector<int> all;
  for (std::size_t b = 1; b < topology.bodies.size(); ++b) all.push_back(static_cast<int>(b));
  for (std::size_t i = 0; i < blueprint.frictions.size(); ++i) {
    const FrictionData& f = blueprint.frictions[i];
    const bool stuck =
        std::ranges::find(blueprint.stuck, static_cast<int>(i)) != blueprint.stuck.end();
    const bool loaded = f.stop >= 0 || f.joint >= 0;
    out.push_back({stuck ? row++ : -1, stuck || !loaded ? f.bodies : all});
  }
  for (std::size_t i = 0; i < formulas.rows.size(); ++i)
    out.push_back({program.formulas.rows[i].row, formulas.rows[i].bodies});
  return out;
}

/// Where the functions of frictions move: known when everything else has its name. What turns needs
/// a radius at which its load acts (an arm of zero: none is given).
void place_frictions(Blueprint& blueprint, Diagnostics& diagnostics) {
  const bool known = std::ranges::none_of(blueprint.frictions,
                                          [](const FrictionData& f) { return f.bodies.empty(); });
  if (known) return;
  Blueprint plain = blueprint;
  plain.frictions.clear();
  Diagnostics discarded;  // reported when all of it is compiled
  const auto system = compile_draft(std::move(plain), discarded);
  if (!system) return;
  for (FrictionData& f : blueprint.frictions) {
    MovedBodies moved = moved_bodies(*system, f.along);
    f.bodies = std::move(moved.bodies);
    f.unit = moved.unit;
    if (f.arm > 0) continue;
    f.arm = 1;
    if (f.unit == RowUnit::angle && (f.stop >= 0 || f.joint >= 0))
      diagnostics.error("friction.load", f.name + ": a force presses on what turns at no radius",
                        f.where, "give radius: that of the bearing [m]");
  }
}

template <int D>
std::unique_ptr<System> compile_in(Blueprint blueprint, Diagnostics& diagnostics) {
  place_frictions(blueprint, diagnostics);
  Topology topology;
  std::vector<BodyLayout> layout = lay_out_bodies<D>(blueprint, topology);
  Program<D> program;
  {
    Builder<D> builder(program, diagnostics);
    const ValueReader reader(blueprint.parameters, diagnostics);
    for (std::size_t i = 0; i < blueprint.elements.size(); ++i) {
      stop_point();
      build_element<D>(blueprint.elements[i], static_cast<int>(i), blueprint, topology, reader,
                       builder);
    }
  }
  check_sensors(program, blueprint, diagnostics);
  leave_out_derivatives(blueprint, program);
  const int velocities = layout.back().v + layout.back().v_count;
  NameData names = name_multibody(std::move(blueprint), program, std::move(layout), topology);
  BoundExpressions expressions = bind_expressions(names, WrittenFormulas(program), diagnostics);
  const std::vector<SharedRow> shared =
      add_shared(names.blueprint, program, expressions.formulas, topology);
  const std::vector<FormulaCoupling> coupled =
      couplings(program.formulas, expressions.formulas, names);
  Patterns patterns = lay_out(program, velocities, shared, coupled, topology);
  name_rows(program, topology, std::move(patterns), names);
  auto equations = std::make_unique<MultibodyEquations<D>>(names, std::move(program), topology,
                                                           std::move(expressions), shared);
  if (!diagnostics.has_errors()) {
    equations->wind_up(names);
    equations->count_from_start(names);
  }
  return std::make_unique<System>(Names(std::move(names)), std::move(equations));
}

}  // namespace

std::unique_ptr<System> compile(Blueprint blueprint, Diagnostics& diagnostics) {
  if (diagnostics.has_errors()) return nullptr;
  auto system = compile_draft(std::move(blueprint), diagnostics);
  return diagnostics.has_errors() ? nullptr : std::move(system);
}

std::unique_ptr<System> compile_draft(Blueprint blueprint, Diagnostics& diagnostics) {
  if (blueprint.equations) {
    auto equations = expression_equations(blueprint.name, *blueprint.equations, diagnostics);
    return equations ? make_system(std::move(equations), diagnostics, std::move(blueprint))
                     : nullptr;
  }
  return blueprint.dimension == 2 ? compile_in<2>(std::move(blueprint), diagnostics)
                                  : compile_in<3>(std::move(blueprint), diagnostics);
}

}  // namespace kardan
