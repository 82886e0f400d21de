/// Results as arrays: of runs, and of files.

#include "apps/python/bindings/run.h"
#include "kardan/io/csv_result.h"
#include "kardan/io/output_file.h"
#include "kardan/io/result_writer.h"
#include "kardan/io/stored_result.h"

namespace kardan::python {

py::array ResultRows::rows(const std::shared_ptr<ResultRows>& self) {
  const auto width = static_cast<py::ssize_t>(self->layout().width);
  const auto count = static_cast<py::ssize_t>(self->rows_.size()) / width;
  py::array_t<double> array({count, width}, self->rows_.data(), py::cast(self));
  array.attr("flags").attr("writeable") = false;
  return array;
}

py::dict ResultRows::steps(const std::shared_ptr<ResultRows>& self) {
  static const StepRecord none;
  const auto& steps = self->steps_;
  const StepRecord& first = steps.empty() ? none : steps.front();
  const auto count = static_cast<py::ssize_t>(steps.size());
  const auto stride = static_cast<py::ssize_t>(sizeof(StepRecord));
  const py::object owner = py::cast(self);
  py::dict out;
  const auto put = [&]<class T>(const char* name, const T& member) {
    py::array_t<T> array({count}, {stride}, &member, owner);
    array.attr("flags").attr("writeable") = false;
    out[name] = array;
  };
  put("t", first.t);
  put("h", first.h);
  put("error", first.error);
  put("rejected", first.rejected);
  put("position", first.residuals.position);
  put("velocity", first.residuals.velocity);
  put("acceleration", first.residuals.acceleration);
  put("kinetic", first.kinetic);
  put("potential", first.potential);
  put("work", first.work);
  put("unbalanced", first.unbalanced);
  return out;
}

py::dict ResultRows::columns() const {
  py::dict out;
  for (const ResultColumn& c : layout().columns)
    if (c.chosen) out[py::str(c.name)] = py::make_tuple(c.at, c.unit);
  return out;
}

py::dict ResultRows::blocks() const {
  py::dict out;
  for (const ResultBlock& b : layout().blocks)
    out[py::str(b.name)] = py::make_tuple(b.first, b.items, b.components, b.units, b.doc);
  return out;
}

std::unique_ptr<OutputGuard> ResultRows::guard(const std::vector<std::string>& paths,
                                               bool force) const {
  std::vector<Output> outputs;
  for (const std::string& path : paths)
    outputs.push_back({"out", path, OutputKind::result, csv_header(layout())});
  Diagnostics faults;
  auto guard =
      std::make_unique<OutputGuard>(std::vector<std::string>(), outputs,
                                    force ? Overwrite::anything : Overwrite::own_files, faults);
  raise_errors(faults);
  return guard;
}

void ResultRows::write(const std::vector<std::string>& paths, const std::string& viewer,
                       bool force) {
  const auto claimed = guard(paths, force);
  Diagnostics faults;
  const ResultResources resources{viewer};
  const auto sinks = open_results(paths, resources, faults);
  raise_errors(faults);
  const ResultDescription description = describe();
  const auto width = static_cast<std::size_t>(layout().width);
  for (const auto& sink : sinks) {
    sink->begin(description);
    for (std::size_t i = 0; i < rows_.size(); i += width) sink->row({rows_.data() + i, width});
    for (const StepRecord& step : steps_) sink->step(step);
    sink->end(report_);
  }
}

namespace {

/// A result read from a file.
class StoredRows final : public ResultRows, public ResultSink {
 public:
  void begin(const ResultDescription& description) override { description_ = description; }
  void row(std::span<const double> row) override {
    rows_.insert(rows_.end(), row.begin(), row.end());
  }
  void step(const StepRecord& step) override { steps_.push_back(step); }
  void end(const Json& certificate) override {
    report_ = certificate;
    certificate_ = to_python(certificate);
  }
  const std::string& model() const { return description_.model; }

 private:
  const ResultLayout& layout() const override { return description_.layout; }
  ResultDescription describe() override { return description_; }

  ResultDescription description_;
};

std::shared_ptr<StoredRows> read_result(const std::string& path) {
  Diagnostics faults;
  const auto stored = StoredResult::open(path, faults);
  raise_errors(faults);
  auto rows = std::make_shared<StoredRows>();
  Diagnostics while_reading;
  (void)stored->replay(*rows, while_reading);
  raise_errors(while_reading);
  return rows;
}

/// A model file, under the same rules.
void write_model(const std::string& path, const std::string& text, bool force) {
  Diagnostics faults;
  const OutputGuard guard({}, {{"save", path, OutputKind::model}},
                          force ? Overwrite::anything : Overwrite::own_files, faults);
  raise_errors(faults);
  write_file(path, path.ends_with(".json") ? text : std::string(model_header) + text);
}

}  // namespace

void bind_results(py::module_& module) {
  py::class_<ResultRows, std::shared_ptr<ResultRows>>(module, "ResultRows")
      .def("rows", &ResultRows::rows)
      .def("steps", &ResultRows::steps)
      .def("columns", &ResultRows::columns)
      .def("blocks", &ResultRows::blocks)
      .def("write", &ResultRows::write)
      .def_property_readonly("certificate", &ResultRows::certificate);
  py::class_<StoredRows, ResultRows, std::shared_ptr<StoredRows>>(module, "StoredRows")
      .def_property_readonly("model", &StoredRows::model);
  module.def("read_result", &read_result);
  module.def("write_model", &write_model);
}

}  // namespace kardan::python
