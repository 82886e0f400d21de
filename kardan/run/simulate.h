#pragma once
/// One run from a prepared start to its report and certificate.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kardan/formulation/catalog.h"
#include "kardan/integrate/driver.h"
#include "kardan/run/accuracy.h"
#include "kardan/run/prepare.h"
#include "kardan/run/result.h"

namespace kardan {

/// A tolerance of its own, relative and absolute [in the variable's unit], for a variable
/// ("chassis.z", "motor.r") or for all variables of a body ("chassis").
struct VariableTolerance {
  std::string name;
  double value = 0;
};

struct SimulateOptions {
  /// Or method@formulation, or "auto" (automatic.h).
  std::string method{method_for(Task::unless_asked).name};
  OptionValues options;         ///< of the method and the formulation
  double t_end = 1;             ///< [s]
  double every = 0;             ///< [s] spacing of the output grid; 0: no grid
  double checkpoint_every = 0;  ///< [s] the run begins anew at restart points so far apart; 0: none
  double relative = 0;          ///< relative tolerance; 0: driver.tolerance
  double absolute = 0;          ///< absolute tolerance in the model's units; 0: driver.tolerance
  std::vector<VariableTolerance> tolerance_of;
  DriverOptions driver;
};

/// A method with the formulation it shall run on.
struct Choice {
  const Method* method = nullptr;
  const Formulation* formulation = nullptr;
};
/// From "method" or "method@formulation"; null members after reporting what does not exist, or does
/// not fit together, and for "auto", which chooses when a run begins.
Choice choose_method(const std::string& name, Diagnostics& diagnostics);

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
  double allowed = 0;  ///< [J] what steps within the tolerance may leave; NaN: not judged
  bool known = true;   ///< false: the equations tell no energy; the numbers are NaN
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
  std::optional<Accuracy> accuracy;              ///< measured, where the run was certified
};

/// Told at every point of the output grid: the consistent state there, from dense output, with the
/// accelerations and multipliers that belong to it. A non-empty answer ends the run with that
/// reason.
using GridSink = std::function<std::string(const Moment&)>;

/// The start (h = 0), then every accepted step, with what the certificate sums up.
struct StepRecord {
  double t = 0, h = 0;  ///< [s] its end and its length
  double error = 0;     ///< estimated, in tolerances
  long rejected = 0;    ///< attempts that were thrown away, of the run so far
  Residuals residuals;  ///< at its end, scaled
  double kinetic = 0, potential = 0, work = 0;  ///< [J] at its end; work since the start
  double unbalanced = 0;                        ///< [J] energy - initial energy - work
};

/// When impulses of a stop happened.
struct Bounces {
  int count = 0;
  double first = 0, last = 0;  ///< [s]
};

/// A run at a restart point: what follows depends on this, the model and the options alone.
struct RunMemory {
  State state;
  RunReport report;          ///< so far; without what was asked
  bool started = false;      ///< the start has been told to the watchers
  bool paused = false;       ///< the driver has come here; else this is the start
  double start = 0;          ///< [s] of the run
  long shown = 0;            ///< points of the grid
  Residuals last_residuals;  ///< of the last step
  // By stop: an event whose action is an impulse.
  std::vector<Bounces> bounces;
  std::vector<int> rested;     ///< the side on which it rests; 0: it does not
  std::vector<int> last_side;  ///< where it has rested last
};

/// Whether a memory, wherever it comes from, is one of a run of the system.
[[nodiscard]] bool fits(const System& system, const RunMemory& memory);

/// Who is told what happens in a run; any of them may be empty.
struct Watchers {
  GridSink grid = {};
  Observer observer = {};                                 ///< every accepted step
  std::function<void(const StepRecord&)> record = {};     ///< the same, summed up
  std::function<void(const RunMemory&)> checkpoint = {};  ///< the start and every restart point
};

/// Runs `prepared` (its start is moved to the end of the run), from the start or `from` a restart
/// point of a run with the same options. A method or option that does not exist is reported.
RunReport simulate(Prepared& prepared, const SimulateOptions& options, const Watchers& watchers,
                   Diagnostics& diagnostics, const RunMemory* from = nullptr);
RunReport simulate(Prepared& prepared, const SimulateOptions& options, const GridSink& grid,
                   const Observer& observer, Diagnostics& diagnostics);

}  // namespace kardan
