#pragma once
/// The mathematical definitions of measures, constraints and forces, a few lines each, over frames
/// of any scalar. They share nothing with the analytic code but the words.

#include "kardan/elements/automatic.h"

namespace kardan::test {

template <int D>
struct Dot1Formula {
  static constexpr int rows = 1;
  VecOf<D> a, b;
  template <class T>
  void position(const T&, const Frame<D, T>& A, const Frame<D, T>& B, std::span<T> g) const {
    g[0] = dot(A.direction(a), B.direction(b));
  }
};

template <int D>
struct Dot2Formula {
  static constexpr int rows = 1;
  VecOf<D> a, sA, sB;
  template <class T>
  void position(const T&, const Frame<D, T>& A, const Frame<D, T>& B, std::span<T> g) const {
    g[0] = dot(A.direction(a), B.at(sB) - A.at(sA));
  }
};

template <int D>
struct DistanceFormula {
  static constexpr int rows = 1;
  VecOf<D> sA, sB;
  double length;
  template <class T>
  void position(const T&, const Frame<D, T>& A, const Frame<D, T>& B, std::span<T> g) const {
    const VecOf<D, T> d = B.at(sB) - A.at(sA);
    g[0] = (dot(d, d) - length * length) / (2 * length);
  }
};

template <int D>
struct LengthFormula {
  static constexpr int rows = 1;
  VecOf<D> sA, sB;
  template <class T>
  void position(const T&, const Frame<D, T>& A, const Frame<D, T>& B, std::span<T> g) const {
    g[0] = norm(B.at(sB) - A.at(sA));
  }
};

/// Minus a driver, less one full turn counted elsewhere.
struct AngleFormula3 {
  static constexpr int rows = 1;
  Vec3d x, y, b;
  TimeFunction driver;
  template <class T>
  void position(const T& t, const Frame<3, T>& A, const Frame<3, T>& B, std::span<T> g) const {
    const Vec3<T> d = B.direction(b);
    g[0] = atan2(dot(A.direction(y), d), dot(A.direction(x), d)) + 2 * std::numbers::pi - driver(t);
  }
};
struct AngleFormula2 {
  static constexpr int rows = 1;
  double offset;
  TimeFunction driver;
  template <class T>
  void position(const T& t, const Frame<2, T>& A, const Frame<2, T>& B, std::span<T> g) const {
    g[0] = B.angle - A.angle + offset - driver(t);
  }
};

template <int D>
struct PointFormula {
  static constexpr int rows = D;
  VecOf<D> sA, sB;
  template <class T>
  void position(const T&, const Frame<D, T>& A, const Frame<D, T>& B, std::span<T> g) const {
    const VecOf<D, T> d = B.at(sB) - A.at(sA);
    for (int k = 0; k < D; ++k) g[k] = d[k];
  }
};

struct SphereHeightFormula {
  static constexpr int rows = 1;
  Vec3d n, sA, sB;
  double radius;
  template <class T>
  void position(const T&, const Frame<3, T>& A, const Frame<3, T>& B, std::span<T> g) const {
    g[0] = dot(A.direction(n), B.at(sB) - A.at(sA)) - radius;
  }
};

/// The lowest point of the rim is the centre plus radius times the unit vector in the disc's plane
/// that points down most steeply.
template <class T>
Vec3<T> lowest_rim_point(const Vec3<T>& n, const Vec3<T>& a, double radius) {
  const Vec3<T> down = dot(n, a) * a - n;
  return (T(radius) / norm(down)) * down;
}
struct DiscHeightFormula {
  static constexpr int rows = 1;
  Vec3d n, sA, sB, a;
  double radius;
  template <class T>
  void position(const T&, const Frame<3, T>& A, const Frame<3, T>& B, std::span<T> g) const {
    const Vec3<T> up = A.direction(n);
    const Vec3<T> low = B.at(sB) + lowest_rim_point(up, B.direction(a), radius);
    g[0] = dot(up, low - A.at(sA));
  }
};

template <int D>
struct KnifeEdgeFormula {
  static constexpr int rows = 1;
  VecOf<D> e, s;
  TimeFunction belt;
  template <class T>
  void velocity(const T& t, const Frame<D, T>&, const Frame<D, T>& B, std::span<T> psi) const {
    const auto across = B.direction(e);
    psi[0] = dot(across, B.velocity_at(s)) - belt(t) * across[0];
  }
};

/// Velocity of the material point `arm` away from the origin of B's marker, along x and y of A.
struct RollingFormula {
  static constexpr int rows = 2;
  Mat3d axes;
  Vec3d sB, a;
  double radius;
  enum { sphere, disc } shape;
  template <class T>
  void velocity(const T&, const Frame<3, T>& A, const Frame<3, T>& B, std::span<T> psi) const {
    const Vec3<T> n = A.direction(axes.column(2));
    const Vec3<T> arm =
        shape == sphere ? T(-radius) * n : lowest_rim_point(n, B.direction(a), radius);
    const Vec3<T> v = B.velocity_at(sB) + cross(B.turn(B.w), arm);
    for (int i = 0; i < 2; ++i) psi[i] = dot(A.direction(axes.column(i)), v);
  }
};

// --- forces ------------------------------------------------------------------------------------

/// World force F on B and its reaction on A, both at the world point P.
template <int D, class T>
void act_between(const Frame<D, T>& A, const Frame<D, T>& B, const VecOf<D, T>& P,
                 const VecOf<D, T>& F, Wrench<D, T>& on_A, Wrench<D, T>& on_B) {
  on_B.add_force_at(B, P, F);
  on_A.add_force_at(A, P, -F);
}

template <int D>
struct SpringFormula {
  VecOf<D> sA, sB;
  double k, c, l0;
  template <class T>
  void force(const T& t, const Frame<D, T>& A, const Frame<D, T>& B, int, Wrench<D, T>& on_A,
             Wrench<D, T>& on_B) const {
    const VecOf<D, T> d = B.at(sB) - A.at(sA);
    const T l = norm(d);
    const T rate = dot(d, B.velocity_at(sB) - A.velocity_at(sA)) / l;
    act_between(A, B, B.at(sB), ((-k * (l - l0) - c * rate + sin(t)) / l) * d, on_A, on_B);
  }
};

/// 2 q_z of the quaternion by the trace, (-1)^turns of it: q_w = sqrt(1 + tr R)/2,
/// 4 q_w q_z = R_yx - R_xy.
struct TwistFormula {
  static constexpr int rows = 1;
  Mat3d MA, MB;  // marker axes
  int turns;
  template <class T>
  void position(const T&, const Frame<3, T>& A, const Frame<3, T>& B, std::span<T> g) const {
    const Mat3<T> R = transposed_times(A.R * convert<T>(MA), B.R * convert<T>(MB));
    const T sine = (R[1][0] - R[0][1]) / sqrt(R[0][0] + R[1][1] + R[2][2] + 1.0);
    g[0] = turns % 2 == 0 ? sine : -sine;
  }
};

/// The rotation vector by the trace, sin(phi) u = vee(R - R')/2, cos(phi) = (tr R - 1)/2, and some
/// full turns more.
template <class T>
Vec3<T> log_by_trace(const Mat3<T>& R, int turns) {
  const Vec3<T> s = T(0.5) * Vec3<T>{R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]};
  const T sine = norm(s);
  const T phi = atan2(sine, 0.5 * (R[0][0] + R[1][1] + R[2][2] - 1.0));
  return ((phi + 2 * std::numbers::pi * turns) / sine) * s;
}

