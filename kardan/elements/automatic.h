#pragma once
/// Elements written once, as a template over the scalar; every derivative comes from dual numbers.
///
/// A constraint kernel has
///   static constexpr int rows;
///   template <class T>
///   void position(const T& t, const Frame<D, T>& A, const Frame<D, T>& B, std::span<T> g) const;
/// a force kernel
///   template <class T>
///   void force(const T& t, const Frame<D, T>& A, const Frame<D, T>& B, int mode,
///              Wrench<D, T>& on_A, Wrench<D, T>& on_B) const;
/// and, where it has them, `potential` (same arguments without the wrenches, returns T),
/// `double magnitude(t, A, B, mode)` over Frame<D, double>, and with `static constexpr int events`
/// event_name, event_functions and choose_mode over Frame<D, double>.
///
/// Write numbers that multiply vectors as T(2.0).

#include <array>
#include <span>

#include "kardan/base/dual.h"
#include "kardan/elements/constraint_bank.h"
#include "kardan/elements/force_bank.h"

namespace kardan {

/// The frame of a body: origin at its centre of mass, world position and velocity, body-frame spin.
template <int D, class T>
struct Frame {
  VecOf<D, T> p{};
  RotationOf<D, T> R{};
  T angle{};  ///< plane only: continuous
  VecOf<D, T> v{};
  SpinOf<D, T> w{};

  /// A body-fixed vector in the world.
  VecOf<D, T> turn(const VecOf<D, T>& s) const {
    if constexpr (D == 3) {
      return R * s;
    } else {
      return {R.c * s.x - R.s * s.y, R.s * s.x + R.c * s.y};
    }
  }
  /// A world vector in the body frame.
  VecOf<D, T> local(const VecOf<D, T>& a) const {
    if constexpr (D == 3) {
      return transposed_times(R, a);
    } else {
      return {R.c * a.x + R.s * a.y, R.c * a.y - R.s * a.x};
    }
  }
  VecOf<D, T> at(const VecOf<D>& s) const { return p + turn(convert<T>(s)); }
  VecOf<D, T> direction(const VecOf<D>& s) const { return turn(convert<T>(s)); }
  VecOf<D, T> velocity_at(const VecOf<D>& s) const {
    if constexpr (D == 3) {
      return v + turn(cross(w, convert<T>(s)));
    } else {
      return v + w * perp(turn(convert<T>(s)));
    }
  }
};

/// Force at the centre of mass in the world frame, torque in the body frame.
template <int D, class T>
struct Wrench {
  VecOf<D, T> force{};
  SpinOf<D, T> torque{};

