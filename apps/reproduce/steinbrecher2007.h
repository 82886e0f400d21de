#pragma once
/// What the tables and figures of Steinbrecher (2007) share: its pendulum, and the formulations in
/// the columns of its figures.

#include <functional>

#include "apps/reproduce/paper.h"
#include "kardan/integrate/driver.h"
#include "kardan/run/simulate.h"

namespace kardan::reproduce {

/// Point mass on a rod of length 1 in Cartesian coordinates, g = 13.75 (its Example 2.8), hanging
/// with the velocity `speed`, or at rest in the horizontal for speed 0.
Prepared steinbrecher_pendulum(double speed);

/// The motion from rest in the horizontal, in closed form.
struct PendulumState {
  double p[2], lambda;
};
PendulumState exact_pendulum(double t);

/// What a figure calls a solver, and ours in its place.
struct GeomsColumn {
  const char* title;
  const char* method;
  OptionValues options = {};
};
const std::vector<GeomsColumn>& geoms_columns();

struct GeomsEnd {
  State state;
  Vector lambda;
  DriverReport report;
  ProblemCounts counts;
  double cpu_seconds = 0;
};
/// Runs to t_end, telling every state to `see`. What went wrong is in the report.
GeomsEnd geoms_run(const Prepared& model, const GeomsColumn& column, double t_end,
                   const DriverOptions& options,
                   const std::function<void(const State&, const Vector& a)>& see = {});

int steinbrecher_table3(const Options&, Checks& checks);
int steinbrecher_table4(const Options&, Checks& checks);
int steinbrecher_fig1(const Options&, Checks& checks);
int steinbrecher_fig2(const Options&, Checks& checks);
int steinbrecher_fig3(const Options&, Checks& checks);
int steinbrecher_fig4(const Options&, Checks& checks);
int steinbrecher_fig5(const Options&, Checks& checks);
int steinbrecher_fig6(const Options&, Checks& checks);
int steinbrecher_fig8(const Options&, Checks& checks);

}  // namespace kardan::reproduce
