/// How all coordinates keep to their constraints: what must hold at the ends of steps, and the
/// projection that puts them back.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kardan/formulation/all_coordinates.h"
#include "kardan/formulation/residuals.h"

namespace kardan {
namespace {

/// A row that was left out must hold by itself, up to rounding and this much of what the others'
/// errors leave in it.
constexpr double redundant_share = 100, redundant_floor = 1e-9;
/// Residuals above this are seen with the naked eye: a thousandth of the model's size.
constexpr double visibly_off = 1e-3;
/// Projection stops at this scaled residual, or at this share of what may be all rounding (models
/// of many bodies reach far), or, below the last one, where it falls no more.
constexpr double projected = 2e-14, rounding_share = 0.125;
constexpr double round_off_residual = 1e-11;
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
  const double most = redundant_floor + redundant_share * largest_off(row);
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
  nearby_ = point_;
  for (int k = 0; k < max_projections && left > redundant_floor / redundant_share; ++k) {
    a_.assign(second(), 0.0);
    c_.assign(rows(), 0.0);
    for (int i = 0; i < holonomic_; ++i) c_[i] = -ws_->g[rows_[i]];
    at.solver->solve(a_, c_);
    closer_ = nearby_;
    system_.retract(nearby_.p, a_, closer_.p);
    if (!closer_.turns.empty()) system_.follow_turns(nearby_, closer_, *ws_);
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
  const double most = redundant_floor + redundant_share * left;
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
  culprit_ = fmt::format("'{}': it contradicts the other constraints", system_.row_name(row));
  return Eval::recoverable;
}

/// point_ at the chart coordinates x_.
void AllCoordinates::retract_point() {
  system_.retract(base_.p, x_, point_.p);
  if (!base_.turns.empty()) system_.follow_turns(base_, point_, *ws_);
}

/// Moves point_ along M^-1 G' until g = 0, with factors nearby where two more corrections by them
/// are enough.
Eval AllCoordinates::project_position(Factors factors) {
  constexpr double none = std::numeric_limits<double>::infinity();
  const double rounding = position_rounding(system_, point_);
  const double enough = std::max(projected, rounding_share * rounding);
  const double round_off = std::max(round_off_residual, rounding);
  double last = none;
  for (int iteration = 0; iteration < max_projections; ++iteration) {
    const bool fresh = factors == Factors::none;
    if (Eval e = evaluate_at(*at_, fresh ? What::velocities : What::positions); e != Eval::ok)
      return e;
    const Motion& m = at_->motion;
    double size = 0;
    for (int i = 0; i < rows(); ++i)
      size = std::max(size, std::abs(position_weight_[i] * m.g[i]));
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

}  // namespace kardan
