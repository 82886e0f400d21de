#include "kardan/system/bound_expressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "kardan/base/affine.h"
#include "kardan/base/text.h"
#include "kardan/model/observation.h"

namespace kardan {
namespace {

/// What follows from all forces together, so that no force can be made of it.
const char* what_follows(const NameData& names, std::string_view name) {
  const auto dot = name.rfind('.');
  if (dot == std::string_view::npos) return nullptr;
  const std::string_view part = name.substr(dot + 1);
  const std::string owner(name.substr(0, dot));
  static constexpr std::array<std::string_view, 7> accelerations{
      "ax", "ay", "az", "alpha", "alphax", "alphay", "alphaz"};
  if (names.body_index.contains(owner) &&
      std::ranges::find(accelerations, part) != accelerations.end())
    return "an acceleration";
  const bool element = std::ranges::any_of(names.blueprint.elements,
                                           [&](const ElementData& e) { return e.name == owner; });
  if (!element) return nullptr;
  if (part == "force" || part == "torque" || part.starts_with("lambda") || part.starts_with("mu["))
    return "a force of the same moment";
  const bool reaction = std::ranges::any_of(
      names.reaction_sensors, [&](const ReactionQuantity& r) { return r.name == owner; });
  return reaction ? "a reaction" : nullptr;
}

class Binder {
 public:
  Binder(NameData& names, Diagnostics& diagnostics) : names_(names), diagnostics_(diagnostics) {}

  BoundExpression bind(const ElementFormula& formula) {
    BoundExpression bound{formula.value, {}, out.arguments};
    for (std::size_t i = 0; i < formula.value.names().size(); ++i)
      if (const auto found = find(formula, i)) bound.arguments.push_back(*found);
    out.arguments += static_cast<int>(bound.arguments.size());
    return bound;
  }

  /// Tells of names that are not known.
  void look_up(const ElementFormula& formula) {
    for (std::size_t i = 0; i < formula.value.names().size(); ++i) (void)find(formula, i);
  }

  /// In the order in which they can be: each after those it uses.
  void sensors(const std::vector<const ExpressionQuantity*>& all) {
    std::vector<const ExpressionQuantity*> open = all;
    for (const ExpressionQuantity* e : all) pending_.push_back(e->name);
    for (std::size_t before = open.size() + 1; !open.empty() && open.size() < before;) {
      before = open.size();
      std::erase_if(open, [&](const ExpressionQuantity* e) {
        if (waits(*e)) return false;
        sensor(*e);
        return true;
      });
    }
    if (open.empty()) return;
    std::vector<std::string> loop;
    for (const ExpressionQuantity* e : open) loop.push_back("'" + e->name + "'");
    diagnostics_.error("expression.loop",
                       loop.size() == 1
                           ? loop[0] + " depends on itself"
                           : fmt::format("{} depend on each other", fmt::join(loop, ", ")),
                       open.front()->value.where, "a value needs others that are known before it");
  }

  void event(const EventData& e) {
    out.events.push_back(bind({e.name, e.function, e.where}));
    if (e.action == EventAction::impulse && !is_followed(out.events.back()))
      refuse_impulse(e, diagnostics_);
  }

  BoundFormula formula(const ElementFormula& formula) {
    const Expression flat = flattened(formula);
    BoundFormula bound{Switches(flat), arguments_of(flat)};
    const int count = bound.value.count();
    bound.mode = names_.element_modes;
    bound.event = static_cast<int>(names_.event_names.size());
    names_.element_modes += count;
    for (int k = 0; k < count; ++k)
      names_.event_names.push_back(count == 1 ? formula.owner + ".switch"
                                              : fmt::format("{}.switch[{}]", formula.owner, k));
    return bound;
  }

  BoundRow row(const FormulaRow& written) {
    const ElementFormula& formula = written.formula;
    BoundRow bound{{flattened(formula), {}, 0}, {}};
    bound.value.arguments = arguments_of(bound.value.value);
    std::vector<char> moves;
    for (const Quantity& q : bound.value.arguments) {
      moves.push_back(names_.is_velocity(q));
      bound.of_velocities = bound.of_velocities || moves.back();
      for (const int c : names_.quantity_columns(q)) add_body(c, bound.bodies);
    }
    const auto before = diagnostics_.error_count();
    check_row(written, bound, moves);
    return diagnostics_.error_count() > before ? BoundRow{} : bound;
  }

