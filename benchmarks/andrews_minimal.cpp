/// Andrews' mechanism in minimal form (7 angles, 6 constraints): radau5 on the strangeness-free
/// form beside IDA of SUNDIALS on index 1 and on the form of Gear, Gupta and Leimkuhler, both with
/// exact Jacobians from the same evaluations. The label is the error of the positions reached at
/// the end.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>

#include "andrews_reference.h"
#include "kardan/formulation/catalog.h"
#include "kardan/integrate/driver.h"

namespace kardan {
namespace {

void radau(benchmark::State& bench, const char* method) {
  const AndrewsReference& model = andrews();
  const Formulation& f = *find_formulation("strangeness_free");
  const Method& chosen = *find_method(method);
  DriverOptions options;
  options.tolerance = std::pow(10.0, -static_cast<double>(bench.range(0)) / 2);
  State state;
  DriverReport report;
  for (auto _ : bench) {
    const auto dae = f.make(*model.problem.system, complete_options(f.options, {}));
    state = model.start.state;
    report = integrate(*dae, chosen, state, model.end().t, options, {});
  }
  bench.SetLabel(
      fmt::format("error {:.1e}, {} steps, {} evaluations, {} jacobians, {} rejected, {} failed",
                  model.error(state.p.data()), report.counters.steps, report.counters.evaluations,
                  report.counters.jacobians, report.counters.rejected, report.counters.failed));
}

void radau5(benchmark::State& bench) {
  radau(bench, "radau5");
}
void radau9(benchmark::State& bench) {
  radau(bench, "radau9");
}

/// Unknowns (q, v, lambda) or, for GGL, (q, v, lambda, eta).
class Ida {
 public:
  Ida(const AndrewsReference& model, bool ggl)
      : model_(model), ggl_(ggl), ws_(model.problem.system->make_workspace()) {
    n_ = model.problem.system->sizes().v;
    m_ = model.problem.system->sizes().lambda;
    state_ = model.start.state;
    SUNContext_Create(nullptr, &context_);
    y_ = N_VNew_Serial(size(), context_);
    dy_ = N_VNew_Serial(size(), context_);
    absolute_ = N_VNew_Serial(size(), context_);
    id_ = N_VNew_Serial(size(), context_);
    matrix_ = SUNDenseMatrix(size(), size(), context_);
    solver_ = SUNLinSol_Dense(y_, matrix_, context_);
  }
  ~Ida() {
    SUNLinSolFree(solver_);
    SUNMatDestroy(matrix_);
    for (N_Vector v : {y_, dy_, absolute_, id_}) N_VDestroy(v);
    SUNContext_Free(&context_);
  }
  Ida(const Ida&) = delete;
  Ida& operator=(const Ida&) = delete;

  /// Integrates to the end; what IDA answers.
  int run(double tolerance) {
    void* memory = IDACreate(context_);
    N_VConst(0, y_);
    N_VConst(0, dy_);
    N_VConst(0, id_);
    // The multipliers of the index-2 form are not tested: their errors are large by nature.
    N_VConst(1e10, absolute_);
    double *y = N_VGetArrayPointer(y_), *dy = N_VGetArrayPointer(dy_);
    for (int i = 0; i < n_; ++i) {
      y[i] = model_.start.state.p[i];
      y[n_ + i] = dy[i] = model_.start.state.v[i];
      dy[n_ + i] = model_.start.a[i];
    }
    for (int i = 0; i < 2 * n_; ++i) {
      N_VGetArrayPointer(absolute_)[i] = tolerance;
      N_VGetArrayPointer(id_)[i] = 1;
    }
    for (int i = 0; i < m_; ++i) y[2 * n_ + i] = model_.start.lambda[i];
    IDASetUserData(memory, this);
    IDAInit(memory, residual, 0, y_, dy_);
    IDASVtolerances(memory, tolerance, absolute_);
    IDASetId(memory, id_);
    IDASetSuppressAlg(memory, SUNTRUE);
    IDASetMaxNumSteps(memory, 100000);
    IDASetLinearSolver(memory, solver_, matrix_);
    IDASetJacFn(memory, jacobian);
    IDASetStopTime(memory, model_.end().t);
    double t = 0;
    const int answer = IDASolve(memory, model_.end().t, &t, y_, dy_, IDA_NORMAL);
    IDAGetNumSteps(memory, &steps);
    IDAGetNumResEvals(memory, &evaluations);
    IDAFree(&memory);
    return answer;
  }
  const double* positions() const { return N_VGetArrayPointer(y_); }
  long steps = 0, evaluations = 0;

 private:
  int size() const { return 2 * n_ + (ggl_ ? 2 : 1) * m_; }
  Eval evaluate(double t, const double* y) {
    state_.t = t;
    std::copy_n(y, n_, state_.p.begin());
    std::copy_n(y + n_, n_, state_.v.begin());
    return model_.problem.system->evaluate(
        state_, {.position = ggl_, .velocity = true, .acceleration = !ggl_, .force = true}, *ws_);
  }
  static int answer(Eval e) { return e == Eval::ok ? 0 : 1; }

