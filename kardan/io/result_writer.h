#pragma once
/// The result files of one run: opens them by their endings and writes everything to them.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kardan/io/result_sink.h"
#include "kardan/model/model.h"
#include "kardan/run/prepare.h"

namespace kardan {

class ResultWriter {
 public:
  /// Opens the files. `model` is what `prepared` was made from. An ending that is no format, or a
  /// file that cannot be written, is reported.
  ResultWriter(const Model& model, const ParameterValues& overrides, const Prepared& prepared,
               const SimulateOptions& options, const std::vector<std::string>& paths,
               const ResultResources& resources, Diagnostics& diagnostics);

  bool empty() const { return sinks_.empty(); }
  /// For `simulate`; valid while the writer lives.
  GridSink grid();
  std::function<void(const StepRecord&)> steps();
  void row(std::span<const double> row);
  void step(const StepRecord& step);
  void end(const RunReport& report, const Instant& at);

  /// One more, that gets what comes from here on.
  void add(std::unique_ptr<ResultSink> sink);
  std::size_t width() { return static_cast<std::size_t>(recorder().layout().width); }
  /// Why a file could not be written; empty: all is well. It gets nothing more then, the others
  /// do.
  const std::string& failure() const { return failure_; }

 private:
  template <class Use>
  void for_each_sink(const Use& use);
  Recorder& recorder();

  const System& system_;
  std::optional<Recorder> recorder_;  // see recorder()
  std::vector<std::unique_ptr<ResultSink>> sinks_;
  std::vector<std::unique_ptr<ResultSink>> lost_;  // of these, those that could not be written
  std::string failure_;
};

/// Opens result files by their endings; faults are reported.
std::vector<std::unique_ptr<ResultSink>> open_results(const std::vector<std::string>& paths,
                                                      const ResultResources& resources,
                                                      Diagnostics& diagnostics);

/// Spacing of the output grid where none is asked for: 100 points, or as many as a replay wants
/// when one of the files is to be looked at.
double default_spacing(double duration, const std::vector<std::string>& paths);

}  // namespace kardan
