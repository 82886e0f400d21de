#pragma once
/// A mechanism whose drivers leave no freedom, at every value of one of them:
///
///   g(p, s) = 0,   G dp/ds = -g_s,
///
/// followed from the start by small steps. Where G loses its rank the position is singular; where
/// no p is found any more, the driver's limit has been reached.

#include <optional>
#include <string>
#include <vector>

#include "kardan/run/prepare.h"

namespace kardan::cli {

struct SweepPoint {
  double at = 0;  ///< s, of the driver
  std::vector<double> values;
  std::vector<double> rates;  ///< by s
  double transmission = 0;    ///< [rad]
  double condition = 1;       ///< of the constraints
};

struct Sweep {
  std::string driver;
  bool turns = true;  ///< s is an angle
  bool has_transmission = false;
  std::vector<std::string> names, units;
  std::vector<SweepPoint> points;
  std::vector<double> singular;
  std::optional<double> limit;
};

struct SweepOptions {
  std::string driver;                     ///< empty: the only one
  std::vector<std::string> transmission;  ///< three joints
  std::optional<double> from, to;
  int points = 361;
};

/// Nothing after reporting, or where the model cannot be assembled at the start.
[[nodiscard]] std::optional<Sweep> sweep_driver(const Model& model,
                                                const ParameterValues& overrides,
                                                const SweepOptions& options,
                                                Diagnostics& diagnostics);

}  // namespace kardan::cli