  /// A force of friction acts along the gradient of its function: it needs one of positions.
  void friction(const FrictionData& e) {
    out.frictions.push_back(bind({e.name, e.along, e.where}));
    if (!is_followed(out.frictions.back()))
      diagnostics_.error(
          "friction.along",
          fmt::format("{}: friction needs a function of positions and t; got '{}'", e.name,
                      e.along.text()),
          e.where, "it acts against the rate of the function: leave velocities and forces out");
  }

  BoundExpressions out;

 private:
  std::optional<Quantity> find(const ElementFormula& formula, std::size_t index) {
    const std::string& name = formula.value.names()[index];
    for (const auto& [local, quantity] : formula.locals)
      if (local == name) return names_.find_quantity(quantity);
    if (const auto found = names_.find_quantity(name)) return found;
    // What was left out because of a fault is not missed here.
    if (names_.blueprint.faulty.contains(name.substr(0, name.find('.')))) return std::nullopt;
    if (std::ranges::find(pending_, name) != pending_.end()) return std::nullopt;  // in a loop
    SourceLocation at = formula.where;
    if (const char* what = what_follows(names_, name)) {
      diagnostics_.error(
          "expression.loop",
          fmt::format("{}: '{}' is {}, which follows from all forces, this one included",
                      formula.owner, name, what),
          at, "use positions, velocities, sensors and variables; results have it as a column");
      return std::nullopt;
    }
    if (name.ends_with(".coordinate") || name.ends_with(".coordinate_rate"))
      return refuse_coordinate(formula, name), std::nullopt;
    const std::string near = did_you_mean(name, names_.quantity_names());
    std::string hint = "use BODY.x, BODY.vx, JOINT.angle, t or a sensor";
    if (names_.blueprint.parameters.function(name))
      hint = fmt::format("it is a function: write {}(t)", name);
    else if (!near.empty())
      hint = "did you mean '" + near + "'?";
    diagnostics_.error("expression.unknown_name",
                       fmt::format("{}: there is no quantity '{}' here", formula.owner, name), at,
                       hint);
    return std::nullopt;
  }

  /// Of a thing that is no joint, or one without a coordinate or with several.
  void refuse_coordinate(const ElementFormula& formula, const std::string& name) {
    const std::string owner = name.substr(0, name.rfind('.'));
    std::vector<std::string> others;
    for (const NamedQuantity& q : names_.quantities.all())
      if (q.name.starts_with(owner + ".") && !q.rate) others.push_back(q.name);
    const bool element = std::ranges::any_of(names_.blueprint.elements,
                                             [&](const ElementData& e) { return e.name == owner; });
    diagnostics_.error("joint.coordinate",
                       element
                           ? fmt::format("{}: '{}' has not one free coordinate but {}",
                                         formula.owner, owner, others.empty() ? "none" : "others")
                           : fmt::format("{}: there is no joint '{}'", formula.owner, owner),
                       formula.where,
                       others.empty() ? "name a revolute or prismatic joint"
                                      : fmt::format("write {}", fmt::join(others, " or ")));
  }

  bool waits(const ExpressionQuantity& e) const {
    return std::ranges::any_of(e.value.value.names(), [&](const std::string& name) {
      return !names_.find_quantity(name) && std::ranges::find(pending_, name) != pending_.end();
    });
  }

  void sensor(const ExpressionQuantity& e) {
    BoundExpression bound = bind(e.value);
    const int index = static_cast<int>(out.sensors.size());
    NamedQuantity named{
        e.name, {Quantity::Kind::expression, 0, index}, e.unit, {}, false, is_followed(bound)};
    for (const Quantity& argument : bound.arguments) {
      named.velocity = named.velocity || names_.is_velocity(argument);
      for (const int c : names_.quantity_columns(argument)) named.columns.push_back(c);
    }
    names_.quantities.add(std::move(named));
    flat_.push_back(bound.arguments.size() == e.value.value.names().size() ? flattened(e.value)
                                                                           : Expression());
    out.sensors.push_back(std::move(bound));
  }

  /// With expressions of quantities, and locals, in the place of their names.
  Expression flattened(const ElementFormula& formula) {
    std::vector<std::pair<std::string, Expression>> locals;
    for (const auto& [local, quantity] : formula.locals)
      locals.emplace_back(local, Expression::parse(quantity).value());
    const auto flat = formula.value.inlined([&](std::string_view name) -> const Expression* {
      for (const auto& [local, quantity] : locals)
        if (local == name) return &quantity;
      const auto found = names_.find_quantity(name);
      const bool is_expression = found && found->kind == Quantity::Kind::expression;
      return is_expression ? &flat_[static_cast<std::size_t>(found->index)] : nullptr;
    });
    if (flat) return *flat;
    diagnostics_.error("expression.depth",
                       formula.owner +
                           ": too many operands wait for each other in the sensors "
                           "that it uses",
                       formula.where, "write shorter formulas");
    return Expression();
  }

