/// G. Gil, R. G. Sanfelice, P. E. Nikravesh, Local Linearization Method in the Integration of
/// Multibody Equations (2013): two bouncing balls, the error estimate and step control.
///
/// The paper gives the balls' mass, stiffness and gravity; radius, heights and time are ours
/// (models/bouncing_balls.yaml), as are the masses and lengths of the double pendulum.

#include "apps/reproduce/gil2013.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/pictures/svg_plot.h"
#include "kardan/formulation/catalog.h"
#include "kardan/io/model_reader.h"
#include "kardan/io/output_file.h"

namespace kardan::reproduce {

void gil_tolerances(double relative, double absolute, SimulateOptions& out) {
  const double weight = find_method(out.method.substr(0, out.method.find('@')))->error_weight;
  out.relative = out.driver.tolerance = weight * relative;
  out.absolute = weight * absolute;
}

GilRun gil_run(Prepared& model, const SimulateOptions& options, const Observer& observer) {
  GilRun out;
  const ConsistentStart start = model.start;
  Diagnostics diagnostics;
  out.report = simulate(model, options, {}, observer, diagnostics);
  out.end = model.start.state;
  model.start = start;
  if (print_faults(diagnostics)) return out;
  out.finished = out.report.driver.reason == Reason::finished;
  if (!out.finished)
    fmt::print(stderr, "kardan: {}: {}\n", options.method, out.report.driver.message);
  return out;
}

namespace {

Prepared model_of(const char* text) {
  Diagnostics diagnostics;
  Prepared prepared;
  if (const auto model = read_model_text(text, "reproduce", {}, diagnostics))
    prepared = prepare(*model, {}, diagnostics);
  if (print_faults(diagnostics)) prepared.system = nullptr;
  return prepared;
}

/// Eqs. (19) to (21) as a solver without events sees them.
constexpr const char* balls_without_events = R"yaml(
kardan: 1
name: two bouncing balls, without events
parameters: {g: 9.81, K: 1e5, R: 0.1}
equations:
  positions: {y1: 1.5, y2: 1.0}
  velocities: {v1: 0, v2: 0}
  definitions:
    F1: "y1 - y2 < 2*R ? K*(2*R - y1 + y2) : 0"
    F2: "y2 < R ? K*(R - y2) : 0"
  forces: {v1: -g + F1, v2: -g - F1 + F2}
  energy:
    kinetic: (v1^2 + v2^2)/2
    potential: "g*(y1 + y2) + F1^2/(2*K) + F2^2/(2*K)"
)yaml";

/// Eq. (35).
constexpr const char* turning = R"yaml(
kardan: 1
name: Eq. 35
equations:
  positions: {rests: 0}
  dynamic:
    x1: {start: 0, rate: -x2/x3^2}
    x2: {start: -1, rate: x1/x3^2}
    x3: {start: 1/pi, rate: 1}
)yaml";

struct BallsRun {
  const char* name;
  SimulateOptions options;
  Prepared* model;
};

/// MATLAB's default tolerances, and its largest step of a tenth of the interval.
SimulateOptions matlab_defaults(const char* method, double t_end) {
  SimulateOptions o;
  o.method = method;
  o.t_end = t_end;
  gil_tolerances(1e-3, 1e-6, o);
  o.driver.largest_step = 0.1 * t_end;
  return o;
}

std::vector<BallsRun> balls_runs(Prepared& balls, Prepared& bare) {
  std::vector<BallsRun> runs;
  for (double h : {0.005, 0.02, 0.05}) {
    SimulateOptions o;
    o.method = "llm";
    o.t_end = 2;
    o.driver.fixed_step = h;
    runs.push_back({h == 0.005  ? "llm, h = 0.005"
                    : h == 0.02 ? "llm, h = 0.02"
                                : "llm, h = 0.05",
                    o, &balls});
  }
  runs.push_back({"dopri5, no events", matlab_defaults("dopri5", 2), &bare});
  runs.push_back({"ros2w, no events", matlab_defaults("ros2w", 2), &bare});
  runs.push_back({"dopri5, events", matlab_defaults("dopri5", 2), &balls});
  runs.push_back({"rn4, events", matlab_defaults("rn4", 2), &balls});
  return runs;
}

