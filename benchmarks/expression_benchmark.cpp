/// What one evaluation of an expression costs; the counter s_per_op divides by its instructions.

#include <benchmark/benchmark.h>

#include <array>
#include <vector>

#include "kardan/base/expression.h"
#include "kardan/base/time_function.h"

namespace kardan {
namespace {

constexpr const char* polynomial = "a*x*x*x + b*x*x - c*x + d*y*x - y*y/a + 3*(x - y)*(x + y) - 7";
constexpr const char* spring = "k*(hypot(x - a, y - b) - l) + d*(vx*x + vy*y)/hypot(x, y)";
constexpr const char* branches = "x > 0.1 and y > 0 ? k*x : x < -1 ? -k*x : if(y > 2, x, y)";
constexpr const char* drive = "step(t, 0, 0, 1, 2.5) + 0.3*sin(2*pi*3*t)*exp(-0.5*t)";

Expression parsed(const char* text) {
  return Expression::parse(text).value();
}

void count_operations(benchmark::State& state, const Expression& expression) {
  state.counters["instructions"] = static_cast<double>(expression.size());
  state.counters["s_per_op"] =
      benchmark::Counter(static_cast<double>(state.iterations() * expression.size()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void evaluate_double(benchmark::State& state, const char* text) {
  const Expression expression = parsed(text);
  const std::vector<double> values(expression.names().size(), 0.7);
  for (auto _ : state) {
    benchmark::DoNotOptimize(values.data());
    benchmark::DoNotOptimize(expression.evaluate(values));
  }
  count_operations(state, expression);
}

template <int N>
void evaluate_dual(benchmark::State& state, const char* text) {
  using Number = Dual<double, N>;
  const Expression expression = parsed(text);
  std::vector<Number> values(expression.names().size(), Number(0.7));
  for (std::size_t i = 0; i < values.size(); ++i) values[i].d[i % N] = 1.0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(values.data());
    benchmark::DoNotOptimize(expression.evaluate<Number>(values));
  }
  count_operations(state, expression);
}

void evaluate_dual4(benchmark::State& state, const char* text) {
  evaluate_dual<4>(state, text);
}
void evaluate_dual12(benchmark::State& state, const char* text) {
  evaluate_dual<12>(state, text);
}

void evaluate_gradient(benchmark::State& state, const char* text) {
  const Expression expression = parsed(text);
  const std::vector<double> values(expression.names().size(), 0.7);
  std::vector<double> gradient(values.size());
  for (auto _ : state) {
    benchmark::DoNotOptimize(values.data());
    benchmark::DoNotOptimize(expression.evaluate_with_gradient(values, gradient));
    benchmark::ClobberMemory();
  }
  count_operations(state, expression);
}

void evaluate_jet(benchmark::State& state) {
  const Expression expression = parsed(drive);
  const TimeFunction function = TimeFunction::make(expression).value();
  double t = 0.4;
  for (auto _ : state) {
    benchmark::DoNotOptimize(t);
    benchmark::DoNotOptimize(function.at(t));
  }
  count_operations(state, expression);
}

void evaluate_nested_duals(benchmark::State& state) {
  using D1 = Dual<double, 1>;
  using D2 = Dual<D1, 1>;
  using D3 = Dual<D2, 1>;
  const Expression expression = parsed(drive);
  std::array<D3, 1> t{D3::variable(D2::variable(D1::variable(0.4)))};
  for (auto _ : state) {
    benchmark::DoNotOptimize(t.data());
    benchmark::DoNotOptimize(expression.evaluate<D3>(t));
  }
  count_operations(state, expression);
}

void parse_text(benchmark::State& state, const char* text) {
  for (auto _ : state) benchmark::DoNotOptimize(Expression::parse(text));
}

void look_up_spline(benchmark::State& state) {
  std::vector<double> x, y;
  for (int i = 0; i < 1000; ++i) {
    x.push_back(i);
    y.push_back(i % 7);
  }
  const Table table = Table::make(x, y, Interpolation::cubic_spline).value();
  double at = 0.5;
  for (auto _ : state) {
    at = at > 990.0 ? 0.5 : at + 1.37;
    benchmark::DoNotOptimize(table.at(at));
  }
}

BENCHMARK_CAPTURE(evaluate_double, polynomial, polynomial);
BENCHMARK_CAPTURE(evaluate_double, spring, spring);
BENCHMARK_CAPTURE(evaluate_double, branches, branches);
BENCHMARK_CAPTURE(evaluate_double, drive, drive);
BENCHMARK_CAPTURE(evaluate_dual4, polynomial, polynomial);
BENCHMARK_CAPTURE(evaluate_dual4, spring, spring);
BENCHMARK_CAPTURE(evaluate_dual12, polynomial, polynomial);
BENCHMARK_CAPTURE(evaluate_gradient, polynomial, polynomial);
BENCHMARK_CAPTURE(evaluate_gradient, spring, spring);
BENCHMARK(evaluate_jet);
BENCHMARK(evaluate_nested_duals);
BENCHMARK_CAPTURE(parse_text, spring, spring);
BENCHMARK(look_up_spline);

}  // namespace
}  // namespace kardan
