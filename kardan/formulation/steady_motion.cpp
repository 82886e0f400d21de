#include "kardan/formulation/steady_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kardan/formulation/assembly.h"
#include "kardan/formulation/residuals.h"
#include "kardan/formulation/symmetries.h"
#include "kardan/linalg/rank.h"

namespace kardan {
namespace {

/// Velocities and accelerations that differ from those of a symmetry by less than this share of the
/// model's are those of a steady motion: far above what a run to rest leaves at usual tolerances,
/// and eigenvalues are as good.
constexpr double steady_share = 1e-3;
/// Consistent states nearby at which symmetries are looked at, and how far away they are.
constexpr int samples = 3;
constexpr double sample_distance = 0.02;
/// What weighs a turn of the frame where there shall be none.
constexpr double no_turn = 1e3;
/// A frame that turns by less than this share of the model's speed over its length does not.
constexpr double least_turn = 1e-6;

/// Consistent states around one.
std::vector<State> states_nearby(const System& system, const State& state) {
  std::vector<State> out;
  const Scales& unit = system.scales();
  for (int k = 0; k < samples; ++k) {
    const double distance = sample_distance * (k + 1) * (k % 2 == 0 ? 1 : -1);
    State near = shaken(system, state, distance);
    for (std::size_t j = 0; j < near.v.size(); ++j) {
      const int column = static_cast<int>(j);
      const double part = std::sin(1.7 * column + k + 1);  // a part of all of them
      near.v[j] += distance * part * system.coordinate_scale(column) * unit.speed / unit.length;
    }
    for (std::size_t i = 0; i < near.r.size(); ++i)
      near.r[i] += distance * system.state_scale(static_cast<int>(i));
    const ConsistentStart found = assemble(system, std::move(near), {});
    if (found.report.status == Eval::ok) out.push_back(found.state);
  }
  return out;
}

/// Coefficients of the symmetry that carries the motion at a state along, if there is one.
class Carrier {
 public:
  Carrier(const System& system, const Group& group, const Matrix& symmetries, const State& state,
          const Vector& a)
      : system_(system), group_(group), symmetries_(symmetries), state_(state), a_(a) {}

  /// First without turning the frame.
  bool find(Vector& coefficients, std::string& reason) {
    return fit(false, coefficients, reason) || fit(true, coefficients, reason);
  }

 private:
  bool fit(bool turning, Vector& coefficients, std::string& reason) {
    const int n = system_.sizes().v, count = group_.size();
    // Velocities, accelerations and time along every generator, scaled; then what must not be.
    Matrix A(2 * n + 1 + count, symmetries_.cols());
    A.set_zero();
    Vector tangent, lifted, wanted(A.rows(), 0.0);
    const Scales& unit = system_.scales();
    const double rate = unit.speed / unit.length;
    for (int i = 0; i < count; ++i) {
      group_.move(i, state_, tangent);
      group_.lift(i, state_.v, lifted);
      for (int c = 0; c < symmetries_.cols(); ++c) {
        for (int j = 0; j < n; ++j) {
          A(j, c) += symmetries_(i, c) * tangent[j] / (rate * scale(j));
          A(n + j, c) +=
              symmetries_(i, c) * lifted[j] / (unit.acceleration / unit.length * scale(j));
        }
        A(2 * n, c) += symmetries_(i, c) * group_.time(i);
        if (!turning && group_.all()[i].kind == Generator::Kind::turn)
          A(2 * n + 1 + i, c) = no_turn / rate * symmetries_(i, c);
      }
    }
    for (int j = 0; j < n; ++j) {
      wanted[j] = state_.v[j] / (rate * scale(j));
      wanted[n + j] = a_[j] / (unit.acceleration / unit.length * scale(j));
    }
    wanted[2 * n] = 1;
    Vector y(symmetries_.cols(), 0.0);
    if (symmetries_.cols() > 0) {
      PivotedQr qr;
      if (qr.factor(A) != Eval::ok) return false;
      qr.solve(wanted, y);
    }
    Vector left = wanted;
    for (int k = 0; k < A.rows(); ++k)
      for (int c = 0; c < A.cols(); ++c) left[k] -= A(k, c) * y[c];
    if (!is_steady(left, wanted, reason)) return false;
    coefficients.assign(count, 0.0);
    for (int i = 0; i < count; ++i)
      for (int c = 0; c < symmetries_.cols(); ++c) coefficients[i] += symmetries_(i, c) * y[c];
    return true;
  }

