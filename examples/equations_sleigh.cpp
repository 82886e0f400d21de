/// A sleigh on a belt: a nonholonomic constraint H v + h = 0, templated over the scalar.

#include <cmath>
#include <cstdio>

#include "kardan/run/simulate.h"
#include "kardan/system/automatic_equations.h"

struct Sleigh {
  double m = 1, I = 0.4, a = 0.25, V = 0.3;  // blade a behind the centre, belt speed V along x
  template <class T>
  void operator()(const kardan::Variables<T>& x, kardan::Terms<T>& y) const {
    y.M(0, 0) = y.M(1, 1) = m;
    y.M(2, 2) = I;
    y.H(0, 0) = -sin(x.p[2]);
    y.H(0, 1) = cos(x.p[2]);
    y.H(0, 2) = -a;
    y.h[0] = V * sin(x.p[2]);
  }
};

int main() {
  const double u = -0.5, w = 2, phi = 0.4, c = std::cos(phi), s = std::sin(phi);
  const Sleigh sleigh;
  kardan::UserDescription names{.name = "sleigh",
                                .positions = {{"x", 0}, {"y", 0}, {"phi", phi}},
                                .velocities = {{"vx", sleigh.V + u * c - sleigh.a * w * s},
                                               {"vy", u * s + sleigh.a * w * c},
                                               {"omega", w}},
                                .nonholonomic = {"blade"}};
  kardan::Diagnostics faults;
  kardan::Prepared start = prepare(make_system(names, sleigh, faults), faults);
  kardan::SimulateOptions options;
  options.t_end = 5;
  options.driver.tolerance = 1e-8;
  (void)simulate(start, options, {}, {}, faults);
  const double exact[] = {1.6869384582379310026, -4.1402945292668016096, 5.4761374067278618796};
  double error = 0;
  for (int i = 0; i < 3; ++i) error = std::fmax(error, std::abs(start.start.state.p[i] - exact[i]));
  std::printf("phi = %.9f, error %.1e\n", start.start.state.p[2], error);
  return error < 1e-6 ? 0 : 1;
}
