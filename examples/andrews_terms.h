#pragma once
/// Andrews' squeezing mechanism in seven angles: F. Mazzia, C. Magherini, Test Set for IVP Solvers,
/// release 2.4 (2008), problem II-13. Loop equations g, mass matrix M, forces f.

#include <cmath>

struct Andrews {
  double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.0705, m6 = 0.00706,
         m7 = 0.05498, I1 = 2.194e-6, I2 = 4.41e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5,
         I6 = 5.667e-7, I7 = 1.912e-5, xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273,
         xc = 0.014, yc = 0.072, c0 = 4530, l0 = 0.07785, d = 0.028, da = 0.0115, e = 0.02,
         ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018,
         sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02,
         zt = 0.04, fa = 0.01421, mom = 0.033, k2 = m2 * da * rr, k4 = m4 * zt * (e - ea),
         k6 = m6 * u * (zf - fa), J2 = m2 * da * da + I2, J4 = m4 * (e - ea) * (e - ea) + I4,
         J6 = m6 * (zf - fa) * (zf - fa) + I6;

  template <class Q, class G>
  void loops(const Q& q, G&& g) const {
    using std::cos, std::sin;
    const auto ex = rr * cos(q[0]) - d * cos(q[0] + q[1]),
               ey = rr * sin(q[0]) - d * sin(q[0] + q[1]);
    g[0] = ex - ss * sin(q[2]) - xb, g[1] = ey + ss * cos(q[2]) - yb;
    g[2] = ex - e * sin(q[3] + q[4]) - zt * cos(q[4]) - xa;
    g[3] = ey + e * cos(q[3] + q[4]) - zt * sin(q[4]) - ya;
    g[4] = ex - zf * cos(q[5] + q[6]) - u * sin(q[6]) - xa;
    g[5] = ey - zf * sin(q[5] + q[6]) + u * cos(q[6]) - ya;
  }
  template <class Q, class M>
  void mass(const Q& q, M&& m) const {
    using std::cos, std::sin;
    m(0, 0) = m1 * ra * ra + m2 * rr * rr + J2 - 2 * k2 * cos(q[1]) + I1;
    m(0, 1) = m(1, 0) = J2 - k2 * cos(q[1]), m(1, 1) = J2;
    m(2, 2) = m3 * (sa * sa + sb * sb) + I3, m(3, 3) = J4;
    m(3, 4) = m(4, 3) = J4 + k4 * sin(q[3]);
    m(4, 4) = J4 + m4 * zt * zt + 2 * k4 * sin(q[3]) + m5 * (ta * ta + tb * tb) + I5;
    m(5, 5) = J6, m(5, 6) = m(6, 5) = J6 - k6 * sin(q[5]);
    m(6, 6) = J6 + m6 * u * u - 2 * k6 * sin(q[5]) + m7 * (ua * ua + ub * ub) + I7;
  }
  template <class Q, class F>
  void force(const Q& q, const Q& v, F&& f) const {
    using std::cos, std::sin, std::sqrt;
    const auto dx = sd * cos(q[2]) + sc * sin(q[2]) + xb - xc;
    const auto dy = sd * sin(q[2]) - sc * cos(q[2]) + yb - yc;
    const auto length = sqrt(dx * dx + dy * dy), pull = -c0 * (length - l0) / length;
    f[0] = mom - k2 * sin(q[1]) * v[1] * (v[1] + 2 * v[0]), f[1] = k2 * sin(q[1]) * v[0] * v[0];
    f[2] = pull * (dx * (sc * cos(q[2]) - sd * sin(q[2])) + dy * (sd * cos(q[2]) + sc * sin(q[2])));
    f[3] = k4 * cos(q[3]) * v[4] * v[4], f[4] = -k4 * cos(q[3]) * v[3] * (v[3] + 2 * v[4]);
    f[5] = -k6 * cos(q[5]) * v[6] * v[6], f[6] = k6 * cos(q[5]) * v[5] * (v[5] + 2 * v[6]);
  }
};
