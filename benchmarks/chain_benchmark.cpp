/// What a step of a long chain costs, by link: constant for methods whose work grows linearly.
///
/// Time is noisy; instructions per link and step come from two runs of different length, e.g.
///   valgrind --tool=callgrind kardan run models/chain.yaml --set N=1000 --step 1e-3 --t-end 0.004
///   (and 0.014) --method welch2
/// and the difference of their counts over 10 N.

#include <benchmark/benchmark.h>

#include "kardan/formulation/catalog.h"
#include "kardan/integrate/driver.h"
#include "kardan/io/model_reader.h"
#include "kardan/run/simulate.h"

namespace {

using namespace kardan;

constexpr int steps = 10;
constexpr double step = 1e-3;  // [s]

Prepared chain(int links) {
  Diagnostics diagnostics;
  const ParameterValues values{{"N", static_cast<double>(links)}};
  const auto model = read_model_file(KARDAN_MODELS "/chain.yaml", values, diagnostics);
  return model ? prepare(*model, values, diagnostics) : Prepared{};
}

void chain_steps(benchmark::State& state, const char* method, const OptionValues& options) {
  const int links = static_cast<int>(state.range(0));
  const Prepared model = chain(links);
  if (!model.system) return state.SkipWithError("the model could not be read");
  const Formulation& formulation = *find_formulation("all_coordinates");
  const auto problem = formulation.make(*model.system, complete_options(formulation.options, {}));
  DriverOptions driver;
  driver.fixed_step = step;
  driver.method_options = options;
  for (auto _ : state) {
    State end = model.start.state;
    const DriverReport report =
        integrate(*problem, *find_method(method), end, steps * step, driver, {});
    if (report.reason != Reason::finished) return state.SkipWithError("the run failed");
    const auto ws = model.system->make_workspace();
    const Residuals r = constraint_residuals(*model.system, end, {}, *ws);
    state.counters["position_residual"] = r.position;
    state.counters["velocity_residual"] = r.velocity;
  }
  state.counters["per_link_and_step"] = benchmark::Counter(
      static_cast<double>(links) * steps,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void chain_welch2(benchmark::State& state) {
  chain_steps(state, "welch2", {});
}
BENCHMARK(chain_welch2)->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond);

void chain_generalized_alpha(benchmark::State& state) {
  chain_steps(state, "generalized_alpha", {});
}
BENCHMARK(chain_generalized_alpha)->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond);

void chain_generalized_alpha_index3(benchmark::State& state) {
  chain_steps(state, "generalized_alpha", {{"constraints", "index3"}});
}
BENCHMARK(chain_generalized_alpha_index3)
    ->Arg(100)
    ->Arg(1000)
    ->Arg(10000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
