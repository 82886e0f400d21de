#include "kardan/system/bound_expressions.h"

#include <fmt/format.h>

#include <algorithm>

#include "kardan/base/text.h"
#include "kardan/model/observation.h"

namespace kardan {
namespace {

class Binder {
 public:
  Binder(NameData& names, Diagnostics& diagnostics) : names_(names), diagnostics_(diagnostics) {}

  BoundExpression bind(const std::string& owner, const Expression& value,
                       const SourceLocation& where) {
    BoundExpression bound{value, {}, out.arguments};
    for (const std::string& name : value.names()) {
      if (const auto found = names_.find_quantity(name)) {
        bound.arguments.push_back(*found);
        continue;
      }
      // What was left out because of a fault is not missed here.
      if (names_.blueprint.faulty.contains(name.substr(0, name.find('.')))) continue;
      const std::string near = did_you_mean(name, names_.quantity_names());
      diagnostics_.error(
          "expression.unknown_name", fmt::format("{}: there is no quantity '{}' here", owner, name),
          where,
          near.empty() ? "use BODY.x, BODY.vx, ..., t or a sensor (in a sensor: an earlier one)"
                       : "did you mean '" + near + "'?");
    }
    out.arguments += static_cast<int>(bound.arguments.size());
    return bound;
  }

  void sensor(const ExpressionQuantity& e) {
    BoundExpression bound = bind(e.name, e.value, e.where);
    const int index = static_cast<int>(out.sensors.size());
    NamedQuantity named{
        e.name, {Quantity::Kind::expression, 0, index}, "", {}, false, is_followed(bound)};
    for (const Quantity& argument : bound.arguments) {
      named.velocity = named.velocity || names_.is_velocity(argument);
      for (const int c : names_.quantity_columns(argument)) named.columns.push_back(c);
    }
    names_.quantities.add(std::move(named));
    out.sensors.push_back(std::move(bound));
  }

  void event(const EventData& e) {
    out.events.push_back(bind(e.name, e.function, e.where));
    if (e.action == EventAction::impulse && !is_followed(out.events.back()))
      refuse_impulse(e, diagnostics_);
  }

  /// A force of friction acts along the gradient of its function: it needs one of positions.
  void friction(const FrictionData& e) {
    out.frictions.push_back(bind(e.name, e.along, e.where));
    if (!is_followed(out.frictions.back()))
      diagnostics_.error(
          "friction.along",
          fmt::format("{}: friction needs a function of positions and t; got '{}'", e.name,
                      e.along.text()),
          e.where, "it acts against the rate of the function: leave velocities and forces out");
  }

  BoundExpressions out;

 private:
  bool is_followed(const BoundExpression& bound) const {
    return std::ranges::all_of(bound.arguments,
                               [&](const Quantity& q) { return names_.is_followed(q); });
  }

  NameData& names_;
  Diagnostics& diagnostics_;
};

}  // namespace

BoundExpressions bind_expressions(NameData& names, const std::vector<ExpressionQuantity>& sensors,
                                  Diagnostics& diagnostics) {
  Binder binder(names, diagnostics);
  for (const ExpressionQuantity& e : sensors) binder.sensor(e);
  for (const EventData& e : names.blueprint.events) binder.event(e);
  for (const FrictionData& e : names.blueprint.frictions) binder.friction(e);
  for (const InvariantData& e : names.blueprint.invariants)
    if (e.kind == InvariantData::Kind::expression)
      binder.out.invariants.push_back(binder.bind("invariants", e.value, e.where));
  names.add_events();
  return std::move(binder.out);
}

}  // namespace kardan
