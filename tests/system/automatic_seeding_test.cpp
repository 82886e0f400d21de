/// Seeds shared by variables that no row has in common give the same derivatives, also where a
/// branch changes what a row depends on.

#include "kardan/system/automatic_seeding.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kardan/system/automatic_equations.h"

namespace kardan {
namespace {

TEST(Seeding, GivesVariablesOfOneRowDifferentSeeds) {
  //  x x . . .      the first two rows share the second variable, the third stands apart, and
  //  . x x . .      nothing depends on the last
  //  . . . x .
  const std::vector<char> depends{1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0};
  const Seeding seeding(3, 5, depends);
  EXPECT_EQ(seeding.colors(), 2);
  EXPECT_TRUE(seeding.saves());
  for (int i = 0; i < 3; ++i)
    for (const int a : seeding.of_row(i))
      for (const int b : seeding.of_row(i))
        if (a != b) {
          EXPECT_NE(seeding.color(a), seeding.color(b));
        }
  EXPECT_EQ(seeding.color(4), -1);
  EXPECT_EQ(seeding.of_row(1).size(), 2U);
}

/// Three rods: each constraint has two variables of its own. Beyond x > 2 the first depends on the
/// last too, and so does the first force.
struct Rods {
  template <class T>
  void operator()(const Variables<T>& x, Terms<T>& y) const {
    for (int i = 0; i < 3; ++i) {
      y.M(2 * i, 2 * i) = y.M(2 * i + 1, 2 * i + 1) = 1.0;
      y.g[i] = x.p[2 * i] * x.p[2 * i] + x.p[2 * i + 1] * x.p[2 * i + 1] - 1.0;
      y.f[2 * i] = -1.0 * x.v[2 * i] * x.p[2 * i + 1];
    }
    if (x.p[0] > 2.0) {
      y.g[0] += x.p[0] * x.p[5] * x.p[5];
      y.f[0] += x.v[5] * x.p[4];
    }
  }
};

/// Everything a workspace says, compared with differences of values.
void expect_derivatives(const System& system, const State& at, Workspace& ws) {
  constexpr double h = 1e-6;
  const int n = system.sizes().v, m = system.sizes().lambda;
  Vector a(n), lambda(m);
  for (int i = 0; i < n; ++i) a[i] = 0.3 * i - 1;
  for (int i = 0; i < m; ++i) lambda[i] = 1 + 0.5 * i;
  ASSERT_EQ(system.evaluate(at, Request::all(), ws), Eval::ok);
  ASSERT_EQ(system.differentiate(at, a, lambda, ws), Eval::ok);
  const auto other = system.make_workspace();
  const auto at_moved = [&](int j, double step, bool by_p) {
    State moved = at;
    (by_p ? moved.p : moved.v)[j] += step;
    EXPECT_EQ(system.evaluate(moved, Request::all(), *other), Eval::ok);
    Vector values = other->g;  // g, rate, accel, f - M a - G' lambda
    values.insert(values.end(), other->rate.begin(), other->rate.end());
    Vector accel(m), force(n);
    other->G.multiply(a, accel);
    add_scaled(-1, other->gamma, accel);
    values.insert(values.end(), accel.begin(), accel.end());
    other->M.multiply(a, force);
    other->G.multiply_transposed_add(1, lambda, force);
    for (int i = 0; i < n; ++i) values.push_back(other->f[i] - force[i]);
    return values;
  };
  for (int j = 0; j < n; ++j)
    for (const bool by_p : {true, false}) {
      const Vector plus = at_moved(j, h, by_p), minus = at_moved(j, -h, by_p);
      const auto slope = [&](int i) { return (plus[i] - minus[i]) / (2 * h); };
      for (int i = 0; i < m; ++i) {
        if (by_p) {
          EXPECT_NEAR(ws.G.values[i * n + j], slope(i), 1e-7) << i << ' ' << j;
          EXPECT_NEAR(ws.rate_p.values[i * n + j], slope(m + i), 1e-7) << i << ' ' << j;
          EXPECT_NEAR(ws.accel_p.values[i * n + j], slope(2 * m + i), 1e-6) << i << ' ' << j;
        } else {
          EXPECT_NEAR(ws.accel_v.values[i * n + j], slope(2 * m + i), 1e-6) << i << ' ' << j;
        }
      }
      for (int i = 0; i < n; ++i)
        EXPECT_NEAR((by_p ? ws.f_p : ws.f_v).values[i * n + j], slope(3 * m + i), 1e-6)
            << i << ' ' << j << ' ' << by_p;
    }
}

TEST(Seeding, FollowsABranchThatChangesWhatARowDependsOn) {
  UserDescription description;
  description.name = "rods";
  for (int i = 0; i < 6; ++i) {
    description.positions.push_back({fmt::format("p{}", i), i % 2 ? 0.0 : 1.0});
    description.velocities.push_back({fmt::format("v{}", i), 0.1 * i});
  }
  description.holonomic = {"a", "b", "c"};
  Diagnostics diagnostics;
  const auto system = make_system(std::move(description), Rods{}, diagnostics);
  ASSERT_TRUE(system) << format(diagnostics);
  const auto ws = system->make_workspace();
  State state = system->start();
  for (int i = 0; i < 6; ++i) state.v[i] = 0.2 + 0.1 * i;
  expect_derivatives(*system, state, *ws);
  state.p[0] = 2.5;
  state.p[5] = 0.7;
  expect_derivatives(*system, state, *ws);
  // And back, with the same workspace.
  state.p[0] = 0.5;
  expect_derivatives(*system, state, *ws);
}

}  // namespace
}  // namespace kardan
