#pragma once
/// Small problems with known solutions, free of constraints and bodies, and the means to measure.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "kardan/integrate/driver.h"

namespace kardan::test {

class NoEvents final : public EventSource {
 public:
  int count() const override { return 0; }
  void functions(const State&, std::span<double>) override {}
  void guards(const State&, std::span<const double>, std::span<double>,
              std::span<double>) override {}
  int conditions(const State&, std::span<char>) override { return 0; }
  void arguments(const State&, std::span<double>) override {}
  void enclose(const State&, std::span<const Taylor>, std::span<Taylor>) override {}
  void switch_modes(const State&, State&) override {}
};

/// u' = a(t, x, u, z), z' = b(t, x, u, z) in a chart that is a shift of x.
class FreeProblem final : public ChartProblem {
 public:
  using Rate = std::function<void(double t, const Local& y, LocalRate& out)>;
  using Jacobian = std::function<void(double t, const Local& y, LocalJacobian& out)>;
  FreeProblem(int second, int first, Rate rate, Jacobian jacobian)
      : second_(second), first_(first), rate_(std::move(rate)), jacobian_(std::move(jacobian)) {}

  ProblemKind kind() const override { return ProblemKind::ode; }
  int second_order() const override { return second_; }
  int first_order() const override { return first_; }
  Eval rebase(const State& state) override {
    base_ = state;
    y_.resize(second_, first_);
    std::fill(y_.x.begin(), y_.x.end(), 0.0);
    y_.u = state.v;
    y_.z = state.r;
    return rate(state.t, y_, f_);
  }
  const Local& base() const override { return y_; }
  const LocalRate& base_rate() const override { return f_; }
  Eval rate(double t, const Local& y, LocalRate& out) override {
    out.resize(second_, first_);
    rate_(t, shifted(y), out);
    return Eval::ok;
  }
  Eval jacobian(LocalJacobian& out) override {
    return jacobian_at(base_.t, y_, Derivatives::exact, out);
  }
  Eval jacobian_at(double t, const Local& y, Derivatives, LocalJacobian& out) override {
    out.M = Matrix::identity(second_);
    for (Matrix* A : {&out.A_x, &out.A_u}) *A = Matrix(second_, second_);
    out.A_z = Matrix(second_, first_);
    for (Matrix* B : {&out.B_x, &out.B_u}) *B = Matrix(first_, second_);
    out.B_z = Matrix(first_, first_);
    out.A_t.assign(second_, 0.0);
    out.B_t.assign(first_, 0.0);
    jacobian_(t, shifted(y), out);
    return Eval::ok;
  }
  Eval finish(double t, const Local& y, State& state, ChartPoint& point) override {
    LocalRate f;
    if (Eval e = rate(t, y, f); e != Eval::ok) return e;
    state = base_;
    state.t = t;
    state.p = shifted(y).x;
    state.v = y.u;
    state.r = y.z;
    point = {t, y.x, y.u, f.a, y.z, f.b, {}};
    return Eval::ok;
  }
  Eval begin_step(double) override { return Eval::ok; }
  void place(const Local& y, ChartPoint& point) override { place_freely(y, point); }
  void locate(const State& state, Local& y) override {
    y.x = state.p;
    add_scaled(-1, base_.p, y.x);
    y.u = state.v;
    y.z = state.r;
  }
  void free_accelerations(const ChartPoint& point, Vector& a) const override { a = point.ddq; }
  void spread_speed(const Vector& u, Vector& speed) const override { speed = u; }
  void error_weights(const State& state, const ErrorScale& scale, Local& weights) override {
    weigh_one_by_one(state, scale, weights);
  }
  bool advance(const ChartPoint&) override { return true; }
  bool past(double&, Local&, LocalRate&) override { return false; }
  int partitions() const override { return 0; }
  std::span<const PartitionRecord> partition_history() const override { return {}; }
  double singular_time() const override { return std::numeric_limits<double>::infinity(); }
  ProblemCounts counts() const override { return {}; }
  std::vector<std::string> remarks() const override { return {}; }
  Diagnosis diagnosis() const override { return Diagnosis::none; }
  void base_point(ChartPoint& point) const override {
    point = {base_.t, y_.x, y_.u, f_.a, y_.z, f_.b, {}};
  }
  Eval state_at(const ChartPoint& point, Consistency, State& state) override {
    state = base_;
    state.t = point.t;
    for (int i = 0; i < second_; ++i) state.p[i] += point.q[i];
    state.v = point.dq;
    state.r = point.z;
    return Eval::ok;
  }
  double error_norm(const Local& e, const State& state, const ErrorScale& scale) override {
    double largest = 0;
    auto take = [&](const Vector& error, const Vector& value) {
      for (std::size_t i = 0; i < error.size(); ++i)
        largest =
            std::max(largest, std::abs(error[i]) / (scale.relative * (1 + std::abs(value[i]))));
    };
    take(e.x, state.p);
    take(e.u, state.v);
    take(e.z, state.r);
    return largest;
  }
  ErrorScale default_scale(double tolerance) const override {
    return {tolerance,
            Vector(second_order(), tolerance),
            Vector(second_order(), tolerance),
            Vector(first_order(), tolerance),
            {},
            {},
            {}};
  }
  /// All are free.
  void constrained_part(Vector& d) override { std::fill(d.begin(), d.end(), 0.0); }
  double largest_turn(const Vector&) const override { return 0; }
  EventSource& events() override { return no_events_; }
  const Vector& accelerations() const override { return base_rate().a; }
  const Vector& multipliers() const override { return no_multipliers_; }
  std::string culprit() const override { return {}; }

