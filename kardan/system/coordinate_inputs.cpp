#include <algorithm>

#include "kardan/base/enclosure.h"
#include "kardan/base/features.h"
#include "kardan/system/coordinate_equations.h"
#include "kardan/system/written_motions.h"

namespace kardan {

void CoordinateEquations::bind_inputs(const EquationData& data) {
  conditions_ = Conditions(data);
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
  bind_ways(data);
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

/// Forces and rates with features of the state.
void CoordinateEquations::bind_ways(const EquationData& data) {
  const auto ws = make_workspace();
  const bool known = evaluate(start_, {.force = true}, *ws) == Eval::ok;
  std::vector<Dependence> depends(variables_, Dependence::straight), names;
  depends[0] = Dependence::none;  // t
  const auto of = [&](const Formula& formula) {
    names.clear();
    for (const int slot : formula.slots) names.push_back(depends[static_cast<std::size_t>(slot)]);
    return dependence(formula.expression, names);
  };
  for (const Formula& definition : definitions_) depends.push_back(of(definition));
  const auto add = [&](const Formula& formula, InputEffect effect) {
    if (of(formula) != Dependence::featured) return;
    effect.of_state = true;
    way_formulas_.push_back({formula, 0});
    ways_.push_back(std::move(effect));
  };
  for (int i = 0; i < static_cast<int>(data.forces.size()); ++i) {
    const int place = ws->M.pattern->find(i, i);
    const double mass = known && place >= 0 ? ws->M.values[place] : 1;
    add(data.forces[i], {{{i, mass > 0 ? 1 / mass : 1}}, {}, true});
  }
  for (int i = 0; i < static_cast<int>(data.dynamic.size()); ++i)
    add(data.dynamic[i].formula, {{}, {{i, 1}}, true});
}

/// Of the variables in ws.enclosed.
Taylor CoordinateEquations::over(const Formula& formula, int order, Workspace& ws) const {
  ws.arguments.clear();
  for (const int slot : formula.slots) ws.arguments.push_back(ws.enclosed[slot]);
  return enclose(formula.expression, ws.arguments, order);
}

void CoordinateEquations::enclose_definitions(int order, Workspace& ws) const {
  for (const Formula& definition : definitions_) ws.enclosed.push_back(over(definition, order, ws));
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
  enclose_definitions(taylor_order, ws);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = InputBounds::of(over(input_formulas_[i].formula, taylor_order, ws),
                             input_formulas_[i].derivative, 1);
}

/// Multipliers count as zero here too.
void CoordinateEquations::enclose_way_inputs(const State& from, const State& to,
                                             const StepError& /*error*/, double a, double b,
                                             int order, std::span<InputBounds> out,
                                             Workspace& ws) const {
  const double h = to.t - from.t;
  const Taylor since = Taylor::time(a - from.t, b - from.t, order);
  std::vector<Taylor>& values = ws.enclosed;
  values.clear();
  values.reserve(variables_ + definitions_.size());
  values.push_back(Taylor::constant({a, b}, order));
  for (std::size_t i = 0; i < from.p.size(); ++i)
    values.push_back(along_chord(from.p[i], from.v[i], to.p[i], to.v[i], h, since));
  for (std::size_t i = 0; i < from.v.size(); ++i)
    values.push_back(rate_along_chord(from.p[i], from.v[i], to.p[i], to.v[i], h, since));
  const auto add = [&](const Vector& A, const Vector& B) {
    for (std::size_t i = 0; i < A.size(); ++i) {
      const double slope = (B[i] - A[i]) / h;
      values.push_back(along_chord(A[i], slope, B[i], slope, h, since));
    }
  };
  add(from.r, to.r);
  add(from.w, to.w);
  add(from.s, to.s);
  values.resize(variables_, Taylor::constant(0.0, order));
  enclose_definitions(order, ws);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = InputBounds::of(over(way_formulas_[i].formula, order, ws), 0, 1);
}

}  // namespace kardan
