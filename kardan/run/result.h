#pragma once
/// What a run shows at a time, by name, and where it goes.
///
/// Columns: `time`; per body `NAME.x .y .z .qw .qx .qy .qz .vx .vy .vz .wx .wy .wz` (planar: `.x .y
/// .angle .vx .vy .omega`); sensors and the variables of forces; accelerations `NAME.ax .ay .az
/// .alphax .alphay .alphaz` (planar: `.ax .ay .alpha`); multipliers `JOINT.lambda[i]` and `.mu[i]`;
/// reaction sensors `NAME.fx .. .tz`; `ELEMENT.force`; `energy.kinetic`, `energy.potential`.

#include <span>
#include <string>
#include <vector>

#include "kardan/system/system.h"

namespace kardan {

struct RunReport;

/// A time of the motion: a state with its accelerations and multipliers (empty where not known).
struct Moment {
  const State* state = nullptr;
  const Vector* a = nullptr;
  const Vector* lambda = nullptr;  ///< of all constraint rows
};

/// The columns of a system, in a fixed order.
class ResultColumns {
 public:
  explicit ResultColumns(const System& system);

  const std::vector<std::string>& names() const { return names_; }
  /// One number a column; not-a-number where the moment does not know.
  void values(const Moment& at, std::span<double> out, Workspace& ws) const;

 private:
  double* reactions(const Moment& at, double* out, Workspace& ws) const;

  const System& system_;
  std::vector<std::string> names_;
  std::vector<Quantity> quantities_;
  std::vector<int> forces_;  // elements that show a force
};

/// A result format: told the columns, then rows in the order of time, then how the run ended.
class ResultSink {
 public:
  virtual ~ResultSink() = default;
  virtual void begin(const System& system, std::span<const std::string> columns) = 0;
  virtual void row(std::span<const double> values) = 0;
  virtual void end(const System& system, const RunReport& report, const Moment& end) = 0;
};

}  // namespace kardan