  std::vector<Quantity> arguments_of(const Expression& flat) const {
    std::vector<Quantity> out;
    for (const std::string& name : flat.names())
      if (const auto found = names_.find_quantity(name)) out.push_back(*found);
    return out;
  }

  bool is_followed(const BoundExpression& bound) const {
    return std::ranges::all_of(bound.arguments,
                               [&](const Quantity& q) { return names_.is_followed(q); });
  }

  void add_body(int column, std::vector<int>& bodies) const {
    const int body = body_of_column(names_.bodies, column);
    const auto at = std::ranges::lower_bound(bodies, body);
    if (at == bodies.end() || *at != body) bodies.insert(at, body);
  }

  void check_row(const FormulaRow& written, const BoundRow& bound, const std::vector<char>& moves) {
    const ElementFormula& formula = written.formula;
    const auto fail = [&](const char* code, const std::string& what, const char* hint) {
      diagnostics_.error(code, formula.owner + ": " + what, formula.where, hint);
    };
    using Kind = Quantity::Kind;
    for (std::size_t i = 0; i < bound.value.arguments.size(); ++i) {
      const Quantity& q = bound.value.arguments[i];
      const std::string& name = bound.value.value.names()[i];
      if (!names_.is_followed(q) && !names_.is_rate(q))
        return fail("constraint.quantity",
                      fmt::format("'{}' {}", name,
                                  q.kind == Kind::state || q.kind == Kind::auxiliary
                                      ? "is a variable of an element"
                                      : "is no coordinate, measure or rate of one"),
                      "use coordinates of bodies and joints, their rates, sensors of these and t");
    }
    if (bound.value.arguments.size() < bound.value.value.names().size()) return;  // reported
    if (!Switches(bound.value.value).twice_smooth())
      return fail("constraint.kink", "it has kinks or jumps; a constraint must be smooth",
                    "write it without abs, sign, min, max, mod, comparisons and tables with kinks; "
                    "interpolation: cubic in a table");
    if (bound.value.value.continuous_derivatives() < 2)
      return fail("constraint.kink", "a function in it has kinks; a constraint must be smooth",
                    "interpolation: cubic in a table, 'step' instead of 'ramp'");
    if (bound.of_velocities && !is_affine(bound.value.value, moves))
      return fail("constraint.not_affine", "velocities stand in it that are not linear",
                    "a constraint is linear in velocities: products of two, their squares and "
                    "functions have no force that holds them");
    if (bound.bodies.empty())
      fail("constraint.empty", "nothing that moves stands in it",
             "name coordinates of bodies or joints, or sensors");
    if (bound.of_velocities && written.from_start)
      fail("constraint.start", "a constraint of velocities is not counted from the start",
             "leave from_start out");
  }

  NameData& names_;
  Diagnostics& diagnostics_;
  std::vector<std::string> pending_;  // all expression sensors, until they are bound
  std::vector<Expression> flat_;      // of the sensors
};

}  // namespace

BoundExpressions bind_expressions(NameData& names, const WrittenFormulas& written,
                                  Diagnostics& diagnostics) {
  Binder binder(names, diagnostics);
  binder.sensors(written.sensors);
  for (const EventData& e : names.blueprint.events) binder.event(e);
  for (const FrictionData& e : names.blueprint.frictions) binder.friction(e);
  for (const InvariantData& e : names.blueprint.invariants)
    if (e.kind == InvariantData::Kind::expression)
      binder.out.invariants.push_back(binder.bind({"invariants", e.value, e.where}));
  const auto complain = diagnostics.error_count();
  for (const auto* all : {&written.forces, &written.states})
    for (const ElementFormula* f : *all) binder.look_up(*f);
  for (const FormulaRow* f : written.rows) binder.look_up(f->formula);
  const bool sound = diagnostics.error_count() == complain;
  BoundFormulas& formulas = binder.out.formulas;
  for (const ElementFormula* f : written.forces)
    formulas.forces.push_back(sound ? binder.formula(*f)
                                    : BoundFormula{Switches(Expression()), {}});
  for (const ElementFormula* f : written.states)
    formulas.states.push_back(sound ? binder.formula(*f)
                                    : BoundFormula{Switches(Expression()), {}});
  for (const FormulaRow* f : written.rows)
    formulas.rows.push_back(sound ? binder.row(*f) : BoundRow{});
  return std::move(binder.out);
}

}  // namespace kardan
