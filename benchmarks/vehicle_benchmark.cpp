/// The vehicle over its bump as `kardan run models/hmmwv.yaml --method rn4 --tol 1e-3 --t-end 4`
/// does it, certificate and events included, again and again: how much faster than real time.

#include <benchmark/benchmark.h>

#include <stdexcept>

#include "kardan/io/model_reader.h"
#include "kardan/run/simulate.h"

namespace kardan {
namespace {

void vehicle_over_bump(benchmark::State& state) {
  Diagnostics diagnostics;
  const auto file = read_model_file(KARDAN_MODELS "/hmmwv.yaml", {}, diagnostics);
  if (!file) throw std::runtime_error(format(diagnostics));
  SimulateOptions options;
  options.method = "rn4";
  options.driver.tolerance = 1e-3;
  options.t_end = 4;
  for (auto _ : state) {
    state.PauseTiming();
    Prepared model = prepare(*file, {}, diagnostics);
    state.ResumeTiming();
    const RunReport report = simulate(model, options, {}, diagnostics);
    if (report.driver.reason != Reason::finished) throw std::runtime_error(report.driver.message);
  }
  state.counters["real_time"] = benchmark::Counter(
      options.t_end, benchmark::Counter::kIsIterationInvariantRate);  // by CPU time
}
BENCHMARK(vehicle_over_bump)->Unit(benchmark::kMillisecond)->MinTime(2);

}  // namespace
}  // namespace kardan
