#pragma once
/// Forces between two bodies that depend on their relative motion alone, written in A's body frame:
///
///   rho  = R_A'(p_WP - x_A)    P: the origin of B's marker, a point fixed to B
///   C    = R_A'R_B             its variation: dphi = C dtheta_B - dtheta_A
///   rho' = the rate of rho     omega = C w_B - w_A
///
/// A law gives the force f on B at P and the moment m on B about P as functions of
/// z = (rho, phi, rho', omega), and the derivatives by z. The reaction on A acts at the same point,
/// so that momentum and angular momentum are conserved:
///
///   Q_A = -(R_A f, rho x f + m),   Q_B = (R_A f, s_B x C'f + C'm)

#include <string_view>

#include "kardan/elements/force_bank.h"

namespace kardan {

template <int D>
struct RelativeMotion {
  VecOf<D> rho{}, rho1{};  // [m], [m/s]
  RotationOf<D> C{};
  double angle = 0;   // [rad] plane only: theta_B - theta_A, continuous
  SpinOf<D> omega{};  // [rad/s]
};

/// W = (f, m) with its derivatives by z = (rho, phi, rho', omega) and t.
template <int D>
struct RelativeWrench {
  static constexpr int m = dofs<D>;
  static constexpr int rho = 0, phi = D, rho1 = m, omega = m + D;  // first columns
  double W[m];
  double W_z[m][2 * m], W_t[m];
  void clear(Depth depth) {
    std::memset(W, 0, sizeof W);
    if (depth != Depth::second) return;
    std::memset(W_z, 0, sizeof W_z);
    std::memset(W_t, 0, sizeof W_t);
  }
};

template <int D>
RelativeMotion<D> relative_motion(const Pair<D>&, const VecOf<D>& sB);
template <>
RelativeMotion<2> relative_motion(const Pair<2>&, const Vec2d& sB);
template <>
RelativeMotion<3> relative_motion(const Pair<3>&, const Vec3d& sB);

/// Adds the generalized force of a wrench, and its derivatives in Depth::second.
template <int D>
void add_relative_wrench(const Pair<D>&, const RelativeMotion<D>&, const VecOf<D>& sB,
                         const RelativeWrench<D>&, Depth, Force<D>&);

/// The force kernel of a law
///   bool wrench(double t, const RelativeMotion<D>&, int mode, Depth, RelativeWrench<D>&) const;
/// (false: no force in this mode), with potential, magnitude and events as in KernelForces but over
/// the relative motion.
template <int D, class Law>
struct RelativeForce {
  static constexpr int events = Law::events;
  Law law;
  VecOf<D> sB{};  // [m] P in B's frame

  std::optional<Mat3d> counted_frame() const requires CountsTurns<Law> {
    return law.counted_frame();
  }

  void evaluate(double t, const Pair<D>& bodies, int mode, Depth depth, Force<D>& F) const {
    F.clear(depth);
    const RelativeMotion<D> motion = relative_motion<D>(bodies, sB);
    RelativeWrench<D> W;
    W.clear(depth);
    if (law.wrench(t, motion, mode, depth, W)) add_relative_wrench(bodies, motion, sB, W, depth, F);
  }
  Potential potential(double t, const Pair<D>& bodies, int mode) const {
    return law.potential(t, relative_motion<D>(bodies, sB), mode);
  }
  double magnitude(double t, const Pair<D>& bodies, int mode) const {
    return law.magnitude(t, relative_motion<D>(bodies, sB), mode);
  }
  static std::string_view event_name(int e) requires(events > 0) { return Law::event_name(e); }
  void event_functions(double t, const Pair<D>& bodies, int mode, double* z) const
      requires(events > 0) {
    law.event_functions(t, relative_motion<D>(bodies, sB), mode, z);
  }
  void event_guards(double, const Pair<D>& bodies, int mode, const SpeedBound<D>& A,
                    const SpeedBound<D>& B, double* guard, double* rate) const requires
      requires(const Law& l, const RelativeMotion<D>& m) {
    l.guards(m, mode, bodies.A, A, B, sB, guard, rate);
  }
  { law.guards(relative_motion<D>(bodies, sB), mode, bodies.A, A, B, sB, guard, rate); }
  int choose_mode(double t, const Pair<D>& bodies) const requires(events > 0) {
    return law.choose_mode(t, relative_motion<D>(bodies, sB));
  }
};

}  // namespace kardan
