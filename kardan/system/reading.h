#pragma once
/// Quantities of bodies that stand in their places: coordinates, velocities, sensors, variables.

#include "kardan/base/state.h"
#include "kardan/elements/sensor.h"
#include "kardan/system/names.h"

namespace kardan {

template <int D>
struct Reading {
  const State& state;
  const Context<D>& at;
  const std::vector<BodyLayout>& bodies;
  const std::vector<Sensor<D>>& sensors;

  /// The value of any quantity but an expression. Gradients over the tangents of p and v are added,
  /// times `factor`, where given.
  double value(const Quantity& q, double factor, std::span<double> by_p,
               std::span<double> by_v) const {
    const BodyLayout& body = bodies[q.body];
    switch (q.kind) {
      case Quantity::Kind::position: {
        const double* p = state.p.data() + body.p;
        if (!by_p.empty()) add_position(body, p, q.index, factor, by_p);
        return p[q.index];
      }
      case Quantity::Kind::velocity:
        if (!by_v.empty()) by_v[body.v + q.index] += factor;
        return state.v[body.v + q.index];
      case Quantity::Kind::sensor:
        return sensors[q.index].reading->value(at, factor, by_p, by_v);
      case Quantity::Kind::state:
        return state.r[q.index];
      case Quantity::Kind::auxiliary:
        return state.w[q.index];
      case Quantity::Kind::contact:
        return state.s[q.index];
      case Quantity::Kind::time:
        return state.t;
      case Quantity::Kind::expression:
        break;
    }
    return 0;
  }

 private:
  static void add_position(const BodyLayout& body, const double* p, int index, double factor,
                           std::span<double> by_p) {
    double* row = by_p.data() + body.v;
    if (D == 2 || index < 3) {
      row[index] += factor;
      return;
    }
    // dq = q * (0, dtheta) / 2
    const double w = p[3], x = p[4], y = p[5], z = p[6];
    const double rows[4][3] = {{-x, -y, -z}, {w, -z, y}, {z, w, -x}, {-y, x, w}};
    for (int k = 0; k < 3; ++k) row[3 + k] += 0.5 * factor * rows[index - 3][k];
  }
};

}  // namespace kardan
