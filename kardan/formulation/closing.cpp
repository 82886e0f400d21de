#include "kardan/formulation/closing.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kardan/formulation/residuals.h"

namespace kardan {
namespace {

/// This many of them may add up.
constexpr double roundings = 16;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// The largest displacement of a body, or its velocity, along an axis.
double largest(const System& system, std::span<const double> x, int BodyLayout::*first) {
  double out = 0;
  for (std::size_t b = 1; b < system.bodies().size(); ++b)
    for (int k = 0; k < system.dimension(); ++k)
      out = std::max(out, std::abs(x[system.bodies()[b].*first + k]));
  return out;
}

}  // namespace

double position_rounding(const System& system, const State& state) {
  return roundings * epsilon * largest(system, state.p, &BodyLayout::p) / system.scales().length;
}

double velocity_rounding(const System& system, const State& state) {
  const double speeds = largest(system, state.v, &BodyLayout::v) / system.scales().speed;
  return position_rounding(system, state) * std::max(1.0, speeds);
}

double velocity_rounding(const System& system, int row, const SparseMatrix& G, const State& state) {
  const SparsePattern& p = *G.pattern;
  double size = 0;
  for (int k = p.row_start[row]; k < p.row_start[row + 1]; ++k)
    size += std::abs(G.values[k] * state.v[p.column[k]]);
  return roundings * epsilon * std::abs(scaled_residual(system, row, 1, size));
}

Closing closing_at(const System& system, const State& state) {
  const double position = position_rounding(system, state),
               velocity = velocity_rounding(system, state);
  return {.position = std::max(closed_residual, rounding_share * position),
          .velocity = std::max(closed_residual, rounding_share * velocity),
          .redundant_position = std::max(redundant_residual, redundant_roundings * position),
          .redundant_velocity = std::max(redundant_residual, redundant_roundings * velocity)};
}

double off(const System& system, const Workspace& ws, int row, int level) {
  return std::abs(scaled_residual(system, row, level, level == 0 ? ws.g[row] : ws.rate[row]));
}

void PositionRows::choose(const System& system, std::span<const int> rows) {
  row_.assign(rows.begin(), rows.end());
  weight_.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    weight_[i] = scaled_residual(system, rows[i], 0, 1.0);
}

WorstRow PositionRows::worst(std::span<const double> all) const {
  WorstRow out;
  for (std::size_t i = 0; i < row_.size(); ++i)
    out.see(std::abs(weight_[i] * all[row_[i]]), row_[i]);
  return out;
}

WorstRow PositionRows::worst_of_these(std::span<const double> residuals) const {
  WorstRow out;
  for (std::size_t i = 0; i < row_.size(); ++i)
    out.see(std::abs(weight_[i] * residuals[i]), row_[i]);
  return out;
}

int open_row(const System& system, const Closing& most, const Workspace& ws,
             const std::vector<char>& held) {
  for (int row = 0; row < system.sizes().constraints(); ++row) {
    if (!held.empty() && held[row]) continue;
    if (!(off(system, ws, row, 0) <= most.redundant_position) ||
        !(off(system, ws, row, 1) <= most.redundant_velocity))
      return row;
  }
  return -1;
}

}  // namespace kardan
