#include "kardan/elements/nonholonomic/rolling_disc.h"

namespace kardan {

void DiscHeight::evaluate(const Pair<3>& bodies, Depth depth, Measure<3>& y) const {
  Measure<3> height, c;
  Dot2<3>{n, sA, sB}.evaluate(bodies, depth, height);
  Dot1<3>{n, a}.evaluate(bodies, depth, c);
  // W(c) = sqrt(1-c^2): W' = -c q, W'' = -q^3, W''' = -3 c q^5.
  const double root = std::sqrt(1 - c.value * c.value), q = 1 / root, q3 = q * q * q;
  const FunctionOfTwo F{height.value - radius * root,
                        {1, radius * c.value * q},
                        {0, 0, radius * q3},
                        {0, 0, 0, 3 * radius * c.value * q3 * q * q}};
  compose(F, height, c, depth, y);
}

void RollingDiscResidual::evaluate(const Pair<3>& bodies, Depth depth, Measure<3>& psi) const {
  Measure<3> u, c;
  psi.clear(depth);
  psi.rate = psi.accel = 0;
  Dot2<3>{t, {}, sB}.evaluate(bodies, depth, u);
  add_residual(1.0, u, depth, psi);
  Dot1<3>{n, a}.evaluate(bodies, depth, c);
  // q = (1-c^2)^(-1/2): q' = c q^3, q'' = q^3 + 3 c^2 q^5;  (q c)' = q^3, (q c)'' = 3 c q^5.
  const double C = c.value, q = 1 / std::sqrt(1 - C * C), q3 = q * q * q, q5 = q3 * q * q;
  spin_along(cross(n, t), bodies.B, depth, u);
  const double R = radius;
  add_residual({-R * q, -R * C * q3, -R * (q3 + 3 * C * C * q5)}, c, u, depth, psi);
  Dot1<3>{t, a}.evaluate(bodies, depth, u);
  add_residual({R * q * C, R * q3, 3 * R * C * q5}, c, u, depth, psi);
}

void RollingDisc::build(Builder<3>& b) const {
  if (!plane_is_on_ground(b)) return;
  const Vec3d n = b.axis(0, 2), a = b.axis(1, 2), sB = b.frame(1).s;
  b.measure(b.row("height of the rim above the plane", RowUnit::length),
            DiscHeight{n, b.frame(0).s, sB, a, radius}, 0, 1);
  static constexpr const char* labels[2] = {"slip along the plane's x", "slip along the plane's y"};
  for (int i = 0; i < 2; ++i)
    b.constraint_bank<VelocityRows<3, RollingDiscResidual>>().items.push_back(
        {{b.axis(0, i), n, sB, a, radius}, b.slots(b.nonholonomic_row(labels[i]), 0, 1)});
}

}  // namespace kardan
