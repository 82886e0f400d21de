#pragma once
/// Work against precision: methods at tolerances on one model, against a tight reference.
///
/// Reached error: the largest |y - y_ref| / (1 + |y_ref|) over the comparison times and the
/// components, positions and velocities apart. Accuracy is found in parallel; CPU times are taken
/// one run after the other, as the median of interleaved repetitions. A run that fails is a row.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kardan/run/trajectory.h"

namespace kardan {

struct CompareOptions {
  std::vector<std::string> methods;  ///< method or method@formulation
  std::vector<double> tolerances;
  SimulateOptions base;  ///< end of the run and options of the driver
  int points = 100;      ///< comparison times after the start
  int repetitions = 3;   ///< of the timing; 0: none
  int threads = 0;       ///< 0: as many as there are processors
  std::optional<Trajectory> reference;
};

struct CompareRow {
  std::string method;  ///< as asked for
  double tolerance = 0;
  bool finished = false;
  std::string message;  ///< why not
  double position_error = 0, velocity_error = 0;
  bool below_reference = false;  ///< an error not larger than what the reference is good for
  Residuals residuals;
  Counters counters;
  double cpu_seconds = 0;                     ///< median; 0: not taken
  std::optional<std::uint64_t> instructions;  ///< where the system counts them
};

struct Comparison {
  std::string reference;  ///< what it is: "rodasp at 1e-12"
  double reference_position_error = 0, reference_velocity_error = 0;  ///< two references apart
  bool reference_checked = false;
  double t_end = 0;
  std::vector<CompareRow> rows;  ///< methods in order, tolerances within
};

/// A method that does not exist is reported, and a reference that cannot be found.
Comparison compare(const PrepareRun& make, const CompareOptions& options, Diagnostics& diagnostics);

}  // namespace kardan
