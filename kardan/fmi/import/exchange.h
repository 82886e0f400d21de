#pragma once
/// An FMU for model exchange, integrated by a method of the catalog: its continuous states are
/// first-order variables, its event indicators event functions.

#include <functional>
#include <string>
#include <vector>

#include "kardan/fmi/import/imported_fmu.h"
#include "kardan/run/simulate_options.h"

namespace kardan {

struct ExchangeReport {
  ImportedStep::End end = ImportedStep::End::reached;
  double t = 0;  ///< [s] reached
  std::string method, message;
  long steps = 0, events = 0;
};

/// From the start of an instance that was begun until `options.t_end`. `row` is told the start, all
/// multiples of `every` behind it, both sides of events left out, and the end; its answer, if any,
/// ends the run. Rows are ends of steps.
[[nodiscard]] ExchangeReport integrate_fmu(ImportedFmu& fmu, double start, double every,
                                           const SimulateOptions& options,
                                           const std::function<std::string(double t)>& row,
                                           Diagnostics& diagnostics);

}  // namespace kardan