/// Rotation matrix that moves by R' = R w~, on one more level.
template <class T>
Mat3<Dual<T, 1>> moving(const Mat3<T>& R, const Vec3<T>& w) {
  const Mat3<T> rate = R * tilde(w);
  Mat3<Dual<T, 1>> M;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) M[i][j] = Dual<T, 1>(R[i][j], {rate[i][j]});
  return M;
}

struct BushingFormula3 {
  Vec3d sA, sB, offset;
  Mat3d MA, MB;  // marker axes
  double K[6][6], C[6][6];
  int turns;
  template <class T>
  void force(const T&, const Frame<3, T>& A, const Frame<3, T>& B, int, Wrench<3, T>& on_A,
             Wrench<3, T>& on_B) const {
    using S = Dual<T, 1>;
    const Mat3<S> RA = moving(A.R, A.w) * convert<S>(convert<T>(MA));
    const Mat3<S> RB = moving(B.R, B.w) * convert<S>(convert<T>(MB));
    const Vec3<T> d = B.at(sB) - A.at(sA), v = B.velocity_at(sB) - A.velocity_at(sA);
    const Vec3<S> along{S(d.x, {v.x}), S(d.y, {v.y}), S(d.z, {v.z})};
    const Vec3<S> u = transposed_times(RA, along) - convert<S>(convert<T>(offset));
    const Vec3<S> theta = log_by_trace(transposed_times(RA, RB), turns);
    const S q[6] = {u.x, u.y, u.z, theta.x, theta.y, theta.z};
    Vec3<T> f, m;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 6; ++j) {
        f[i] -= K[i][j] * q[j].value + C[i][j] * q[j].d[0];
        m[i] -= K[3 + i][j] * q[j].value + C[3 + i][j] * q[j].d[0];
      }
    const Mat3<T> axes = A.R * convert<T>(MA);
    act_between(A, B, B.at(sB), axes * f, on_A, on_B);
    on_B.add_world_torque(B, axes * m);
    on_A.add_world_torque(A, -(axes * m));
  }
};

