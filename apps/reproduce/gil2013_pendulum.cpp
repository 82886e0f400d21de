/// Gil, Sanfelice, Nikravesh (2013): the double pendulum with a stiff torsion spring.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/pictures/svg_plot.h"
#include "apps/reproduce/gil2013.h"
#include "kardan/io/output_file.h"

namespace kardan::reproduce {

/// Angles and rates by extrapolation in 30-digit arithmetic, computed for Kardan.
const std::vector<GilPendulum>& gil_pendulums() {
  static const std::vector<GilPendulum> all{{"m = 100, rel = 1",
                                             {},
                                             5,
                                             {-0.77426797969916083381, -0.77382202531614793461,
                                              0.099136975149535631797, -1.1604678447685779924}},
                                            {"m = 1, rel = 0",
                                             {{"m", 1}, {"L", 1}, {"rel", 0}},
                                             1,
                                             {-0.67861072053968857271, -0.6786119248669941541,
                                              -1.0264107612380045218, -1.020523900315247127}}};
  return all;
}

namespace {

/// Largest |y - reference| / (1 + |reference|) of angles and rates.
double reached_error(const GilPendulum& p, const State& end) {
  const double y[] = {end.p[2], end.p[5], end.v[2], end.v[5]};
  double e = 0;
  for (int i = 0; i < 4; ++i)
    e = std::max(e, std::abs(y[i] - p.reference[i]) / (1 + std::abs(p.reference[i])));
  return e;
}

/// Of runs that are repeated one after the other, the middle time.
double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

struct Way {
  const char *name, *method;
  double step = 0;  // [s] fixed
};

SimulateOptions options_of(const GilPendulum& p, const Way& way) {
  SimulateOptions o;
  o.method = way.method;
  o.t_end = p.t_end;
  o.driver.fixed_step = way.step;
  return o;
}

bool is_llm(const Way& way) {
  return std::string_view(way.method).starts_with("llm");
}

std::vector<Way> work_ways() {
  return {{"llm, drift-free", "llm"},
          {"llm, tangent space", "llm@tangent_space"},
          {"llm, all coordinates", "llm@index1_ode"},
          {"dopri5, drift-free", "dopri5"},
          {"dopri5, all coordinates", "dopri5@index1_ode"},
          {"bdf, drift-free", "bdf"},
          {"bdf, all coordinates", "bdf@index1_ode"},
          {"ros2w, drift-free", "ros2w"},
          {"ros2w, all coordinates", "ros2w@index1_ode"},
          {"rn4, drift-free", "rn4"},
          {"rn4, all coordinates", "rn4@index1_ode"},
          {"radau5", "radau5"}};
}

/// A point of the plot of work against precision.
struct Work {
  const Way* way;
  double tolerance, error, cpu;  // cpu [s]
};

/// The cheapest runs that reach an error, and those of local linearization.
void work_verdict(const std::vector<Work>& all) {
  for (double error : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
    const Work *best = nullptr, *llm = nullptr;
    for (const Work& w : all) {
      if (w.error > error) continue;
      const Work*& mine = is_llm(*w.way) ? llm : best;
      if (!mine || w.cpu < mine->cpu) mine = &w;
    }
    if (!best || !llm) continue;
    fmt::print("  error below {:g}: {} {:.2f} ms, {} {:.2f} ms: local linearization {}\n", error,
               llm->way->name, 1e3 * llm->cpu, best->way->name, 1e3 * best->cpu,
               llm->cpu < 0.8 * best->cpu    ? "wins"
               : llm->cpu > 1.25 * best->cpu ? "loses"
                                             : "is as good");
  }
}

struct Fig2Row {
  double change = 0;  // of the energy, relative
  std::vector<double> cpu;
  GilRun run;
  PlotSeries energy, angle;
};

bool fill(Prepared& model, const GilPendulum& p, const Way& way, Fig2Row& row) {
  // MATLAB's default tolerances.
  SimulateOptions o = options_of(p, way);
  gil_tolerances(1e-3, 1e-6, o);
  const auto ws = model.system->make_workspace();
  const Energy first = model.system->energy(model.start.state, *ws);
  const double start = first.kinetic + first.potential;
  row.change = 0;
  row.energy = {way.name, {}, {}};
  row.angle = {way.name, {}, {}};
  row.run = gil_run(model, o, [&](const StepView& step) {
    const Energy e = model.system->energy(*step.state, *ws);
    const double change = (e.kinetic + e.potential - start) / std::abs(start);
    row.change = std::max(row.change, std::abs(change));
    row.energy.x.push_back(step.t);
    row.energy.y.push_back(change);
    row.angle.x.push_back(step.t);
    row.angle.y.push_back(step.state->p[5] - step.state->p[2]);
    return std::string();
  });
  return row.run.finished;
}

void fig2_verdict(const GilPendulum& p, const Fig2Row& llm, const Fig2Row& dopri5, Checks& checks) {
  const double cpu = median(llm.cpu) / median(dopri5.cpu), energy = llm.change / dopri5.change,
               drift = llm.run.report.residuals.position / dopri5.run.report.residuals.position;
  constexpr double alike = 2;  // a factor
  checks.smaller(fmt::format("{}, time over that of dopri5", p.name), cpu, 0.6);
  checks.at_most(fmt::format("{}, change of energy over that of dopri5", p.name), energy, alike);
  checks.at_most(fmt::format("{}, drift over that of dopri5", p.name), drift, 1);
  fmt::print(
      "printed: LLM at h = 0.02 takes 40 % less time than ODE45, energy alike, less drift\n"
      "here: {:.0f} % {} time than dopri5; {:.2g} times its change of energy, {:.2g} times its "
      "drift,\n"
      "{:.2g} times its reached error\n\n",
      100 * std::abs(1 - cpu), cpu < 1 ? "less" : "more", energy, drift,
      reached_error(p, llm.run.end) / reached_error(p, dopri5.run.end));
}

}  // namespace

int gil_fig2(const Options& options, Checks& checks) {
  const std::vector<Way> ways{{"llm, h = 0.02, as published", "llm@index1_ode", 0.02},
                              {"llm, h = 0.02, drift-free", "llm", 0.02},
                              {"llm, h = 0.02, tangent space", "llm@tangent_space", 0.02},
                              {"llm, h = 0.002, drift-free", "llm", 0.002},
                              {"dopri5 (ODE45)", "dopri5@index1_ode"},
                              {"bdf (ODE15s)", "bdf@index1_ode"},
                              {"ros2w (ODE23s)", "ros2w@index1_ode"},
                              {"dopri5, drift-free", "dopri5"},
                              {"bdf, drift-free", "bdf"},
                              {"ros2w, drift-free", "ros2w"},
                              {"rn4, drift-free", "rn4"},
                              {"radau5", "radau5"}};
  const int repetitions = options.quick ? 1 : 5;
  std::vector<Plot> plots;
  for (const GilPendulum& p : gil_pendulums()) {
    Prepared model = paper_model("double_pendulum_gil.yaml", p.set);
    if (!model.system) return bad_input;
    std::vector<Fig2Row> rows(ways.size());
    for (int k = 0; k < repetitions; ++k)
      for (std::size_t i = 0; i < ways.size(); ++i) {
        if (!fill(model, p, ways[i], rows[i])) return failed;
        rows[i].cpu.push_back(rows[i].run.report.cpu_seconds);
      }
    fmt::print("Fig. 2: double pendulum, {}, {:g} s; tolerances 1e-3, 1e-6 as MATLAB's\n\n", p.name,
               p.t_end);
    fmt::print("  {:<30}{:>7}{:>9}{:>13}{:>13}{:>13}{:>11}\n", "", "steps", "evals", "energy",
               "drift", "error", "CPU [ms]");
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const RunReport& r = rows[i].run.report;
      fmt::print("  {:<30}{:>7}{:>9}{:>13.1e}{:>13.1e}{:>13.1e}{:>11.2f}\n", ways[i].name,
                 r.driver.counters.steps, r.driver.counters.evaluations, rows[i].change,
                 r.residuals.position, reached_error(p, rows[i].run.end),
                 1e3 * median(rows[i].cpu));
    }
    fmt::print("\n");
    fig2_verdict(p, rows[0], rows[4], checks);
    Plot angle{.title = fmt::format("relative angle, {}", p.name),
               .x = {.label = "t [s]"},
               .y = {.label = "theta2 - theta1 [rad]"},
               .series = {rows[3].angle},
               .width = 480};
    Plot energy{.title = "change of energy",
                .x = {.label = "t [s]"},
                .y = {.label = "relative"},
                .series = {},
                .width = 480};
    for (int i : {0, 1, 4, 5, 6}) energy.series.push_back(rows[i].energy);
    plots.push_back(std::move(angle));
    plots.push_back(std::move(energy));
  }
  const std::string path = plot_file(options);
  write_file(path, to_svg(plots));
  fmt::print(
      "energy: largest change, relative; drift: largest scaled residual of the positions;\n"
      "error: reached at the end, against 20 digits\nwritten to {}\n",
      path);
  return finished;
}

