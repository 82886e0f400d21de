/// A. Sandu, D. Negrut, E. J. Haug, F. A. Potra, C. Sandu, Rosenbrock-Nystrom Integrators for SODE
/// of Multibody Dynamics, CSTR-01-06 (2001), section 5.2: the HMMWV over a bump, an explicit
/// multistep method against the Rosenbrock-Nystrom method, on the same evaluator.
///
/// The explicit method takes some 330 000 steps a second of motion, at every tolerance. It is
/// measured in windows spread over every second, each begun at a state of the reference run, and
/// extrapolated. A window begins so smoothly that for some milliseconds no error shows how unstable
/// its steps are: they are bounded, and the begin is left out.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include "apps/pictures/svg_plot.h"
#include "apps/reproduce/sandu2001.h"
#include "kardan/formulation/state_space.h"
#include "kardan/integrate/driver.h"
#include "kardan/io/output_file.h"
#include "kardan/run/linearize.h"

namespace kardan::reproduce {
namespace {

constexpr const char* height = "chassis.z";
/// A force whose derivatives the W-method is denied. The springs' would make it explicit in the
/// fastest modes.
constexpr const char* blind_force = "front_left.tyre";
constexpr double vehicle_tolerances[] = {1e-2, 1e-3, 1e-4, 1e-5};
constexpr double printed_explicit[4][4] = {{3618, 3641, 3667, 3663},  // [s] by end, tolerance
                                           {7276, 7348, 7287, 7276},
                                           {10865, 11122, 10949, 10965},
                                           {14480, 14771, 14630, 14592}};
constexpr double printed_implicit[4][4] = {
    {5.6, 13.2, 40.7, 172}, {12.6, 32.6, 95, 405}, {13, 36.3, 105, 422}, {13.3, 37, 106, 428}};
/// [s] Windows of the explicit method inside every second: where they begin, how long it settles
/// and how long it is measured.
constexpr double window_starts[] = {0.15, 0.55, 0.85};
constexpr double window_settling = 1e-3, window_length = 1e-3;
/// [s] Bound of the explicit steps: seven times what they settle at.
constexpr double window_largest_step = 2e-5;
constexpr int grid_per_second = 100;  // at which heights are compared

double now() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

struct Cost {
  double steps = 0, evaluations = 0, cpu = 0;  // cpu in seconds
};

/// The reference run: heights on the grid, states at the begin of the windows.
struct Reference {
  std::vector<double> heights;
  std::vector<State> states;
  std::string message;  // why it failed
};

/// Heights of a run on the grid, from dense output.
class HeightGrid {
 public:
  HeightGrid(const System& system, const State& start)
      : system_(system), quantity_(*system.find_quantity(height)), ws_(system.make_workspace()) {
    values.push_back(of(start));
  }
  std::string add(const StepView& step) {
    for (;;) {
      const double t = static_cast<double>(values.size()) / grid_per_second;
      if (t > step.t + 1e-12) return {};
      step.dense->at((t - (step.t - step.h)) / step.h, point_);
      if (step.problem->state_at(point_, ChartProblem::Consistency::projected, inside_) != Eval::ok)
        return "dense output could not be made consistent";
      values.push_back(of(inside_));
    }
  }
  std::vector<double> values;