struct BushingFormula2 {
  Vec2d sA, sB, offset;
  double angle_A, angle_B;
  double K[3][3], C[3][3];
  template <class T>
  void force(const T&, const Frame<2, T>& A, const Frame<2, T>& B, int, Wrench<2, T>& on_A,
             Wrench<2, T>& on_B) const {
    const T a = A.angle + angle_A;
    const Vec2<T> x{cos(a), sin(a)}, y{-sin(a), cos(a)};
    const Vec2<T> d = B.at(sB) - A.at(sA), v = B.velocity_at(sB) - A.velocity_at(sA);
    const T q[3] = {dot(x, d) - offset.x, dot(y, d) - offset.y, B.angle + angle_B - a};
    const T rate[3] = {dot(x, v) + A.w * dot(y, d), dot(y, v) - A.w * dot(x, d), B.w - A.w};
    T W[3] = {};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) W[i] -= K[i][j] * q[j] + C[i][j] * rate[j];
    act_between(A, B, B.at(sB), W[0] * x + W[1] * y, on_A, on_B);
    on_B.torque += W[2];
    on_A.torque -= W[2];
  }
};

struct PivotBushingFormula {
  Vec3d a, b;
  double k, c;
  template <class T>
  void force(const T&, const Frame<3, T>& A, const Frame<3, T>& B, int, Wrench<3, T>& on_A,
             Wrench<3, T>& on_B) const {
    const Vec3<T> aA = A.direction(a), aB = B.direction(b), w = B.turn(B.w) - A.turn(A.w);
    const Vec3<T> M = T(k) * cross(aB, aA) - T(c) * (w - dot(aA, w) * aA);
    on_B.add_world_torque(B, M);
    on_A.add_world_torque(A, -M);
  }
};

/// Components f0 sin(t), f1 + t, f2 cos(2 t) on B, in the world or along axes fixed to B.
template <int D>
struct LoadFormula {
  VecOf<D> s, axes[D];
  bool body;
  template <class T>
  VecOf<D, T> vector(const T& t, const Frame<D, T>& B) const {
    const T components[3] = {sin(t), 1.0 + t, cos(2.0 * t)};
    VecOf<D, T> F{};
    for (int k = 0; k < D; ++k) {
      VecOf<D> unit{};
      unit[k] = 1;
      F += components[k] * (body ? B.direction(axes[k]) : convert<T>(unit));
    }
    return F;
  }
  template <class T>
  void force(const T& t, const Frame<D, T>&, const Frame<D, T>& B, int, Wrench<D, T>&,
             Wrench<D, T>& on_B) const {
    on_B.add_force_at(B, B.at(s), vector(t, B));
  }
};
struct TorqueFormula3 : LoadFormula<3> {
  template <class T>
  void force(const T& t, const Frame<3, T>&, const Frame<3, T>& B, int, Wrench<3, T>&,
             Wrench<3, T>& on_B) const {
    on_B.add_world_torque(B, vector(t, B));
  }
};
struct TorqueFormula2 {
  template <class T>
  void force(const T& t, const Frame<2, T>&, const Frame<2, T>&, int, Wrench<2, T>&,
             Wrench<2, T>& on_B) const {
    on_B.torque += cos(2.0 * t);
  }
};

