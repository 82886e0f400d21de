/// Andrews' mechanism as callbacks without derivatives: g, M and f, nothing else.

#include <cmath>
#include <cstdio>

#include "andrews_terms.h"
#include "kardan/run/simulate.h"
#include "kardan/system/callback_equations.h"

int main() {
  using Point = kardan::Variables<double>;
  using Out = std::span<double>;
  kardan::CallbackEquations e;
  e.description = {.name = "andrews",
                   .positions = {{"beta", -0.0617138900142764496},
                                 {"theta", 0},
                                 {"gamma", 0.455279819163070380},
                                 {"phi", 0.222668390165885885},
                                 {"delta", 0.487364979543842550},
                                 {"omega", -0.222668390165885885},
                                 {"epsilon", 1.23054744454982119}},
                   .velocities = {{"vbeta", 0},
                                  {"vtheta", 0},
                                  {"vgamma", 0},
                                  {"vphi", 0},
                                  {"vdelta", 0},
                                  {"vomega", 0},
                                  {"vepsilon", 0}},
                   .holonomic = {"loop_1x", "loop_1y", "loop_2x", "loop_2y", "loop_3x", "loop_3y"}};
  const Andrews andrews;
  e.holonomic.value = [=](const Point& x, Out g) { andrews.loops(x.p, g); };
  e.mass.value = [=](const Point& x, Out M) {
    andrews.mass(x.p, [&](int i, int j) -> double& { return M[7 * i + j]; });
  };
  e.force.value = [=](const Point& x, Out f) { andrews.force(x.p, x.v, f); };

  kardan::Diagnostics faults;
  kardan::Prepared start = prepare(make_system(e, faults), faults);
  kardan::SimulateOptions options;
  options.method = "dopri5";  // rn4 needs exact derivatives
  options.t_end = 0.03;
  options.driver.tolerance = 1e-8;
  const kardan::RunReport report = simulate(start, options, {}, {}, faults);
  const double error = std::abs(start.start.state.p[0] - 15.810771195153707);
  std::printf("beta = %.9f, error %.1e in %ld steps of %s\n", start.start.state.p[0], error,
              report.driver.counters.steps, report.method.c_str());
  return error < 1e-6 ? 0 : 1;
}