 private:
  double of(const State& s) const { return system_.quantity(quantity_, s, 0, {}, {}, *ws_); }
  const System& system_;
  Quantity quantity_;
  std::unique_ptr<Workspace> ws_;
  ChartPoint point_;
  State inside_;
};

Reference make_reference(const Prepared& model, int seconds) {
  Reference out;
  DriverOptions options;
  options.tolerance = 1e-8;
  for (int s = 0; s < seconds; ++s)
    for (double start : window_starts) options.stop_times.push_back(s + start);
  StateSpace problem(*model.system);
  State state = model.start.state;
  HeightGrid grid(*model.system, state);
  const DriverReport r = integrate(
      problem, *find_method("rodasp"), state, seconds, options, [&](const StepView& step) {
        const std::size_t next = out.states.size();
        if (next < options.stop_times.size() && std::abs(step.t - options.stop_times[next]) < 1e-12)
          out.states.push_back(*step.state);
        return grid.add(step);
      });
  if (r.reason != Reason::finished) out.message = r.message;
  out.heights = std::move(grid.values);
  return out;
}

/// What a second of motion costs the explicit method, from one window.
Cost measure_window(const Prepared& model, State state, double tolerance) {
  StateSpace problem(*model.system);
  DriverOptions options;
  options.tolerance = tolerance;
  options.largest_step = window_largest_step;
  const double begin = state.t + window_settling;
  Cost from, to;
  double measured_from = 0, measured_to = 0;
  (void)integrate(problem, *find_method("adams"), state, begin + window_length, options,
                  [&](const StepView& step) {
                    to = {static_cast<double>(step.counters->steps),
                          static_cast<double>(step.counters->evaluations), now()};
                    measured_to = step.t;
                    if (step.t >= begin && measured_from == 0) {
                      from = to;
                      measured_from = step.t;
                    }
                    return std::string();
                  });
  const double length = measured_to - measured_from;
  return {(to.steps - from.steps) / length, (to.evaluations - from.evaluations) / length,
          (to.cpu - from.cpu) / length};
}

/// Steps, evaluations and CPU of the explicit method up to the end of every second.
std::vector<Cost> extrapolate_explicit(const Prepared& model, const Reference& reference,
                                       double tolerance) {
  std::vector<Cost> out;
  Cost sum;
  for (std::size_t i = 0; i < reference.states.size(); ++i) {
    const Cost rate = measure_window(model, reference.states[i], tolerance);
    constexpr double share = 1.0 / std::size(window_starts);
    sum.steps += share * rate.steps;
    sum.evaluations += share * rate.evaluations;
    sum.cpu += share * rate.cpu;
    if ((i + 1) % std::size(window_starts) == 0) out.push_back(sum);
  }
  return out;
}

struct Measured {
  Cost cost;
  double error = 0;  // [m] largest of the chassis height
  std::string message;
};

/// Time from runs without an observer, the least of several; the error from a run with one.
Measured measure(const System& system, const State& start, const Reference& reference,
                 const char* method, double tolerance, int t_end) {
  Measured out;
  DriverOptions options;
  options.tolerance = tolerance;
  constexpr int most = 3;
  constexpr double enough = 0.3;  // [s] of CPU
  double spent = 0;
  for (int i = 0; i < most && spent < enough; ++i) {
    StateSpace problem(system);
    State state = start;
    const double begin = now();
    const DriverReport r = integrate(problem, *find_method(method), state, t_end, options, {});
    const double cpu = now() - begin;
    spent += cpu;
    out.cost = {static_cast<double>(r.counters.steps), static_cast<double>(r.counters.evaluations),
                i == 0 ? cpu : std::min(cpu, out.cost.cpu)};
  }
  StateSpace problem(system);
  State state = start;
  HeightGrid grid(system, state);
  const DriverReport r = integrate(problem, *find_method(method), state, t_end, options,
                                   [&](const StepView& step) { return grid.add(step); });
  if (r.reason != Reason::finished) out.message = r.message;
  for (std::size_t i = 0; i < grid.values.size(); ++i)
    out.error = std::max(out.error, std::abs(grid.values[i] - reference.heights[i]));
  return out;
}

/// The same vehicle with one force that gives no derivatives.
std::unique_ptr<System> without_derivatives(const Prepared& model) {
  Blueprint blueprint = model.system->blueprint();
  for (ElementData& e : blueprint.elements)
    if (e.name == blind_force) e.differentiable = false;
  Diagnostics diagnostics;
  auto system = compile(std::move(blueprint), diagnostics);
  print_faults(diagnostics);
  return system;
}

/// Both tables begin with these.
struct VehicleStudy {
  Prepared model;
  Reference reference;
  int seconds = 0;
  std::size_t tolerances = 0;
  bool ready = false;
};

VehicleStudy begin_study(const Options& options) {
  VehicleStudy s;
  s.seconds = options.quick ? 1 : 4;
  s.tolerances = options.quick ? 2 : std::size(vehicle_tolerances);
  s.model = paper_model("hmmwv.yaml", {});
  if (!s.model.system) return s;
  s.reference = make_reference(s.model, s.seconds);
  if (!s.reference.message.empty())
    fmt::print(stderr, "kardan: the reference run failed: {}\n", s.reference.message);
  s.ready = s.reference.message.empty();
  return s;
}

void print_row(int t_end, double tolerance, const char* method, const Cost& c, double printed) {
  fmt::print("{:>5} {:>7.0e}  {:<17}{:>9.0f}{:>10.0f}{:>11.4g}{:>9}{:>9.1f}", t_end, tolerance,
             method, c.steps, c.evaluations, c.cpu, printed > 0 ? fmt::format("{:g}", printed) : "",
             1e6 * c.cpu / c.evaluations);
}

/// [s] One evaluation of the equations of motion alone, as every method asks for it.
double evaluation_time(const Prepared& model) {
  StateSpace problem(*model.system);
  if (problem.rebase(model.start.state) != Eval::ok) return std::nan("");
  Local y = problem.base();
  LocalRate rate;
  constexpr int count = 500;
  constexpr double nearby = 1e-6;  // [m or rad] so that positions have to be closed anew
  const double begin = now();
  for (int i = 0; i < count; ++i) {
    for (double& x : y.x) x = i % 2 == 0 ? nearby : -nearby;
    if (problem.rate(model.start.state.t, y, rate) != Eval::ok) return std::nan("");
  }
  return (now() - begin) / count;
}

void print_how(const Prepared& model) {
  fmt::print(
      "\nadams: cut. Measured in {} windows of {:g} ms in every second, begun {:g} ms earlier at\n"
      "states of the reference run, and extrapolated to the second.\n"
      "printed: seconds on an SGI Onyx (R10000). us/eval: CPU time over evaluations of the\n"
      "equations, one evaluator for all methods; alone it takes {:.1f} us.\n",
      std::size(window_starts), 1e3 * window_length, 1e3 * window_settling,
      1e6 * evaluation_time(model));
}

}  // namespace

int sandu2001_table3(const Options& options, Checks& checks) {
  const VehicleStudy s = begin_study(options);
  if (!s.ready) return failed;
  fmt::print("Table 3: HMMWV, explicit integrator\n\n");
  fmt::print("T [s]     tol  method               steps     evals    CPU [s]  printed  us/eval\n");
  std::vector<double> steps, printed;  // up to the end, by tolerance
  for (std::size_t k = 0; k < s.tolerances; ++k) {
    const std::vector<Cost> costs =
        extrapolate_explicit(s.model, s.reference, vehicle_tolerances[k]);
    for (int t = 1; t <= s.seconds; ++t) {
      print_row(t, vehicle_tolerances[k], "adams", costs[t - 1], printed_explicit[t - 1][k]);
      fmt::print("\n");
    }
    steps.push_back(costs.back().steps);
    printed.push_back(printed_explicit[s.seconds - 1][k]);
  }
  const auto spread = [](const std::vector<double>& x) {
    const auto [low, high] = std::minmax_element(x.begin(), x.end());
    return *high / *low;
  };
  checks.equal("stability limits the steps: most over fewest of all tolerances", spread(steps),
               spread(printed), 0.1);
  print_how(s.model);
  return finished;
}

int sandu2001_table4(const Options& options, Checks& checks) {
  const VehicleStudy s = begin_study(options);
  if (!s.ready) return failed;
  const auto blind = without_derivatives(s.model);
  if (!blind) return failed;
  fmt::print("Table 4: HMMWV, implicit integrators\n\n");
  fmt::print(
      "T [s]     tol  method               steps     evals    CPU [s]  printed  us/eval"
      "  error [m]  adams/it  printed\n");
  bool complete = true;
  for (std::size_t k = 0; k < s.tolerances; ++k) {
    const std::vector<Cost> slow =
        extrapolate_explicit(s.model, s.reference, vehicle_tolerances[k]);
    auto row = [&](int t, const char* method, const char* name, const System& system) {
      const Measured m =
          measure(system, s.model.start.state, s.reference, method, vehicle_tolerances[k], t);
      const bool paper = name == std::string("rn4");
      const double printed = printed_implicit[t - 1][k];
      print_row(t, vehicle_tolerances[k], name, m.cost, paper ? printed : 0);
      fmt::print("{:>11.1e}{:>10.0f}{:>9}\n", m.error, slow[t - 1].cpu / m.cost.cpu,
                 paper ? fmt::format("{:.0f}", printed_explicit[t - 1][k] / printed) : "");
      if (!m.message.empty()) fmt::print("      not finished: {}\n", m.message);
      if (paper && t == s.seconds) {
        checks.larger(
            fmt::format("CPU time of adams over that of rn4 at {:.0e}", vehicle_tolerances[k]),
            slow[t - 1].cpu / m.cost.cpu, printed_explicit[t - 1][k] / printed);
        checks.at_most(fmt::format("error [m] of rn4 at {:.0e}", vehicle_tolerances[k]), m.error,
                       vehicle_tolerances[k]);
      }
      complete = complete && m.message.empty();
    };
    for (int t = 1; t <= s.seconds; ++t) row(t, "rn4", "rn4", *s.model.system);
    row(s.seconds, "ros2w", "ros2w", *s.model.system);
    row(s.seconds, "ros2w", "ros2w, blind", *blind);
  }
  fmt::print(
      "\nerror: largest of the chassis height at {} times a second against rodasp at 1e-8\n"
      "blind: '{}' gives no derivatives\n",
      grid_per_second, blind_force);
  print_how(s.model);
  return complete ? finished : failed;
}

namespace {

/// The run of Fig. 5.
struct BumpRun {
  std::vector<double> t, h;  // of the steps
  std::vector<double> heights;
  DriverReport report;