  static int residual(realtype t, N_Vector y_vector, N_Vector dy_vector, N_Vector out, void* self) {
    Ida& me = *static_cast<Ida*>(self);
    const double *y = N_VGetArrayPointer(y_vector), *dy = N_VGetArrayPointer(dy_vector);
    double* F = N_VGetArrayPointer(out);
    if (Eval e = me.evaluate(t, y); e != Eval::ok) return answer(e);
    const Workspace& ws = *me.ws_;
    const auto n = static_cast<std::size_t>(me.n_), m = static_cast<std::size_t>(me.m_);
    for (std::size_t i = 0; i < n; ++i) F[i] = dy[i] - y[n + i];
    ws.M.multiply({dy + n, n}, {F + n, n});
    ws.G.multiply_transposed_add(1, {y + 2 * n, m}, {F + n, n});
    add_scaled(-1, ws.f, {F + n, n});
    if (me.ggl_) {
      ws.G.multiply_transposed_add(1, {y + 2 * n + m, m}, {F, n});
      std::copy_n(ws.rate.begin(), m, F + 2 * n);
      std::copy_n(ws.g.begin(), m, F + 2 * n + m);
    } else {
      ws.G.multiply({dy + n, n}, {F + 2 * n, m});
      add_scaled(-1, ws.gamma, {F + 2 * n, m});
    }
    return 0;
  }

  static int jacobian(realtype t, realtype c, N_Vector y_vector, N_Vector dy_vector, N_Vector,
                      SUNMatrix J, void* self, N_Vector, N_Vector, N_Vector) {
    Ida& me = *static_cast<Ida*>(self);
    const double *y = N_VGetArrayPointer(y_vector), *dy = N_VGetArrayPointer(dy_vector);
    if (Eval e = me.evaluate(t, y); e != Eval::ok) return answer(e);
    const auto n = static_cast<std::size_t>(me.n_), m = static_cast<std::size_t>(me.m_);
    Workspace& ws = *me.ws_;
    if (Eval e =
            me.model_.problem.system->differentiate(me.state_, {dy + n, n}, {y + 2 * n, m}, ws);
        e != Eval::ok)
      return answer(e);
    SUNMatZero(J);
    auto add = [&](const SparseMatrix& block, int row, int col, double factor, bool transposed) {
      const SparsePattern& p = *block.pattern;
      for (int i = 0; i < p.rows; ++i)
        for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k) {
          const int r = transposed ? p.column[k] : i, q = transposed ? i : p.column[k];
          SM_ELEMENT_D(J, row + r, col + q) += factor * block.values[k];
        }
    };
    const int v = me.n_, l = 2 * me.n_, eta = l + me.m_;
    for (int i = 0; i < me.n_; ++i) {
      SM_ELEMENT_D(J, i, i) = c;
      SM_ELEMENT_D(J, i, v + i) = -1;
    }
    add(ws.f_p, v, 0, -1, false);
    add(ws.f_v, v, v, -1, false);
    add(ws.M, v, v, c, false);
    add(ws.G, v, l, 1, true);
    if (me.ggl_) {
      add(ws.G, 0, eta, 1, true);
      add(ws.rate_p, l, 0, 1, false);
      add(ws.G, l, v, 1, false);
      add(ws.G, eta, 0, 1, false);
    } else {
      add(ws.accel_p, l, 0, 1, false);
      add(ws.accel_v, l, v, 1, false);
      add(ws.G, l, v, c, false);
    }
    return 0;
  }

  const AndrewsReference& model_;
  bool ggl_;
  std::unique_ptr<Workspace> ws_;
  int n_ = 0, m_ = 0;
  State state_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr, dy_ = nullptr, absolute_ = nullptr, id_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;
};

void ida(benchmark::State& bench, bool ggl) {
  const AndrewsReference& model = andrews();
  Ida solver(model, ggl);
  int answer = 0;
  for (auto _ : bench)
    answer = solver.run(std::pow(10.0, -static_cast<double>(bench.range(0)) / 2));
  bench.SetLabel(fmt::format("error {:.1e}, {} steps, {} evaluations, answer {}",
                             model.error(solver.positions()), solver.steps, solver.evaluations,
                             answer));
}
void ida_index_1(benchmark::State& bench) {
  ida(bench, false);
}
void ida_ggl(benchmark::State& bench) {
  ida(bench, true);
}

// Tolerances 10^(-k/2).
BENCHMARK(radau5)->DenseRange(6, 18, 1)->Unit(benchmark::kMillisecond);
BENCHMARK(radau9)->DenseRange(6, 18, 1)->Unit(benchmark::kMillisecond);
BENCHMARK(ida_index_1)->DenseRange(8, 22, 1)->Unit(benchmark::kMillisecond);
BENCHMARK(ida_ggl)->DenseRange(8, 22, 1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kardan
