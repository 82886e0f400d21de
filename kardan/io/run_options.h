#pragma once
/// The numbers of a run, declared once: model files, the command line, JSON, checkpoints, the
/// schema and Python all read this list. A new one is a member of SimulateOptions and a line in
/// run_options.cpp; those of the driver are declared in driver_options.cpp.

#include <vector>

#include "kardan/elements/field.h"
#include "kardan/run/simulate.h"

namespace kardan {

struct RunOption {
  std::string key;   ///< in files, JSON, checkpoints and Python
  std::string flag;  ///< of the command line
  FieldInfo info;    ///< unit, meaning, range
  double& (*of)(SimulateOptions&) = nullptr;
  enum class Resumed { same, may_change } resumed = Resumed::same;  ///< by a run that goes on

  [[nodiscard]] double value(const SimulateOptions& options) const {
    SimulateOptions copy = options;
    return of(copy);
  }
};

[[nodiscard]] const std::vector<RunOption>& run_options();

/// The options that have a value (where the default is 0, that stands for none), as declared.
[[nodiscard]] std::vector<std::pair<std::string, double>> run_option_values(
    const SimulateOptions& options);

}  // namespace kardan