/// Height of the upper ball inside the steps, relative change of energy at their ends.
GilRun follow_balls(const BallsRun& r, int height, PlotSeries& y, PlotSeries& e) {
  const auto ws = r.model->system->make_workspace();
  State inside;
  ChartPoint point;
  return gil_run(*r.model, r.options, [&](const StepView& step) {
    constexpr int points = 8;
    for (int k = 1; k <= points; ++k) {
      step.dense->at(static_cast<double>(k) / points, point);
      if (step.problem->state_at(point, step.dense->consistency(), inside) != Eval::ok) continue;
      const Energy now = r.model->system->energy(inside, *ws);
      y.x.push_back(inside.t);
      y.y.push_back(inside.p[height]);
      if (k < points) continue;
      e.x.push_back(inside.t);
      e.y.push_back((now.kinetic + now.potential) / 24.525 - 1);
    }
    return std::string();
  });
}

int plot_fig5(const Options& options, Checks& checks) {
  Prepared balls = paper_model("bouncing_balls.yaml", {});
  Prepared bare = model_of(balls_without_events);
  if (!balls.system || !bare.system) return bad_input;
  // At t = 2: closed forms between events, 20 digits.
  constexpr double exact = 1.5340303174319273649;
  fmt::print("Fig. 5: two bouncing balls, upper ball and energy (E = 24.525 J)\n\n");
  fmt::print("  {:<22}{:>8}{:>8}{:>14}{:>16}{:>12}\n", "", "steps", "events", "y1 error [m]",
             "energy change", "CPU [ms]");
  Plot height{.title = "upper ball",
              .x = {.label = "t [s]"},
              .y = {.label = "y1 [m]"},
              .series = {},
              .width = 560};
  Plot energy{.title = "change of energy",
              .x = {.label = "t [s]"},
              .y = {.label = "relative"},
              .series = {},
              .width = 560};
  double llm = 0, dopri5 = 0;  // changes of energy, the latter without events
  for (const BallsRun& r : balls_runs(balls, bare)) {
    PlotSeries y{r.name, {}, {}}, e{r.name, {}, {}};
    // Planar points have x before y.
    const GilRun run = follow_balls(r, r.model == &balls ? 1 : 0, y, e);
    if (!run.finished) return failed;
    double largest = 0;
    for (double change : e.y) largest = std::max(largest, std::abs(change));
    if (r.options.method == "llm") {
      checks.at_most(fmt::format("{}, change of energy", r.name), largest, 1e-12);
      llm = std::max(llm, largest);
    } else if (r.model == &bare && r.options.method == "dopri5") {
      dopri5 = largest;
    }
    fmt::print("  {:<22}{:>8}{:>8}{:>14.2e}{:>15.1e}%{:>12.2f}\n", r.name,
               run.report.driver.counters.steps, run.report.driver.events.size(),
               std::abs(y.y.back() - exact), 100 * largest, 1e3 * run.report.cpu_seconds);
    height.series.push_back(std::move(y));
    energy.series.push_back(std::move(e));
  }
  const std::string path = plot_file(options);
  write_file(path, to_svg(std::vector<Plot>{height, energy}));
  checks.at_least("change of energy of dopri5 without events over that of llm", dopri5 / llm, 100);
  fmt::print(
      "\nprinted: ODE45 is \"quite different\", its energy changes; ODE23s and the LLM agree\n"
      "here: a solver without events changes the energy by what its steps happen to miss; with "
      "events\n"
      "every method follows the motion to its tolerance, local linearization to round-off at any "
      "step\n"
      "written to {}\n",
      path);
  return finished;
}

