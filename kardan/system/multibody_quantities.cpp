/// Named quantities of bodies and their gradients.

#include "kardan/system/multibody.h"

namespace kardan {

template <int D>
double MultibodyEquations<D>::quantity(const Quantity& q, const State& state, double factor,
                                       std::span<double> by_p, std::span<double> by_v,
                                       Workspace& ws) const {
  if (q.kind == Quantity::Kind::expression)
    return expression(expressions_.sensors[q.index], state, factor, by_p, by_v, ws);
  auto& motion = static_cast<MotionScratch&>(*ws.scratch).motion;
  if (q.kind == Quantity::Kind::sensor)
    for (const int b : sensor_bodies_[q.index])
      move_body(state, static_cast<std::size_t>(b), {}, motion[b]);
  return reading(state, context(state, motion)).value(q, factor, by_p, by_v);
}

template <int D>
double MultibodyEquations<D>::expression(const BoundExpression& bound, const State& state,
                                         double factor, std::span<double> by_p,
                                         std::span<double> by_v, Workspace& ws) const {
  MotionScratch& scratch = static_cast<MotionScratch&>(*ws.scratch);
  const std::size_t count = bound.arguments.size();
  const std::span<double> values = std::span(scratch.argument_values).subspan(bound.first, count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = quantity(bound.arguments[i], state, 0, {}, {}, ws);
  if (by_p.empty() && by_v.empty()) return bound.value.evaluate(values);
  const std::span<double> gradient =
      std::span(scratch.argument_gradients).subspan(bound.first, count);
  const double value = bound.value.evaluate_with_gradient(values, gradient);
  for (std::size_t i = 0; i < count; ++i)
    quantity(bound.arguments[i], state, factor * gradient[i], by_p, by_v, ws);
  return value;
}

template class MultibodyEquations<2>;
template class MultibodyEquations<3>;

}  // namespace kardan
