#include "kardan/formulation/residuals.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace kardan {

bool is_rotation(const System& system, int column) {
  return system.is_rotation(column);
}

double column_scale(const System& system, int column) {
  return system.coordinate_scale(column);
}

/// Of a row with the size `unit`.
static double scaled(const System& system, double unit, int level, double r) {
  const Scales& s = system.scales();
  const double rate = s.speed / s.length;
  if (level == 0) return r / unit;
  if (level == 1) return r / (unit * rate);
  return r / (unit * s.acceleration / s.length);
}

double scaled_residual(const System& system, int row, int level, double r) {
  return scaled(system, system.row_scale(row), level, r);
}

Residuals constraint_residuals(const System& system, const State& state, std::span<const double> a,
                               Workspace& ws) {
  if (system.evaluate(state, {true, true, !a.empty(), false}, ws) != Eval::ok) {
    const double nan = std::nan("");
    return {nan, nan, nan};
  }
  Residuals out;
  const SparsePattern& p = *ws.G.pattern;
  for (int i = 0; i < system.sizes().constraints(); ++i) {
    const double unit = system.row_scale(i);
    out.position = std::max(out.position, std::abs(scaled(system, unit, 0, ws.g[i])));
    out.velocity = std::max(out.velocity, std::abs(scaled(system, unit, 1, ws.rate[i])));
    if (a.empty()) continue;
    double sum = -ws.gamma[i], size = std::abs(sum);
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k) {
      const double term = ws.G.values[k] * a[p.column[k]];
      sum += term;
      size += std::abs(term);
    }
    // Below the rounding of its terms a sum says nothing.
    const double scale = std::max(1.0, std::abs(scaled(system, unit, 2, size)));
    out.acceleration = std::max(out.acceleration, std::abs(scaled(system, unit, 2, sum)) / scale);
  }
  return out;
}

State shaken(const System& system, const State& state, double size) {
  Vector delta(system.sizes().v);
  std::uint64_t random = 20010601;
  for (std::size_t i = 0; i < delta.size(); ++i) {
    // Knuth's MMIX generator; its high bits as a number in (-1, 1).
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    const double number = static_cast<double>(static_cast<std::int64_t>(random)) / 0x1p63;
    delta[i] = size * column_scale(system, static_cast<int>(i)) * number;
  }
  State moved = state;
  system.retract(state.p, delta, moved.p);
  const auto ws = system.make_workspace();
  system.follow_turns(state, delta, moved, *ws);
  return moved;
}

State fitted(const System& system, State state) {
  const Sizes& n = system.sizes();
  state.lambda.resize(n.multiplier_forces ? n.constraints() : 0, 0.0);
  return state;
}

}  // namespace kardan