/// One step of Eq. (35): exact and estimated errors of x1 and x2.
struct OneStep {
  double h, exact[2], estimated[2];
};
bool one_step(const Prepared& model, double h, OneStep& out) {
  const Formulation& formulation = *find_formulation("state_space");
  const auto problem = formulation.make(*model.system, complete_options(formulation.options, {}));
  const Method& method = *find_method("llm");
  const auto stepper = method.make(complete_options(method.options, {}));
  State state = model.start.state;
  state.t = 1 / M_PI;
  LocalJacobian jacobian;
  if (problem->rebase(state) != Eval::ok || problem->jacobian(jacobian) != Eval::ok) return false;
  const ErrorScale scale = problem->default_scale(1e-6);
  const StepStart start{state.t,   &problem->base(), &problem->base_rate(),
                        &jacobian, &state,           &scale};
  Trial trial;
  Counters counters;
  if (stepper->attempt(*problem, start, h, trial, counters) != Eval::ok) return false;
  const double s = 1 / (1 / M_PI + h);
  out.h = h;
  out.exact[0] = std::sin(s) - trial.y.z[0];
  out.exact[1] = std::cos(s) - trial.y.z[1];
  for (int i = 0; i < 2; ++i) out.estimated[i] = trial.error.z[i];
  return true;
}

int plot_fig6(const Options& options, Checks& checks) {
  const Prepared model = model_of(turning);
  if (!model.system) return bad_input;
  fmt::print("Fig. 6: Eq. (35), one step from t = 1/pi, local error\n\n");
  fmt::print("  {:>8}{:>13}{:>13}{:>10}{:>13}{:>13}{:>10}\n", "h", "x1 exact", "estimated", "ratio",
             "x2 exact", "estimated", "ratio");
  PlotSeries series[4] = {{"x1, exact", {}, {}},
                          {"x1, estimated", {}, {}, PlotMark::points},
                          {"x2, exact", {}, {}},
                          {"x2, estimated", {}, {}, PlotMark::points}};
  double last = 0, order = 0;
  for (double h : {0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005}) {
    OneStep r;
    if (!one_step(model, h, r)) return failed;
    fmt::print("  {:>8g}{:>13.4e}{:>13.4e}{:>10.4f}{:>13.4e}{:>13.4e}{:>10.4f}\n", h, r.exact[0],
               r.estimated[0], r.estimated[0] / r.exact[0], r.exact[1], r.estimated[1],
               r.estimated[1] / r.exact[1]);
    for (int i = 0; i < 2; ++i)
      for (int k = 0; k < 2; ++k) {
        series[2 * i + k].x.push_back(h);
        series[2 * i + k].y.push_back(std::abs(k == 0 ? r.exact[i] : r.estimated[i]));
      }
    if (h == 0.0005) order = std::log2(last / std::abs(r.exact[0]));
    last = std::abs(r.exact[0]);
    if (h > 0.01) continue;
    const std::string at = fmt::format(", estimated over exact error at {:g}", h);
    for (int i = 0; i < 2; ++i)
      checks.equal((i == 0 ? "x1" : "x2") + at, r.estimated[i] / r.exact[i], 1, 0.05);
  }
  Plot plot{.title = "local error of one step, Eq. (35)",
            .x = {.label = "h", .scale = AxisScale::logarithmic},
            .y = {.label = "error", .scale = AxisScale::logarithmic},
            .series = {}};
  for (PlotSeries& s : series) plot.series.push_back(std::move(s));
  const std::string path = plot_file(options);
  write_file(path, to_svg(plot));
  checks.equal("order of the local error", order, 3, 0.05);
  fmt::print("\nlocal error ~ h^{:.2f}: order 2\nwritten to {}\n", order, path);
  return finished;
}

