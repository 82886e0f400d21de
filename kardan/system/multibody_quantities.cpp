/// Named quantities of bodies and their gradients.

#include "kardan/system/multibody.h"

namespace kardan {

template <int D>
double MultibodyEquations<D>::quantity(const Quantity& q, const State& state, double factor,
                                       std::span<double> by_p, std::span<double> by_v,
                                       Workspace& ws) const {
  const BodyLayout& body = bodies_[q.body];
  switch (q.kind) {
    case Quantity::Kind::position: {
      const double* p = state.p.data() + body.p;
      if (!by_p.empty()) {
        double* row = by_p.data() + body.v;
        if (D == 2 || q.index < 3) {
          row[q.index] += factor;
        } else {
          // dq = q * (0, dtheta) / 2
          const double w = p[3], x = p[4], y = p[5], z = p[6];
          const double rows[4][3] = {{-x, -y, -z}, {w, -z, y}, {z, w, -x}, {-y, x, w}};
          for (int k = 0; k < 3; ++k) row[3 + k] += 0.5 * factor * rows[q.index - 3][k];
        }
      }
      return p[q.index];
    }
    case Quantity::Kind::velocity:
      if (!by_v.empty()) by_v[body.v + q.index] += factor;
      return state.v[body.v + q.index];
    case Quantity::Kind::sensor:
      return program_.sensors[q.index].reading->value(context(state, move(state, {}, ws)), factor,
                                                      by_p, by_v);
    case Quantity::Kind::state:
      return state.r[q.index];
    case Quantity::Kind::auxiliary:
      return state.w[q.index];
    case Quantity::Kind::contact:
      return state.s[q.index];
    case Quantity::Kind::time:
      return state.t;
    case Quantity::Kind::expression:
      return expression(expressions_.sensors[q.index], state, factor, by_p, by_v, ws);
  }
  return 0;
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
