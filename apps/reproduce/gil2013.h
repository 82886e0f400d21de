#pragma once
/// Shared by the figures of Gil, Sanfelice, Nikravesh (2013).

#include <functional>
#include <string>
#include <vector>

#include "apps/reproduce/paper.h"
#include "kardan/run/simulate.h"

namespace kardan::reproduce {

/// A run from the model's start, which is as before afterwards.
struct GilRun {
  bool finished = false;
  RunReport report;
  State end;
};
GilRun gil_run(Prepared& model, const SimulateOptions& options, const Observer& observer = {});

/// Tolerances that estimates are held below as they are, without the methods' own safety: as
/// MATLAB's solvers do.
void gil_tolerances(double relative, double absolute, SimulateOptions& out);

/// The stiff double pendulum, for one choice of what the paper does not give.
struct GilPendulum {
  const char* name;
  ParameterValues set;
  double t_end;         // [s]
  double reference[4];  // angles and rates at t_end, 20 digits
};
const std::vector<GilPendulum>& gil_pendulums();

int gil_fig2(const Options& options, Checks& checks);
int gil_work(const Options& options, Checks& checks);

}  // namespace kardan::reproduce