  bool is_steady(const Vector& left, const Vector& wanted, std::string& reason) const {
    const int n = system_.sizes().v;
    double speed = 1, acceleration = 1;
    for (int j = 0; j < n; ++j) {
      speed = std::max(speed, std::abs(wanted[j]));
      acceleration = std::max(acceleration, std::abs(wanted[n + j]));
    }
    // Accelerations far above the model's scale are those of something stiff that is out of
    // balance.
    acceleration = std::min(acceleration, speed * speed);
    int worst = -1;
    double most = steady_share;
    for (int k = 0; k < static_cast<int>(left.size()); ++k) {
      const double size = std::abs(left[k]) / (k < n ? speed : k < 2 * n ? acceleration : 1);
      if (!(size <= most)) most = size, worst = k;
    }
    if (worst < 0) return true;
    if (worst < n)
      reason = fmt::format("{} = {:.4g} leads to other equations", system_.velocity_name(worst),
                           state_.v[worst]);
    else if (worst < 2 * n)
      reason = fmt::format("{} = {:.4g}, which no symmetry of the model explains",
                           system_.acceleration_name(worst - n), a_[worst - n]);
    else
      reason = "the equations change with time";
    return false;
  }

  double scale(int j) const { return system_.coordinate_scale(j); }

  const System& system_;
  const Group& group_;
  const Matrix& symmetries_;
  const State& state_;
  const Vector& a_;
};

/// Changes of chart coordinates and of their rates as those of y.
class LocalView {
 public:
  LocalView(const System& system, const StateSpace& problem, const State& state)
      : system_(system), problem_(problem), state_(state) {}

  int size() const { return 2 * n() + drift() + system_.sizes().r; }
  int n() const { return problem_.second_order(); }
  int drift() const { return problem_.parametrization().drift(); }

  /// What column `i` of y changes: chart coordinates and their rates.
  void spread(int i, Vector& q, Vector& dq) const {
    const int nv = system_.sizes().v;
    q.assign(nv, 0.0);
    dq.assign(nv, 0.0);
    if (i >= n() && i < 2 * n()) {
      for (int j = 0; j < nv; ++j) dq[j] = problem_.velocity_directions()(j, i - n());
      return;
    }
    const int k = i < n() ? i : i - n();
    if (k >= n() + drift()) return;  // r
    for (int j = 0; j < nv; ++j) {
      q[j] = problem_.directions()(j, k);
      dq[j] = problem_.velocity_changes()(j, k);
    }
    to_chart(q, dq);
  }

  /// Changes of spins as those of the rates of rotation vectors: dtheta' = dw - w x dtheta / 2.
  void to_chart(const Vector& q, Vector& dq) const {
    if (system_.dimension() != 3) return;
    for (std::size_t b = 1; b < system_.bodies().size(); ++b) {
      if (system_.bodies()[b].v_count <= 3) continue;
      const int i = system_.bodies()[b].v + 3;
      add_in_space(dq, i, 3, -0.5 * cross(part_in_space(state_.v, i, 3), part_in_space(q, i, 3)));
    }
  }

  void gather(const Vector& q, const Vector& dq, Matrix& out, int column) const {
    const Parametrization& split = problem_.parametrization();
    Vector x(n()), u(n()), zeta(drift());
    split.x_of.multiply(q, x);
    split.x_of.multiply(dq, u);
    split.drift_of(q, zeta);
    for (int i = 0; i < n(); ++i) out(i, column) = x[i], out(n() + i, column) = u[i];
    for (int i = 0; i < drift(); ++i) out(2 * n() + i, column) = zeta[i];
  }

 private:
  const System& system_;
  const StateSpace& problem_;
  const State& state_;
};

/// DK in the chart, body by body: rates of (q, q') along K at changes (dq, dq').
///   displacements   Omega x dx, Omega x dx'
///   rotations       k(theta) = w + theta x (s - W)/2 + theta x (theta x w)/12 + ...
/// with W the turn of the frame in the body's axes, s the spin and w = W + s, from
/// theta' = T(theta)^-1 (exp(-theta~) W + s); on theta' its derivative along theta'.
class TurningFrame {
 public:
  TurningFrame(const System& system, const Group& group, const State& state, const Vector& c)
      : system_(system), frame_(system.bodies().size()), spin_(frame_), own_(frame_) {
    for (int i = 0; i < group.size(); ++i) {
      const Generator& g = group.all()[i];
      for (int b : g.bodies) {
        const BodyLayout& body = system.bodies()[b];
        if (g.kind == Generator::Kind::turn) {
          frame_[b] += c[i] * g.axis;
          if (system.dimension() == 3 && body.v_count > 3)
            own_[b] += c[i] * Group::seen_from(state, body, g.axis);
        }
        if (g.kind == Generator::Kind::spin) spin_[b] += c[i] * g.axis;
      }
    }
  }

