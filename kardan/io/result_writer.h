#pragma once
/// The result files of one run: opens them by their endings and tells them everything.

#include <memory>
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
  void end(const RunReport& report, const Moment& at);

 private:
  const System& system_;
  Recorder recorder_;
  std::vector<std::unique_ptr<ResultSink>> sinks_;
};

/// Opens result files by their endings; faults are reported.
std::vector<std::unique_ptr<ResultSink>> open_results(const std::vector<std::string>& paths,
                                                      const ResultResources& resources,
                                                      Diagnostics& diagnostics);

/// Spacing of the output grid where none is asked for: 100 points, or as many as a replay wants
/// when one of the files is to be looked at.
double default_spacing(double duration, const std::vector<std::string>& paths);

}  // namespace kardan
