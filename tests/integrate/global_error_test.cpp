/// The estimate of global errors against equations whose motion is known: the path of a block, the
/// quadrature, and e = P - y for steps that are wrong in a known way.

#include "kardan/integrate/global_error.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "kardan/linalg/dense_lu.h"

namespace kardan {
namespace {

TEST(GaussRule, IsExactForPolynomials) {
  for (int points = 1; points <= 10; ++points) {
    const GaussRule rule(points);
    for (int degree = 0; degree < 2 * points; ++degree) {
      double sum = 0;
      for (int i = 0; i < points; ++i) sum += rule.weight[i] * std::pow(rule.node[i], degree);
      EXPECT_NEAR(sum, 1.0 / (degree + 1), 1e-14) << points << " points, degree " << degree;
    }
  }
}

double power(double t, int degree, int derivative) {
  double factor = 1;
  for (int k = 0; k < derivative; ++k) factor *= degree - k;
  return degree < derivative ? 0 : factor * std::pow(t, degree - derivative);
}

/// Points of t^degree, and of its derivative as a first-order variable.
std::vector<PathPoint> points_of(int degree, const std::vector<double>& times) {
  std::vector<PathPoint> out;
  for (const double t : times) {
    PathPoint& p = out.emplace_back();
    p.t = t;
    p.y = {{power(t, degree, 0)}, {power(t, degree, 1)}, {power(t, degree, 1)}};
    p.rate = {{power(t, degree, 2)}, {power(t, degree, 2)}};
  }
  return out;
}

/// How far the path through points of t^degree is from it, position and acceleration.
double off(int degree, const std::vector<double>& times, BlockPath::By by) {
  const std::vector<PathPoint> points = points_of(degree, times);
  const Vector nodes{0.03, 0.31, 0.77};
  BlockPath path;
  path.pass(points, nodes, by);
  double worst = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Local y;
    LocalRate rate;
    path.at(points, static_cast<int>(i), y, rate);
    const double t = times.front() + nodes[i] * (times.back() - times.front());
    worst = std::max({worst, std::abs(y.x[0] - power(t, degree, 0)),
                      std::abs(y.u[0] - power(t, degree, 1)),
                      std::abs(rate.a[0] - power(t, degree, 2))});
  }
  return worst;
}

TEST(BlockPath, IsExactForPolynomials) {
  for (const std::vector<double>& times :
       {std::vector<double>{0.2, 0.9}, {0.2, 0.5, 1.3}, {0.2, 0.5, 1.3, 1.6}}) {
    const int steps = static_cast<int>(times.size()) - 1;
    for (int degree = 0; degree <= 3 * steps + 2; ++degree)
      EXPECT_LT(off(degree, times, BlockPath::By::all_rates), 1e-10) << steps << ' ' << degree;
    EXPECT_GT(off(3 * steps + 3, times, BlockPath::By::all_rates), 1e-6);
    for (int degree = 0; degree <= 2 * steps + 1; ++degree)
      EXPECT_LT(off(degree, times, BlockPath::By::positions_and_velocities), 1e-11);
    EXPECT_GT(off(2 * steps + 2, times, BlockPath::By::positions_and_velocities), 1e-6);
  }
}

TEST(BlockPath, IsExactInFirstOrderVariables) {
  const std::vector<double> times{0.2, 0.5, 1.3};
  const Vector nodes{0.4};
  for (int degree = 1; degree <= 6; ++degree) {
    const std::vector<PathPoint> points = points_of(degree, times);
    BlockPath path;
    path.pass(points, nodes, BlockPath::By::all_rates);
    Local y;
    LocalRate rate;
    path.at(points, 0, y, rate);
    const double t = 0.2 + 0.4 * 1.1;
    EXPECT_NEAR(y.z[0], power(t, degree, 1), 1e-12);
    EXPECT_NEAR(rate.b[0], power(t, degree, 2), 1e-11);
  }
}

/// x'' = a(x, u), z' = b(x, z), one of each, in the chart of all numbers.
class Scalar final : public NearbyMotion {
 public:
  using Function = std::function<double(double x, double u, double z)>;
  Scalar(Function acceleration, Function first)
      : a_(std::move(acceleration)), b_(std::move(first)) {}