/// A plot of ours, which nothing printed is held against: time against reached error, tolerances
/// from 1e-2 to 1e-9; for local linearization down to 1e-6, of order 2.
int gil_work(const Options& options, Checks&) {
  const std::vector<Way> ways = work_ways();
  const int repetitions = options.quick ? 1 : 3, smallest = options.quick ? 5 : 8;
  std::vector<Plot> plots;
  for (const GilPendulum& p : gil_pendulums()) {
    Prepared model = paper_model("double_pendulum_gil.yaml", p.set);
    if (!model.system) return bad_input;
    fmt::print("double pendulum, {}, {:g} s: reached error, steps, CPU [ms]\n\n", p.name, p.t_end);
    Plot of[2];  // drift-free, all coordinates
    for (int k = 0; k < 2; ++k)
      of[k] = {.title = fmt::format("{}, {}", p.name, k == 0 ? "drift-free" : "all coordinates"),
               .x = {.label = "reached error", .scale = AxisScale::logarithmic},
               .y = {.label = "CPU [s]", .scale = AxisScale::logarithmic},
               .series = {},
               .width = 480,
               .height = 480};
    std::vector<Work> all;
    for (const Way& way : ways) {
      PlotSeries series{way.name, {}, {}, PlotMark::line_and_points};
      const bool second = is_llm(way) || std::string_view(way.method).starts_with("ros2w");
      for (int k = 2; k <= std::min(smallest, second ? 6 : smallest); ++k) {
        const double tolerance = std::pow(10.0, -k);
        std::vector<double> cpu;
        GilRun run;
        for (int i = 0; i < repetitions; ++i) {
          SimulateOptions o = options_of(p, way);
          o.driver.tolerance = tolerance;
          run = gil_run(model, o);
          if (!run.finished) return failed;
          cpu.push_back(run.report.cpu_seconds);
        }
        const double error = reached_error(p, run.end);
        fmt::print("  {:<26}{:>8.0e}{:>12.1e}{:>9}{:>11.2f}\n", way.name, tolerance, error,
                   run.report.driver.counters.steps, 1e3 * median(cpu));
        series.x.push_back(error);
        series.y.push_back(median(cpu));
        all.push_back({&way, tolerance, error, median(cpu)});
      }
      const bool drifts = std::string_view(way.method).find("index1_ode") != std::string_view::npos;
      of[drifts ? 1 : 0].series.push_back(std::move(series));
    }
    fmt::print("\n");
    work_verdict(all);
    fmt::print("\n");
    for (Plot& plot : of) plots.push_back(std::move(plot));
  }
  const std::string path = plot_file(options);
  write_file(path, to_svg(plots));
  fmt::print("written to {}\n", path);
  return finished;
}

}  // namespace kardan::reproduce
