#include <algorithm>

#include "kardan/base/enclosure.h"
#include "kardan/system/coordinate_equations.h"
#include "kardan/system/written_motions.h"

namespace kardan {

void CoordinateEquations::bind_inputs(const EquationData& data) {
  variables_ = static_cast<std::size_t>(data.variables());
  for (const NamedFormula& definition : data.definitions)
    definitions_.push_back(definition.formula);
  const auto ws = make_workspace();
  const bool known = evaluate(start_, {.force = true}, *ws) == Eval::ok;
  const auto add = [&](const Formula& formula, int derivative, InputEffect effect) {
    input_formulas_.push_back({formula, derivative});
    effect.of_state = true;
    inputs_.push_back(std::move(effect));
  };
  for (int i = 0; i < static_cast<int>(data.forces.size()); ++i) {
    if (!varies_in_time(data, data.forces[i])) continue;
    const int place = ws->M.pattern->find(i, i);
    const double mass = known && place >= 0 ? ws->M.values[place] : 1;
    add(data.forces[i], 0, {{{i, mass > 0 ? 1 / mass : 1}}, {}, true});
  }
  for (int i = 0; i < static_cast<int>(data.dynamic.size()); ++i)
    if (varies_in_time(data, data.dynamic[i].formula))
      add(data.dynamic[i].formula, 0, {{}, {{i, 1}}, true});
  // Constraints act by their second derivative, conditions on velocities by their first.
  const auto add_rows = [&](const std::vector<NamedFormula>& rows, int derivative) {
    for (const NamedFormula& row : rows) {
      if (!varies_in_time(data, row.formula)) continue;
      InputEffect effect;
      for (int j = 0; j < sizes_.v; ++j) effect.velocities.push_back({j, 1});
      add(row.formula, derivative, std::move(effect));
    }
  };
  add_rows(data.holonomic, 2);
  add_rows(data.nonholonomic, 1);
}

/// Multipliers count as zero: where forces depend on them they say nothing about time.
void CoordinateEquations::enclose_time_inputs(const State& at, double a, double b, int order,
                                              std::span<InputBounds> out, Workspace& ws) const {
  // Constraints act by their second derivative, which is enclosed like the others.
  const int taylor_order = order + 2;
  std::vector<Taylor>& values = ws.enclosed;
  values.clear();
  values.reserve(variables_ + definitions_.size());
  values.push_back(Taylor::time(a, b, taylor_order));
  for (const Vector* part : {&at.p, &at.v, &at.r, &at.w, &at.s})
    for (const double x : *part) values.push_back(Taylor::constant(x, taylor_order));
  values.resize(variables_, Taylor::constant(0.0, taylor_order));
  std::vector<Taylor>& arguments = ws.arguments;
  const auto over = [&](const Formula& formula) {
    arguments.clear();
    for (const int slot : formula.slots) arguments.push_back(values[slot]);
    return enclose(formula.expression, arguments, taylor_order);
  };
  for (const Formula& definition : definitions_) values.push_back(over(definition));
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = InputBounds::of(over(input_formulas_[i].formula), input_formulas_[i].derivative, 1);
}

}  // namespace kardan
