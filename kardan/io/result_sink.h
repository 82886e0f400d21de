#pragma once
/// What a result file gets: first a description, then rows and steps in the order of time, then
/// the certificate. All of it is plain data, so that a stored result can be replayed.

#include <span>
#include <string>

#include "kardan/io/report_json.h"
#include "kardan/run/recorder.h"

namespace kardan {

/// Known before the first row.
struct ResultDescription {  // NOLINT(bugprone-exception-escape): Json moves without throwing
  std::string title;
  std::string model;  ///< the complete model as YAML; running it gives the result again
  Json scene;         ///< what a viewer draws (scene.h)
  ResultLayout layout;
  std::vector<std::string> events;  ///< names of what may happen
  Json asked;                       ///< the options of the run
};

/// A result format.
class ResultSink {
 public:
  virtual ~ResultSink() = default;
  virtual void begin(const ResultDescription& description) = 0;
  virtual void row(std::span<const double> row) = 0;
  virtual void step(const StepRecord& step) = 0;
  virtual void end(const Json& certificate) = 0;
};

/// What formats need from the program.
struct ResultResources {
  std::string_view viewer;  ///< the page of the HTML report, with its marker line
};

}  // namespace kardan