  /// Mean step of those that end between two times.
  double mean_step(double from, double to) const {
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < t.size(); ++i)
      if (t[i] > from && t[i] <= to) {
        sum += h[i];
        ++count;
      }
    return sum / std::max(count, 1.0);
  }
};

BumpRun run_over_bump(const Prepared& model) {
  constexpr double t_end = 5;  // [s]
  BumpRun out;
  DriverOptions driver;
  driver.tolerance = 1e-3;
  StateSpace problem(*model.system);
  State state = model.start.state;
  HeightGrid grid(*model.system, state);
  out.report =
      integrate(problem, *find_method("rn4"), state, t_end, driver, [&](const StepView& step) {
        out.t.push_back(step.t);
        out.h.push_back(step.h);
        return grid.add(step);
      });
  out.heights = grid.values;
  return out;
}

std::vector<Plot> plots_of(const BumpRun& run) {
  std::vector<double> times(run.heights.size());
  for (std::size_t i = 0; i < times.size(); ++i)
    times[i] = static_cast<double>(i) / grid_per_second;
  return {{.title = "Chassis height",
           .x = {.label = "t [s]"},
           .y = {.label = "z [m]"},
           .series = {{"rn4 at 1e-3", times, run.heights, PlotMark::line}},
           .width = 560},
          {.title = "Step size",
           .x = {.label = "t [s]"},
           .y = {.label = "h [s]", .scale = AxisScale::logarithmic},
           .series = {{"rn4 at 1e-3", run.t, run.h, PlotMark::line_and_points}},
           .width = 560}};
}

}  // namespace

