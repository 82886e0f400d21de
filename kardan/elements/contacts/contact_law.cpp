#include "kardan/elements/contacts/contact_law.h"

#include <algorithm>

namespace kardan {
namespace {

Vec3d spin_cross(const Vec3d& w, const Vec3d& r) {
  return cross(w, r);
}
Vec2d spin_cross(double w, const Vec2d& r) {
  return w * perp(r);
}

/// Force on B and its moment about B's marker.
template <int D>
struct Push {
  VecOf<D> f{};
  SpinOf<D> m{};
};

/// The wrench on B, and its change along a direction (drho, drho', domega).
template <int D>
class ContactForce {
 public:
  ContactForce(const ContactGeometry<D>& g, const RelativeMotion<D>& z, const ContactProperties& c)
      : g_(g), z_(z), mu_(c.friction) {
    rate_ = -dot(g.n, z.rho1);
    normal_ = c.normal(g.d, rate_);
    v_ = z.rho1 + spin_cross(z.omega, g.lever);
    if (mu_ > 0) {
      const VecOf<D> v_t = v_ + rate_ * g.n;  // n.v = -d', since the lever is along n
      inverse_ = 1 / std::sqrt(dot(v_t, v_t) + c.friction_speed * c.friction_speed);
      h_ = inverse_ * v_t;
    }
    e_ = g.n - mu_ * h_;
  }
  Push<D> value() const {
    const VecOf<D> f = normal_.N * e_;
    return {f, cross(g_.lever, f)};
  }
  Push<D> along(const VecOf<D>& drho, const VecOf<D>& drho1, const SpinOf<D>& domega) const {
    const VecOf<D> dn = g_.bend * (drho - dot(g_.n, drho) * g_.n);
    const double dd = -dot(g_.n, drho), drate = -dot(dn, z_.rho1) - dot(g_.n, drho1);
    const double dN = normal_.N_d * dd + normal_.N_rate * drate;
    const VecOf<D> dlever = -g_.lever_rate * drho;
    VecOf<D> de = dn;
    if (mu_ > 0) {
      const VecOf<D> dv = drho1 + spin_cross(domega, g_.lever) + spin_cross(z_.omega, dlever);
      const VecOf<D> dv_t = dv + drate * g_.n + rate_ * dn;
      // h = v_t/s:  dh = (dv_t - h (h.dv_t))/s
      de -= (mu_ * inverse_) * (dv_t - dot(h_, dv_t) * h_);
    }
    const VecOf<D> f = normal_.N * e_, df = dN * e_ + normal_.N * de;
    return {df, cross(dlever, f) + cross(g_.lever, df)};
  }

