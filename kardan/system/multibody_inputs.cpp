#include <algorithm>
#include <cmath>
#include <numbers>

#include "kardan/base/enclosure.h"
#include "kardan/system/multibody.h"

namespace kardan {
namespace {

/// The way between two states is a cubic; what a step found may leave it by this share of its
/// length, beside the error of the step.
constexpr double off_the_way = 0.01;

/// A bound of |J^-1|: how fast a unit torque turns a body up. Of one without inertia about some
/// axis, which joints must hold, that of the others.
template <int D>
double turning(const Mat3d& inertia) {
  const double trace = inertia[0][0] + inertia[1][1] + inertia[2][2];
  if (!(trace > 0)) return 0;
  if constexpr (D == 2) {
    return 1 / inertia[2][2];
  } else {
    const Vec3d c[3] = {inertia.column(0), inertia.column(1), inertia.column(2)};
    const double determinant = dot(c[0], cross(c[1], c[2]));
    if (!(determinant > 1e-9 * trace * trace * trace)) return 3 / trace;
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
      const Vec3d row = cross(c[(k + 1) % 3], c[(k + 2) % 3]);
      sum += dot(row, row);
    }
    return std::sqrt(sum) / determinant;
  }
}

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
      out.velocities.push_back({body.first + k, turn * turning<D>(m.inertia)});
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
}

template <int D>
Taylor MultibodyEquations<D>::law_over(const LawInput<D>& law, const Input<D>& input,
                                       const Context<D>& at, const Taylor& t) const {
  Measure<D> y;
  law.measure.evaluate({at.bodies[input.A.body], at.bodies[input.B.body]}, Depth::first, y);
  if (law.counter >= 0) y.value += 2 * std::numbers::pi * at.turns[law.counter];
  const Taylor arguments[3] = {Taylor::constant(y.value, t.order),
                               Taylor::constant(y.rate, t.order), t};
  std::array<Taylor, 3> values;
  for (std::size_t k = 0; k < law.law.arguments.size(); ++k)
    values[k] = arguments[law.law.arguments[k]];
  return enclose(law.law.expression, std::span(values.data(), law.law.arguments.size()), t.order);
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
    const auto* law = std::get_if<LawInput<D>>(&input.source);
    const Taylor f =
        law ? law_over(*law, input, context(at, *motion), t)
            : formula_over(std::get<FormulaInput>(input.source), at, context(at, *motion), t);
    out[i] = InputBounds::of(f, input.derivative, input.factor);
  }
}

template <int D>
void MultibodyEquations<D>::enclose_way_inputs(const State& from, const State& to,
                                               const StepError& error, double a, double b,
                                               int order, std::span<InputBounds> out,
                                               Workspace& ws) const {
  auto& way = static_cast<MotionScratch&>(*ws.scratch).way;
  way.resize(2 * out.size());
  const auto place = [&](std::size_t i, const std::vector<BodyMotion<D>>& motion, VecOf<D>& P,
                         VecOf<D>& V) {
    const Input<D>& input = program_.inputs[way_inputs_.places[i]];
    const BodyMotion<D>& body = motion[input.B.body];
    const FixedVector<D> arm(body, std::get<RoadInput<D>>(input.source).s);
    P = body.x + arm.U0;
    V = body.v + arm.U1;
  };
  const std::vector<BodyMotion<D>>* motion = &move(from, {}, ws);
  for (std::size_t i = 0; i < out.size(); ++i) place(i, *motion, way[2 * i], way[2 * i + 1]);
  motion = &move(to, {}, ws);
  const Taylor since = Taylor::time(a - from.t, b - from.t, order + 1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    VecOf<D> P, V;
    place(i, *motion, P, V);
    const Input<D>& input = program_.inputs[way_inputs_.places[i]];
    const auto& road = std::get<RoadInput<D>>(input.source);
    double off = error.absolute[input.B.first] + error.relative * std::abs(P[0]);
    for (int k = D; k < input.B.count; ++k)
      off += norm(road.s) * (error.absolute[input.B.first + k] + error.relative);
    const Taylor x = cubic(way[2 * i][0], way[2 * i + 1][0], P[0], V[0], to.t - from.t, off, since);
    const Taylor h = road.height.enclose(x);
    out[i] = InputBounds::of(h * road.stiffness + h.derivative() * road.damping, 0, 1);
  }
}

template class MultibodyEquations<2>;
template class MultibodyEquations<3>;

}  // namespace kardan
