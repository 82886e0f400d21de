#include "apps/python/bindings/studies.h"

#include <atomic>

#include "apps/python/bindings/convert.h"
#include "apps/python/bindings/interpreter.h"
#include "kardan/base/crew.h"
#include "kardan/study/study.h"
#include "kardan/study/study_reader.h"

namespace kardan::python {
namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

class Plan {
 public:
  Plan(std::optional<StudyPlan> plan, std::string from, const Diagnostics& faults)
      : file(std::move(from)) {
    raise_errors(faults);
    plan_ = std::make_shared<const StudyPlan>(std::move(*plan));
  }

  const std::string file;

  const StudyPlan& it() const { return *plan_; }

  /// The rows of runs first to before last.
  Numbers rows(std::uint64_t first, std::uint64_t last, int threads) const {
    const std::uint64_t end = std::min(last, plan_->design->runs());
    const std::uint64_t count = end > first ? end - first : 0;
    const RowShape shape(*plan_);
    Numbers out({static_cast<py::ssize_t>(count), static_cast<py::ssize_t>(shape.width())});
    double* const data = out.mutable_data();
    bool interrupted = false;
    {
      const Unlocked unlocked;
      for_each_piece(count, threads, [&](std::uint64_t i, int member) {
        WholeRun whole;
        do_run(*plan_, shape, first + i, {data + i * shape.width(), shape.width()}, whole);
        if (member != 0) return true;
        const Locked lock;  // Ctrl-C
        interrupted = PyErr_CheckSignals() != 0;
        return !interrupted;
      });
    }
    if (interrupted) throw py::error_already_set();
    return out;
  }

 private:
  std::shared_ptr<const StudyPlan> plan_;
};

Plan read_plan(const std::string& path) {
  Diagnostics faults;
  auto plan = read_study(path, faults);
  return {std::move(plan), path, faults};
}

Plan read_plan_text(const std::string& text, const std::string& file,
                    const std::optional<std::string>& model_text) {
  Diagnostics faults;
  auto plan = read_study_text(text, file, model_text, faults);
  return {std::move(plan), file, faults};
}

StudyStore opened(const std::string& path, RunTable::Access access) {
  Diagnostics faults;
  auto store = StudyStore::open(path, access, faults);
  raise_errors(faults);
  return std::move(*store);
}

py::array_t<bool> done_of(const StudyStore& store) {
  py::array_t<bool> out(static_cast<py::ssize_t>(store.table().rows()));
  bool* const data = out.mutable_data();
  std::fill_n(data, store.table().rows(), false);
  store.table().scan([&](std::uint64_t run, std::span<const double>) { data[run] = true; });
  return out;
}

py::tuple rows_of(const StudyStore& store) {
  const std::uint64_t count = store.done();
  const std::size_t width = store.shape().width();
  py::array_t<std::uint64_t> runs(static_cast<py::ssize_t>(count));
  Numbers rows({static_cast<py::ssize_t>(count), static_cast<py::ssize_t>(width)});
  std::uint64_t* const run_data = runs.mutable_data();
  double* const row_data = rows.mutable_data();
  std::uint64_t i = 0;
  store.table().scan([&](std::uint64_t run, std::span<const double> row) {
    if (i == count) return;  // written meanwhile
    run_data[i] = run;
    std::ranges::copy(row, row_data + i * width);
    ++i;
  });
  return py::make_tuple(runs, rows);
}

void write_rows(StudyStore& store, std::uint64_t first, const Numbers& rows) {
  const std::size_t width = store.shape().width();
  if (rows.ndim() != 2 || static_cast<std::size_t>(rows.shape(1)) != width)
    throw py::value_error("rows of another study");
  for (py::ssize_t i = 0; i < rows.shape(0); ++i)
    store.table().write(first + static_cast<std::uint64_t>(i),
                        {rows.data() + static_cast<std::size_t>(i) * width, width});
}

py::dict statistics_of(StudyStore& store, bool keep) {
  const StudyResults r = store.reduce();
  if (keep) store.keep(r);
  const StudyStatistics& s = r.statistics;
  const std::vector<std::string> names = store.shape().names();
  py::dict out, not_met, moments;
  out["runs"] = s.runs;
  out["failed"] = s.failed;
  out["amber"] = s.amber;
  not_met["runs"] = s.not_met.hits;
  not_met["of"] = s.not_met.trials;
  not_met["share"] = s.not_met.value;
  if (store.drawn()) not_met["interval_95"] = std::vector{s.not_met.low, s.not_met.high};
  out["not_met"] = not_met;
  for (std::size_t i = 0; i < s.moments.size(); ++i) {
    const Moments& m = s.moments[i];
    py::dict one, quantiles;
    one["count"] = m.count;
    one["mean"] = m.mean;
    one["deviation"] = m.deviation;
    one["smallest"] = m.smallest;
    one["smallest_run"] = m.smallest_run;
    one["largest"] = m.largest;
    one["largest_run"] = m.largest_run;
    for (std::size_t k = 0; k < store.shares().size(); ++k)
      quantiles[py::float_(store.shares()[k])] = r.quantiles[i][k];
    one["quantiles"] = quantiles;
    moments[py::str(names[i])] = one;
  }
  out["values"] = moments;
  Numbers correlation({s.correlation.size(), s.correlation.size()});
  double* at = correlation.mutable_data();
  for (const auto& row : s.correlation) at = std::ranges::copy(row, at).out;
  out["correlation"] = correlation;
  if (!r.sensitivities) return out;
  py::dict all;
  for (std::size_t k = 0; k < r.sensitivities->of.size(); ++k) {
    py::dict of;
    for (std::size_t j = 0; j < r.sensitivities->of[k].size(); ++j) {
      const Sensitivity& x = r.sensitivities->of[k][j];
      py::dict one;
      one["first"] = x.first;
      one["first_error"] = x.first_error;
      one["total"] = x.total;
      one["total_error"] = x.total_error;
      of[py::str(store.shape().parameters()[j])] = one;
    }
    all[py::str(store.shape().kept()[k])] = of;
  }
  out["sobol"] = all;
  return out;
}

}  // namespace

