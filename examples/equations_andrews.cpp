/// Andrews' mechanism in seven angles with six loop equations, templated over the scalar.

#include <cmath>
#include <cstdio>

#include "andrews_terms.h"
#include "kardan/run/simulate.h"
#include "kardan/system/automatic_equations.h"

struct AndrewsEquations : Andrews {
  template <class T>
  void operator()(const kardan::Variables<T>& x, kardan::Terms<T>& y) const {
    if (y.wants(kardan::Part::constraints)) loops(x.p, y.g);
    if (!y.wants(kardan::Part::dynamics)) return;
    mass(x.p, y.M);
    force(x.p, x.v, y.f);
  }
};

int main() {
  kardan::UserDescription names{
      .name = "andrews",
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
  kardan::Diagnostics faults;
  kardan::Prepared start = prepare(make_system(names, AndrewsEquations{}, faults), faults);
  kardan::SimulateOptions options;
  options.method = "rn4";  // with the exact derivatives above
  options.t_end = 0.03;
  options.driver.tolerance = 1e-8;
  const kardan::RunReport report = simulate(start, options, {}, {}, faults);
  const double error = std::abs(start.start.state.p[0] - 15.810771195153707);
  std::printf("beta = %.9f, error %.1e in %ld steps of %s\n", start.start.state.p[0], error,
              report.driver.counters.steps, report.method.c_str());
  return error < 1e-6 ? 0 : 1;
}
