/// A. Steinbrecher, GEOMS: A software package for the numerical integration of general model
/// equations of multibody systems, WIAS Preprint 1259 (2007): its pendulum and its tables.

#include "apps/reproduce/steinbrecher2007.h"

#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <numbers>

#include "kardan/formulation/assembly.h"
#include "kardan/run/choice.h"
#include "kardan/system/automatic_equations.h"

namespace kardan::reproduce {
namespace {

constexpr double gravity = 13.75;  // for which the period from the horizontal is about 2

struct Pendulum {
  double energy = 0;

  template <class T>
  void operator()(const Variables<T>& x, Terms<T>& y) const {
    y.M(0, 0) = y.M(1, 1) = 1.0;
    y.f[1] = -gravity;
    y.g[0] = x.p[0] * x.p[0] + x.p[1] * x.p[1] - 1.0;
    y.kinetic = 0.5 * (x.v[0] * x.v[0] + x.v[1] * x.v[1]);
    y.potential = gravity * x.p[1];
    y.e[0] = y.kinetic + y.potential - energy;
  }
};

/// cn and dn of Jacobi by arithmetic-geometric means (Abramowitz, Stegun 16.4).
void jacobi(double u, double k, double& cn, double& dn) {
  constexpr int levels = 8;
  double a[levels + 1] = {1}, c[levels + 1] = {k}, b = std::sqrt(1 - k * k);
  for (int i = 0; i < levels; ++i) {
    a[i + 1] = 0.5 * (a[i] + b);
    c[i + 1] = 0.5 * (a[i] - b);
    b = std::sqrt(a[i] * b);
  }
  double phi = std::ldexp(a[levels] * u, levels), before = phi;
  for (int i = levels; i > 0; --i) {
    before = phi;
    phi = 0.5 * (phi + std::asin(c[i] / a[i] * std::sin(phi)));
  }
  cn = std::cos(phi);
  dn = std::cos(phi) / std::cos(before - phi);
}

}  // namespace

Prepared steinbrecher_pendulum(double speed) {
  const bool hangs = speed != 0;
  UserDescription d;
  d.name = "pendulum";
  d.positions = {{"x", hangs ? 0.0 : 1.0}, {"y", hangs ? -1.0 : 0.0}};
  d.velocities = {{"vx", speed}, {"vy", 0.0}};
  d.holonomic = {"rod"};
  d.invariants = {"energy"};
  d.energy = true;
  Diagnostics diagnostics;
  Prepared out;
  out.system =
      make_system(std::move(d), Pendulum{hangs ? 0.5 * speed * speed - gravity : 0.0}, diagnostics);
  if (out.system) out.start = assemble(*out.system, out.system->start(), {});
  return out;
}

PendulumState exact_pendulum(double t) {
  // sin(theta/2) = k cd(omega t), theta from the lowest point, k = sin(pi/4).
  const double k = std::numbers::sqrt2 / 2;
  double cn = 1, dn = 1;
  jacobi(std::sqrt(gravity) * t, k, cn, dn);
  const double s = k * cn / dn, y = 2 * s * s - 1;
  return {{2 * s * std::sqrt(1 - s * s), y}, -1.5 * gravity * y};
}

const std::vector<GeomsColumn>& geoms_columns() {
  static const std::vector<GeomsColumn> all{
      {"GEOMS(psfEoM)", "radau5@strangeness_free", {{"invariants", "free"}}},
      {"GEOMS(psfEoM+I)", "radau5@strangeness_free", {{"invariants", "kept"}}},
      {"GEOMS(pEoM1)", "radau5@strangeness_free_2", {{"invariants", "free"}}},
      {"RADAU5(EoM)", "radau5@index_3"},
      {"RADAU5(EoM2)", "radau5@index_2"},
      {"RADAU5(EoM1)", "radau5@index_1"},
      {"RADAU5(GGL)", "radau5@ggl"},
      // In the places of DASSL and of HEDOP5, MEXAX.
      {"IDA(EoM1)", "ida@index_1"},
      {"IDA(GGL)", "ida@ggl"},
      {"HEM5(EoM2)", "hem5@all_coordinates"}};
  return all;
}

GeomsEnd geoms_run(const Prepared& model, const GeomsColumn& column, double t_end,
                   const DriverOptions& options,
                   const std::function<void(const State&, const Vector& a)>& see) {
  Diagnostics diagnostics;
  const Choice choice = choose_method(column.method, diagnostics);
  const auto problem = choice.formulation->make(
      *model.system, complete_options(choice.formulation->options, column.options));
  GeomsEnd end;
  end.state = model.start.state;
  const std::clock_t begin = std::clock();
  end.report =
      integrate(*problem, *choice.method, end.state, t_end, options, [&](const StepView& step) {
        if (see) see(*step.state, step.dense->to.ddq);
        return std::string();
      });
  end.cpu_seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  end.lambda = problem->multipliers();
  end.counts = problem->counts();
  return end;
}

namespace {

/// The counters of a table: of the paper, for the tolerances 1e-7, 1e-8, 1e-9.
struct PrintedCounts {
  int accepted, rejected_error, rejected_newton, evaluations, jacobians, predecompositions,
      factorizations, solves, selectors;
};

double difference(const State& y, const State& exact) {
  double largest = 0;
  for (int k = 0; k < 2; ++k)
    largest = std::max({largest, std::abs(y.p[k] - exact.p[k]), std::abs(y.v[k] - exact.v[k])});
  return largest;
}

/// What is reached with no more than this many steps: by bisection of the tolerance.
double error_with(int steps, const Prepared& model, const GeomsColumn& column, const State& exact) {
  double low = -11, high = -2, error = 0;
  for (int i = 0; i < 20; ++i) {
    DriverOptions options;
    options.tolerance = std::pow(10.0, 0.5 * (low + high));
    options.first_step = 0.01;
    const GeomsEnd end = geoms_run(model, column, 5, options);
    const bool few = end.report.counters.steps <= steps;
    (few ? high : low) = 0.5 * (low + high);
    if (few) error = difference(end.state, exact);
  }
  return error;
}

/// The paper's counters, ours beside the printed ones.
void print_counts(const Counters (&counters)[3], const ProblemCounts (&counts)[3],
                  const PrintedCounts (&printed)[3]) {
  auto line = [&](const char* name, auto ours, int PrintedCounts::*theirs) {
    fmt::print("  {:<18}", name);
    for (int i = 0; i < 3; ++i)
      fmt::print("{:>10}{:>10}", ours(counters[i], counts[i]), printed[i].*theirs);
    fmt::print("\n");
  };
  using C = const Counters&;
  using P = const ProblemCounts&;
  line(
      "accepted", [](C c, P) { return c.steps; }, &PrintedCounts::accepted);
  line(
      "rejected_error", [](C c, P) { return c.rejected; }, &PrintedCounts::rejected_error);
  line(
      "rejected_newton", [](C c, P) { return c.failed; }, &PrintedCounts::rejected_newton);
  line(
      "evaluations", [](C c, P) { return c.evaluations; }, &PrintedCounts::evaluations);
  line(
      "jacobians", [](C c, P) { return c.jacobians; }, &PrintedCounts::jacobians);
  line(
      "predecompositions", [](C, P p) { return p.predecompositions; },
      &PrintedCounts::predecompositions);
  line(
      "factorizations", [](C c, P) { return c.factorizations; }, &PrintedCounts::factorizations);
  line(
      "solves", [](C c, P) { return c.solves; }, &PrintedCounts::solves);
  line(
      "selectors", [](C, P p) { return p.selectors; }, &PrintedCounts::selectors);
}

int table(double speed, const PrintedCounts (&printed)[3], Checks& checks) {
  const Prepared model = steinbrecher_pendulum(speed);
  if (!model.system) return failed;
  DriverOptions tight;
  tight.tolerance = 1e-13;
  const GeomsColumn column = geoms_columns()[0];
  const State exact = geoms_run(model, column, 5, tight).state;
  fmt::print(
      "Pendulum from the lowest point with v = {} over [0, 5], first step 0.01.\n"
      "Ours is run at the tolerance of the paper; 'error' is the one reached at the end.\n\n"
      "  {:<18}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}\n",
      speed, "", "1e-7", "(paper)", "1e-8", "(paper)", "1e-9", "(paper)");
  Counters counters[3];
  ProblemCounts counts[3];
  double error[3] = {};
  for (int i = 0; i < 3; ++i) {
    DriverOptions options;
    options.tolerance = std::pow(10.0, -7 - i);
    options.first_step = 0.01;
    const GeomsEnd end = geoms_run(model, column, 5, options);
    if (end.report.reason != Reason::finished) {
      fmt::print(stderr, "kardan: {}\n", end.report.message);
      return failed;
    }
    counters[i] = end.report.counters;
    counts[i] = end.counts;
    error[i] = difference(end.state, exact);
    const std::string at = fmt::format(" at {:.0e}", options.tolerance);
    checks.equal("accepted steps" + at, static_cast<double>(counters[i].steps), printed[i].accepted,
                 0.1);
    checks.smaller("iterations that fail" + at, static_cast<double>(counters[i].failed),
                   printed[i].rejected_newton);
  }
  print_counts(counters, counts, printed);
  fmt::print("  {:<18}{:>10.1e}{:>20.1e}{:>20.1e}\n", "error", error[0], error[1], error[2]);
  fmt::print("  {:<18}", "error, same steps");
  for (int i = 0; i < 3; ++i)
    fmt::print("{:>{}.1e}", error_with(printed[i].accepted, model, column, exact), i ? 20 : 10);
  fmt::print("\n\nThe last line is reached by as many steps as the paper has at its tolerance.\n");
  fmt::print(
      "Selectors are orthonormal bases of the free directions, made anew with every Jacobian.\n");
  return finished;
}

}  // namespace

int steinbrecher_table3(const Options&, Checks& checks) {
  return table(2.8,
               {{187, 16, 1, 2167, 187, 187, 204, 660, 2},
                {270, 13, 1, 2961, 270, 270, 284, 897, 2},
                {391, 9, 1, 4141, 391, 391, 401, 1250, 2}},
               checks);
}

int steinbrecher_table4(const Options&, Checks& checks) {
  return table(2.9,
               {{207, 7, 13, 2730, 207, 207, 227, 841, 26},
                {303, 12, 6, 3729, 303, 303, 321, 1142, 19},
                {441, 12, 6, 5208, 441, 441, 459, 1589, 19}},
               checks);
}

Paper steinbrecher2007() {
  static const Table tables[] = {
      {"table3", "pendulum, v = 2.8: steps and evaluations", steinbrecher_table3,
       "Newton's stopping factor is printed as min(0.03, rtol)/2; taken so, the iterations "
       "double. RADAU5 loosens the tolerance inside (0.1 rtol^(2/3)); the printed counts "
       "need that, and the text does not say it."},
      {"table4", "pendulum, v = 2.9: steps and evaluations", steinbrecher_table4},
      {"fig1", "pendulum: error of the energy against time", steinbrecher_fig1,
       "Letting the invariant replace a dynamic equation, as printed, fails at every turning "
       "point, where its derivative by the velocities vanishes: a pendulum at rest stays at "
       "rest. Here it is projected onto after the step."},
      {"fig2", "pendulum: error of the positions against CPU time", steinbrecher_fig2},
      {"fig3", "pendulum: error of the multiplier against CPU time", steinbrecher_fig3},
      {"fig4", "pendulum: residuals of the constraints against time", steinbrecher_fig4},
      {"fig5", "pendulum: residuals of the constraints against tolerance", steinbrecher_fig5},
      {"fig6", "pendulum: height against time for v = 2.8 and 2.9", steinbrecher_fig6,
       "The period of 2 s is that of a release from the horizontal only (2.000027 s "
       "exactly)."},
      {"fig8", "planar truck: error against CPU time", steinbrecher_fig8,
       "The numbers of the truck of 1994 are not available: the planar truck of Eich- "
       "Soellner and Fuehrer stands in, and nothing is compared."}};
  return {"steinbrecher2007", "GEOMS: general equations of motion, Radau IIA", tables};
}

}  // namespace kardan::reproduce
