#pragma once
/// Penalty contact at one point, with regularised Coulomb friction. With the penetration d, its
/// rate d' and the tangential velocity v_t of B's material point relative to A's:
///
///   linear          N = k d + c d'                 no adhesion: N = 0 where that is negative
///   hunt_crossley   N = k d^n (1 + a d')           (Hunt, Crossley, J. Appl. Mech. 42, 1975)
///   F on B = N n - mu N v_t / sqrt(v_t^2 + v_eps^2)
///
/// Mode 1: the force acts, by the smooth law above (d^n continued as an odd function for d < 0);
/// mode 0: none. Event functions: "contact", d; "release", the sign of N while the force acts and
/// min(d, that) while it does not, so that a damped contact that let go while still compressed can
/// come back. The undamped normal law has the potential of its spring; a damped contact lets go
/// while it is still compressed, so that none is counted.

#include "kardan/elements/catalog.h"
#include "kardan/elements/forces/relative.h"

namespace kardan {

enum class NormalLaw { linear, hunt_crossley };

struct ContactProperties {
  NormalLaw law = NormalLaw::linear;
  double stiffness = 0;       // [N/m], hunt_crossley [N/m^n]
  double damping = 0;         // linear: c [N s/m]; hunt_crossley: a [s/m]
  double exponent = 1.5;      // hunt_crossley
  double friction = 0;        // mu
  double friction_speed = 0;  // [m/s] v_eps

  struct Normal {
    double N, N_d, N_rate;
  };
  [[nodiscard]] Normal normal(double d, double rate) const;
  /// Has the sign of N for d > 0.
  [[nodiscard]] double push(double d, double rate) const;
  [[nodiscard]] bool acts(double d, double rate) const {
    return d > 0 && (damping == 0 || push(d, rate) > 0);
  }
};

/// Where the bodies touch, in A's frame: penetration, normal from A to B, and the lever from the
/// origin of B's marker to the contact point, parallel to the normal.
template <int D>
struct ContactGeometry {
  double d;
  VecOf<D> n, lever;
  double bend;        // n_rho = bend (I - n n')
  double lever_rate;  // lever_rho = -lever_rate I
};

/// Shape<D> has `ContactGeometry<D> at(const VecOf<D>& rho) const`.
template <int D, class Shape>
struct ContactLaw {
  static constexpr int events = 2;
  Shape shape;
  ContactProperties properties;

  bool wrench(double t, const RelativeMotion<D>&, int mode, Depth, RelativeWrench<D>&) const;
  Potential potential(double t, const RelativeMotion<D>&, int mode) const;
  /// The normal force.
  double magnitude(double t, const RelativeMotion<D>&, int mode) const;
  static std::string_view event_name(int e) { return e == 0 ? "contact" : "release"; }
  void event_functions(double t, const RelativeMotion<D>& z, int mode, double* values) const;
  int choose_mode(double t, const RelativeMotion<D>&) const;
  /// The penetration and a bound of its rate. A damped contact lets go by its force, of which
  /// nothing is known; while the bodies are apart it cannot come back either.
  void guards(const RelativeMotion<D>& motion, int mode, const BodyMotion<D>& A,
              const SpeedBound<D>& speed_A, const SpeedBound<D>& speed_B, const VecOf<D>& sB,
              double* guard, double* rate) const {
    guard[0] = guard[1] = shape.at(motion.rho).d;
    rate[0] = shape.rate_bound(motion.rho, A, speed_A, speed_B, norm(sB));
    if (properties.damping == 0) {
      guard[1] = -1;
      rate[1] = 0;
    } else if (mode == 0 && guard[0] < 0) {
      rate[1] = rate[0];
    }
  }
};

/// B's sphere against A's plane through `origin` with normal n.
template <int D>
struct PlaneShape {
  VecOf<D> origin{}, n{};
  double radius = 0;
  [[nodiscard]] ContactGeometry<D> at(const VecOf<D>& rho) const {
    return {radius - dot(n, rho - origin), n, -radius * n, 0, 0};
  }
  /// d' = -n.(v_P - v_A at P): along the normal only where A rests. Where A turns, P may be twice as
  /// far away meanwhile.
  [[nodiscard]] double rate_bound(const VecOf<D>& rho, const BodyMotion<D>& A,
                                  const SpeedBound<D>& a, const SpeedBound<D>& b,
                                  double arm) const {
    if (a.w == 0 && norm(a.v) == 0) {
      const VecOf<D> world = A.R * n;
      double along = b.w * arm;
      for (int k = 0; k < D; ++k) along += std::abs(world[k]) * b.v[k];
      return along;
    }
    return norm(a.v) + norm(b.v) + b.w * arm + 2 * a.w * norm(rho);
  }
};

/// B's sphere against A's sphere about `origin`. The contact point divides the line of centres in
/// the ratio of the radii, which is the plane's choice for a very large sphere A.
template <int D>
struct SphereShape {
  VecOf<D> origin{};
  double radius_A = 0, radius_B = 0;
  [[nodiscard]] ContactGeometry<D> at(const VecOf<D>& rho) const {
    const VecOf<D> c = rho - origin;
    const double l = norm(c), share = radius_B / (radius_A + radius_B);
    return {radius_A + radius_B - l, (1 / l) * c, -share * c, 1 / l, share};
  }
  /// The distance of two points fixed to the bodies.
  [[nodiscard]] double rate_bound(const VecOf<D>&, const BodyMotion<D>&, const SpeedBound<D>& a,
                                  const SpeedBound<D>& b, double arm) const {
    return norm(a.v) + a.w * norm(origin) + norm(b.v) + b.w * arm;
  }
};

/// The fields all contacts share; false and a message where they contradict each other.
struct ContactFields {
  std::string law = "linear";
  double stiffness = 0, damping = 0, dissipation = 0, exponent = 1.5;
  double friction = 0, friction_speed = 1e-3;

  template <class T, class F>
  static void fields_of(F& f) {
    f("law", &T::law, {.doc = "normal force", .choices = {"linear", "hunt_crossley"}});
    f("stiffness", &T::stiffness,
      {.unit = "N/m (hunt_crossley: N/m^n)",
       .doc = "k",
       .check = Check::positive,
       .need = Need::required});
    f("damping", &T::damping,
      {.unit = "N s/m", .doc = "c of the linear law", .check = Check::non_negative});
    f("dissipation", &T::dissipation,
      {.unit = "s/m", .doc = "a of hunt_crossley", .check = Check::non_negative});
    f("exponent", &T::exponent,
      {.doc = "n of hunt_crossley, at least 1", .check = Check::positive});
    f("friction", &T::friction,
      {.doc = "coefficient of friction mu", .check = Check::non_negative});
    f("friction_speed", &T::friction_speed,
      {.unit = "m/s",
       .doc = "v_eps: at this sliding speed friction has reached 71% of mu N",
       .check = Check::positive});
  }
  template <int D>
  bool properties(Builder<D>&, ContactProperties&) const;
};

}  // namespace kardan
