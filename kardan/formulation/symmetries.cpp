#include "kardan/formulation/symmetries.h"

#include <algorithm>
#include <cmath>

#include "kardan/base/rotation.h"
#include "kardan/formulation/accelerations.h"
#include "kardan/formulation/assembly.h"
#include "kardan/formulation/residuals.h"
#include "kardan/linalg/eigenvalues.h"
#include "kardan/linalg/rank.h"
#include "kardan/system/mechanisms.h"

namespace kardan {
namespace {

/// Derivatives along a generator are differences over this part of its unit, exact to about its
/// fourth power; smaller ones than the next number are none: rounding in stiff forces.
constexpr double difference_step = 1e-3, no_derivative = 1e-4;
/// Sums of generators along which derivatives vanish to this share of those along the others.
constexpr double symmetry_tolerance = 1e-4;
/// Principal moments that agree to this share are equal.
constexpr double equal_moments = 1e-9;

}  // namespace

Group::Group(const System& system, const State& state) : system_(system), unit_(system.scales()) {
  if (!system.has_bodies()) {
    for (int j = 0; j < system.sizes().v; ++j)
      all_.push_back({.kind = Generator::Kind::coordinate, .column = j});
  } else {
    add_bodies(state);
  }
  all_.push_back({.kind = Generator::Kind::time});
}

double Group::time(int i) const {
  return all_[i].kind == Generator::Kind::time ? unit_.length / unit_.speed : 0;
}

void Group::move(int i, const State& state, Vector& tangent) const {
  const Generator& g = all_[i];
  const int D = system_.dimension();
  tangent.assign(system_.sizes().v, 0.0);
  if (g.kind == Generator::Kind::coordinate) tangent[g.column] = 1;
  for (int b : g.bodies) {
    const BodyLayout& body = system_.bodies()[b];
    const bool turns = body.v_count > D;
    if (g.kind == Generator::Kind::shift) add_in_space(tangent, body.v, D, unit_.length * g.axis);
    if (g.kind == Generator::Kind::turn)
      add_in_space(tangent, body.v, D, cross(g.axis, part_in_space(state.p, body.p, D) - centre_));
    if (!turns || g.kind == Generator::Kind::shift || g.kind == Generator::Kind::push) continue;
    if (D == 2)
      tangent[body.v + 2] = g.axis.z;
    else
      add_in_space(tangent, body.v + 3, 3,
                   g.kind == Generator::Kind::spin ? g.axis : seen_from(state, body, g.axis));
  }
}

void Group::lift(int i, const Vector& v, Vector& out) const {
  lift_accelerations(i, v, out);
  if (all_[i].kind != Generator::Kind::push) return;
  for (int b : all_[i].bodies)
    add_in_space(out, system_.bodies()[b].v, system_.dimension(), unit_.speed * all_[i].axis);
}

void Group::lift_accelerations(int i, const Vector& v, Vector& out) const {
  const Generator& g = all_[i];
  const int D = system_.dimension();
  out.assign(system_.sizes().v, 0.0);
  for (int b : g.bodies) {
    const BodyLayout& body = system_.bodies()[b];
    if (g.kind == Generator::Kind::turn)
      add_in_space(out, body.v, D, cross(g.axis, part_in_space(v, body.v, D)));
    if (g.kind == Generator::Kind::spin && D == 3)
      add_in_space(out, body.v + 3, 3, -1.0 * cross(g.axis, part_in_space(v, body.v + 3, 3)));
  }
}

Vec3d Group::seen_from(const State& state, const BodyLayout& body, const Vec3d& axis) {
  const double* q = state.p.data() + body.p + 3;
  return transposed(rotation_matrix(Quaternion{q[0], q[1], q[2], q[3]})) * axis;
}

void Group::add_bodies(const State& state) {
  const int D = system_.dimension();
  const auto count = static_cast<double>(system_.bodies().size() - 1);
  for (std::size_t b = 1; b < system_.bodies().size(); ++b)
    centre_ += (1 / count) * part_in_space(state.p, system_.bodies()[b].p, D);
  constexpr Vec3d axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  using Kind = Generator::Kind;
  for (const Mechanism& m : find_mechanisms(system_.blueprint())) {
    for (int k = 0; k < D; ++k) all_.push_back({Kind::shift, m.bodies, axes[k]});
    for (int k = 0; k < D; ++k) all_.push_back({Kind::push, m.bodies, axes[k]});
    for (int k = D == 2 ? 2 : 0; k < 3; ++k) all_.push_back({Kind::turn, m.bodies, axes[k]});
    for (int b : m.bodies)
      for (const Vec3d& axis : own_axes(b)) all_.push_back({Kind::spin, {b}, axis});
  }
}

/// Axes about which a body may be turned without changing its inertia.
std::vector<Vec3d> Group::own_axes(int b) const {
  const BodyData& body = system_.blueprint().bodies[b];
  if (system_.bodies()[b].v_count <= system_.dimension()) return {};
  if (system_.dimension() == 2) return {{0, 0, 1}};
  Matrix J(3, 3);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) J(i, k) = body.inertia[i][k];
  EigenSystem found;
  if (find_eigenvalues(J, EigenOutput::values_and_vectors, found) != Eval::ok) return {};
  const auto moment = [&](int i) { return found.values[i % 3].real(); };
  const double size = std::max({moment(0), moment(1), moment(2)});
  std::vector<Vec3d> out;
  for (int i = 0; i < 3; ++i) {
    if (std::abs(moment(i + 1) - moment(i + 2)) > equal_moments * size) continue;
    const auto& v = found.vectors[i];
    const Vec3d axis{v[0].real(), v[1].real(), v[2].real()};
    out.push_back((1 / norm(axis)) * axis);
  }
  return out;
}

