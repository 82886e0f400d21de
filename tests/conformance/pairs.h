#pragma once
/// Every method of the catalog with every formulation it can treat: what the suites of this folder
/// iterate. A new member of either catalog is covered without a new line of test.

#include <string>
#include <string_view>
#include <vector>

#include "kardan/run/simulate.h"

namespace kardan::test {

/// What the models of these suites are run at, and stand in [m/s^2].
inline constexpr double tolerance = 1e-6, g = 9.81;

std::vector<std::string> method_names();
/// "method@formulation", all that fit together.
std::vector<std::string> pairs();
/// The formulations that a method can treat.
std::vector<std::string> pairs_of(const Method& method);
/// As the name of a test: letters, digits and underscores.
std::string test_name(std::string text);

/// What became of a run.
struct Outcome {
  bool finished = false;
  std::string words;  ///< the reason, where it did not finish
  RunReport report;
  Prepared end;  ///< the system, at the end of the run

  /// Of a coordinate, velocity or sensor, at the end.
  double value(std::string_view name) const;
};

/// Runs a model with a method. Where `rows` is given it is told every row of the grid.
Outcome run_with(const std::string& method, const Model& model, SimulateOptions options,
                 const GridSink& rows = {});

/// How far a result of a method may be from the truth, in tolerances, where the motion is well
/// conditioned: ten is what `tracks` means; methods of order 1 state the root of the tolerance.
double allowed(const std::string& method, double tolerance, double tolerances = 100);

}  // namespace kardan::test
