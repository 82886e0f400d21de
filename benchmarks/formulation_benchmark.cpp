/// The state-space form in single coordinates against the form in the tangent space: the work a run
/// needs to reach an error of 1e-5 (positions and velocities at 100 times, |y - y_ref|/(1 +
/// |y_ref|)), interpolated between runs at tolerances from 1e-4 to 1e-7. Instructions: under
/// valgrind --tool=callgrind --toggle-collect='kardan::(anonymous namespace)::measured_run*'.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "kardan/formulation/state_space.h"
#include "kardan/integrate/driver.h"
#include "kardan/io/model_reader.h"
#include "kardan/run/prepare.h"

namespace kardan {
namespace {

constexpr double aim = 1e-5;
constexpr int grid_points = 100;

struct Job {
  std::string file;
  ParameterValues overrides;
  const char* method;
  double t_end;
  const char* reference;  // method of the reference, and its tolerance
  double reference_tolerance;
};

const std::vector<Job>& jobs() {
  static const std::vector<Job> all{
      {"andrews", {}, "rn4", 0.03, "dopri5", 1e-12},
      {"double_pendulum_welch", {}, "rn4", 2, "dopri5", 1e-12},
      {"n_four_bar_spatial", {}, "rn4", 0.6, "dopri5", 1e-12},
      {"chain", {{"N", 5}}, "rn4", 0.5, "dopri5", 1e-12},
      {"rolling_disc", {{"spin_factor", 0.7}}, "rn4", 1, "dopri5", 1e-12},
      {"hmmwv", {}, "rn4", 2, "rodasp", 1e-9}};
  return all;
}

struct Run {
  std::vector<State> grid;
  Counters counters;
  int choices = 0;
  double error = 0;
};

Run run(const Prepared& model, const char* method, double t_end, double tolerance,
        Parametrize choose) {
  Run out;
  StateSpace problem(*model.system, choose);
  DriverOptions options;
  options.tolerance = tolerance;
  State state = model.start.state;
  ChartPoint point;
  const Observer observer = [&](const StepView& step) {
    for (double t;
         static_cast<int>(out.grid.size()) < grid_points - 1 &&
         (t = static_cast<double>(out.grid.size() + 1) * t_end / grid_points) <= step.t;) {
      step.dense->at((t - (step.t - step.h)) / step.h, point);
      State s;
      if (step.problem->state_at(point, ChartProblem::Consistency::projected, s) != Eval::ok)
        return std::string("projection failed");
      out.grid.push_back(std::move(s));
    }
    return std::string();
  };
  const DriverReport report =
      integrate(problem, *find_method(method), state, t_end, options, observer);
  if (report.reason != Reason::finished) throw std::runtime_error(report.message);
  out.grid.push_back(state);
  out.counters = report.counters;
  out.choices = problem.partitions();
  return out;
}

double reached(const Run& run, const Run& reference) {
  double worst = 0;
  auto compare = [&](const std::vector<double>& a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
      worst = std::max(worst, std::abs(a[i] - b[i]) / (1 + std::abs(b[i])));
  };
  for (std::size_t k = 0; k < run.grid.size(); ++k) {
    compare(run.grid[k].p, reference.grid[k].p);
  }
  return worst;
}

/// log-log interpolation of work at the error aimed at, between the two runs nearest to it.
double at_aim(const std::vector<std::pair<double, double>>& error_and_work) {
  std::size_t k = 1;
  while (k + 1 < error_and_work.size() && error_and_work[k].first > aim) ++k;
  const auto& [e0, w0] = error_and_work[k - 1];
  const auto& [e1, w1] = error_and_work[k];
  return w0 * std::pow(w1 / w0, std::log(aim / e0) / std::log(e1 / e0));
}

void compare_formulations(benchmark::State& state, const Job& job, Parametrize choose) {
  Diagnostics diagnostics;
  const auto file =
      read_model_file(KARDAN_MODELS "/" + job.file + ".yaml", job.overrides, diagnostics);
  if (!file) throw std::runtime_error(format(diagnostics));
  const Prepared model = prepare(*file, job.overrides, diagnostics);
  const Run reference =
      run(model, job.reference, job.t_end, job.reference_tolerance, partition_coordinates);
  std::vector<std::pair<double, double>> steps, evaluations;
  int choices = 0;
  for (auto _ : state)
    for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7}) {
      const Run r = run(model, job.method, job.t_end, tolerance, choose);
      const double error = reached(r, reference);
      steps.emplace_back(error, r.counters.steps);
      evaluations.emplace_back(error, r.counters.evaluations);
      if (tolerance == 1e-6) choices = r.choices;
    }
  state.counters["steps"] = at_aim(steps);
  state.counters["evaluations"] = at_aim(evaluations);
  state.counters["choices"] = choices;
  state.counters["error_at_1e-6"] = steps[2].first;
}

const int registered = [] {
  for (const Job& job : jobs())
    for (const auto& [name, choose] : {std::pair("state_space", &partition_coordinates),
                                       std::pair("tangent_space", &span_tangent_space)})
      benchmark::RegisterBenchmark(fmt::format("formulation/{}/{}", job.file, name).c_str(),
                                   compare_formulations, job, choose)
          ->Iterations(1)
          ->Unit(benchmark::kMillisecond);
  return 0;
}();

}  // namespace
}  // namespace kardan
