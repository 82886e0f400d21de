#include "kardan/model/equation_data.h"

namespace kardan {
namespace {

/// Every formula of the equations.
template <class Use>
void each_formula(EquationData& data, Use&& use) {
  for (auto* list : {&data.dynamic, &data.auxiliary, &data.contact})
    for (EquationVariable& x : *list) use(x.formula);
  for (auto* list : {&data.definitions, &data.holonomic, &data.nonholonomic, &data.invariants,
                     &data.events, &data.outputs})
    for (NamedFormula& x : *list) use(x.formula);
  for (auto* list : {&data.kinematics, &data.forces})
    for (Formula& f : *list) use(f);
  for (MassEntry& m : data.mass) use(m.formula);
  for (auto* f : {&data.kinetic, &data.potential, &data.power})
    if (*f) use(**f);
}

}  // namespace

bool of_positions(const EquationData& data, const Formula& formula) {
  const int n = static_cast<int>(data.positions.size());
  const int contact = 1 + 2 * n + static_cast<int>(data.dynamic.size() + data.auxiliary.size());
  const int multipliers = contact + static_cast<int>(data.contact.size());
  for (int slot : formula.slots) {
    const bool plain = slot <= n || (slot >= contact && slot < multipliers);
    const bool defined = slot >= data.variables() &&
                         of_positions(data, data.definitions[slot - data.variables()].formula);
    if (!plain && !defined) return false;
  }
  return true;
}

EquationData hold(EquationData data, const std::vector<int>& events) {
  // Their multipliers stand behind those of the other holonomic constraints.
  const int place = data.variables() - static_cast<int>(data.nonholonomic.size());
  const int count = static_cast<int>(events.size());
  for (int e : events) {
    data.holonomic.push_back(data.events[e]);
    data.holonomic.back().name += ".rest";
  }
  each_formula(data, [&](Formula& f) {
    for (int& slot : f.slots)
      if (slot >= place) slot += count;
  });
  return data;
}

}  // namespace kardan
