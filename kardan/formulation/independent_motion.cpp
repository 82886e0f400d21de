#include "kardan/formulation/independent_motion.h"

#include <algorithm>

#include "kardan/formulation/analysis.h"
#include "kardan/formulation/singular_watch.h"

namespace kardan {
namespace {

/// Less than this share of a row (squared) loses more digits than differences of neighbouring
/// motions can spare.
constexpr double least_pivot = 1e-8;
/// Rows of redundant equations are chosen anew where they have come as much nearer to depending on
/// each other.
constexpr double nearer = 0.3;

}  // namespace

Eval IndependentMotion::choose(const State& state, Workspace& ws) {
  const RowDependencies found =
      constraint_dependencies(system_, state, ws, singular::redundant_row);
  if (found.eval != Eval::ok) return found.eval;
  // That evaluation was one of constraints alone.
  if (Eval e = system_.evaluate(state, Request::all(), ws); e != Eval::ok) return e;
  rows_ = found.independent;
  picked_ = pick_rows(*system_.patterns().constraint, rows_);
  G_ = SparseMatrix(picked_.pattern);
  lambda_.resize(rows_.size());
  chosen_.emplace(ws.M, picked_.pattern);
  return Eval::ok;
}

bool IndependentMotion::by_chosen(const Workspace& ws) {
  picked_.take(ws.G.values, G_.values);
  return chosen_->factor(ws.M, G_) == Eval::ok && chosen_->pivot_ratio() >= least_pivot;
}

Eval IndependentMotion::factor(const State& state, Workspace& ws) {
  if (!chosen_)
    if (Eval e = choose(state, ws); e != Eval::ok) return e;
  bool done = by_chosen(ws);
  const bool redundant = static_cast<int>(rows_.size()) < system_.sizes().constraints();
  if (redundant && !(chosen_->pivot_ratio() >= nearer * pivot_)) {
    if (Eval e = choose(state, ws); e != Eval::ok) return e;
    done = by_chosen(ws);
    pivot_ = 0;
  }
  if (pivot_ == 0) pivot_ = chosen_->pivot_ratio();
  in_all_ = !done;
  if (!in_all_) return Eval::ok;
  if (!all_)
    all_ = std::make_unique<Saddle>(system_.patterns().mass, system_.patterns().constraint);
  return all_->factor(ws.M.values, ws.G.values, Matrix(), system_.scales().mass);
}

void IndependentMotion::solve(Vector& a, Vector& lambda) {
  if (in_all_) {
    all_->solve(a, lambda);
    return;
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) lambda_[i] = lambda[rows_[i]];
  chosen_->solve(a, lambda_);
  std::ranges::fill(lambda, 0.0);
  for (std::size_t i = 0; i < rows_.size(); ++i) lambda[rows_[i]] = lambda_[i];
}

}  // namespace kardan
