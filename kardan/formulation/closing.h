#pragma once
/// How well constraints can hold, and must: one set of tolerances for all formulations, in scaled
/// residuals (residuals.h). Coordinates are known to eps |coordinate|, and a row that subtracts two
/// of them no better: far from the world's origin that is above what a model near it reaches.

#include <cmath>
#include <span>
#include <vector>

#include "kardan/system/system.h"

namespace kardan {

/// Positions and velocities are closed to this: a hundred roundings of numbers of the model's size.
/// Round-off of large models begins below.
inline constexpr double closed_residual = 2e-14;
/// Or to this share of what may be all rounding (position_rounding(): sixteen of them): twice the
/// rounding of the farthest coordinate.
inline constexpr double rounding_share = 0.125;
/// Iterations that gain no more may stop this many times above that.
inline constexpr double stalled = 100;
/// Rows left out as redundant must hold by themselves to this: far above what closing leaves in the
/// others, at what the certificate promises;
inline constexpr double redundant_residual = 1e-10;
/// or to this many times the rounding: a redundant row is a combination of several others;
inline constexpr double redundant_roundings = 10;
/// or, where constraints drift, to this many times what the others have.
inline constexpr double drift_share = 100;

/// Where velocities are large they are closed to the rounding of the terms of a row, which may be
/// up to this.
inline constexpr double largest_rounding = 1e-12;
/// Residuals above this are seen with the naked eye: a thousandth of the model's size.
inline constexpr double visibly_off = 1e-3;

/// The tolerances at a state.
struct Closing {
  double position = closed_residual, velocity = closed_residual;
  double redundant_position = redundant_residual, redundant_velocity = redundant_residual;
};
Closing closing_at(const System& system, const State& state);
/// Scaled residual of a row of positions (level 0) or velocities (1), by what the workspace holds.
double off(const System& system, const Workspace& ws, int row, int level);
/// The largest of several, and its row; what is no number is larger than all.
struct WorstRow {
  double size = 0;
  int row = 0;
  void see(double off, int candidate) {
    if (off > size || std::isnan(off)) size = off, row = candidate;
  }
};
/// Rows of positions that count, with what scales their residuals.
class PositionRows {
 public:
  void choose(const System& system, std::span<const int> rows);
  /// By the residuals of all rows, or of these alone.
  WorstRow worst(std::span<const double> all) const;
  WorstRow worst_of_these(std::span<const double> residuals) const;

 private:
  std::vector<int> row_;
  Vector weight_;
};

/// The first row that is off by more than redundant rows may be, by what the workspace holds, but
/// for those `held`; -1: none is.
int open_row(const System& system, const Closing& most, const Workspace& ws,
             const std::vector<char>& held = {});

/// Scaled residuals of positions below this may be all rounding: joints of bodies that are many
/// lengths of the model away are not known better.
double position_rounding(const System& system, const State& state);
/// The same for velocities: where G depends on positions, as far as these are known.
double velocity_rounding(const System& system, const State& state);
/// The same for the velocity of a row, whose terms are those of G v.
double velocity_rounding(const System& system, int row, const SparseMatrix& G, const State& state);

}  // namespace kardan
