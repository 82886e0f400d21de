#include <algorithm>
#include <cmath>
#include <numbers>

#include "kardan/base/enclosure.h"
#include "kardan/base/features.h"
#include "kardan/system/body_inertia.h"
#include "kardan/system/multibody.h"

namespace kardan {
namespace {

/// The way between two states is a cubic; what a step found may leave it by this share of its
/// length, beside the error of the step.
constexpr double off_the_way = 0.01;

/// The cubic with these values and slopes at the ends of a time h, over a part of it, and what is
/// `error` away from it.
Taylor cubic(double x0, double v0, double x1, double v1, double h, double error,
             const Taylor& since) {
  const Taylor s = since * (1 / h);
  const double way = x1 - x0, c2 = 3 * way - h * (2 * v0 + v1), c3 = h * (v0 + v1) - 2 * way;
  Taylor out = ((s * c3 + c2) * s + h * v0) * s + x0;
  const double off = off_the_way * std::abs(way) + error;
  out.c[0] = out.c[0] + Interval(-off, off);
  return out;
}

/// Whether a law has more than what is narrow (features.h).
bool has_features(const ExpressionLaw& law) {
  constexpr int time = 2;
  std::array<Dependence, 3> names{};
  for (std::size_t k = 0; k < law.arguments.size(); ++k)
    names[k] = law.arguments[k] == time ? Dependence::none : Dependence::straight;
  return dependence(law.expression, names) == Dependence::featured;
}

}  // namespace

template <int D>
InputEffect MultibodyEquations<D>::effect(const Input<D>& input, const NameData& names) const {
  InputEffect out;
  const auto add_body = [&](const BodyColumns& body, double arm) {
    const BodyMass& m = masses_[body.body];
    if (input.kind == InputKind::force && m.mass > 0)
      for (int k = 0; k < std::min(D, body.count); ++k)
        out.velocities.push_back({body.first + k, 1 / m.mass});
    const double turn = input.kind == InputKind::force ? arm : 1;
    for (int k = D; k < body.count && turn > 0; ++k)
      out.velocities.push_back({body.first + k, turn * most_turning<D>(m.inertia)});
  };
  switch (input.kind) {
    case InputKind::force:
    case InputKind::torque:
      add_body(input.A, input.arm_A);
      add_body(input.B, input.arm_B);
      break;
    case InputKind::variable:
      out.dynamic.push_back({input.index, 1});
      break;
    case InputKind::row: {
      const bool length = names.rows[input.index].unit == RowUnit::length;
      for (const int b : names.row_bodies[input.index])
        for (int k = 0; k < bodies_[b].v_count; ++k)
          out.velocities.push_back({bodies_[b].v + k, (k < D) == length ? 1
                                                      : k < D           ? names.scales.length
                                                                        : 1 / names.scales.length});
      break;
    }
  }
  out.of_state = !std::holds_alternative<TimeFunction>(input.source);
  return out;
}

template <int D>
void MultibodyEquations<D>::bind_inputs(const NameData& names) {
  for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
    InputGroup& group = program_.inputs[i].of_way() ? way_inputs_ : time_inputs_;
    group.places.push_back(static_cast<int>(i));
    group.effects.push_back(effect(program_.inputs[i], names));
  }
  bind_way_formulas(names);
}

template <int D>
auto MultibodyEquations<D>::measured(const LawInput<D>& law, const Input<D>& input,
                                     const Context<D>& at) const -> WayEnd {
  Measure<D> y;
  law.measure.evaluate({at.bodies[input.A.body], at.bodies[input.B.body]}, Depth::first, y);
  if (law.counter >= 0) y.value += 2 * std::numbers::pi * at.turns[law.counter];
  return {y.value, y.rate};
}

/// Over what its arguments (y, rate, t) are.
template <int D>
Taylor MultibodyEquations<D>::law_over(const LawInput<D>& law,
                                       const std::array<Taylor, 3>& arguments) const {
  std::array<Taylor, 3> values;
  for (std::size_t k = 0; k < law.law.arguments.size(); ++k)
    values[k] = arguments[static_cast<std::size_t>(law.law.arguments[k])];
  return enclose(law.law.expression, std::span(values.data(), law.law.arguments.size()),
                 arguments[2].order);
}

