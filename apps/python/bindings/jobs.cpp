/// check, assemble, equilibrium, linearize: what is known at the start.

#include "apps/python/bindings/stopping.h"
#include "kardan/io/start_json.h"
#include "kardan/run/linearize.h"

namespace kardan::python {

std::shared_ptr<Task> start(const Source& source, const ParameterValues& overrides, StartAt at,
                            const WallLimit& limit) {
  std::shared_ptr<Task> task = source.task();
  without_lock(task->raised, limit, [&] { task->prepare(overrides, at); });
  raise_errors(task->diagnostics);
  return task;
}

py::object modes(Task& task, bool frozen) {
  Linearization found;
  without_lock(task.raised, {}, [&] {
    found = linearize(task.prepared(), ModeShapes::find, frozen ? ModesOf::frozen : ModesOf::motion,
                      task.functions());
  });
  Json report = found.status == Eval::ok
                    ? to_json(task.system(), task.prepared().start.state.t, found)
                    : Json::object();
  report["message"] = found.message;
  report["advice"] = found.advice;
  return to_python(report);
}

namespace {

py::object check(const Source& source, const py::dict& set) {
  const auto task = start(source, to_overrides(set), StartAt::as_told, {});
  Json report;
  without_lock(task->raised, {}, [&] {
    const CheckReport found = check_start(task->prepared());
    report = to_json(task->system(), found);
    report["consistent"] = found.assembly.status == Eval::ok;
    report["message"] = found.assembly.message;
    report["advice"] = found.assembly.advice;
  });
  return to_python(report);
}

py::object prepare(const Source& source, const py::dict& set, bool balanced) {
  const auto task =
      start(source, to_overrides(set), balanced ? StartAt::equilibrium : StartAt::as_told, {});
  Json report = to_json(task->prepared());
  report["advice"] = task->prepared().start.report.advice;
  return to_python(report);
}

py::object linearize_start(const Source& source, const py::dict& set, bool frozen) {
  const auto task = start(source, to_overrides(set), StartAt::as_told, {});
  const AssemblyReport& report = task->prepared().start.report;
  if (report.status == Eval::ok) {
    return modes(*task, frozen);
  }
  return to_python(Json{{"message", report.message}, {"advice", report.advice}});
}

py::array_t<double> dense(const SparseMatrix& A) {
  py::array_t<double> out({A.rows(), A.cols()});
  std::fill_n(out.mutable_data(), out.size(), 0.0);
  auto view = out.mutable_unchecked<2>();
  const SparsePattern& pattern = *A.pattern;
  for (int i = 0; i < A.rows(); ++i)
    for (int k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k)
      view(i, pattern.column[k]) = A.values[k];
  return out;
}

py::array_t<double> copied(const Vector& x) {
  return py::array_t<double>(static_cast<py::ssize_t>(x.size()), x.data());
}

/// The terms of the general equations and their derivatives at the start, or at other values of the
/// variables.
py::dict matrices(const Source& source, const py::dict& set, const py::dict& at) {
  const auto task = start(source, to_overrides(set), StartAt::as_told, {});
  const System& system = task->system();
  ConsistentStart point = task->prepared().start;
  const auto put = [&](const char* key, Vector& target) {
    if (!at.contains(key)) return;
    const auto given = at[key].cast<std::vector<double>>();
    if (given.size() != target.size())
      throw py::value_error(std::string(key) + ": got " + std::to_string(given.size()) +
                            " numbers; wanted " + std::to_string(target.size()));
    target = given;
  };
  State& state = point.state;
  if (at.contains("t")) state.t = at["t"].cast<double>();
  put("p", state.p);
  put("v", state.v);
  put("r", state.r);
  put("w", state.w);
  put("s", state.s);
  put("a", point.a);
  put("lambda_", point.lambda);
  if (!state.lambda.empty()) state.lambda = point.lambda;
  const auto ws = system.make_workspace();
  Eval status = system.evaluate(state, Request::all(), *ws);
  if (status == Eval::ok) status = system.differentiate(state, point.a, point.lambda, *ws);
  if (status == Eval::ok) status = system.invariants(state, *ws);
  task->raised.rethrow();
  if (status != Eval::ok) throw py::value_error("the equations cannot be evaluated there");
  py::dict out;
  out["t"] = state.t;
  const std::pair<const char*, const Vector*> vectors[] = {{"p", &state.p},
                                                           {"v", &state.v},
                                                           {"r", &state.r},
                                                           {"w", &state.w},
                                                           {"s", &state.s},
                                                           {"a", &point.a},
                                                           {"lambda_", &point.lambda},
                                                           {"g", &ws->g},
                                                           {"rate", &ws->rate},
                                                           {"g_t", &ws->g_t},
                                                           {"gamma", &ws->gamma},
                                                           {"f", &ws->f},
                                                           {"b", &ws->b},
                                                           {"d", &ws->d},
                                                           {"accel", &ws->accel},
                                                           {"rate_t", &ws->rate_t},
                                                           {"accel_t", &ws->accel_t},
                                                           {"f_t", &ws->f_t},
                                                           {"b_t", &ws->b_t},
                                                           {"d_t", &ws->d_t},
                                                           {"e", &ws->e}};
  for (const auto& [key, x] : vectors) out[key] = copied(*x);
  const std::pair<const char*, const SparseMatrix*> tables[] = {{"M", &ws->M},
                                                                {"G", &ws->G},
                                                                {"rate_p", &ws->rate_p},
                                                                {"accel_p", &ws->accel_p},
                                                                {"accel_v", &ws->accel_v},
                                                                {"f_p", &ws->f_p},
                                                                {"f_v", &ws->f_v},
                                                                {"aux_p", &ws->aux_p},
                                                                {"aux_v", &ws->aux_v},
                                                                {"aux_aux", &ws->aux_aux},
                                                                {"force_aux", &ws->force_aux},
                                                                {"force_lambda", &ws->force_lambda},
                                                                {"aux_lambda", &ws->aux_lambda},
                                                                {"e_p", &ws->e_p},
                                                                {"e_v", &ws->e_v}};
  for (const auto& [key, A] : tables)
    if (!A->values.empty()) out[key] = dense(*A);
  return out;
}

}  // namespace

void bind_jobs(py::module_& module) {
  module.def("matrices", &matrices);
  module.def("check", &check);
  module.def("prepare", &prepare);
  module.def("linearize", &linearize_start);
}

}  // namespace kardan::python
