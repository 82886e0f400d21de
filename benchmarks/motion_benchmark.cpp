/// What the solvers of M a + G' lambda = f take for one factorization and one solution, on the
/// matrices of models: the figures of docs/understand/measurements.md.

#include <benchmark/benchmark.h>

#include <string>

#include "kardan/formulation/motion_blocks.h"
#include "kardan/io/load.h"
#include "kardan/linalg/motion/mass_elimination.h"
#include "kardan/linalg/motion/motion_solver.h"
#include "kardan/linalg/motion/null_space_solver.h"
#include "kardan/linalg/motion/saddle.h"
#include "kardan/run/prepare.h"

namespace {

using namespace kardan;

/// A model at its start, evaluated.
struct Evaluated {
  Evaluated(const std::string& name, const ParameterValues& values) {
    Diagnostics diagnostics;
    loaded = load_model(std::string(KARDAN_MODELS) + "/" + name, values, IncludeFrom::model_folder,
                        diagnostics);
    if (!loaded) return;
    prepared = prepare(loaded->model, values, diagnostics);
    ws = prepared.system->make_workspace();
    ok = prepared.system->evaluate(prepared.start.state, Request::all(), *ws) == Eval::ok;
    a = ws->f;
    lambda = ws->gamma;
  }
  std::optional<LoadedModel> loaded;
  Prepared prepared;
  std::unique_ptr<Workspace> ws;
  Vector a, lambda;
  bool ok = false;
  bool masses_change = false;  ///< from one factorization to the next
};

/// Measures factor(model) and solve(a, lambda).
template <class Factor, class Solve>
void measure(benchmark::State& state, Evaluated& model, Factor&& factor, Solve&& solve) {
  if (!model.ok || factor() != Eval::ok) return state.SkipWithError("cannot be factored");
  double factor_of_mass = 1 + 1e-12;
  for (auto _ : state) {
    if (model.masses_change) {
      model.ws->M.values[0] *= factor_of_mass;
      factor_of_mass = 1 / factor_of_mass;
    }
    benchmark::DoNotOptimize(factor());
    Vector a = model.ws->f, lambda = model.ws->gamma;
    solve(a, lambda);
    benchmark::DoNotOptimize(a.data());
  }
  state.counters["unknowns"] = static_cast<double>(model.a.size() + model.lambda.size());
}

void with_motion_solver(benchmark::State& state, Evaluated& model) {
  if (!model.ok) return state.SkipWithError("not evaluated");
  const Workspace& ws = *model.ws;
  MotionSolver solver(ws.M, ws.G.pattern);
  measure(
      state, model, [&] { return solver.factor(ws.M, ws.G); },
      [&](Vector& a, Vector& lambda) { solver.solve(a, lambda); });
}

void with_null_space(benchmark::State& state, Evaluated& model) {
  if (!model.ok) return state.SkipWithError("not evaluated");
  const Workspace& ws = *model.ws;
  const auto is_full = [](const SparsePattern& p) { return p.nonzeros() == p.rows * p.cols; };
  if (!NullSpaceSolver::serves(ws.G.cols(), ws.G.rows()) || !is_full(*ws.M.pattern) ||
      !is_full(*ws.G.pattern))
    return state.SkipWithError("does not serve");
  NullSpaceSolver solver(ws.G.cols(), ws.G.rows());
  measure(
      state, model, [&] { return solver.factor(ws.M.values, ws.G.values); },
      [&](Vector& a, Vector& lambda) { solver.solve(a, lambda); });
}

void with_elimination(benchmark::State& state, Evaluated& model) {
  if (!model.ok) return state.SkipWithError("not evaluated");
  const Workspace& ws = *model.ws;
  MassElimination solver(ws.M.pattern, ws.G.pattern);
  if (solver.factor_mass(ws.M.values) != Eval::ok) return state.SkipWithError("does not serve");
  measure(
      state, model,
      [&] {
        const Eval e = solver.factor_mass(ws.M.values);
        return e == Eval::ok ? solver.factor(ws.G.values) : e;
      },
      [&](Vector& a, Vector& lambda) { solver.solve(a, lambda); });
}

void with_saddle(benchmark::State& state, Evaluated& model) {
  if (!model.ok) return state.SkipWithError("not evaluated");
  const Workspace& ws = *model.ws;
  Saddle solver(ws.M.pattern, ws.G.pattern);
  measure(
      state, model, [&] { return solver.factor(ws.M.values, ws.G.values, Matrix(), 1.0); },
      [&](Vector& a, Vector& lambda) { solver.solve(a, lambda); });
}

void with_matrix(benchmark::State& state, Evaluated& model) {
  if (!model.ok) return state.SkipWithError("not evaluated");
  const Workspace& ws = *model.ws;
  MotionPatterns patterns = motion_patterns(*model.prepared.system);
  MotionMatrix solver(patterns);
  const std::vector<char> active(model.lambda.size(), 1);
  Vector x(static_cast<std::size_t>(solver.size()), 0.0);
  measure(
      state, model, [&] { return solver.factor(motion_values(ws), active); },
      [&](Vector& a, Vector& lambda) {
        std::copy(a.begin(), a.end(), x.begin());
        std::copy(lambda.begin(), lambda.end(), x.begin() + static_cast<std::ptrdiff_t>(a.size()));
        solver.solve(x);
      });
}

bool register_all() {
  struct Case {
    const char *name, *file;
    ParameterValues values;
    bool masses_change;
  };
  const Case cases[] = {{"angles_of_andrews", "andrews_minimal.yaml", {}, true},
                        {"slider_crank", "slider_crank_haug.yaml", {}, false},
                        {"andrews", "andrews.yaml", {}, false},
                        {"vehicle", "hmmwv.yaml", {}, false},
                        {"chain_100", "chain.yaml", {{"N", 100}}, false}};
  const std::pair<const char*, void (*)(benchmark::State&, Evaluated&)> solvers[] = {
      {"motion_solver", with_motion_solver},
      {"null_space", with_null_space},
      {"elimination", with_elimination},
      {"saddle", with_saddle},
      {"matrix", with_matrix}};
  for (const Case& c : cases)
    for (const auto& [solver, run] : solvers)
      benchmark::RegisterBenchmark(("motion/" + std::string(c.name) + "/" + solver).c_str(),
                                   [c, run = run](benchmark::State& state) {
                                     Evaluated model(c.file, c.values);
                                     model.masses_change = c.masses_change;
                                     run(state, model);
                                   })
          ->Unit(benchmark::kMicrosecond);
  return true;
}
const bool all_registered = register_all();

}  // namespace