 private:
  Vector no_multipliers_;
  NoEvents no_events_;
  Local shifted(const Local& y) const {
    Local there = y;
    for (int i = 0; i < second_; ++i) there.x[i] += base_.p[i];
    return there;
  }

  int second_, first_;
  Rate rate_;
  Jacobian jacobian_;
  State base_;
  Local y_;
  LocalRate f_;
};

/// A problem with its start and its solution.
struct KnownProblem {
  FreeProblem problem;
  State start;
  std::function<State(double t)> exact;
};

inline State state_of(double t, Vector p, Vector v, Vector r = {}) {
  State s;
  s.t = t;
  s.p = std::move(p);
  s.v = std::move(v);
  s.r = std::move(r);
  return s;
}

/// x'' = -omega^2 x - 2 d x' from x = 1 at rest (d < omega).
inline KnownProblem oscillator(double omega, double d = 0) {
  const double w = std::sqrt(omega * omega - d * d);
  auto exact = [=](double t) {
    const double e = std::exp(-d * t), c = std::cos(w * t), s = std::sin(w * t);
    return state_of(t, {e * (c + d / w * s)}, {-e * omega * omega / w * s});
  };
  return {FreeProblem(
              1, 0,
              [=](double, const Local& y, LocalRate& out) {
                out.a[0] = -omega * omega * y.x[0] - 2 * d * y.u[0];
              },
              [=](double, const Local&, LocalJacobian& out) {
                out.A_x(0, 0) = -omega * omega;
                out.A_u(0, 0) = -2 * d;
              }),
          exact(0), exact};
}

/// Jacobi's elliptic functions sn, cn by descending Landen transformations (Abramowitz & Stegun
/// 16.4).
inline std::pair<double, double> sn_cn(double u, double k) {
  std::vector<double> a{1}, c{k};
  double b = std::sqrt(1 - k * k), power = 1;
  while (c.back() > 1e-17) {
    const double next = 0.5 * (a.back() + b);
    c.push_back(0.5 * (a.back() - b));
    b = std::sqrt(a.back() * b);
    a.push_back(next);
    power *= 2;
  }
  double phi = power * a.back() * u;
  for (std::size_t n = a.size() - 1; n > 0; --n)
    phi = 0.5 * (phi + std::asin(c[n] / a[n] * std::sin(phi)));
  return {std::sin(phi), std::cos(phi)};
}

/// x'' = -sin x from the bottom with speed 2k: sin(x/2) = k sn(t; k), x' = 2k cn(t; k).
inline KnownProblem mathematical_pendulum(double k = 0.9) {
  auto exact = [=](double t) {
    const auto [sn, cn] = sn_cn(t, k);
    return state_of(t, {2 * std::asin(k * sn)}, {2 * k * cn});
  };
  return {
      FreeProblem(
          1, 0, [](double, const Local& y, LocalRate& out) { out.a[0] = -std::sin(y.x[0]); },
          [](double, const Local& y, LocalJacobian& out) { out.A_x(0, 0) = -std::cos(y.x[0]); }),
      exact(0), exact};
}

/// Two bodies and a first-order variable, coupled, driven in time, nonlinear; x = (cos t, sin t),
/// z = sin 2t whatever the couplings are.
inline KnownProblem coupled() {
  auto exact = [](double t) {
    return state_of(t, {std::cos(t), std::sin(t)}, {-std::sin(t), std::cos(t)}, {std::sin(2 * t)});
  };
  auto rate = [](double t, const Local& y, LocalRate& out) {
    const double z = y.z[0] - std::sin(2 * t), x = y.x[0] - std::cos(t), u = y.u[1] - std::cos(t);
    out.a[0] = -y.x[0] + 3 * z - 0.5 * u;
    out.a[1] = -y.x[1] - z * y.u[0] + 2 * x * x * x - x;
    out.b[0] = 2 * std::cos(2 * t) - 4 * z + x + 0.3 * u;
  };
  auto jacobian = [](double t, const Local& y, LocalJacobian& out) {
    const double z = y.z[0] - std::sin(2 * t), x = y.x[0] - std::cos(t);
    out.A_x(0, 0) = -1;
    out.A_u(0, 1) = -0.5;
    out.A_z(0, 0) = 3;
    out.A_x(1, 0) = 6 * x * x - 1;
    out.A_x(1, 1) = -1;
    out.A_u(1, 0) = -z;
    out.A_z(1, 0) = -y.u[0];
    out.B_x(0, 0) = 1;
    out.B_u(0, 1) = 0.3;
    out.B_z(0, 0) = -4;
    const double c2 = 2 * std::cos(2 * t), s = std::sin(t);
    out.A_t = {-3 * c2 - 0.5 * s, y.u[0] * c2 + 6 * x * x * s - s};
    out.B_t = {-4 * std::sin(2 * t) + 4 * c2 + s + 0.3 * s};
  };
  return {FreeProblem(2, 1, rate, jacobian), exact(0), exact};
}

inline double largest_error(const State& y, const State& exact) {
  double e = 0;
  for (std::size_t i = 0; i < y.p.size(); ++i) e = std::max(e, std::abs(y.p[i] - exact.p[i]));
  for (std::size_t i = 0; i < y.v.size(); ++i) e = std::max(e, std::abs(y.v[i] - exact.v[i]));
  for (std::size_t i = 0; i < y.r.size(); ++i) e = std::max(e, std::abs(y.r[i] - exact.r[i]));
  return e;
}

/// Steps of equal length; iterations to round-off.
inline DriverOptions fixed(double h) {
  DriverOptions o;
  o.tolerance = 1e-13;
  o.fixed_step = h;
  return o;
}

inline double error_after(KnownProblem known, const Method& method, double t_end,
                          const DriverOptions& options, DriverReport* report = nullptr) {
  State state = known.start;
  const DriverReport r = integrate(known.problem, method, state, t_end, options, {});
  EXPECT_EQ(r.reason, Reason::finished) << r.message;
  if (report) *report = r;
  return largest_error(state, known.exact(t_end));
}

/// log2 of the ratio of errors with n and 2 n steps.
inline double order_between(double t_end, int n,
                            const std::function<double(DriverOptions)>& error) {
  return std::log2(error(fixed(t_end / n)) / error(fixed(t_end / (2 * n))));
}

}  // namespace kardan::test