  bool turns() const {
    double size = 0;
    for (std::size_t b = 1; b < frame_.size(); ++b) {
      size = std::max(size, norm(frame_[b]));
      if (system_.dimension() == 3) size = std::max(size, norm(spin_[b]));
    }
    return size > least_turn * system_.scales().speed / system_.scales().length;
  }

  void rates(const Vector& q, const Vector& dq, Vector& q_rate, Vector& dq_rate) const {
    const int D = system_.dimension();
    q_rate.assign(q.size(), 0.0);
    dq_rate.assign(q.size(), 0.0);
    for (std::size_t b = 1; b < frame_.size(); ++b) {
      const BodyLayout& body = system_.bodies()[b];
      add_in_space(q_rate, body.v, D, cross(frame_[b], part_in_space(q, body.v, D)));
      add_in_space(dq_rate, body.v, D, cross(frame_[b], part_in_space(dq, body.v, D)));
      if (D == 2 || body.v_count <= 3) continue;
      const Vec3d theta = part_in_space(q, body.v + 3, 3), rate = part_in_space(dq, body.v + 3, 3);
      const Vec3d bend = 0.5 * (spin_[b] - own_[b]), w = own_[b] + spin_[b];
      add_in_space(q_rate, body.v + 3, 3, cross(theta, bend));
      // The rate of the base is w itself: of theta x (theta x w), twice differentiated, remains
      // this.
      add_in_space(dq_rate, body.v + 3, 3,
                   cross(rate, bend) + (1.0 / 12) * cross(w, cross(theta, w)));
    }
  }

 private:
  const System& system_;
  std::vector<Vec3d> frame_, spin_, own_;  // Omega in the world, s and W in the body's axes
};

/// Symmetries that leave the time alone: one of those that do not is taken off the others.
Matrix at_fixed_time(const Group& group, const Matrix& symmetries) {
  const int count = group.size(), all = symmetries.cols();
  const auto time = [&](int c) { return symmetries(count - 1, c); };
  int pivot = 0;
  for (int c = 1; c < all; ++c)
    if (std::abs(time(c)) > std::abs(time(pivot))) pivot = c;
  if (all == 0 || time(pivot) == 0) return symmetries;
  Matrix out(count, all - 1);
  for (int c = 0, to = 0; c < all; ++c) {
    if (c == pivot) continue;
    for (int i = 0; i < count; ++i)
      out(i, to) = symmetries(i, c) - symmetries(i, pivot) * time(c) / time(pivot);
    ++to;
  }
  return out;
}

}  // namespace

SteadyMotion find_steady_motion(const System& system, const StateSpace& problem) {
  SteadyMotion out;
  const State& state = problem.base_state();
  const Group group(system, state);
  Symmetries looked(system, group);
  Matrix symmetries;
  bool seen = looked.look(state);
  for (const State& near : states_nearby(system, state)) seen = looked.look(near) && seen;
  if (!seen || !looked.find(symmetries)) {
    out.reason = "its neighbourhood could not be evaluated";
    return out;
  }
  Vector c;
  Carrier carrier(system, group, symmetries, state, problem.accelerations());
  out.steady = carrier.find(c, out.reason);
  const TurningFrame frame(system, group, state, out.steady ? c : Vector(group.size(), 0.0));
  if (!out.steady || !frame.turns()) return out;
  const LocalView view(system, problem, state);
  Vector q, dq, q_rate, dq_rate;
  out.generator.resize(view.size(), view.size());
  out.generator.set_zero();
  for (int i = 0; i < view.size(); ++i) {
    view.spread(i, q, dq);
    frame.rates(q, dq, q_rate, dq_rate);
    view.gather(q_rate, dq_rate, out.generator, i);
  }
  const Matrix still = at_fixed_time(group, symmetries);
  out.orbit.resize(view.size(), still.cols());
  out.orbit.set_zero();
  Vector tangent, lifted;
  for (int k = 0; k < still.cols(); ++k) {
    q.assign(system.sizes().v, 0.0);
    dq = q;
    for (int i = 0; i < group.size(); ++i) {
      group.move(i, state, tangent);
      group.lift(i, state.v, lifted);
      add_scaled(still(i, k), tangent, q);
      add_scaled(still(i, k), lifted, dq);
    }
    view.to_chart(q, dq);
    view.gather(q, dq, out.orbit, k);
  }
  return out;
}

}  // namespace kardan