/// Error per unit step, k = 2, safety 0.9, absolute tolerances, all coordinates as published.
int plot_fig7(const Options& options, Checks& checks) {
  std::vector<Plot> plots;
  fmt::print("Fig. 7: step control on the double pendulum, error per unit step\n\n");
  fmt::print("  {:<18}{:>8}{:>8}{:>10}{:>12}{:>12}{:>16}\n", "", "tol", "steps", "rejected",
             "least h", "largest h", "largest l/h");
  for (const GilPendulum& pendulum : gil_pendulums()) {
    Prepared model = paper_model("double_pendulum_gil.yaml", pendulum.set);
    if (!model.system) return bad_input;
    Plot size{.title = fmt::format("step, {}", pendulum.name),
              .x = {.label = "t [s]"},
              .y = {.label = "h [s]"},
              .series = {},
              .width = 480};
    Plot error{.title = "estimated error per second",
               .x = {.label = "t [s]"},
               .y = {.label = "l/h [1/s]"},
               .series = {},
               .width = 480};
    std::vector<double> steps;
    for (double tolerance : {0.1, 0.05}) {
      SimulateOptions o;
      o.method = "llm@index1_ode";
      o.t_end = pendulum.t_end;
      o.driver.tolerance = tolerance;
      o.driver.safety = 0.9;
      o.driver.error_per = ErrorMeasure::per_unit_step;
      ErrorScale scale;
      scale.relative = 0;
      scale.position.assign(model.system->sizes().v, tolerance);
      scale.velocity = scale.position;
      o.driver.scale = scale;
      const std::string name = fmt::format("tol = {:g}", tolerance);
      PlotSeries h{name, {}, {}}, l{name, {}, {}};
      double largest = 0;
      const GilRun run = gil_run(model, o, [&](const StepView& step) {
        h.x.push_back(step.t);
        h.y.push_back(step.h);
        l.x.push_back(step.t);
        l.y.push_back(step.error * tolerance);
        largest = std::max(largest, step.error * tolerance);
        return std::string();
      });
      if (!run.finished) return failed;
      fmt::print("  {:<18}{:>8g}{:>8}{:>10}{:>12.2e}{:>12.2e}{:>16.4f}\n", pendulum.name, tolerance,
                 run.report.driver.counters.steps, run.report.driver.counters.rejected,
                 run.report.driver.smallest_step, run.report.driver.largest_step, largest);
      steps.push_back(static_cast<double>(run.report.driver.counters.steps));
      checks.at_most(fmt::format("{}, largest l/h at tolerance {:g}", pendulum.name, tolerance),
                     largest, tolerance);
      size.series.push_back(std::move(h));
      error.series.push_back(std::move(l));
    }
    checks.at_least(fmt::format("{}, steps at 0.05 over those at 0.1", pendulum.name),
                    steps[1] / steps[0], 1);
    plots.push_back(std::move(size));
    plots.push_back(std::move(error));
  }
  const std::string path = plot_file(options);
  write_file(path, to_svg(plots));
  fmt::print(
      "\nprinted: a smaller tolerance gives smaller steps, and the error stays below it\n"
      "written to {}\n",
      path);
  return finished;
}

constexpr Table gil2013_tables[] = {
    {"fig2", "stiff double pendulum: energy, drift and time beside other methods", gil_fig2,
     "The stiffness of 3000 N m per degree is 171887 N m per radian; masses, lengths and "
     "the start are missing, so that two sets are shown. A factor 1/2 of v_n is missing in "
     "print; the later formulas have it."},
    {"fig5", "two bouncing balls: upper ball and energy", plot_fig5,
     "Looking at signs at the ends of steps, as printed, misses contacts: 6 of 16 were "
     "found at h = 0.02. Here the flow inside the step is looked at."},
    {"fig6", "local error of one step, exact and estimated", plot_fig6},
    {"fig7", "stiff double pendulum: steps and errors at tol = 0.1 and 0.05", plot_fig7},
    {"work", "stiff double pendulum: time against reached error", gil_work},
};

}  // namespace

Paper gil2013() {
  return {"gil2013", "Local Linearization Method in the Integration of Multibody Equations",
          gil2013_tables};
}

}  // namespace kardan::reproduce