template <int D>
struct DragFormula {
  VecOf<D> s, wind;
  double c1, c2, cr;
  template <class T>
  void force(const T&, const Frame<D, T>&, const Frame<D, T>& B, int, Wrench<D, T>&,
             Wrench<D, T>& on_B) const {
    const VecOf<D, T> v = B.velocity_at(s) - convert<T>(wind);
    on_B.add_force_at(B, B.at(s), T(-c1) * v - (c2 * norm(v)) * v);
    on_B.torque += T(-cr) * B.w;
  }
};

/// Spheres about sA and sB, or B's sphere on the plane through sA with normal n (radius_A < 0).
template <int D>
struct ContactFormula {
  VecOf<D> sA, sB, n;
  double radius_A, radius_B;
  bool hunt_crossley;
  double k, c, exponent, mu, v_eps;
  int mode;
  template <class T>
  void force(const T&, const Frame<D, T>& A, const Frame<D, T>& B, int, Wrench<D, T>& on_A,
             Wrench<D, T>& on_B) const {
    if (mode == 0) return;
    const VecOf<D, T> a = A.at(sA), b = B.at(sB);
    const bool plane = radius_A < 0;
    const VecOf<D, T> up = plane ? A.direction(n) : normalized(b - a);
    const T d = plane ? radius_B - dot(up, b - a) : radius_A + radius_B - norm(b - a);
    const VecOf<D, T> P =
        plane ? b - T(radius_B) * up : a + T(radius_A / (radius_A + radius_B)) * (b - a);
    // Material points of both bodies at P.
    const VecOf<D, T> v = velocity(B, P) - velocity(A, P);
    const T rate = -dot(up, v);
    const T N = hunt_crossley ? k * pow(d, exponent) * (1.0 + c * rate) : k * d + c * rate;
    const VecOf<D, T> slide = v + rate * up;
    const VecOf<D, T> F = N * up - (mu * N / sqrt(dot(slide, slide) + v_eps * v_eps)) * slide;
    act_between(A, B, P, F, on_A, on_B);
  }
  template <class T>
  static VecOf<D, T> velocity(const Frame<D, T>& body, const VecOf<D, T>& P) {
    if constexpr (D == 3) {
      return body.v + cross(body.turn(body.w), P - body.p);
    } else {
      return body.v + body.w * perp(P - body.p);
    }
  }
};

template <int D>
struct TyreFormula {
  VecOf<D> s;
  double radius, k, c;
  enum { flat, bump, table } road;
  double bump_radius, bump_center;
  Table height;
  int mode;
  template <class T>
  T path(const T& x) const {
    if (road == table) return height(x);
    if (!(mode & 2)) return T(0.0);
    const double reach = radius + bump_radius;
    return sqrt(reach * reach - (x - bump_center) * (x - bump_center)) - radius;
  }
  template <class T>
  void force(const T&, const Frame<D, T>&, const Frame<D, T>& B, int, Wrench<D, T>&,
             Wrench<D, T>& on_B) const {
    if (!(mode & 1)) return;
    using S = Dual<T, 1>;
    const VecOf<D, T> P = B.at(s), V = B.velocity_at(s);
    const S d = radius + path(S(P[0], {V[0]})) - S(P[D - 1], {V[D - 1]});
    VecOf<D, T> F{};
    F[D - 1] = k * d.value + c * d.d[0];
    on_B.add_force_at(B, P, F);
  }
};

}  // namespace kardan::test
