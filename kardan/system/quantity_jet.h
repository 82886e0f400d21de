#pragma once
/// A function z(t, p) followed to second order along the motion, with the derivatives a constraint
/// row needs, over some columns of the tangent of p:
///
///   value  = z              G = z_p                t_value = z_t
///   rate   = z' = G v + z_t       rate_p  = (z')_p      t_rate  = (z')_t       G_t = (z_p)_t
///   accel  = z'' at given v'      accel_p = (z'')_p     t_accel = (z'')_t      accel_v = (z'')_v
///   curvature[i][j] = d(G_i)/dp_j
///
/// Coordinates and measures give them analytically; `compose` takes an expression of such functions
/// by the chain rule, its own derivatives to the third order from nested dual numbers.

#include <span>

#include "kardan/base/expression.h"
#include "kardan/linalg/matrix.h"

namespace kardan {

struct QuantityJet {
  double value = 0, rate = 0, accel = 0;
  double t_value = 0, t_rate = 0, t_accel = 0;
  Vector G, G_t, rate_p, accel_p, accel_v;
  Vector curvature;  // columns x columns, by rows

  void clear(std::size_t columns) {
    value = rate = accel = t_value = t_rate = t_accel = 0;
    for (Vector* x : {&G, &G_t, &rate_p, &accel_p, &accel_v}) x->assign(columns, 0.0);
    curvature.assign(columns * columns, 0.0);
  }
};

/// Memory of `compose`.
struct JetScratch {
  std::vector<Dual<Dual<Dual<double, 1>, 1>, 1>> thrice;
  std::vector<Dual<Dual<double, 1>, 1>> twice;
};

/// out = expression(arguments), which stand one after the other from `first` on.
template <class Jets>
void compose(const Expression& expression, const Jets& jets, std::size_t first, std::size_t columns,
             JetScratch& work, QuantityJet& out) {
  const std::size_t count = expression.names().size();
  out.clear(columns);
  work.thrice.resize(count);
  work.twice.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    // Along y + y' tau + y'' tau^2/2 at tau = e1 + e2, with e3 for argument k.
    for (std::size_t i = 0; i < count; ++i) {
      const QuantityJet& y = jets[first + i];
      auto& x = work.thrice[i] = {};
      x.value.value.value = y.value;
      x.value.value.d[0] = i == k ? 1 : 0;
      x.value.d[0].value = x.d[0].value.value = y.rate;
      x.d[0].d[0].value = y.accel;
    }
    const auto z =
        expression.evaluate(std::span<const Dual<Dual<Dual<double, 1>, 1>, 1>>(work.thrice));
    out.value = z.value.value.value;
    out.rate = z.value.d[0].value;
    out.accel = z.d[0].d[0].value;
    // z, z' and z'' by argument k.
    const double E = z.value.value.d[0], A = z.value.d[0].d[0], B = z.d[0].d[0].d[0];
    const QuantityJet& y = jets[first + k];
    out.t_value += E * y.t_value;
    out.t_rate += A * y.t_value + E * y.t_rate;
    out.t_accel += B * y.t_value + E * y.t_accel + 2 * A * y.t_rate;
    for (std::size_t c = 0; c < columns; ++c) {
      out.G[c] += E * y.G[c];
      out.G_t[c] += E * y.G_t[c];
      out.rate_p[c] += A * y.G[c] + E * y.rate_p[c];
      out.accel_p[c] += B * y.G[c] + E * y.accel_p[c] + 2 * A * y.rate_p[c];
      out.accel_v[c] += 2 * A * y.G[c] + E * y.accel_v[c];
    }
    for (std::size_t c = 0; c < columns * columns; ++c) out.curvature[c] += E * y.curvature[c];
  }
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j) {
      for (std::size_t l = 0; l < count; ++l) {
        work.twice[l] = {};
        work.twice[l].value.value = jets[first + l].value;
        work.twice[l].value.d[0] = l == j ? 1 : 0;
        work.twice[l].d[0].value = l == i ? 1 : 0;
      }
      const double E =
          expression.evaluate(std::span<const Dual<Dual<double, 1>, 1>>(work.twice)).d[0].d[0];
      if (E == 0) continue;
      const QuantityJet &a = jets[first + i], &b = jets[first + j];
      for (std::size_t c = 0; c < columns; ++c) {
        out.G_t[c] += E * a.G[c] * b.t_value;
        for (std::size_t d = 0; d < columns; ++d)
          out.curvature[c * columns + d] += E * a.G[c] * b.G[d];
      }
    }
}

}  // namespace kardan
