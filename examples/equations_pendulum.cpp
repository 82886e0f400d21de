/// A pendulum in Cartesian coordinates as equations (Steinbrecher 2007, Example 2.8), templated
/// over the scalar: all derivatives and hidden constraints come from dual numbers.

#include <cmath>
#include <cstdio>

#include "kardan/run/simulate.h"
#include "kardan/system/automatic_equations.h"

struct Pendulum {
  double m = 1, l = 1, g = 13.75;
  template <class T>
  void operator()(const kardan::Variables<T>& x, kardan::Terms<T>& y) const {
    y.M(0, 0) = y.M(1, 1) = m;
    y.f[1] = -m * g;
    y.g[0] = x.p[0] * x.p[0] + x.p[1] * x.p[1] - l * l;
    y.kinetic = 0.5 * m * (x.v[0] * x.v[0] + x.v[1] * x.v[1]);
    y.potential = m * g * x.p[1];
  }
};

int main() {
  kardan::Diagnostics faults;
  kardan::UserDescription names{.name = "pendulum",
                                .positions = {{"x", 1}, {"y", 0}},
                                .velocities = {{"vx", 0}, {"vy", 0}},
                                .holonomic = {"rod"},
                                .energy = true};
  kardan::Prepared start = prepare(make_system(names, Pendulum{}, faults), faults);
  kardan::SimulateOptions options;
  options.t_end = 2.000027027893063842;  // one period
  options.driver.tolerance = 1e-8;
  const kardan::RunReport report = simulate(start, options, {}, {}, faults);
  std::printf("x = %.12f, y = %.3e, energy error %.1e J\n", start.start.state.p[0],
              start.start.state.p[1], report.energy.balance_error);
  return std::abs(start.start.state.p[1]) < 1e-6 ? 0 : 1;
}
