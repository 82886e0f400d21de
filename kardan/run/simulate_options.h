#pragma once
/// What is asked of a run.

#include <string>
#include <string_view>
#include <vector>

#include "kardan/integrate/driver_options.h"
#include "kardan/integrate/method.h"

namespace kardan {

/// A tolerance of its own, relative and absolute [in the variable's unit], for a variable
/// ("chassis.z", "motor.r") or for all variables of a body ("chassis").
struct VariableTolerance {
  std::string name;
  double value = 0;
};

/// Chooses method and formulation when a run begins (automatic.h).
inline constexpr std::string_view automatic_method = "auto";

struct SimulateOptions {
  std::string method{automatic_method};  ///< or a name, or method@formulation
  OptionValues options;                  ///< of the method and the formulation
  double t_end = 1;                      ///< [s]
  double every = 0;                      ///< [s] spacing of the output grid; 0: no grid
  double checkpoint_every = 0;  ///< [s] the run begins anew at restart points so far apart; 0: none
  double relative = 0;          ///< relative tolerance; 0: driver.tolerance
  double absolute = 0;          ///< absolute tolerance in the model's units; 0: driver.tolerance
  double error_estimate = 0;    ///< above 0: the run estimates its global error
  double accuracy = 0;          ///< the estimate is held below it (held_accuracy.h); 0: it is not
  std::vector<VariableTolerance> tolerance_of;
  DriverOptions driver;
};

}  // namespace kardan
