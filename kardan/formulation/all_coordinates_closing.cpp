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

/// Residuals above this are seen with the naked eye: a thousandth of the model's size.
constexpr double visibly_off = 1e-3;
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
  int row = 0;
  const double most =
      closing_at(system_, point_).redundant_velocity + drift_share * largest_off(row);
  a_.assign(second(), 0.0);
  c_ = at.motion.rate;
  for (double& c : c_) c = -c;
  at.solver->solve(a_, c_);
  all_lambda_ = ws_->rate;
  ws_->G.multiply_add(1, a_, all_lambda_);
  for (row = 0; row < all; ++row)
    if (!(std::abs(scaled_residual(system_, row, 1, all_lambda_[row])) <= most))
      return contradiction(row);
  return Eval::ok;
}

/// Closes the kept rows from point_ on by the factors of `at`. Where they are visibly off and that
/// brings no solution nearer the mechanism is locked, which methods with an error estimate rarely
/// see; fixed steps would go on.
Eval AllCoordinates::positions_hold(At& at) {
  int row = 0;
  double left = largest_off(row);
  if (rows() == system_.sizes().constraints() && left <= visibly_off) return Eval::ok;
  const double redundant = closing_at(system_, point_).redundant_position;
  nearby_ = point_;
  for (int k = 0; k < max_projections && left > redundant / drift_share; ++k) {
    a_.assign(second(), 0.0);
    c_.assign(rows(), 0.0);
    for (int i = 0; i < holonomic_; ++i) c_[i] = -ws_->g[rows_[i]];
    at.solver->solve(a_, c_);
    closer_ = nearby_;
    system_.retract(nearby_.p, a_, closer_.p);
    if (follows_) system_.follow_turns(nearby_, a_, closer_, *ws_);
    std::swap(nearby_, closer_);
    if (Eval e = system_.evaluate(nearby_, {.position = true}, *ws_); e != Eval::ok) return e;
    const double now = largest_off(row);
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
  for (row = 0; row < system_.sizes().lambda; ++row)
    if (!(std::abs(scaled_residual(system_, row, 0, ws_->g[row])) <= most))
      return contradiction(row);
  return Eval::ok;
}

/// Largest scaled residual of the kept rows of positions, which are in the workspace, and its row.
double AllCoordinates::largest_off(int& row) const {
  double largest = 0;
  for (int i = 0; i < holonomic_; ++i) {
    const double off = std::abs(position_weight_[i] * ws_->g[rows_[i]]);
    if (!(off <= largest)) largest = off, row = rows_[i];
  }
  return largest;
}

Eval AllCoordinates::contradiction(int row) {
  culprit_ = contradicting_row(system_, row);
  return Eval::recoverable;
}

/// point_ at the chart coordinates x_.
void AllCoordinates::retract_point() {
  system_.retract(base_.state.p, x_, point_.p);
  if (follows_) system_.follow_turns(base_.state, x_, point_, *ws_);
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
  if (!shape_) {
    shape_mass_ = SparseMatrix(M.pattern);
    for (int j = 0; j < second(); ++j)
      shape_mass_.values[M.pattern->find(j, j)] =
          1 / (system_.coordinate_scale(j) * system_.coordinate_scale(j));
    shape_ = std::make_unique<MotionSolver>(shape_mass_, kept_.pattern);
  }
  return shape_->factor(shape_mass_, G) == Eval::ok ? shape_->pivot_ratio() : 0;
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
    double size = 0;
    for (int i = 0; i < rows(); ++i) size = std::max(size, std::abs(position_weight_[i] * m.g[i]));
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
    a_.assign(second(), 0.0);
    c_.resize(rows());
    for (int i = 0; i < rows(); ++i) c_[i] = -m.g[i];
    at_->solver->solve(a_, c_);
    chart_.to_rates(x_, a_, u_);
    add_scaled(1, u_, x_);
    retract_point();
  }
  culprit_ = "the constraints, which the end of the step could not be put back on";
  return last < round_off ? Eval::ok : Eval::recoverable;
}

/// The velocities of point_ along M^-1 G', with the factors there.
Eval AllCoordinates::project_velocity(At& at) {
  a_.assign(second(), 0.0);
  c_.resize(rows());
  for (int i = 0; i < rows(); ++i) c_[i] = -at.motion.rate[i];
  at.solver->solve(a_, c_);
  add_scaled(1, a_, point_.v);
  return all_finite(point_.v) ? Eval::ok : Eval::recoverable;
}

/// d = T^-1 M^-1 G' lambda with G T d as it was.
void AllCoordinates::constrained_part(Vector& d) {
  const At& at = end_.known ? *end_at_ : *base_at_;
  const SparseMatrix& G = in_workspace() ? ws_->G : at.motion.G;
  if (!end_.known) x_.assign(second(), 0.0);
  chart_.to_velocities(x_, d, u_);
  c_.resize(rows());
  G.multiply(u_, c_);
  a_.assign(second(), 0.0);
  at.solver->solve(a_, c_);
  chart_.to_rates(x_, a_, d);
}

}  // namespace kardan
