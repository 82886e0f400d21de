/// Andrews' mechanism in minimal form (7 angles, 6 constraints) by dop853: on the equations a user
/// writes once in C++, with all derivatives found by Kardan, beside what one writes for this one
/// mechanism: constraints, their derivatives and the masses by hand, a linear system of 13 unknowns
/// for the accelerations, and a plain loop around the same coefficients with the step control of
/// DOP853 (Hairer, Norsett, Wanner I, II.5). The label is the error of the positions at the end.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "andrews_reference.h"
#include "kardan/formulation/catalog.h"
#include "kardan/integrate/dop853.h"
#include "kardan/integrate/driver.h"

namespace kardan {
namespace {

constexpr int n = 7, m = 6, unknowns = n + m, size = 2 * n;
using Values = std::array<double, size>;

constexpr double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.0705, m6 = 0.00706,
                 m7 = 0.05498, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072, c0 = 4530,
                 I1 = 2.194e-6, I2 = 4.41e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5,
                 I6 = 5.667e-7, I7 = 1.912e-5, d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421,
                 rr = 0.007, ra = 0.00092, l0 = 0.07785, ss = 0.035, sa = 0.01874, sb = 0.01043,
                 sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228,
                 ub = 0.00449, zf = 0.02, zt = 0.04, fa = 0.01421, mom = 0.033;

/// A := LU with partial pivoting, b := A^-1 b.
void solve(double (&A)[unknowns][unknowns], double (&b)[unknowns]) {
  for (int k = 0; k < unknowns; ++k) {
    int pivot = k;
    for (int i = k + 1; i < unknowns; ++i)
      if (std::abs(A[i][k]) > std::abs(A[pivot][k])) pivot = i;
    if (pivot != k) {
      for (int j = k; j < unknowns; ++j) std::swap(A[k][j], A[pivot][j]);
      std::swap(b[k], b[pivot]);
    }
    const double inverse = 1 / A[k][k];
    for (int i = k + 1; i < unknowns; ++i) {
      const double factor = A[i][k] * inverse;
      if (factor == 0) continue;
      for (int j = k + 1; j < unknowns; ++j) A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (int k = unknowns; k-- > 0;) {
    for (int j = k + 1; j < unknowns; ++j) b[k] -= A[k][j] * b[j];
    b[k] /= A[k][k];
  }
}

/// (q, q')' by hand: M q'' + G' lambda = f, G q'' = gamma.
void rate(const Values& y, Values& dy) {
  const double *q = y.data(), *v = y.data() + n;
  const double s0 = std::sin(q[0]), k0 = std::cos(q[0]), s1 = std::sin(q[1]), k1 = std::cos(q[1]);
  const double s01 = std::sin(q[0] + q[1]), k01 = std::cos(q[0] + q[1]);
  const double s2 = std::sin(q[2]), k2 = std::cos(q[2]);
  const double s3 = std::sin(q[3]), k3 = std::cos(q[3]), s4 = std::sin(q[4]), k4 = std::cos(q[4]);
  const double s34 = std::sin(q[3] + q[4]), k34 = std::cos(q[3] + q[4]);
  const double s5 = std::sin(q[5]), k5 = std::cos(q[5]), s6 = std::sin(q[6]), k6 = std::cos(q[6]);
  const double s56 = std::sin(q[5] + q[6]), k56 = std::cos(q[5] + q[6]);

  double A[unknowns][unknowns]{}, b[unknowns];
  constexpr double e2 = m4 * (e - ea) * (e - ea) + I4, z2 = m6 * (zf - fa) * (zf - fa) + I6;
  const double p1 = m2 * da * rr * k1, p4 = m4 * zt * (e - ea) * s3, p6 = m6 * u * (zf - fa) * s5;
  A[0][0] = m1 * ra * ra + m2 * (rr * rr + da * da) - 2 * p1 + I1 + I2;
  A[0][1] = A[1][0] = m2 * da * da - p1 + I2;
  A[1][1] = m2 * da * da + I2;
  A[2][2] = m3 * (sa * sa + sb * sb) + I3;
  A[3][3] = e2;
  A[3][4] = A[4][3] = e2 + p4;
  A[4][4] = e2 + m4 * zt * zt + 2 * p4 + m5 * (ta * ta + tb * tb) + I5;
  A[5][5] = z2;
  A[5][6] = A[6][5] = z2 - p6;
  A[6][6] = z2 - 2 * p6 + m6 * u * u + m7 * (ua * ua + ub * ub) + I7;

  const double gx0 = -rr * s0 + d * s01, gx1 = d * s01, gy0 = rr * k0 - d * k01, gy1 = -d * k01;
  double G[m][n]{};
  for (int loop = 0; loop < 3; ++loop) {
    G[2 * loop][0] = gx0;
    G[2 * loop][1] = gx1;
    G[2 * loop + 1][0] = gy0;
    G[2 * loop + 1][1] = gy1;
  }
  G[0][2] = -ss * k2;
  G[1][2] = -ss * s2;
  G[2][3] = -e * k34;
  G[2][4] = -e * k34 + zt * s4;
  G[3][3] = -e * s34;
  G[3][4] = -e * s34 - zt * k4;
  G[4][5] = zf * s56;
  G[4][6] = zf * s56 - u * k6;
  G[5][5] = -zf * k56;
  G[5][6] = -zf * k56 - u * s6;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) A[n + i][j] = A[j][n + i] = G[i][j];

  const double dx = sd * k2 + sc * s2 + xb - xc, dy_ = sd * s2 - sc * k2 + yb - yc;
  const double length = std::sqrt(dx * dx + dy_ * dy_), force = -c0 * (length - l0) / length;
  const double r1 = m2 * da * rr * s1, r4 = m4 * zt * (e - ea) * k3, r6 = m6 * u * (zf - fa) * k5;
  b[0] = mom - r1 * v[1] * (v[1] + 2 * v[0]);
  b[1] = r1 * v[0] * v[0];
  b[2] = force * (dx * (sc * k2 - sd * s2) + dy_ * (sd * k2 + sc * s2));
  b[3] = r4 * v[4] * v[4];
  b[4] = -r4 * v[3] * (v[3] + 2 * v[4]);
  b[5] = -r6 * v[6] * v[6];
  b[6] = r6 * v[5] * (v[5] + 2 * v[6]);
  const double v01 = (v[0] + v[1]) * (v[0] + v[1]), v34 = (v[3] + v[4]) * (v[3] + v[4]),
               v56 = (v[5] + v[6]) * (v[5] + v[6]);
  const double bx = rr * k0 * v[0] * v[0] - d * k01 * v01,
               by = rr * s0 * v[0] * v[0] - d * s01 * v01;
  b[n] = bx - ss * s2 * v[2] * v[2];
  b[n + 1] = by + ss * k2 * v[2] * v[2];
  b[n + 2] = bx - e * s34 * v34 - zt * k4 * v[4] * v[4];
  b[n + 3] = by + e * k34 * v34 - zt * s4 * v[4] * v[4];
  b[n + 4] = bx - zf * k56 * v56 - u * s6 * v[6] * v[6];
  b[n + 5] = by - zf * s56 * v56 + u * k6 * v[6] * v[6];
  solve(A, b);
  for (int i = 0; i < n; ++i) {
    dy[i] = v[i];
    dy[n + i] = b[i];
  }
}

/// The loop of DOP853 for these equations.
class HandDop853 {
 public:
  explicit HandDop853(const ExplicitTableau& t) {
    for (std::size_t i = 1; i < t.A.size(); ++i) keep(t.A[i], stage_[i]);
    keep(t.b, b_);
    keep(t.error, error_);
    keep(t.coarse, coarse_);
  }

  /// Not inlined, so that its cost can be told.
  __attribute__((noinline)) void run(Values y, double end, double tolerance);
  Values result{};
  int steps = 0, rejected = 0, evaluations = 0;

 private:
  struct Sum {
    int count = 0;
    std::array<int, 12> stage{};
    std::array<double, 12> weight{};
  };
  static void keep(const Vector& a, Sum& sum) {
    for (std::size_t j = 0; j < a.size(); ++j)
      if (a[j] != 0) {
        sum.stage[sum.count] = static_cast<int>(j);
        sum.weight[sum.count++] = a[j];
      }
  }
  void add(const Sum& sum, double h, const Values& to, Values& out) const {
    Values total{};
    for (int k = 0; k < sum.count; ++k) {
      const Values& from = k_[sum.stage[k]];
      for (int i = 0; i < size; ++i) total[i] += sum.weight[k] * from[i];
    }
    for (int i = 0; i < size; ++i) out[i] = to[i] + h * total[i];
  }
  void evaluate(const Values& y, Values& dy) {
    ++evaluations;
    rate(y, dy);
  }
  double first_step(const Values& y, double end, double tolerance);

  std::array<Sum, 12> stage_;
  Sum b_, error_, coarse_;
  std::array<Values, 12> k_;
};

/// HINIT of the code.
double HandDop853::first_step(const Values& y, double end, double tolerance) {
  double slope = 0, value = 0, second = 0;
  for (int i = 0; i < size; ++i) {
    const double scale = tolerance + tolerance * std::abs(y[i]);
    slope += k_[0][i] / scale * (k_[0][i] / scale);
    value += y[i] / scale * (y[i] / scale);
  }
  double h = slope <= 1e-10 || value <= 1e-10 ? 1e-6 : 0.01 * std::sqrt(value / slope);
  h = std::min(h, end);
  Values next;
  for (int i = 0; i < size; ++i) next[i] = y[i] + h * k_[0][i];
  evaluate(next, k_[1]);
  for (int i = 0; i < size; ++i) {
    const double scale = tolerance + tolerance * std::abs(y[i]);
    second += std::pow((k_[1][i] - k_[0][i]) / scale, 2);
  }
  second = std::sqrt(second) / h;
  const double largest = std::max(second, std::sqrt(slope));
  const double other =
      largest <= 1e-15 ? std::max(1e-6, h * 1e-3) : std::pow(0.01 / largest, 1.0 / 8);
  return std::min({100 * h, other, end});
}

void HandDop853::run(Values y, double end, double tolerance) {
  steps = rejected = evaluations = 0;
  double t = 0;
  evaluate(y, k_[0]);
  double h = first_step(y, end, tolerance);
  bool last_rejected = false;
  Values next, fine, coarse;
  const Values none{};
  while (t < end) {
    h = std::min(h, end - t);
    const bool last = t + 1.01 * h >= end;
    if (last) h = end - t;
    for (int i = 1; i < 12; ++i) {
      add(stage_[i], h, y, next);
      evaluate(next, k_[i]);
    }
    add(b_, h, y, next);
    add(error_, 1, none, fine);
    add(coarse_, 1, none, coarse);
    double fine_sum = 0, coarse_sum = 0;
    for (int i = 0; i < size; ++i) {
      const double scale = tolerance + tolerance * std::max(std::abs(y[i]), std::abs(next[i]));
      coarse_sum += coarse[i] / scale * (coarse[i] / scale);
      fine_sum += fine[i] / scale * (fine[i] / scale);
    }
    double both = fine_sum + 0.01 * coarse_sum;
    if (both <= 0) both = 1;
    const double error = std::abs(h) * fine_sum * std::sqrt(1 / (size * both));
    double factor = std::max(1 / 6.0, std::min(3.0, std::pow(error, 1.0 / 8) / 0.9));
    if (error <= 1) {
      ++steps;
      t = last ? end : t + h;
      y = next;
      evaluate(y, k_[0]);
      if (last_rejected) factor = std::max(factor, 1.0);
      last_rejected = false;
    } else {
      ++rejected;
      last_rejected = true;
    }
    h /= factor;
  }
  result = y;
}

void by_hand(benchmark::State& bench) {
  const AndrewsReference& model = andrews();
  HandDop853 solver(dop853_tableau());
  Values y;
  for (int i = 0; i < n; ++i) {
    y[i] = model.start.state.p[i];
    y[n + i] = model.start.state.v[i];
  }
  for (auto _ : bench)
    solver.run(y, model.end().t, std::pow(10.0, -static_cast<double>(bench.range(0)) / 2));
  bench.SetLabel(fmt::format("error {:.1e}, {} steps, {} evaluations, {} rejected",
                             model.error(solver.result.data()), solver.steps, solver.evaluations,
                             solver.rejected));
}

void from_user_equations(benchmark::State& bench, const char* formulation) {
  const AndrewsReference& model = andrews();
  const Formulation& f = *find_formulation(formulation);
  const Method& method = *find_method("dop853");
  DriverOptions options;
  options.tolerance = std::pow(10.0, -static_cast<double>(bench.range(0)) / 2);
  State state;
  DriverReport report;
  for (auto _ : bench) {
    const auto problem = f.make(*model.problem.system, complete_options(f.options, {}));
    state = model.start.state;
    report = integrate(*problem, method, state, model.end().t, options, {});
  }
  bench.SetLabel(fmt::format("error {:.1e}, {} steps, {} evaluations, {} rejected",
                             model.error(state.p.data()), report.counters.steps,
                             report.counters.evaluations, report.counters.rejected));
}

void dop853_index1_ode(benchmark::State& bench) {
  from_user_equations(bench, "index1_ode");
}
void dop853_projected_ode(benchmark::State& bench) {
  from_user_equations(bench, "projected_ode");
}
void dop853_by_hand(benchmark::State& bench) {
  by_hand(bench);
}

// Tolerances 10^(-k/2).
BENCHMARK(dop853_by_hand)->DenseRange(8, 20, 1)->Unit(benchmark::kMillisecond);
BENCHMARK(dop853_index1_ode)->DenseRange(8, 20, 1)->Unit(benchmark::kMillisecond);
BENCHMARK(dop853_projected_ode)->DenseRange(8, 20, 1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kardan
