/// The sleigh of equations_sleigh.cpp as callbacks without any derivative: differences stand in,
/// and a method that does not need exact ones runs it.

#include <cmath>
#include <cstdio>

#include "kardan/run/simulate.h"
#include "kardan/system/callback_equations.h"

int main() {
  using Point = kardan::Variables<double>;
  using Out = std::span<double>;
  const double m = 1, I = 0.4, a = 0.25, V = 0.3, u = -0.5, w = 2, phi = 0.4;
  kardan::CallbackEquations e;
  e.description = {.name = "sleigh",
                   .positions = {{"x", 0}, {"y", 0}, {"phi", phi}},
                   .velocities = {{"vx", V + u * std::cos(phi) - a * w * std::sin(phi)},
                                  {"vy", u * std::sin(phi) + a * w * std::cos(phi)},
                                  {"omega", w}},
                   .nonholonomic = {"blade"}};
  e.mass.value = [=](const Point&, Out M) { M[0] = M[4] = m, M[8] = I; };
  e.nonholonomic.value = [=](const Point& x, Out H) {
    H[0] = -std::sin(x.p[2]), H[1] = std::cos(x.p[2]), H[2] = -a;
  };
  e.offset.value = [=](const Point& x, Out h) { h[0] = V * std::sin(x.p[2]); };

  kardan::Diagnostics faults;
  kardan::Prepared start = prepare(make_system(e, faults), faults);
  kardan::SimulateOptions options;
  options.method = "dopri5";
  options.t_end = 5;
  options.driver.tolerance = 1e-8;
  const kardan::RunReport report = simulate(start, options, {}, {}, faults);
  const double error = std::abs(start.start.state.p[2] - 5.4761374067278618796);
  std::printf("phi = %.9f, error %.1e, derivatives %s\n", start.start.state.p[2], error,
              report.exact_derivatives ? "exact" : "by differences");
  return error < 1e-6 ? 0 : 1;
}
