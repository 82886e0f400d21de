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
    const Dependence depends_so = of(formula);
    if (depends_so < Dependence::narrow) return;
    effect.of_state = true;
    way_formulas_.push_back({formula, 0, depends_so == Dependence::narrow});
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

/// Of the variables that stand in ws.enclosed from `first` on.
Taylor CoordinateEquations::over(const Formula& formula, int order, std::size_t first,
                                 Workspace& ws) const {
  ws.arguments.clear();
  for (const int slot : formula.slots)
    ws.arguments.push_back(ws.enclosed[first + static_cast<std::size_t>(slot)]);
  return enclose(formula.expression, ws.arguments, order);
}

/// Behind the variables from `first` on: multipliers, which count as zero, and definitions.
void CoordinateEquations::complete(int order, std::size_t first, Workspace& ws) const {
  ws.enclosed.resize(first + variables_, Taylor::constant(0.0, order));
  for (const Formula& definition : definitions_)
    ws.enclosed.push_back(over(definition, order, first, ws));
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
  complete(taylor_order, 0, ws);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = InputBounds::of(over(input_formulas_[i].formula, taylor_order, 0, ws),
                             input_formulas_[i].derivative, 1);
}

/// The variables at a state, with their rates, behind what ws.enclosed holds; those whose rates are
/// not known go to another state, a time h away.
void CoordinateEquations::add_place(const State& at, const State& other, double h,
                                    Workspace& ws) const {
  const std::size_t first = ws.enclosed.size();
  const auto add = [&](double value, double rate) {
    Taylor x = Taylor::constant(value, 1);
    x.c[1] = rate;
    ws.enclosed.push_back(x);
  };
  add(at.t, 1);
  for (std::size_t i = 0; i < at.p.size(); ++i) add(at.p[i], at.v[i]);
  for (const auto part : {&State::v, &State::r, &State::w, &State::s})
    for (std::size_t i = 0; i < (at.*part).size(); ++i)
      add((at.*part)[i], ((other.*part)[i] - (at.*part)[i]) / h);
  complete(1, first, ws);
}

/// The variables over the times from a to b on the way between two states, likewise.
void CoordinateEquations::add_way(const State& from, const State& to, double a, double b, int order,
                                  Workspace& ws) const {
  const double h = to.t - from.t;
  const Taylor since = Taylor::time(a - from.t, b - from.t, order);
  std::vector<Taylor>& values = ws.enclosed;
  const std::size_t first = values.size();
  values.push_back(Taylor::constant({a, b}, order));
  for (std::size_t i = 0; i < from.p.size(); ++i)
    values.push_back(along_chord(from.p[i], from.v[i], to.p[i], to.v[i], h, since));
  for (std::size_t i = 0; i < from.v.size(); ++i)
    values.push_back(rate_along_chord(from.p[i], from.v[i], to.p[i], to.v[i], h, since));
  for (const auto part : {&State::r, &State::w, &State::s})
    for (std::size_t i = 0; i < (from.*part).size(); ++i) {
      const double A = (from.*part)[i], B = (to.*part)[i], slope = (B - A) / h;
      values.push_back(along_chord(A, slope, B, slope, h, since));
    }
  complete(order, first, ws);
}

/// Narrow inputs that do what the ends of the step show count as resting.
void CoordinateEquations::enclose_way_inputs(const State& from, const State& to,
                                             const StepError& /*error*/, double a, double b,
                                             int order, std::span<InputBounds> out,
                                             Workspace& ws) const {
  const double h = to.t - from.t;
  ws.enclosed.clear();
  add_way(from, to, a, b, order, ws);
  const std::size_t all = ws.enclosed.size();
  if (std::ranges::any_of(way_formulas_, [](const InputFormula& f) { return f.narrow; })) {
    add_place(from, to, h, ws);
    add_place(to, from, -h, ws);
    add_way(from, to, from.t, to.t, 1, ws);
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Formula& f = way_formulas_[i].formula;
    if (way_formulas_[i].narrow) {
      const Taylor start = over(f, 1, all, ws), end = over(f, 1, 2 * all, ws);
      if (shown_by_ends(over(f, 1, 3 * all, ws), start, end, h)) {
        out[i] = {.value = start.c[0]};
        continue;
      }
    }
    out[i] = InputBounds::of(over(f, order, 0, ws), 0, 1);
    // Beyond the end of what a root or power is defined for nothing is known: the estimate must do.
    if (way_formulas_[i].narrow && !out[i].value.finite()) out[i] = {.value = 0.0};
  }
}

}  // namespace kardan