void bind_studies(py::module_& module) {
  py::class_<Plan>(module, "StudyPlan")
      .def(py::init(&read_plan), py::arg("path"))
      .def_static("read", &read_plan_text, py::arg("text"), py::arg("file"), py::arg("model_text"))
      .def("rows", &Plan::rows, py::arg("first"), py::arg("last"), py::arg("threads"))
      .def_property_readonly("title", [](const Plan& p) { return p.it().title; })
      .def_property_readonly("runs", [](const Plan& p) { return p.it().design->runs(); })
      .def_readonly("file", &Plan::file)
      .def_property_readonly("text", [](const Plan& p) { return p.it().text; })
      .def_property_readonly("model_text", [](const Plan& p) { return p.it().model_text; })
      .def("create",
           [](const Plan& p, const std::string& path) { StudyStore::create(path, p.it()); });
  py::class_<StudyStore>(module, "StudyStore")
      .def(py::init([](const std::string& path, bool write) {
             return opened(path, write ? RunTable::Access::write : RunTable::Access::read);
           }),
           py::arg("path"), py::arg("write"))
      .def_property_readonly("title", &StudyStore::title)
      .def_property_readonly("runs", [](const StudyStore& s) { return s.table().rows(); })
      .def_property_readonly("columns", [](const StudyStore& s) { return s.shape().names(); })
      .def_property_readonly("parameters",
                             [](const StudyStore& s) { return s.shape().parameters(); })
      .def_property_readonly("kept", [](const StudyStore& s) { return s.shape().kept(); })
      .def("done", &done_of)
      .def("rows", &rows_of)
      .def("write", &write_rows, py::arg("first"), py::arg("rows"))
      .def("statistics", &statistics_of, py::arg("keep"))
      .def("belongs_to",
           [](const StudyStore& s, const Plan& p) {
             Diagnostics faults;
             s.belongs_to(p.it(), faults);
             raise_errors(faults);
           })
      .def("sync", [](StudyStore& s) { s.table().sync(); });
  module.def("reason_name", [](int reason) { return reason_name(reason); });
}

}  // namespace kardan::python