  /// A world force at a world point of the body.
  void add_force_at(const Frame<D, T>& body, const VecOf<D, T>& point, const VecOf<D, T>& F) {
    force += F;
    const auto moment = cross(point - body.p, F);
    if constexpr (D == 3) {
      torque += body.local(moment);
    } else {
      torque += moment;
    }
  }
  void add_world_torque(const Frame<D, T>& body, const SpinOf<D, T>& M) {
    if constexpr (D == 3) {
      torque += body.local(M);
    } else {
      torque += M;
    }
  }
};

namespace automatic {

/// Perturbation of a pose: dx in the world, dtheta in the body frame.
template <int D, class T>
struct Tangent {
  VecOf<D, T> x{};
  SpinOf<D, T> theta{};
};

/// Component k of a tangent, translation first.
template <int D, class T>
T& component(Tangent<D, T>& a, int k) {
  if constexpr (D == 3) {
    return k < 3 ? a.x[k] : a.theta[k - 3];
  } else {
    return k < 2 ? a.x[k] : a.theta;
  }
}

/// R (I + delta~): the first-order turn, for nilpotent delta.
template <class T>
Mat3<T> turned(const Mat3<T>& R, const Vec3<T>& delta) {
  return R + times_tilde(R, delta);
}
template <class T>
typename detail::SpaceTypes<2, T>::Rotation turned2(
    const typename detail::SpaceTypes<2, T>::Rotation& R, const T& delta) {
  return {R.c - R.s * delta, R.s + R.c * delta};
}

/// The frame of a body as constants.
template <int D, class T>
Frame<D, T> constant_frame(const BodyMotion<D>& b) {
  Frame<D, T> f;
  f.p = convert<T>(b.x);
  f.v = convert<T>(b.v);
  if constexpr (D == 3) {
    f.R = convert<T>(b.R);
    f.w = convert<T>(b.w);
  } else {
    f.R = {T(b.R.c), T(b.R.s)};
    f.w = T(b.w);
  }
  f.angle = T(b.angle);
  return f;
}

/// x + dx, R (I + dtheta~).
template <int D, class T>
void displace(Frame<D, T>& f, const Tangent<D, T>& d) {
  f.p += d.x;
  if constexpr (D == 3) {
    f.R = turned(f.R, d.theta);
  } else {
    f.R = turned2<T>(f.R, d.theta);
    f.angle += d.theta;
  }
}

/// Moves a frame along its motion by tau with tau^3 = 0: x + v tau + a tau^2/2 and
/// R (I + w~ tau + (alpha~ + w~ w~) tau^2/2), velocities v + a tau, w + alpha tau.
template <int D, class T>
void advance(Frame<D, T>& f, const BodyMotion<D>& b, const T& tau) {
  const T half = T(0.5) * tau * tau;
  const VecOf<D, T> a = convert<T>(b.a);
  f.p += tau * f.v + half * a;
  if constexpr (D == 3) {
    const Vec3<T> alpha = convert<T>(b.alpha);
    f.R = f.R + tau * times_tilde(f.R, f.w) +
          half * (times_tilde(f.R, alpha) + f.R * tilde_tilde(f.w, f.w));
    f.w += tau * alpha;
  } else {
    const T alpha(b.alpha), first = tau * f.w + half * alpha, second = half * f.w * f.w;
    const auto R = f.R;
    f.R = {R.c - R.s * first - R.c * second, R.s + R.c * first - R.s * second};
    f.angle += first;
    f.w += tau * alpha;
  }
  f.v += tau * a;
}

/// Number of seeded directions: positions of A and B, velocities of A and B, time.
template <int D>
inline constexpr int seeds = 4 * dofs<D> + 1;

/// Frames of A and B over duals seeded in position, velocity and time. T is Dual<double, seeds> or
/// has it innermost.
template <int D, class T, class Seed>
std::array<Frame<D, T>, 2> seeded_frames(const Pair<D>& bodies, const Seed& seed) {
  constexpr int m = dofs<D>;
  std::array<Frame<D, T>, 2> frames;
  for (int body = 0; body < 2; ++body) {
    Frame<D, T>& f = frames[body];
    f = constant_frame<D, T>(body == 0 ? bodies.A : bodies.B);
    Tangent<D, T> dp, dv;
    for (int k = 0; k < m; ++k) {
      component(dp, k) = seed(body * m + k);
      component(dv, k) = seed(2 * m + body * m + k);
    }
    displace(f, dp);
    f.v += dv.x;
    f.w += dv.theta;
  }
  return frames;
}

}  // namespace automatic

/// The rows of a constraint kernel K, as a bank.
template <int D, class K>
class AutomaticConstraint final : public ConstraintBank<D> {
 public:
  struct Item {
    K kernel;
    RowSlots slots;  // of the first of K::rows consecutive rows
  };
  std::vector<Item> items;

  void evaluate(const Context<D>& at, Depth depth, const ConstraintValues& out) const override {
    for (const Item& i : items) {
      if (depth == Depth::value) {
        add_values(at, i, out);
      } else {
        add_first(at, i, out);
      }
    }
  }
  void differentiate(const Context<D>& at, std::span<const PairSlots> pairs,
                     const ConstraintValues& out, const ForceValues& forces) const override {
    for (const Item& i : items) {
      add_second(at, i, out);
      if (forces.lambda) add_curvature(at, i, pairs[i.slots.pairs], forces);
    }
  }
  bool splits() const override { return false; }
  void each_slot(void (*visit)(void*, RowSlots&), void* user) override {
    for (Item& i : items) visit(user, i.slots);
  }

 private:
  static constexpr int m = dofs<D>, n = 2 * m, seeds = automatic::seeds<D>;
  template <class T>
  using Rows = std::array<T, K::rows>;
  template <class T>
  using Frames = std::array<Frame<D, T>, 2>;