 private:
  const ContactGeometry<D>& g_;
  const RelativeMotion<D>& z_;
  double mu_, rate_, inverse_ = 0;
  ContactProperties::Normal normal_;
  VecOf<D> v_{}, h_{}, e_{};
};

/// Component i of (f, m).
double component(const Push<3>& p, int i) {
  return i < 3 ? p.f[i] : p.m[i - 3];
}
double component(const Push<2>& p, int i) {
  return i < 2 ? p.f[i] : p.m;
}

template <int D>
void put_column(const Push<D>& p, int j, RelativeWrench<D>& W) {
  for (int i = 0; i < dofs<D>; ++i) W.W_z[i][j] = component(p, i);
}

}  // namespace

ContactProperties::Normal ContactProperties::normal(double d, double rate) const {
  if (law == NormalLaw::linear) return {stiffness * d + damping * rate, stiffness, damping};
  const double slope = stiffness * exponent * std::pow(std::abs(d), exponent - 1);
  const double spring = slope * d / exponent, factor = 1 + damping * rate;
  return {spring * factor, slope * factor, spring * damping};
}

double ContactProperties::push(double d, double rate) const {
  return law == NormalLaw::linear ? d + damping / stiffness * rate : 1 + damping * rate;
}

template <int D, class Shape>
bool ContactLaw<D, Shape>::wrench(double, const RelativeMotion<D>& z, int mode, Depth depth,
                                  RelativeWrench<D>& W) const {
  using R = RelativeWrench<D>;
  if (mode == 0) return false;
  const ContactGeometry<D> g = shape.at(z.rho);
  const ContactForce<D> force(g, z, properties);
  const Push<D> p = force.value();
  for (int i = 0; i < dofs<D>; ++i) W.W[i] = component(p, i);
  if (depth != Depth::second) return true;
  const VecOf<D> zero{};
  for (int j = 0; j < D; ++j) {
    VecOf<D> unit{};
    unit[j] = 1;
    put_column(force.along(unit, zero, {}), R::rho + j, W);
    put_column(force.along(zero, unit, {}), R::rho1 + j, W);
    if constexpr (D == 3) put_column(force.along(zero, zero, unit), R::omega + j, W);
  }
  if constexpr (D == 2) put_column(force.along(zero, zero, 1), R::omega, W);
  return true;
}

template <int D, class Shape>
Potential ContactLaw<D, Shape>::potential(double, const RelativeMotion<D>& z, int mode) const {
  if (mode == 0 || properties.damping > 0) return {};
  const ContactGeometry<D> g = shape.at(z.rho);
  const double rate = -dot(g.n, z.rho1), N = properties.normal(g.d, rate).N;
  const double power = properties.law == NormalLaw::linear ? 1 : properties.exponent;
  return {N * g.d / (power + 1), N * rate};
}

template <int D, class Shape>
double ContactLaw<D, Shape>::magnitude(double, const RelativeMotion<D>& z, int mode) const {
  if (mode == 0) return 0;
  const ContactGeometry<D> g = shape.at(z.rho);
  return properties.normal(g.d, -dot(g.n, z.rho1)).N;
}

template <int D, class Shape>
void ContactLaw<D, Shape>::event_functions(double, const RelativeMotion<D>& z, int mode,
                                           double* values) const {
  const ContactGeometry<D> g = shape.at(z.rho);
  values[0] = g.d;
  values[1] = -1;
  if (properties.damping == 0) return;
  const double push = properties.push(g.d, -dot(g.n, z.rho1));
  values[1] = mode == 0 ? std::min(g.d, push) : push;
}

template <int D, class Shape>
int ContactLaw<D, Shape>::choose_mode(double, const RelativeMotion<D>& z) const {
  const ContactGeometry<D> g = shape.at(z.rho);
  return properties.acts(g.d, -dot(g.n, z.rho1)) ? 1 : 0;
}

template <int D>
bool ContactFields::properties(Builder<D>& b, ContactProperties& out) const {
  const bool linear = law == "linear";
  if (linear && dissipation != 0) {
    b.fail("contact.law", "'dissipation' belongs to law hunt_crossley, the law is linear",
           "use 'damping' [N s/m], or law: hunt_crossley");
    return false;
  }
  if (!linear && damping != 0) {
    b.fail("contact.law", "'damping' belongs to law linear, the law is hunt_crossley",
           "use 'dissipation' [s/m], or law: linear");
    return false;
  }
  if (!linear && exponent < 1) {
    b.fail("contact.exponent", "exponent = " + std::to_string(exponent) + "; wanted at least 1",
           "below 1 the stiffness is infinite at first touch; 1.5 is Hertz's for spheres");
    return false;
  }
  if (linear && exponent != ContactFields{}.exponent) {
    b.fail("contact.exponent", "'exponent' belongs to law hunt_crossley, the law is linear",
           "leave it out, or use law: hunt_crossley");
    return false;
  }
  // The moment of friction would be lost on a point mass.
  if (friction > 0 && (!b.require_rotation(0) || !b.require_rotation(1))) return false;
  out.law = linear ? NormalLaw::linear : NormalLaw::hunt_crossley;
  out.stiffness = stiffness;
  out.damping = linear ? damping : dissipation;
  out.exponent = exponent;
  out.friction = friction;
  out.friction_speed = friction_speed;
  return true;
}

template struct ContactLaw<2, PlaneShape<2>>;
template struct ContactLaw<3, PlaneShape<3>>;
template struct ContactLaw<2, SphereShape<2>>;
template struct ContactLaw<3, SphereShape<3>>;
template bool ContactFields::properties(Builder<2>&, ContactProperties&) const;
template bool ContactFields::properties(Builder<3>&, ContactProperties&) const;

}  // namespace kardan
