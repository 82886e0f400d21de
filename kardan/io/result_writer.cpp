#include "kardan/io/result_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <system_error>

#include "kardan/io/hdf5_handle.h"
#include "kardan/io/result_catalog.h"
#include "kardan/io/scene.h"
#include "kardan/io/simulate_options.h"
#include "kardan/io/yaml_writer.h"

namespace kardan {
namespace {

/// The model with the parameters and options of this run.
std::string model_text(Model model, const ParameterValues& overrides,
                       const SimulateOptions& options) {
  model.simulate.fields = simulate_fields(options);
  YamlNode tree = to_tree(model);
  for (const auto& [name, value] : overrides) set_parameter(tree, name, value);
  return to_yaml(tree);
}

}  // namespace

std::vector<std::unique_ptr<ResultSink>> open_results(const std::vector<std::string>& paths,
                                                      const ResultResources& resources,
                                                      Diagnostics& diagnostics) {
  std::vector<std::unique_ptr<ResultSink>> out;
  for (const std::string& path : paths) {
    const ResultFormat* format = find_result_format(path);
    if (!format) {
      std::vector<std::string_view> known;
      for (const ResultFormat& f : result_formats()) known.push_back(f.suffix);
      diagnostics.error("output.format", fmt::format("--out {}: no such format", path), {},
                        fmt::format("wanted a file ending in {}", fmt::join(known, ", ")));
      continue;
    }
    try {
      out.push_back(format->make(path, resources));
    } catch (const std::system_error& e) {
      diagnostics.error("output.file", fmt::format("--out {}: {}", path, e.code().message()), {},
                        "is the folder there, and may it be written?");
    }
  }
  return out;
}

ResultWriter::ResultWriter(const Model& model, const ParameterValues& overrides,
                           const Prepared& prepared, const SimulateOptions& options,
                           const std::vector<std::string>& paths, const ResultResources& resources,
                           Diagnostics& diagnostics)
    : system_(*prepared.system), sinks_(open_results(paths, resources, diagnostics)) {
  if (sinks_.empty() || diagnostics.has_errors()) return;
  const ResultDescription description{model.name,
                                      model_text(model, overrides, options),
                                      make_scene(prepared, recorder().layout()),
                                      recorder().layout(),
                                      prepared.system->event_names(),
                                      to_json(options)};
  for_each_sink([&](ResultSink& sink) { sink.begin(description); });
  if (!failure_.empty())
    diagnostics.error("output.file", failure_, {}, "is there room on the disk?");
}

/// Made for the first file: names of all columns take as much room as a system.
Recorder& ResultWriter::recorder() {
  if (!recorder_) recorder_.emplace(system_);
  return *recorder_;
}

/// What one of the files cannot take, a full disk say, is no loss for the others.
template <class Use>
void ResultWriter::for_each_sink(const Use& use) {
  const auto lose = [&](std::unique_ptr<ResultSink>& sink, std::string why) {
    failure_ = std::move(why);
    lost_.push_back(std::move(sink));
  };
  for (auto& sink : sinks_) {
    try {
      if (sink) use(*sink);
    } catch (const std::system_error& e) {
      lose(sink, fmt::format("cannot write {}", e.what()));
    } catch (const Hdf5Error& e) {
      lose(sink, e.what());
    }
  }
}

void ResultWriter::add(std::unique_ptr<ResultSink> sink) {
  sinks_.push_back(std::move(sink));
}

void ResultWriter::row(std::span<const double> row) {
  for_each_sink([&](ResultSink& sink) { sink.row(row); });
}

void ResultWriter::step(const StepRecord& step) {
  for_each_sink([&](ResultSink& sink) { sink.step(step); });
}

GridSink ResultWriter::grid() {
  if (sinks_.empty()) return {};
  return [this, &recorder = recorder()](const Instant& at) {
    row(recorder.row(at));
    return std::string();
  };
}

std::function<void(const StepRecord&)> ResultWriter::steps() {
  if (sinks_.empty()) return {};
  return [this](const StepRecord& record) { step(record); };
}

void ResultWriter::end(const RunReport& report, const Instant& at) {
  if (sinks_.empty()) return;
  const Json certificate = to_json(system_, report, at);
  for_each_sink([&](ResultSink& sink) { sink.end(certificate); });
}

double default_spacing(double duration, const std::vector<std::string>& paths) {
  constexpr double few = 100, smooth = 60, most = 3000, fewest = 300;
  const bool replayed = std::any_of(paths.begin(), paths.end(), [](const std::string& path) {
    const ResultFormat* format = find_result_format(path);
    return format && format->replayed;
  });
  return duration / (replayed ? std::clamp(std::ceil(smooth * duration), fewest, most) : few);
}

}  // namespace kardan
