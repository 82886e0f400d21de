#include "kardan/elements/forces/applied_force.h"

#include "kardan/elements/forces/planar.h"

namespace kardan {
namespace {

template <int D>
void components_at(const TimeFunction (&f)[D], double t, Depth depth, VecOf<D>& value,
                   VecOf<D>& rate) {
  for (int k = 0; k < D; ++k) {
    if (depth == Depth::second) {
      const TimeJet jet = f[k].at(t);
      value[k] = jet.value;
      rate[k] = jet.d1;
    } else {
      value[k] = f[k](t);
    }
  }
}

/// Q = (R_B f, s x f) for a force f fixed in the body frame.
void add_follower(const BodyMotion<3>& B, const Vec3d& s, const Vec3d& f, const Vec3d& f_t,
                  Depth depth, Force<3>& out) {
  using M = Measure<3>;
  add(out.Q, M::xB, 1, B.R * f);
  add(out.Q, M::qB, 1, cross(s, f));
  if (depth != Depth::second) return;
  const Mat3d P = times_tilde(B.R, f);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out.Q_p[M::xB + i][M::qB + j] = -P[i][j];
  add(out.Q_t, M::xB, 1, B.R * f_t);
  add(out.Q_t, M::qB, 1, cross(s, f_t));
}
void add_follower(const BodyMotion<2>& B, const Vec2d& s, const Vec2d& f, const Vec2d& f_t,
                  Depth depth, Force<2>& out) {
  using M = Measure<2>;
  const Vec2d F = B.R * f;
  add(out.Q, M::xB, 1, F);
  out.Q[M::qB] = cross(s, f);
  if (depth != Depth::second) return;
  out.Q_p[M::xB][M::qB] = -F.y;
  out.Q_p[M::xB + 1][M::qB] = F.x;
  add(out.Q_t, M::xB, 1, B.R * f_t);
  out.Q_t[M::qB] = cross(s, f_t);
}

}  // namespace

template <int D>
void AppliedForceKernel<D>::evaluate(double t, const Pair<D>& bodies, int, Depth depth,
                                     Force<D>& out) const {
  out.clear(depth);
  VecOf<D> f{}, f_t{};
  components_at<D>(components, t, depth, f, f_t);
  if (axes == LoadAxes::world) {
    PointForce<D> load;
    load.F = f;
    load.F_t = f_t;
    add_point_force(FixedVector<D>(bodies.B, s), load, depth, out);
  } else {
    add_follower(bodies.B, s, R * f, R * f_t, depth, out);
  }
}

template <int D>
double AppliedForceKernel<D>::magnitude(double t, const Pair<D>&, int) const {
  VecOf<D> f{}, f_t{};
  components_at<D>(components, t, Depth::first, f, f_t);
  return norm(f);
}

void AppliedForce::build(Builder<3>& b) const {
  const BodyFrame<3>& B = b.frame(0);
  const LoadAxes in = axes == "body" ? LoadAxes::body : LoadAxes::world;
  for (const TimeFunction* f : {&fx, &fy, &fz}) b.force_input(*f, Builder<3>::ground, 0);
  b.force(AppliedForceKernel<3>{B.s, B.R, in, {fx, fy, fz}}, Builder<3>::ground, 0);
}

void AppliedForce::build(Builder<2>& b) const {
  if (!is_absent(b, "fz", fz)) return;
  const BodyFrame<2>& B = b.frame(0);
  const LoadAxes in = axes == "body" ? LoadAxes::body : LoadAxes::world;
  for (const TimeFunction* f : {&fx, &fy}) b.force_input(*f, Builder<2>::ground, 0);
  b.force(AppliedForceKernel<2>{B.s, B.R, in, {fx, fy}}, Builder<2>::ground, 0);
}

template struct AppliedForceKernel<2>;
template struct AppliedForceKernel<3>;

}  // namespace kardan