  static Pair<D> pair(const Context<D>& at, const Item& i) {
    return {at.bodies[i.slots.A.body], at.bodies[i.slots.B.body]};
  }
  template <class T>
  static Rows<T> position(const Item& i, const T& t, const Frames<T>& f) {
    Rows<T> g{};
    i.kernel.position(t, f[0], f[1], std::span<T>(g));
    return g;
  }

  static void add_values(const Context<D>& at, const Item& i, const ConstraintValues& out) {
    const Pair<D> b = pair(at, i);
    const Frames<double> f{automatic::constant_frame<D, double>(b.A),
                           automatic::constant_frame<D, double>(b.B)};
    const Rows<double> g = position<double>(i, at.t, f);
    for (int k = 0; k < K::rows; ++k) out.g[i.slots.row + k] += g[k];
  }

  /// g, g', g'' along the motion by tau = e1 + e2, and G and g_t by seeds.
  static void add_first(const Context<D>& at, const Item& i, const ConstraintValues& out) {
    using Along = Dual<Dual<double, 1>, 1>;
    const Pair<D> b = pair(at, i);
    Along tau(0.0);
    tau.value.d[0] = 1;
    tau.d[0].value = 1;
    Frames<Along> f{automatic::constant_frame<D, Along>(b.A),
                    automatic::constant_frame<D, Along>(b.B)};
    automatic::advance(f[0], b.A, tau);
    automatic::advance(f[1], b.B, tau);
    const Rows<Along> g = position<Along>(i, Along(at.t) + tau, f);

    using Seeded = Dual<double, seeds>;
    const auto seed = [](int k) { return Seeded::variable(0.0, k); };
    const Rows<Seeded> s =
        position<Seeded>(i, at.t + seed(seeds - 1), automatic::seeded_frames<D, Seeded>(b, seed));
    for (int k = 0; k < K::rows; ++k) {
      const int row = i.slots.row + k;
      out.g[row] += g[k].value.value;
      out.rate[row] += g[k].d[0].value;
      out.accel[row] += g[k].d[0].d[0];
      out.g_t[row] += s[k].d[seeds - 1];
      scatter_row<D>(i.slots, k, 1, s[k].d.data(), out.G);
    }
  }

  /// The same curve with seeds innermost: derivatives of g' and g''.
  static void add_second(const Context<D>& at, const Item& i, const ConstraintValues& out) {
    using Seeded = Dual<double, seeds>;
    using Along = Dual<Dual<Seeded, 1>, 1>;
    const Pair<D> b = pair(at, i);
    const auto seed = [](int k) { return Along(Dual<Seeded, 1>(Seeded::variable(0.0, k))); };
    Along tau(0.0);
    tau.value.d[0] = Seeded(1.0);
    tau.d[0].value = Seeded(1.0);
    Frames<Along> f = automatic::seeded_frames<D, Along>(b, seed);
    automatic::advance(f[0], b.A, tau);
    automatic::advance(f[1], b.B, tau);
    const Rows<Along> g = position<Along>(i, at.t + seed(seeds - 1) + tau, f);
    for (int k = 0; k < K::rows; ++k) {
      const Seeded &rate = g[k].d[0].value, &accel = g[k].d[0].d[0];
      scatter_row<D>(i.slots, k, 1, rate.d.data(), out.rate_p);
      scatter_row<D>(i.slots, k, 1, accel.d.data(), out.accel_p);
      scatter_row<D>(i.slots, k, 1, accel.d.data() + n, out.accel_v);
      out.rate_t[i.slots.row + k] += rate.d[seeds - 1];
      out.accel_t[i.slots.row + k] += accel.d[seeds - 1];
    }
  }