bool Symmetries::look(const State& state) {
  Vector a;
  if (!accelerations(state, a)) return false;
  double fastest = system_.scales().acceleration;
  const int m = system_.sizes().constraints(), n = system_.sizes().v;
  for (int j = 0; j < n; ++j) fastest = std::max(fastest, std::abs(a[j]) * length(j));
  const int first = static_cast<int>(rows_.size()), count = 2 * m + n + system_.sizes().r;
  rows_.resize(first + count, Vector(group_.size()));
  Vector along, lifted;
  for (int i = 0; i < group_.size(); ++i) {
    if (!derivatives(state, i, along)) return false;
    group_.lift_accelerations(i, a, lifted);
    for (int j = 0; j < n; ++j)
      along[2 * m + j] = (along[2 * m + j] - lifted[j]) * length(j) / fastest;
    for (int k = 0; k < count; ++k) rows_[first + k][i] = along[k];
  }
  return true;
}

/// Along generator i, by differences of the fourth order.
bool Symmetries::derivatives(const State& state, int i, Vector& out) {
  constexpr double weights[] = {8.0 / 12, -1.0 / 12};  // of one and two steps to either side
  Vector side;
  out.clear();
  for (const int steps : {1, -1, 2, -2}) {
    if (!values(state, i, steps * difference_step, side)) return false;
    out.resize(side.size(), 0.0);
    const double weight = weights[std::abs(steps) - 1] * (steps > 0 ? 1 : -1);
    add_scaled(weight / difference_step, side, out);
  }
  return true;
}

bool Symmetries::find(Matrix& out) const {
  std::vector<const Vector*> kept;
  for (const Vector& row : rows_)
    if (norm_max(row) > no_derivative) kept.push_back(&row);
  const int n = group_.size();
  Matrix D(static_cast<int>(kept.size()) + n, n);
  D.set_zero();
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const double size = norm_max(*kept[k]);
    for (int i = 0; i < n; ++i) D(static_cast<int>(k), i) = (*kept[k])[i] / size;
  }
  PivotedQr qr;
  if (qr.factor(D, {.tolerance = symmetry_tolerance}) != Eval::ok) return false;
  out = qr.null_space();
  return true;
}

/// Spins count by the speed they give at the model's length.
double Symmetries::length(int column) const {
  return system_.is_rotation(column) ? system_.scales().length : 1.0;
}

bool Symmetries::accelerations(State state, Vector& a) {
  Vector lambda;
  if (solve_accelerations(system_, state, a, lambda, *ws_) != Eval::ok) return false;
  return system_.evaluate(state, Request::all(), *ws_) == Eval::ok;
}

/// Constraints at two levels, accelerations and rates of r, `step` along generator i.
bool Symmetries::values(const State& from, int i, double step, Vector& out) {
  Vector tangent, lifted, a;
  State to = from;
  group_.move(i, from, tangent);
  group_.lift(i, from.v, lifted);
  for (double& x : tangent) x *= step;
  system_.retract(from.p, tangent, to.p);
  add_scaled(step, lifted, to.v);
  to.t += step * group_.time(i);
  system_.follow_turns(from, tangent, to, *ws_);
  if (!accelerations(to, a)) return false;
  out.clear();
  for (int row = 0; row < system_.sizes().constraints(); ++row)
    out.push_back(scaled_residual(system_, row, 0, ws_->g[row]));
  for (int row = 0; row < system_.sizes().constraints(); ++row)
    out.push_back(scaled_residual(system_, row, 1, ws_->rate[row]));
  out.insert(out.end(), a.begin(), a.end());
  const double rate = system_.scales().speed / system_.scales().length;
  for (int k = 0; k < system_.sizes().r; ++k)
    out.push_back(ws_->b[k] / (system_.state_scale(k) * rate));
  return true;
}

}  // namespace kardan
