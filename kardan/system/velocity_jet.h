#pragma once
/// A function z(t, p, v) that is linear in v, followed to first order along the motion, with the
/// derivatives a nonholonomic row needs, over some columns of the tangent of p:
///
///   value = z                 H = z_v            by_p = z_p       t_value = z_t
///   rate  = z' at given v'    rate_p = (z')_p    rate_v = (z')_v  t_rate  = (z')_t
///   turn[i][j] = d(H_i)/dp_j  H_t = (z_v)_t

#include <deque>

#include "kardan/system/quantity_jet.h"

namespace kardan {

struct VelocityJet {
  double value = 0, rate = 0, t_value = 0, t_rate = 0;
  Vector H, H_t, by_p, rate_p, rate_v;
  Vector turn;  // columns x columns, by rows

  void clear(std::size_t columns) {
    value = rate = t_value = t_rate = 0;
    for (Vector* x : {&H, &H_t, &by_p, &rate_p, &rate_v}) x->assign(columns, 0.0);
    turn.assign(columns * columns, 0.0);
  }
};

struct VelocityScratch {
  std::deque<VelocityJet> jets;  // the first is of the row, the others of its arguments
  std::vector<Dual<Dual<double, 1>, 1>> twice;
};

/// jets[0] = expression(jets[1], ...).
inline void compose(const Expression& expression, std::size_t columns, VelocityScratch& work) {
  const std::size_t count = expression.names().size();
  VelocityJet& out = work.jets[0];
  out.clear(columns);
  work.twice.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j) {
      for (std::size_t l = 0; l < count; ++l) {
        work.twice[l] = {};
        work.twice[l].value.value = work.jets[1 + l].value;
        work.twice[l].value.d[0] = l == j ? 1 : 0;
        work.twice[l].d[0].value = l == i ? 1 : 0;
      }
      const auto z = expression.evaluate(std::span<const Dual<Dual<double, 1>, 1>>(work.twice));
      const VelocityJet &a = work.jets[1 + i], &b = work.jets[1 + j];
      out.value = z.value.value;
      if (i == j) {
        const double E = z.d[0].value;  // by argument i
        out.rate += E * a.rate;
        out.t_value += E * a.t_value;
        out.t_rate += E * a.t_rate;
        for (std::size_t c = 0; c < columns; ++c) {
          out.H[c] += E * a.H[c];
          out.H_t[c] += E * a.H_t[c];
          out.by_p[c] += E * a.by_p[c];
          out.rate_p[c] += E * a.rate_p[c];
          out.rate_v[c] += E * a.rate_v[c];
        }
        for (std::size_t c = 0; c < columns * columns; ++c) out.turn[c] += E * a.turn[c];
      }
      const double E = z.d[0].d[0];  // by arguments i and j
      if (E == 0) continue;
      out.t_rate += E * a.rate * b.t_value;
      for (std::size_t c = 0; c < columns; ++c) {
        out.rate_p[c] += E * a.rate * b.by_p[c];
        out.rate_v[c] += E * a.rate * b.H[c];
        out.H_t[c] += E * a.H[c] * b.t_value;
        for (std::size_t d = 0; d < columns; ++d)
          out.turn[c * columns + d] += E * a.H[c] * b.by_p[d];
      }
    }
}

}  // namespace kardan
