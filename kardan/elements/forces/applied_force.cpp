#include "kardan/elements/forces/applied_force.h"

#include <algorithm>
#include <array>

#include "kardan/elements/forces/directions.h"
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

namespace {

/// One component after the other, each a formula.
template <int D>
void add_formulas(Builder<D>& b, const std::array<const Signal*, D>& components, LoadAxes in) {
  static constexpr const char* keys[] = {"fx", "fy", "fz"};
  const BodyFrame<D>& B = b.frame(0);
  for (int k = 0; k < D; ++k) {
    const Signal& f = *components[k];
    if (f.is_zero()) continue;
    const auto formula = b.formula(keys[k], f.expression(), f.where());
    constexpr auto squares = FormulaForce<D>::Shown::squares;
    VecOf<D> unit{};
    unit[k] = 1;
    if (in == LoadAxes::world)
      b.formula_force(formula, Dot2<D>{unit, {}, B.s}, Builder<D>::ground, 0, InputKind::force,
                      squares);
    else
      b.formula_force(formula, BodyForceDirection<D>{B.s, B.R * unit}, Builder<D>::ground, 0,
                      InputKind::force, squares);
  }
}

template <int D>
void add_load(Builder<D>& b, const std::array<const Signal*, D>& components, LoadAxes in) {
  if (std::ranges::any_of(components, [](const Signal* f) { return f->of_motion(); }))
    return add_formulas<D>(b, components, in);
  const BodyFrame<D>& B = b.frame(0);
  AppliedForceKernel<D> kernel{B.s, B.R, in, {}};
  for (int k = 0; k < D; ++k) {
    kernel.components[k] = components[k]->of_time();
    b.force_input(kernel.components[k], Builder<D>::ground, 0);
  }
  b.force(std::move(kernel), Builder<D>::ground, 0);
}

}  // namespace

void AppliedForce::build(Builder<3>& b) const {
  add_load<3>(b, {&fx, &fy, &fz}, axes == "body" ? LoadAxes::body : LoadAxes::world);
}

void AppliedForce::build(Builder<2>& b) const {
  if (!is_absent(b, "fz", fz)) return;
  add_load<2>(b, {&fx, &fy}, axes == "body" ? LoadAxes::body : LoadAxes::world);
}

template struct AppliedForceKernel<2>;
template struct AppliedForceKernel<3>;

}  // namespace kardan
