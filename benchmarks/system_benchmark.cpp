/// Cost of evaluating a compiled model: the vehicle, and chains whose cost per link must not depend
/// on their number.

#include <benchmark/benchmark.h>

#include <stdexcept>

#include "kardan/io/model_reader.h"
#include "kardan/model/resolve.h"
#include "kardan/run/prepare.h"

namespace kardan {
namespace {

Model read(const std::string& name, const ParameterValues& overrides) {
  Diagnostics diagnostics;
  auto model = read_model_file(std::string(KARDAN_MODELS) + "/" + name, overrides, diagnostics);
  if (!model) throw std::runtime_error(format(diagnostics));
  return *model;
}

struct Ready {
  std::unique_ptr<System> system;
  State state;
  Vector a, lambda;
  std::unique_ptr<Workspace> ws;
};

Ready ready(const std::string& name, const ParameterValues& overrides = {}) {
  const Model model = read(name, overrides);
  Diagnostics diagnostics;
  Ready r;
  r.system = compile_model(model, overrides, diagnostics);
  r.state = r.system->start();
  r.a.assign(r.system->sizes().v, 1.0);
  r.lambda.assign(r.system->sizes().constraints(), 1.0);
  r.ws = r.system->make_workspace();
  return r;
}

void check(Eval e) {
  if (e != Eval::ok) throw std::runtime_error("evaluation failed");
}

/// M, f, G, gamma, g.
void vehicle_evaluate(benchmark::State& state) {
  Ready r = ready("hmmwv.yaml");
  for (auto _ : state) check(r.system->evaluate(r.state, Request::all(), *r.ws));
}
BENCHMARK(vehicle_evaluate)->Unit(benchmark::kMicrosecond);

/// All derivatives at given accelerations and multipliers.
void vehicle_differentiate(benchmark::State& state) {
  Ready r = ready("hmmwv.yaml");
  check(r.system->evaluate(r.state, Request::all(), *r.ws));
  for (auto _ : state) check(r.system->differentiate(r.state, r.a, r.lambda, *r.ws));
}
BENCHMARK(vehicle_differentiate)->Unit(benchmark::kMicrosecond);

void andrews_evaluate(benchmark::State& state) {
  Ready r = ready("andrews.yaml");
  for (auto _ : state) check(r.system->evaluate(r.state, Request::all(), *r.ws));
}
BENCHMARK(andrews_evaluate)->Unit(benchmark::kMicrosecond);

void chain_evaluate(benchmark::State& state) {
  Ready r = ready("chain.yaml", {{"N", static_cast<double>(state.range(0))}});
  for (auto _ : state) check(r.system->evaluate(r.state, Request::all(), *r.ws));
  state.counters["per_link"] = benchmark::Counter(
      static_cast<double>(state.range(0)),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(chain_evaluate)->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMicrosecond);

void chain_differentiate(benchmark::State& state) {
  Ready r = ready("chain.yaml", {{"N", static_cast<double>(state.range(0))}});
  check(r.system->evaluate(r.state, Request::all(), *r.ws));
  for (auto _ : state) check(r.system->differentiate(r.state, r.a, r.lambda, *r.ws));
  state.counters["per_link"] = benchmark::Counter(
      static_cast<double>(state.range(0)),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(chain_differentiate)->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMicrosecond);

void chain_read(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(read("chain.yaml", {{"N", 10000}}));
}
BENCHMARK(chain_read)->Unit(benchmark::kMillisecond);

void chain_resolve(benchmark::State& state) {
  const Model model = read("chain.yaml", {{"N", 10000}});
  for (auto _ : state) {
    Diagnostics diagnostics;
    benchmark::DoNotOptimize(resolve(model, Catalog::builtin(), {{"N", 10000}}, diagnostics));
  }
}
BENCHMARK(chain_resolve)->Unit(benchmark::kMillisecond);

void chain_compile(benchmark::State& state) {
  const Model model = read("chain.yaml", {{"N", 10000}});
  Diagnostics diagnostics;
  const Blueprint blueprint = resolve(model, Catalog::builtin(), {{"N", 10000}}, diagnostics);
  for (auto _ : state) benchmark::DoNotOptimize(compile(blueprint, diagnostics));
}
BENCHMARK(chain_compile)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kardan
