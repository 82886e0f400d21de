/// How all coordinates keep to their constraints: what must hold at the ends of steps, and the
/// projection that puts them back.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kardan/formulation/all_coordinates.h"
#include "kardan/formulation/closing.h"
#include "kardan/formulation/culprit.h"
#include "kardan/formulation/residuals.h"

namespace kardan {
namespace {

constexpr int max_projections = 12;
}  // namespace

/// Rows left out follow from the others, unless the position has changed that; and the others must
/// have a solution nearby. They are off by the method's error, so that this is looked at where they
/// are closed.
Eval AllCoordinates::constraints_hold(At& at) {
  if (Eval e = rates_hold(at); e != Eval::ok) return e;
  return positions_hold(at);
}

/// At positions that are off, the rates of dependent rows depend on each other only so far.
Eval AllCoordinates::rates_hold(At& at) {
  const int all = system_.sizes().constraints();
  if (rows() == all) return Eval::ok;
  const double most =
      closing_at(system_, point_).redundant_velocity + drift_share * worst_position().size;
  scratch_.a.assign(second_order(), 0.0);
  scratch_.c = at.motion.rate;
  for (double& c : scratch_.c) c = -c;
  at.solver->solve(scratch_.a, scratch_.c);
  scratch_.all_lambda = ws_->rate;
  ws_->G.multiply_add(1, scratch_.a, scratch_.all_lambda);
  for (int row = 0; row < all; ++row)
    if (!(std::abs(scaled_residual(system_, row, 1, scratch_.all_lambda[row])) <= most))
      return contradiction(row);
  return Eval::ok;
}

/// Closes the kept rows from point_ on by the factors of `at`. Where they are visibly off and that
/// brings no solution nearer the mechanism is locked, which methods with an error estimate rarely
/// see; fixed steps would go on.
Eval AllCoordinates::positions_hold(At& at) {
  double left = worst_position().size;
  if (rows() == system_.sizes().constraints() && left <= visibly_off) return Eval::ok;
  const double redundant = closing_at(system_, point_).redundant_position;
  scratch_.nearby = point_;
  for (int k = 0; k < max_projections && left > redundant / drift_share; ++k) {
    scratch_.a.assign(second_order(), 0.0);
    scratch_.c.assign(rows(), 0.0);
    for (int i = 0; i < rows_.holonomic; ++i) scratch_.c[i] = -ws_->g[rows_.independent[i]];
    at.solver->solve(scratch_.a, scratch_.c);
    scratch_.closer = scratch_.nearby;
    move(scratch_.nearby, scratch_.a, scratch_.closer);
    std::swap(scratch_.nearby, scratch_.closer);
    if (Eval e = system_.evaluate(scratch_.nearby, {.position = true}, *ws_); e != Eval::ok)
      return e;
    const auto [now, row] = worst_position();
    if (now <= 0.5 * left) {
      left = now;
      continue;
    }
    if (left <= visibly_off) {
      left = std::fmax(left, now);
      break;
    }
    culprit_ = fmt::format("'{}': the constraints cannot be closed here", system_.row_name(row));
    return Eval::recoverable;
  }
  const double most = redundant + drift_share * left;
  for (int row = 0; row < system_.sizes().lambda; ++row)
    if (!(off(system_, *ws_, row, 0) <= most)) return contradiction(row);
  return Eval::ok;
}

/// Of the kept rows, whose positions are in the workspace.
WorstRow AllCoordinates::worst_position() const {
  return rows_.positions.worst(ws_->g);
}

Eval AllCoordinates::contradiction(int row) {
  culprit_ = contradicting_row(system_, row);
  return Eval::recoverable;
}

/// What is left of the weakest row in the metric of the masses, or, where that is little, by shape:
/// two rows on a light body between heavy ones seem to depend on each other, since what they share
/// moves most, and are far from it.
AllCoordinates::Remainder AllCoordinates::remainder(const At& at) {
  const Remainder out{at.solver->pivot_ratio(), at.solver->by_free_directions() ? 1 : 0};
  if (options_.singular == AllCoordinatesOptions::Singular::taken ||
      std::sqrt(out.square) >= singular::near_row)
    return out;
  const double shape = shape_remainder(at);
  return shape > out.square ? Remainder{shape, 2} : out;
}

/// The same with displacements in the model's length, and no masses; at the evaluation that was
/// factored last.
double AllCoordinates::shape_remainder(const At& at) {
  const SparseMatrix& M = in_workspace() ? ws_->M : at.motion.M;
  const SparseMatrix& G = in_workspace() ? ws_->G : at.motion.G;
  if (!shape_.solver) {
    shape_.mass = SparseMatrix(M.pattern);
    for (int j = 0; j < second_order(); ++j)
      shape_.mass.values[M.pattern->find(j, j)] =
          1 / (system_.coordinate_scale(j) * system_.coordinate_scale(j));
    shape_.solver = std::make_unique<MotionSolver>(shape_.mass, rows_.picked.pattern);
  }
  return shape_.solver->factor(shape_.mass, G) == Eval::ok ? shape_.solver->pivot_ratio() : 0;
}

/// Moves point_ along M^-1 G' until g = 0, with factors nearby where two more corrections by them
/// are enough.
Eval AllCoordinates::project_position(Factors factors) {
  constexpr double none = std::numeric_limits<double>::infinity();
  const double enough = closing_at(system_, point_).position, round_off = stalled * enough;
  double last = none;
  for (int iteration = 0; iteration < max_projections; ++iteration) {
    const bool fresh = factors == Factors::none;
    if (Eval e = evaluate_at(*at_, fresh ? What::velocities : What::positions); e != Eval::ok)
      return e;
    const Motion& m = at_->motion;
    const double size = worst_position().size;
    if (size < enough) return Eval::ok;
    if (last < none) {
      const double left = size / last;
      if (size < round_off && left > 0.5) return Eval::ok;
      if (!fresh && left * left * size > enough) {
        factors = Factors::none;
        last = none;
        continue;
      }
    }
    last = size;
    if (fresh) {
      if (Eval e = factor(); e != Eval::ok) return e;
      factors = Factors::last;
    }
    scratch_.a.assign(second_order(), 0.0);
    scratch_.c.resize(rows());
    for (int i = 0; i < rows(); ++i) scratch_.c[i] = -m.g[i];
    at_->solver->solve(scratch_.a, scratch_.c);
    chart_.to_rates(scratch_.x, scratch_.a, scratch_.u);
    add_scaled(1, scratch_.u, scratch_.x);
    move_to(scratch_.x, point_);
  }
  culprit_ = "the constraints, which the end of the step could not be put back on";
  return last < round_off ? Eval::ok : Eval::recoverable;
}

/// The velocities of point_ along M^-1 G', with the factors there.
Eval AllCoordinates::project_velocity(At& at) {
  scratch_.a.assign(second_order(), 0.0);
  scratch_.c.resize(rows());
  for (int i = 0; i < rows(); ++i) scratch_.c[i] = -at.motion.rate[i];
  at.solver->solve(scratch_.a, scratch_.c);
  add_scaled(1, scratch_.a, point_.v);
  return all_finite(point_.v) ? Eval::ok : Eval::recoverable;
}

/// d = T^-1 M^-1 G' lambda with G T d as it was.
void AllCoordinates::constrained_part(Vector& d) {
  const At& at = end_.known ? *end_at_ : *base_at_;
  const SparseMatrix& G = in_workspace() ? ws_->G : at.motion.G;
  if (!end_.known) scratch_.x.assign(second_order(), 0.0);
  chart_.to_velocities(scratch_.x, d, scratch_.u);
  scratch_.c.resize(rows());
  G.multiply(scratch_.u, scratch_.c);
  scratch_.a.assign(second_order(), 0.0);
  at.solver->solve(scratch_.a, scratch_.c);
  chart_.to_rates(scratch_.x, scratch_.a, d);
}

}  // namespace kardan