  int second_order() const override { return 1; }
  int first_order() const override { return 1; }
  void rebase(const State& base) override { base_ = base; }
  void place(const State& s, const Vector& a, const Vector& b, Local& y,
             LocalRate& rate) const override {
    y = {{s.p[0] - base_.p[0]}, s.v, s.r};
    rate = {a, b};
  }
  void state_at(const Local& y, State& s) override {
    s.p = {base_.p[0] + y.x[0]};
    s.v = y.u;
    s.r = y.z;
  }
  double largest_turn(const Local&) const override { return 0; }
  double turned(const Local&) const override { return 0; }
  Eval rate(double, const Local& y, LocalRate& out) override {
    at_ = y;
    out = {{a(y.x[0], y.u[0], y.z[0])}, {b(y.x[0], y.u[0], y.z[0])}};
    return Eval::ok;
  }
  Eval factor(double c) override {
    Matrix J(3, 3);
    const auto by = [&](int column, double d) {
      Local moved = at_;
      (column == 0 ? moved.x : column == 1 ? moved.u : moved.z)[0] += d;
      return std::pair(a(moved.x[0], moved.u[0], moved.z[0]),
                       b(moved.x[0], moved.u[0], moved.z[0]));
    };
    constexpr double d = 1e-6;
    for (int k = 0; k < 3; ++k) {
      const auto more = by(k, d), less = by(k, -d);
      J(0, k) = k == 1 ? 1 : 0;
      J(1, k) = (more.first - less.first) / (2 * d);
      J(2, k) = (more.second - less.second) / (2 * d);
    }
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) J(i, k) = (i == k ? 1 : 0) - c * J(i, k);
    return lu_.factor(J);
  }
  void filter(Local& e) override {
    Vector x{e.x[0], e.u[0], e.z[0]};
    lu_.solve(x);
    e = {{x[0]}, {x[1]}, {x[2]}};
  }
  Eval carry(const Local&, const State& base, Local&) override {
    base_ = base;
    return Eval::ok;
  }

  double a(double x, double u, double z) const { return a_(base_.p[0] + x, u, z); }
  double b(double x, double u, double z) const { return b_(base_.p[0] + x, u, z); }
  /// Rates at a state.
  std::pair<double, double> rates(const State& s) const {
    return {a_(s.p[0], s.v[0], s.r[0]), b_(s.p[0], s.v[0], s.r[0])};
  }

 private:
  Function a_, b_;
  State base_;
  Local at_;
  DenseLu lu_;
};

/// A step of the classical method of order 4.
State rk4(const Scalar& f, const State& s, double h) {
  const auto at = [&](const State& from, const std::array<double, 3>& k, double c) {
    State out = from;
    out.p[0] += c * k[0];
    out.v[0] += c * k[1];
    out.r[0] += c * k[2];
    return out;
  };
  const auto slope = [&](const State& y) {
    const auto [a, b] = f.rates(y);
    return std::array<double, 3>{y.v[0], a, b};
  };
  const auto k1 = slope(s), k2 = slope(at(s, k1, h / 2)), k3 = slope(at(s, k2, h / 2)),
             k4 = slope(at(s, k3, h));
  State out = s;
  out.t += h;
  out.p[0] += h / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0]);
  out.v[0] += h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1]);
  out.r[0] += h / 6 * (k1[2] + 2 * k2[2] + 2 * k3[2] + k4[2]);
  return out;
}

struct Found {
  double estimate, error;       // of positions
  double estimated_size, size;  // with velocities
};
/// After `steps` steps to t_end, the lengths swinging by a fifth.
Found found(Scalar& f, const State& start, double t_end, int steps) {
  GlobalError error(f, {2, 4});
  State s = start, exact = start;
  const auto put = [&](auto&& call) {
    const auto [a, b] = f.rates(s);
    call(Vector{a}, Vector{b});
  };
  put([&](const Vector& a, const Vector& b) { error.begin(s, a, b); });
  const double h = t_end / steps;
  for (int i = 0; i < steps; ++i) {
    const double here = h * (i % 2 == 0 ? 1.2 : 0.8);
    for (int k = 0; k < 64; ++k) exact = rk4(f, exact, here / 64);
    s = rk4(f, s, here);
    put([&](const Vector& a, const Vector& b) { error.step(s, a, b); });
  }
  error.close();
  EXPECT_TRUE(error.known());
  const Local& e = error.error();
  return {e.x[0], s.p[0] - exact.p[0], std::hypot(e.x[0], e.u[0]),
          std::hypot(s.p[0] - exact.p[0], s.v[0] - exact.v[0])};
}

