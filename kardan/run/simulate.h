#pragma once
/// One run from a prepared start to its report and certificate.

#include <functional>
#include <string>
#include <vector>

#include "kardan/formulation/catalog.h"
#include "kardan/integrate/driver.h"
#include "kardan/run/prepare.h"

namespace kardan {

/// A tolerance of its own, relative and absolute [in the variable's unit], for a variable
/// ("chassis.z", "motor.r") or for all variables of a body ("chassis").
struct VariableTolerance {
  std::string name;
  double value = 0;
};

struct SimulateOptions {
  std::string method = "rn4";  ///< or method@formulation
  OptionValues options;        ///< of the method and the formulation
  double t_end = 1;            ///< [s]
  double every = 0;            ///< [s] spacing of the output grid; 0: no grid
  double relative = 0;         ///< relative tolerance; 0: driver.tolerance
  double absolute = 0;         ///< absolute tolerance in the model's units; 0: driver.tolerance
  std::vector<VariableTolerance> tolerance_of;
  DriverOptions driver;
};

/// A method with the formulation it shall run on.
struct Choice {
  const Method* method = nullptr;
  const Formulation* formulation = nullptr;
};
/// From "method" or "method@formulation"; null members after reporting what does not exist, or does
/// not fit together.
Choice choose_method(const std::string& name, Diagnostics& diagnostics);

struct EnergyBalance {
  double initial = 0, final = 0;  ///< [J] kinetic + potential
  double work = 0;                ///< [J] of the forces without potential and of the drivers
  double balance_error = 0;       ///< [J] largest |energy - initial - work| of the run
};

/// What was asked, what was used, how it ended, and the proof.
struct RunReport {
  std::string method, formulation;
  double tolerance = 0;
  DriverReport driver;
  Residuals residuals;  ///< largest of the run, scaled
  EnergyBalance energy;
  double cpu_seconds = 0;
  int partitions = 0;  ///< how often the independent coordinates were chosen
};

/// A point of the output grid.
struct GridPoint {
  const State* state = nullptr;
};
using GridSink = std::function<void(const GridPoint&)>;
/// Told after every accepted step: time, step, error.
using StepLog = std::function<void(double t, double h, double error)>;

/// Runs `prepared` (its start is moved to the end of the run). A method or option that does not
/// exist is reported.
RunReport simulate(Prepared& prepared, const SimulateOptions& options, const GridSink& grid,
                   const StepLog& log, Diagnostics& diagnostics);

}  // namespace kardan
