/// The pendulum of equations_pendulum.cpp as callbacks on plain numbers, with first derivatives and
/// hidden constraints: nothing is left to differences.

#include <cmath>
#include <cstdio>

#include "kardan/run/simulate.h"
#include "kardan/system/callback_equations.h"

int main() {
  using Point = kardan::Variables<double>;
  using Out = std::span<double>;
  kardan::CallbackEquations e;
  e.description = {.name = "pendulum",
                   .positions = {{"x", 1}, {"y", 0}},
                   .velocities = {{"vx", 0}, {"vy", 0}},
                   .holonomic = {"rod"}};
  const auto none = kardan::independent;
  e.force = {.value = [](const Point&, Out f) { f[1] = -13.75; }, .by_p = none, .by_v = none};
  e.holonomic.value = [](const Point& x, Out g) { g[0] = x.p[0] * x.p[0] + x.p[1] * x.p[1] - 1; };
  e.holonomic.by_p = [](const Point& x, Out G) { G[0] = 2 * x.p[0], G[1] = 2 * x.p[1]; };
  e.rate.value = [](const Point& x, Out r) { r[0] = 2 * (x.p[0] * x.v[0] + x.p[1] * x.v[1]); };
  e.rate.by_p = [](const Point& x, Out J) { J[0] = 2 * x.v[0], J[1] = 2 * x.v[1]; };
  e.rate.by_v = e.holonomic.by_p;
  e.bias.value = [](const Point& x, Out b) { b[0] = -2 * (x.v[0] * x.v[0] + x.v[1] * x.v[1]); };
  e.bias.by_v = [](const Point& x, Out J) { J[0] = -4 * x.v[0], J[1] = -4 * x.v[1]; };
  e.bias.by_p = e.bias.by_t = e.rate.by_t = e.holonomic.by_t = e.force.by_t = none;

  kardan::Diagnostics faults;
  kardan::Prepared start = prepare(make_system(e, faults), faults);
  kardan::SimulateOptions options;
  options.t_end = 2.000027027893063842;  // one period
  options.driver.tolerance = 1e-8;
  const kardan::RunReport report = simulate(start, options, {}, {}, faults);
  std::printf("x = %.12f, y = %.3e, %ld steps of %s\n", start.start.state.p[0],
              start.start.state.p[1], report.driver.counters.steps, report.method.c_str());
  return std::abs(start.start.state.p[1]) < 1e-6 ? 0 : 1;
}