State start_at(double x, double u, double z) {
  State s;
  s.p = {x};
  s.v = {u};
  s.r = {z};
  return s;
}

class Equations : public testing::TestWithParam<int> {};

/// Estimate over error comes to 1 as steps become short.
TEST_P(Equations, EstimateIsAsymptoticallyRight) {
  const Scalar::Function accelerations[] = {
      [](double x, double, double) { return -std::sin(x); },
      [](double x, double u, double) { return -x - 0.3 * u; },
      [](double x, double, double) { return x - x * x * x; },
      [](double x, double, double z) { return -std::sin(x) + 0.1 * z; },
      [](double x, double u, double z) { return -std::sin(x) - 0.1 * u * u * u + 0.1 * z; },
      [](double x, double u, double z) { return -std::sin(x) - 0.3 * u * u * u + 0.5 * z; }};
  Scalar f(accelerations[GetParam()],
           [](double x, double u, double z) { return std::cos(x) - 0.5 * z + 0.1 * u; });
  const State start = start_at(1.5, 0.4, 0.2);
  const Found coarse = found(f, start, 20, 100), fine = found(f, start, 20, 400);
  EXPECT_NEAR(coarse.estimated_size / coarse.size, 1, 0.25);
  EXPECT_NEAR(fine.estimated_size / fine.size, 1, 0.03);
}

INSTANTIATE_TEST_SUITE_P(GlobalError, Equations, testing::Range(0, 6));

/// Nothing is damped that the motion does not damp: a phase error grows for hundreds of swings.
TEST(GlobalError, FollowsAnOscillationForHundredsOfSwings) {
  Scalar f([](double x, double, double) { return -x; },
           [](double, double, double z) { return -z; });
  const Found late = found(f, start_at(1, 0, 0), 1885, 18850);
  EXPECT_NEAR(late.estimated_size / late.size, 1, 0.05);
}

/// Where a mode is much faster than the steps, its error is carried without them becoming shorter:
/// steps that are exact but for a known error each.
TEST(GlobalError, IsCarriedAmongFastModes) {
  constexpr double fast = 1e5, push = 1e-7;
  Scalar f([](double x, double, double) { return -x; },
           [](double x, double, double z) { return -fast * (z - std::sin(x)); });
  GlobalError error(f, {2, 4});
  // x = cos t, and each step adds `push` to it; z follows sin x but for z' / fast.
  State s = start_at(1, 0, std::sin(1));
  const double h = 0.05;
  double phase_x = 0, phase_u = 0;  // of the error, carried exactly
  const auto rates = [&] {
    const auto [a, b] = f.rates(s);
    return std::pair(Vector{a}, Vector{b});
  };
  auto [a, b] = rates();
  error.begin(s, a, b);
  for (int i = 0; i < 200; ++i) {
    s.t += h;
    const double x = phase_x * std::cos(h) + phase_u * std::sin(h),
                 u = -phase_x * std::sin(h) + phase_u * std::cos(h);
    phase_x = x + push;
    phase_u = u;
    s.p[0] = std::cos(s.t) + phase_x;
    s.v[0] = -std::sin(s.t) + phase_u;
    s.r[0] = std::sin(s.p[0]) - std::cos(s.p[0]) * s.v[0] / fast;
    std::tie(a, b) = rates();
    error.step(s, a, b);
  }
  EXPECT_EQ(error.jacobians(), 25);  // of 100 blocks: one serves four
  EXPECT_NEAR(error.error().x[0] / phase_x, 1, 0.02);
  EXPECT_LT(std::abs(error.error().z[0]), 1e-4);
}

/// Kicks see that a mode is too fast for them, whatever the steps before.
TEST(GlobalError, CostsJacobiansOnlyAmongFastModes) {
  Scalar f([](double x, double, double) { return -std::sin(x); },
           [](double, double, double z) { return -z; });
  GlobalError error(f, {2, 4});
  State s = start_at(1, 0, 1);
  const auto put = [&](bool begin) {
    const auto [a, b] = f.rates(s);
    begin ? error.begin(s, {a}, {b}) : void(error.step(s, {a}, {b}));
  };
  put(true);
  for (int i = 0; i < 100; ++i) {
    s = rk4(f, s, 0.1);
    put(false);
  }
  EXPECT_EQ(error.jacobians(), 0);
  // Two a step, and a look at how fast modes are every eight blocks.
  EXPECT_LE(error.evaluations(), 215);
}

}  // namespace
}  // namespace kardan