int sandu2001_fig5(const Options& options, Checks& checks) {
  const Prepared model = paper_model("hmmwv.yaml", {});
  if (!model.system) return bad_input;
  const BumpRun run = run_over_bump(model);
  if (run.report.reason != Reason::finished) {
    fmt::print(stderr, "kardan: {}\n", run.report.message);
    return failed;
  }
  const std::string path = plot_file(options);
  write_file(path, to_svg(plots_of(run)));
  double dominant = 0;
  for (const Mode& mode : kardan::linearize(model, ModeShapes::leave).modes.modes)
    dominant = std::min(dominant, mode.value.real());
  auto first_event = [&](const char* name) {
    for (const EventRecord& e : run.report.events)
      if (model.system->event_names()[e.event] == name) return e.t;
    return std::nan("");
  };
  const double front = first_event("front_left.tyre.bump"),
               rear = first_event("rear_left.tyre.bump");
  fmt::print("Fig. 5: written to {}\n\n", path);
  fmt::print("                                   printed      ours\n");
  fmt::print("dominant eigenvalue [1/s]          -2.6e5       {:.4g}\n", dominant);
  fmt::print("front wheels meet the bump [s]     0.5          {:.4f}\n", front);
  fmt::print("rear wheels meet the bump [s]      1.2          {:.4f}\n", rear);
  fmt::print("height at the end [m]              0.71         {:.4f}\n", run.heights.back());
  fmt::print("mean step [s], 0 to 0.5 s                       {:.2g}\n", run.mean_step(0, 0.5));
  fmt::print("           0.5 to 0.8 s, front on the bump      {:.2g}\n", run.mean_step(0.5, 0.8));
  fmt::print("           0.8 to 1.2 s                         {:.2g}\n", run.mean_step(0.8, 1.2));
  fmt::print("           1.2 to 1.5 s, rear on the bump       {:.2g}\n", run.mean_step(1.2, 1.5));
  fmt::print("           4 to 5 s, flat                       {:.2g}\n", run.mean_step(4, 5));
  constexpr double two_digits = 0.05;  // of the print
  checks.equal("dominant eigenvalue [1/s]", dominant, -2.6e5, two_digits);
  checks.equal("front wheels meet the bump [s]", front, 0.5, two_digits);
  checks.equal("rear wheels meet the bump [s]", rear, 1.2, two_digits);
  checks.equal("height at the end [m]", run.heights.back(), 0.71, two_digits);
  checks.at_most("mean step on the bump over that before it",
                 run.mean_step(0.5, 0.8) / run.mean_step(0, 0.5), 1);
  checks.at_least("mean step on the flat over that on the bump",
                  run.mean_step(4, 5) / run.mean_step(0.5, 0.8), 1);
  return finished;
}

}  // namespace kardan::reproduce
