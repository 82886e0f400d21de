#pragma once
/// What a run shows at a time, by name.
///
/// Columns: `time`; per body `NAME.x .y .z .qw .qx .qy .qz .vx .vy .vz .wx .wy .wz` (planar: `.x .y
/// .angle .vx .vy .omega`); sensors and the variables of forces; accelerations `NAME.ax .ay .az
/// .alphax .alphay .alphaz` (planar: `.ax .ay .alpha`); multipliers `JOINT.lambda[i]` and `.mu[i]`;
/// reaction sensors `NAME.fx .. .tz`; loads of joints `JOINT.force .torque` (loads.h); `ELEMENT.force`; `energy.kinetic`, `energy.potential`.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kardan/run/instant.h"
#include "kardan/system/system.h"

namespace kardan {

/// Of all constraint rows: "hinge.lambda[1]", counted per element; "rod.lambda" where a user wrote
/// the row.
[[nodiscard]] std::vector<std::string> multiplier_names(const System& system);

class JointLoads;

/// The columns of a system, in a fixed order.
class ResultColumns {
 public:
  explicit ResultColumns(const System& system);
  ~ResultColumns();

  const JointLoads& loads() const { return *loads_; }

  const std::vector<std::string>& names() const { return names_; }
  /// One number a column; not-a-number where the moment does not know.
  void values(const Instant& at, std::span<double> out, Workspace& ws) const;

 private:
  double* reactions(const Instant& at, double* out, Workspace& ws) const;

  const System& system_;
  std::vector<std::string> names_;
  std::vector<Quantity> quantities_;
  std::vector<int> forces_;  // elements that show a force
  std::unique_ptr<const JointLoads> loads_;
};

}  // namespace kardan
