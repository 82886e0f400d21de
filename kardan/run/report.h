#pragma once
/// The certificate of a run.

#include <optional>
#include <string>
#include <vector>

#include "kardan/formulation/assembly_report.h"
#include "kardan/formulation/residuals.h"
#include "kardan/integrate/driver_options.h"
#include "kardan/integrate/problem.h"
#include "kardan/run/accuracy.h"
#include "kardan/run/error_estimate.h"
#include "kardan/run/simulate_options.h"

namespace kardan {

/// What "auto" has chosen.
struct AutomaticChoice {
  std::string method;    ///< with its formulation; empty: nothing was to be chosen
  std::string why;       ///< in words
  long evaluations = 0;  ///< of the probe
  int passes = 0;        ///< places where the choice ended and another method went on
  std::string first;     ///< while it does: the choice, if it is to be taken up again
  double back_at = 0;    ///< [s] from when on, at the last of them
};

struct EnergyBalance {
  double initial = 0, final = 0;  ///< [J] kinetic + potential
  double work = 0;                ///< [J] of the forces without potential and of the drivers
  double exchanged = 0;           ///< [J] the sum of its size over all steps: what flowed in or out
  double balance_error = 0;       ///< [J] largest |energy - initial - work| of the run
  double unbalanced = 0;          ///< [J] energy - initial - work after the last step
  double in_play = 0;             ///< [J] the largest kinetic energy, and work, so far
  double allowed = 0;  ///< [J] what steps within the tolerance may leave; NaN: not judged
  bool known = true;   ///< false: the equations define no energy; the numbers are NaN
};

/// The certificate: what was asked, what was used, how it ended, and the proof.
struct RunReport {
  SimulateOptions asked;
  AutomaticChoice automatic;
  std::string method, formulation;                   ///< used
  OptionValues method_options, formulation_options;  ///< used, all of them
  double tolerance = 0;
  DriverReport driver;
  Residuals residuals;  ///< largest of the start and all steps, scaled
  EnergyBalance energy;
  /// Of steps of fixed length: their estimated errors added up, as shares of the size of what moves.
  double fixed_errors = 0;
  double cpu_seconds = 0;
  int partitions = 0;  ///< how often the independent coordinates were chosen
  ProblemCounts counts;
  std::vector<std::string> remarks;  ///< how the problem was treated, where that is special
  StartChanges start;                ///< what the assembly has changed of the start given
  /// Evidence that the result is wrong, in words: where there is any, the run has failed.
  std::vector<std::string> against;
  std::vector<PartitionRecord> partition_history;
  int dense_order = 0;  ///< of the values on the grid
  bool exact_derivatives = true;
  std::vector<std::string> without_derivatives;  ///< elements that give none
  EstimatedError error_estimate;                 ///< of the run, by itself
  std::optional<HeldAccuracy> held;              ///< where an accuracy was asked for
  std::optional<Accuracy> accuracy;              ///< measured, where the run was certified
};

}  // namespace kardan
