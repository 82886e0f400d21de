#include "kardan/system/conditions.h"

#include <algorithm>

#include "kardan/base/enclosure.h"

namespace kardan {
namespace {

constexpr int order = 1;

using Kind = Quantity::Kind;

/// What the slots of formulas of written equations are, up to their multipliers.
std::vector<Quantity> variables_of(const EquationData& data) {
  std::vector<Quantity> out{{Kind::time, 0, 0}};
  const auto add = [&](Kind kind, std::size_t count, bool by_body) {
    for (int i = 0; i < static_cast<int>(count); ++i)
      out.push_back(by_body ? Quantity{kind, i + 1, 0} : Quantity{kind, 0, i});
  };
  add(Kind::position, data.positions.size(), true);
  add(Kind::velocity, data.velocities.size(), true);
  add(Kind::state, data.dynamic.size(), false);
  add(Kind::auxiliary, data.auxiliary.size(), false);
  add(Kind::contact, data.contact.size(), false);
  return out;
}

}  // namespace

int Conditions::argument(const Quantity& q) {
  const auto same = [&](const Quantity& other) {
    return other.kind == q.kind && other.body == q.body && other.index == q.index;
  };
  const auto found = std::ranges::find_if(arguments_, same);
  if (found != arguments_.end()) return static_cast<int>(found - arguments_.begin());
  arguments_.push_back(q);
  return static_cast<int>(arguments_.size()) - 1;
}

/// Expressions of sensors are terms of their own; known[i]: that of sensor i, ~term, or 0.
int Conditions::slot(const Quantity& q, const std::vector<BoundExpression>& sensors,
                     std::vector<int>& known) {
  if (q.kind != Kind::expression) return argument(q);
  const auto i = static_cast<std::size_t>(q.index);
  if (known[i] < 0) return known[i];
  Term term{sensors[i].value, {}};
  for (const Quantity& inner : sensors[i].arguments)
    term.slots.push_back(slot(inner, sensors, known));
  terms_.push_back(std::move(term));
  return known[i] = ~(static_cast<int>(terms_.size()) - 1);
}

Conditions::Conditions(const BoundExpressions& bound, int first) {
  std::vector<int> known(bound.sensors.size(), 0);
  for (std::size_t i = 0; i < bound.events.size(); ++i) {
    Term term{bound.events[i].value, {}, first + static_cast<int>(i)};
    for (const Quantity& q : bound.events[i].arguments)
      term.slots.push_back(slot(q, bound.sensors, known));
    terms_.push_back(std::move(term));
  }
  for (const auto* all : {&bound.formulas.forces, &bound.formulas.states})
    for (const BoundFormula& formula : *all) {
      if (formula.value.count() == 0) continue;
      SwitchedTerm term{&formula, {}};
      for (const Quantity& q : formula.arguments) term.slots.push_back(argument(q));
      switched_.push_back(std::move(term));
    }
}

/// Formulas with multipliers have none of the arguments there are.
Conditions::Conditions(const EquationData& data) {
  const std::vector<Quantity> variables = variables_of(data);
  const auto all = static_cast<std::size_t>(data.variables());
  std::vector<int> definitions;  // ~term of each; 0: it has none
  const auto bind = [&](const Formula& formula, int event) {
    Term term{formula.expression, {}, event};
    for (const int s : formula.slots) {
      const auto i = static_cast<std::size_t>(s);
      if (i >= all && definitions[i - all] < 0)
        term.slots.push_back(definitions[i - all]);
      else if (i < variables.size())
        term.slots.push_back(argument(variables[i]));
      else
        return false;
    }
    terms_.push_back(std::move(term));
    return true;
  };
  if (data.events.empty()) return;
  for (const NamedFormula& definition : data.definitions) {
    const bool bound = bind(definition.formula, -1);
    definitions.push_back(bound ? ~(static_cast<int>(terms_.size()) - 1) : 0);
  }
  for (std::size_t i = 0; i < data.events.size(); ++i)
    (void)bind(data.events[i].formula, static_cast<int>(i));
}

void Conditions::mark(std::span<char> events) const {
  for (const Term& term : terms_)
    if (term.event >= 0) events[static_cast<std::size_t>(term.event)] = 1;
  for (const SwitchedTerm& term : switched_)
    for (int k = 0; k < term.formula->value.count(); ++k)
      events[static_cast<std::size_t>(term.formula->event + k)] = 1;
}

void Conditions::load(const std::vector<int>& slots, std::span<const Taylor> arguments,
                      Scratch& scratch) const {
  scratch.values.clear();
  for (const int s : slots)
    scratch.values.push_back(s >= 0 ? arguments[static_cast<std::size_t>(s)]
                                    : scratch.inner[static_cast<std::size_t>(~s)]);
}

void Conditions::enclose(std::span<const int> modes, std::span<const Taylor> arguments,
                         std::span<Taylor> z, Scratch& scratch) const {
  scratch.inner.resize(terms_.size());
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const Term& term = terms_[i];
    load(term.slots, arguments, scratch);
    scratch.inner[i] = kardan::enclose(term.value, scratch.values, order);
    if (term.event >= 0) z[static_cast<std::size_t>(term.event)] = scratch.inner[i];
  }
  for (const SwitchedTerm& term : switched_) {
    const BoundFormula& f = *term.formula;
    load(term.slots, arguments, scratch);
    (void)f.value.enclose(scratch.values, modes.data() + f.mode, z.data() + f.event, order);
  }
}

}  // namespace kardan