template <int D>
Taylor MultibodyEquations<D>::formula_over(const FormulaInput& input, const State& state,
                                           const Context<D>& at, const Taylor& t) const {
  const BoundFormulas& all = expressions_.formulas;
  const auto i = static_cast<std::size_t>(input.index);
  const auto over = [&](const Expression& value, const std::vector<Quantity>& arguments) {
    std::vector<Taylor> values;
    for (const Quantity& q : arguments)
      values.push_back(q.kind == Quantity::Kind::time
                           ? t
                           : Taylor::constant(reading(state, at).value(q, 0, {}, {}), t.order));
    return enclose(value, std::span<const Taylor>(values), t.order);
  };
  if (input.of == FormulaInput::Of::row)
    return over(all.rows[i].value.value, all.rows[i].value.arguments);
  const BoundFormula& f = input.of == FormulaInput::Of::force ? all.forces[i] : all.states[i];
  return over(f.value.expression(), f.arguments);
}

template <int D>
void MultibodyEquations<D>::enclose_time_inputs(const State& at, double a, double b, int order,
                                                std::span<InputBounds> out, Workspace& ws) const {
  const std::vector<BodyMotion<D>>* motion = nullptr;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Input<D>& input = program_.inputs[time_inputs_.places[i]];
    const Taylor t = Taylor::time(a, b, order + input.derivative);
    if (const auto* f = std::get_if<TimeFunction>(&input.source)) {
      out[i] = InputBounds::of(f->enclose(t), input.derivative, input.factor);
      continue;
    }
    if (!motion) motion = &move(at, {}, ws);
    Taylor f;
    if (const auto* law = std::get_if<LawInput<D>>(&input.source)) {
      const auto [y, rate] = measured(*law, input, context(at, *motion));
      f = law_over(*law, {Taylor::constant(y, t.order), Taylor::constant(rate, t.order), t});
    } else {
      f = formula_over(std::get<FormulaInput>(input.source), at, context(at, *motion), t);
    }
    out[i] = InputBounds::of(f, input.derivative, input.factor);
  }
}

template <int D>
void MultibodyEquations<D>::enclose_way_inputs(const State& from, const State& to,
                                               const StepError& error, double a, double b,
                                               int order, std::span<InputBounds> out,
                                               Workspace& ws) const {
  const std::size_t count = way_inputs_.places.size();
  if (!way_formulas_.empty()) enclose_way_formulas(from, to, a, b, order, out.subspan(count), ws);
  if (count == 0) return;
  auto& ends = static_cast<MotionScratch&>(*ws.scratch).ways;
  ends.resize(count);
  const auto look = [&](const State& at, WayEnd WayEnds::*end) {
    const std::vector<BodyMotion<D>>& motion = move(at, {}, ws);
    for (std::size_t i = 0; i < count; ++i) {
      const Input<D>& input = program_.inputs[way_inputs_.places[i]];
      WayEnd& here = ends[i].*end;
      if (const auto* law = std::get_if<LawInput<D>>(&input.source)) {
        here = measured(*law, input, context(at, motion));
        continue;
      }
      const BodyMotion<D>& body = motion[input.B.body];
      const FixedVector<D> arm(body, std::get<RoadInput<D>>(input.source).s);
      here.y = body.x[0] + arm.U0[0];
      here.rate = body.v[0] + arm.U1[0];
    }
  };
  look(from, &WayEnds::from);
  look(to, &WayEnds::to);
  const double h = to.t - from.t;
  const Taylor since = Taylor::time(a - from.t, b - from.t, order + 1);
  for (std::size_t i = 0; i < count; ++i) {
    const WayEnd &A = ends[i].from, &B = ends[i].to;
    const Input<D>& input = program_.inputs[way_inputs_.places[i]];
    if (const auto* law = std::get_if<LawInput<D>>(&input.source)) {
      const Taylor f = law_over(*law, {along_chord(A.y, A.rate, B.y, B.rate, h, since),
                                       rate_along_chord(A.y, A.rate, B.y, B.rate, h, since),
                                       Taylor::constant({a, b}, since.order)});
      out[i] = InputBounds::of(f, 0, 1);
      if (!out[i].value.finite() && !has_features(law->law)) out[i] = {.value = 0.0};
      continue;
    }
    const auto& road = std::get<RoadInput<D>>(input.source);
    double off = error.absolute[input.B.first] + error.relative * std::abs(B.y);
    for (int k = D; k < input.B.count; ++k)
      off += norm(road.s) * (error.absolute[input.B.first + k] + error.relative);
    const Taylor x = cubic(A.y, A.rate, B.y, B.rate, h, off, since);
    const Taylor height = road.height.enclose(x);
    out[i] = InputBounds::of(height * road.stiffness + height.derivative() * road.damping, 0, 1);
  }
}

template class MultibodyEquations<2>;
template class MultibodyEquations<3>;

}  // namespace kardan
