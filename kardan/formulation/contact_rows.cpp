#include "kardan/formulation/contact_rows.h"

#include <fmt/format.h>

#include <cmath>

#include "kardan/formulation/residuals.h"

namespace kardan {
namespace {

/// What a redundant row leaves of a unit change that its multiplier should make.
constexpr double not_its_own = 1e-6;

}  // namespace

ContactRows::ContactRows(const System& system, const System& all)
    : system_(system),
      all_(all),
      stops_(static_cast<int>(system.impulses().size())),
      frictions_(static_cast<int>(system.frictions().size())),
      ws_(all.make_workspace()),
      own_(system.make_workspace()),
      saddle_(system.patterns().mass, system.patterns().constraint),
      answer_(count()) {}

int ContactRows::row(int i) const {
  return i < stops_ ? system_.sizes().lambda + i
                    : all_.sizes().lambda + system_.sizes().mu + (i - stops_);
}

Eval ContactRows::look(const State& state) {
  return all_.evaluate(fitted(all_, state),
                       {.position = true, .velocity = true, .acceleration = true}, *ws_);
}

double ContactRows::scaled_value(int stop) const {
  return scaled_residual(all_, row(stop), 0, ws_->g[row(stop)]);
}

double ContactRows::scaled_rate(int i) const {
  return scaled_residual(all_, row(i), 1, ws_->rate[row(i)]);
}

void ContactRows::load_row(int i, Vector& gradient) const {
  const SparsePattern& p = *all_.patterns().constraint;
  gradient.assign(system_.sizes().v, 0.0);
  for (int k = p.row_start[row(i)]; k < p.row_start[row(i) + 1]; ++k)
    gradient[p.column[k]] = ws_->G.values[k];
}

Eval ContactRows::fill(const State& state, Level level, ContactProblem& problem) {
  State free = fitted(system_, state);  // without any friction
  for (const FrictionPlaces& f : system_.frictions()) free.modes[f.mode] = 0;
  if (Eval e = system_.evaluate(free, Request::all(), *own_); e != Eval::ok) return e;
  if (Eval e = saddle_.factor(own_->M.values, own_->G.values, Matrix(), system_.scales().mass);
      e != Eval::ok)
    return e;
  const int n = system_.sizes().v, m = system_.sizes().constraints();
  const bool velocity = level == Level::velocity;
  std::vector<Vector> multipliers(count());
  for (int i = 0; i < count(); ++i) {
    load_row(i, answer_[i]);
    multipliers[i].assign(m, 0.0);
    saddle_.solve(answer_[i], multipliers[i]);
  }
  a_ = velocity ? Vector(n, 0.0) : own_->f;
  lambda_ = velocity ? Vector(m, 0.0) : own_->gamma;
  if (!velocity) saddle_.solve(a_, lambda_);
  problem.W = Matrix(count(), count());
  problem.b.resize(count());
  problem.unit.resize(count());
  for (int i = 0; i < count(); ++i) {
    load_row(i, gradient_);
    for (int j = 0; j < count(); ++j) problem.W(i, j) = dot(gradient_, answer_[j]);
    problem.b[i] = velocity ? ws_->rate[row(i)] : dot(gradient_, a_) - ws_->gamma[row(i)];
    problem.unit[i] = scaled_residual(all_, row(i), velocity ? 1 : 2, 1.0);
  }
  for (int i = 0; i < frictions_; ++i) {
    const int joint = system_.blueprint().frictions[i].joint;
    ContactLoad& load = problem.frictions[i].load;
    if (joint < 0) continue;
    const std::vector<int> rows = force_rows(joint);
    load.offset.resize(rows.size());
    load.by_force = Matrix(static_cast<int>(rows.size()), count());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      load.offset[k] = lambda_[rows[k]];
      for (int j = 0; j < count(); ++j)
        load.by_force(static_cast<int>(k), j) = multipliers[j][rows[k]];
    }
  }
  return all_finite(problem.b) && all_finite(problem.W.values()) ? Eval::ok : Eval::recoverable;
}

/// Rows of a joint that hold displacements.
std::vector<int> ContactRows::force_rows(int joint) const {
  std::vector<int> rows;
  for (int r = 0; r < system_.sizes().lambda; ++r)
    if (system_.rows()[r].element == joint && system_.rows()[r].unit == RowUnit::length)
      rows.push_back(r);
  return rows;
}

/// A multiplier is unique where its row alone can change.
bool ContactRows::unique(int row) {
  a_.assign(system_.sizes().v, 0.0);
  lambda_.assign(system_.sizes().constraints(), 0.0);
  lambda_[row] = 1;
  Vector left = lambda_;
  saddle_.solve(a_, lambda_);
  own_->G.multiply_add(-1, a_, left);
  return norm_max(left) <= not_its_own;
}

/// Whether unit displacements along the rows are those of a body along axes of right angles.
bool ContactRows::are_axes(const std::vector<int>& rows) const {
  const auto displacement = [&](int row, int k) {
    const int body = system_.row_bodies()[row].front();
    const int place = system_.patterns().constraint->find(row, system_.bodies()[body].v + k);
    return place < 0 ? 0.0 : own_->G.values[place];
  };
  for (const int i : rows)
    for (const int j : rows) {
      double product = 0;
      for (int k = 0; k < system_.dimension(); ++k)
        product += displacement(i, k) * displacement(j, k);
      if (std::abs(product - (i == j ? 1 : 0)) > not_its_own) return false;
    }
  return !rows.empty();
}

std::string ContactRows::unknown_load() {
  for (const FrictionData& f : system_.blueprint().frictions) {
    if (f.joint < 0) continue;
    const std::string& joint = system_.blueprint().elements[f.joint].name;
    const std::vector<int> rows = force_rows(f.joint);
    if (!are_axes(rows))
      return fmt::format("{}: the force that '{}' carries is not known from its rows", f.name,
                         joint);
    for (const int row : rows)
      if (!unique(row))
        return fmt::format(
            "{}: the force of '{}' is not unique, its rows are redundant with others", f.name,
            joint);
  }
  return {};
}

void ContactRows::apply(const Vector& impulse, Vector& v) const {
  for (int i = 0; i < count(); ++i) add_scaled(impulse[i], answer_[i], v);
}

}  // namespace kardan