  /// -(G' lambda)_p: G by the second turn of R (I + delta~)(I + eps~), its derivative by the first.
  static void add_curvature(const Context<D>& at, const Item& i, const PairSlots& pairs,
                            const ForceValues& forces) {
    using Inner = Dual<double, n>;
    using Outer = Dual<Inner, n>;
    const Pair<D> b = pair(at, i);
    Frames<Outer> f;
    for (int body = 0; body < 2; ++body) {
      f[body] = automatic::constant_frame<D, Outer>(body == 0 ? b.A : b.B);
      automatic::Tangent<D, Outer> delta, eps;
      for (int k = 0; k < m; ++k) {
        automatic::component(delta, k) = Outer(Inner::variable(0.0, body * m + k));
        automatic::component(eps, k) = Outer::variable(Inner(0.0), body * m + k);
      }
      automatic::displace(f[body], delta);
      automatic::displace(f[body], eps);
    }
    const Rows<Outer> g = position<Outer>(i, Outer(at.t), f);
    double local[n][n];
    for (int k = 0; k < K::rows; ++k) {
      for (int a = 0; a < n; ++a)
        for (int c = 0; c < n; ++c) local[a][c] = g[k].d[a].d[c];
      scatter<D>(pairs, -forces.lambda[i.slots.row + k], local, forces.f_p);
    }
  }
};

/// A force kernel K as a kernel of KernelForces.
template <int D, class K>
struct AutomaticForce {
  K kernel;

  static constexpr int events = [] {
    if constexpr (requires { K::events; }) {
      return K::events;
    } else {
      return 0;
    }
  }();

  void evaluate(double t, const Pair<D>& bodies, int mode, Depth depth, Force<D>& F) const {
    F.clear(depth);
    if (depth != Depth::second) {
      Wrench<D, double> W[2];
      kernel.force(t, frame(bodies.A), frame(bodies.B), mode, W[0], W[1]);
      for (int i = 0; i < n; ++i) F.Q[i] = entry<double>(W[i / m], i % m);
      return;
    }
    using Seeded = Dual<double, automatic::seeds<D>>;
    const auto seed = [](int k) { return Seeded::variable(0.0, k); };
    const auto f = automatic::seeded_frames<D, Seeded>(bodies, seed);
    Wrench<D, Seeded> W[2];
    kernel.force(t + seed(2 * n), f[0], f[1], mode, W[0], W[1]);
    for (int i = 0; i < n; ++i) {
      const Seeded& Q = entry<Seeded>(W[i / m], i % m);
      F.Q[i] = Q.value;
      for (int j = 0; j < n; ++j) {
        F.Q_p[i][j] = Q.d[j];
        F.Q_v[i][j] = Q.d[n + j];
      }
      F.Q_t[i] = Q.d[2 * n];
    }
  }
  Potential potential(double t, const Pair<D>& bodies, int mode) const {
    using T = Dual<double, 1>;
    Frame<D, T> A = automatic::constant_frame<D, T>(bodies.A);
    Frame<D, T> B = automatic::constant_frame<D, T>(bodies.B);
    const T tau = T::variable(0.0);
    if constexpr (requires { kernel.potential(tau, A, B, mode); }) {
      automatic::advance(A, bodies.A, tau);
      automatic::advance(B, bodies.B, tau);
      const T V = kernel.potential(t + tau, A, B, mode);
      return {V.value, V.d[0]};
    } else {
      return {};
    }
  }
  double magnitude(double t, const Pair<D>& bodies, int mode) const {
    const Frame<D, double> A = frame(bodies.A), B = frame(bodies.B);
    if constexpr (requires { kernel.magnitude(t, A, B, mode); }) {
      return kernel.magnitude(t, A, B, mode);
    } else {
      Wrench<D, double> on_A, on_B;
      kernel.force(t, A, B, mode, on_A, on_B);
      return norm(on_B.force);
    }
  }
  static std::string_view event_name(int e) requires(events > 0) { return K::event_name(e); }
  void event_functions(double t, const Pair<D>& bodies, int mode, double* z) const
      requires(events > 0) {
    kernel.event_functions(t, frame(bodies.A), frame(bodies.B), mode, z);
  }
  int choose_mode(double t, const Pair<D>& bodies) const requires(events > 0) {
    return kernel.choose_mode(t, frame(bodies.A), frame(bodies.B));
  }

 private:
  static constexpr int m = dofs<D>, n = 2 * m;
  static Frame<D, double> frame(const BodyMotion<D>& b) {
    return automatic::constant_frame<D, double>(b);
  }
  template <class T>
  static const T& entry(const Wrench<D, T>& W, int k) {
    if constexpr (D == 3) {
      return k < 3 ? W.force[k] : W.torque[k - 3];
    } else {
      return k < 2 ? W.force[k] : W.torque;
    }
  }
};

}  // namespace kardan
