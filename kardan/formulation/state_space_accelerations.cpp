/// Accelerations and multipliers of the state-space form: on the free directions where they are
/// few, by the saddle-point system where they are many.

#include <algorithm>
#include <cmath>

#include "kardan/base/rotation.h"
#include "kardan/formulation/state_space.h"
#include "kardan/linalg/kernels.h"

namespace kardan {
namespace {

/// Up to so many free directions accelerations are solved on them without a look at what it costs,
constexpr int fewest_shared = 6;
/// and beyond so many they are not: their mass matrix is dense.
constexpr int most_reduced = 48;
/// Entries of the factors of dependent blocks, by those of the blocks, about.
constexpr double fill_of_factors = 1.5;

/// y += factor A x
void multiply_add(double factor, const SparseMatrix& A, const Vector& x, Vector& y) {
  const SparsePattern& p = *A.pattern;
  for (int i = 0; i < p.rows; ++i) {
    double sum = 0;
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k) sum += A.values[k] * x[p.column[k]];
    y[i] += factor * sum;
  }
}

}  // namespace

/// Y = T X per body at the point evaluated last.
void StateSpace::turn_to_body(const Matrix& X, Matrix& Y) const {
  Y = X;
  const int n = X.cols();
  for (const Chart::Turn& t : chart_.turns()) {
    const Mat3d& T = turn_[t.body];
    const double *x0 = X.row(t.v), *x1 = X.row(t.v + 1), *x2 = X.row(t.v + 2);
    for (int r = 0; r < 3; ++r) {
      double* y = Y.row(t.v + r);
      for (int j = 0; j < n; ++j) y[j] = T[r][0] * x0[j] + T[r][1] * x1[j] + T[r][2] * x2[j];
    }
  }
}

/// bias_ = T' q' at the point evaluated last.
void StateSpace::update_bias() {
  bias_.assign(system_.sizes().v, 0.0);
  for (const Chart::Turn& t : chart_.turns()) {
    const Vec3d theta = three_at(q_, t.v), rate = three_at(dq_, t.v);
    put_three(rotation_rate_map_rate(theta, rate) * rate, t.v, bias_);
  }
}

/// a = T q'' + T' q'
void StateSpace::acceleration_from_chart(const Vector& ddq, Vector& a) const {
  std::copy(ddq.begin(), ddq.end(), a.begin());
  for (const Chart::Turn& t : chart_.turns())
    put_three(turn_[t.body] * three_at(ddq, t.v) + three_at(bias_, t.v), t.v, a);
}

/// ddq_ and a_ on the free directions U of the velocities:
///
///   U'M U x'' = U'(f - M a0),   a = a0 + U x'',   a0: [G; H] a0 = gamma with x'' = 0.
Eval StateSpace::reduced_accelerations(Tangent& tangent) {
  const int n = second();
  std::fill(ddq_.begin(), ddq_.end(), 0.0);
  update_bias();
  const SparsePattern& p = *ws_->G.pattern;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    double sum = ws_->gamma[rows_[i]];
    for (int k = p.row_start[rows_[i]]; k < p.row_start[rows_[i] + 1]; ++k)
      sum -= ws_->G.values[k] * bias_[p.column[k]];
    held_velocities_[i] = sum;
  }
  if (!rows_.empty()) tangent.velocity->solve(held_velocities_);
  split_.add_held(held_velocities_, ddq_);
  acceleration_from_chart(ddq_, a_);
  force_ = ws_->f;
  multiply_add(-1, ws_->M, a_, force_);

  const Matrix& U = tangent.velocities();
  reduced_x_.assign(n, 0.0);
  if (shares_.empty())
    reduce_at_once(U);
  else
    reduce_by_bodies(U);
  if (Eval e = reduced_lu_.factor(reduced_mass_); e != Eval::ok) {
    culprit_ = "the accelerations (mass matrix and constraints are singular together)";
    return e;
  }
  reduced_lu_.solve(reduced_x_);
  add_products(U, reduced_x_, ddq_);
  if (shares_.empty()) add_products(body_U_, reduced_x_, a_);
  for (BodyShare& share : shares_) {
    for (std::size_t j = 0; j < share.columns.size(); ++j)
      share.x[j] = reduced_x_[share.columns[j]];
    const BodyLayout& body = system_.bodies()[share.body];
    add_products(share.U, share.x, std::span(a_).subspan(body.v, body.v_count));
  }
  return all_finite(a_) ? Eval::ok : Eval::recoverable;
}

/// reduced_mass_ = U'M U and reduced_x_ = U' force_, U in body tangents.
void StateSpace::reduce_at_once(const Matrix& U) {
  turn_to_body(U, body_U_);
  reduce_mass(body_U_, reduced_mass_);
  RowSum sum(U.cols(), reduced_x_.data());
  for (int j = 0; j < U.rows(); ++j) sum.add(force_[j], body_U_.row(j));
}

void StateSpace::share_bodies() {
  shares_.clear();
  const SparsePattern& mass = *system_.patterns().mass;
  const auto& bodies = system_.bodies();
  const int n = second();
  for (std::size_t b = 1; b < bodies.size(); ++b) {
    const BodyLayout& body = bodies[b];
    auto inside = [&](int k) { return k >= body.v && k < body.v + body.v_count; };
    for (int k = body.v; k < body.v + body.v_count; ++k)
      for (int s = mass.row_start[k]; s < mass.row_start[k + 1]; ++s)
        if (!inside(mass.column[s])) return shares_.clear();
    BodyShare share;
    share.body = static_cast<int>(b);
    for (int c = 0; c < n; ++c)
      if (std::ranges::any_of(supports_[c], inside)) share.columns.push_back(c);
    const int used = static_cast<int>(share.columns.size()), width = (used + 3) / 4 * 4;
    share.U = Matrix(body.v_count, width);
    share.x.assign(width, 0.0);
    const auto room = static_cast<std::size_t>(width);
    share_mass_.resize(std::max(share_mass_.size(), body.v_count * room));
    share_square_.resize(std::max(share_square_.size(), room * room));
    if (used > 0) shares_.push_back(std::move(share));
  }
}

/// U and M U of a body on the columns that move it.
void StateSpace::gather(const Matrix& U, BodyShare& share) {
  const BodyLayout& body = system_.bodies()[share.body];
  const int used = static_cast<int>(share.columns.size()), width = share.U.cols();
  const int* column = share.columns.data();
  for (int k = 0; k < body.v_count; ++k) {
    const double* from = U.row(body.v + k);
    double* to = share.U.row(k);
    for (int j = 0; j < used; ++j) to[j] = from[column[j]];
  }
  if (system_.dimension() == 3 && body.v_count > 3)
    turn_rows(&turn_[share.body][0][0], width, share.U.row(3));
  const SparsePattern& mass = *ws_->M.pattern;
  multiply_rows({body.v_count, body.v, mass.row_start.data() + body.v, mass.column.data(),
                 ws_->M.values.data()},
                width, share.U.data(), share_mass_.data());
}

/// The same body by body, on the columns that move it.
void StateSpace::reduce_by_bodies(const Matrix& U) {
  const int n = U.cols();
  reduced_mass_.resize(n, n);
  reduced_mass_.set_zero();
  for (BodyShare& share : shares_) {
    gather(U, share);
    const BodyLayout& body = system_.bodies()[share.body];
    const int used = static_cast<int>(share.columns.size()), width = share.U.cols();
    const int* column = share.columns.data();
    multiply_lower(body.v_count, width, share.U.data(), share_mass_.data(), share_square_.data());
    multiply_transposed(share.U, std::span(force_).subspan(body.v, body.v_count), share.x);
    for (int i = 0; i < used; ++i) {
      double* row = reduced_mass_.row(column[i]);
      const double* square = share_square_.data() + std::ptrdiff_t{width} * i;
      for (int j = 0; j <= i; ++j) row[column[j]] += square[j];
      reduced_x_[column[i]] += share.x[i];
    }
  }
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) reduced_mass_(i, j) = reduced_mass_(j, i);
}

/// U'M U: the lower half, and its mirror image.
void StateSpace::reduce_mass(const Matrix& U, Matrix& out) {
  const SparsePattern& p = *ws_->M.pattern;
  const int n = U.cols();
  mass_U_.resize(p.rows, n);
  for (int k = 0; k < p.rows; ++k) {
    double* row = mass_U_.row(k);
    std::fill_n(row, n, 0.0);
    RowSum sum(n, row);
    for (int s = p.row_start[k]; s < p.row_start[k + 1]; ++s)
      if (ws_->M.values[s] != 0) sum.add(ws_->M.values[s], U.row(p.column[s]));
  }
  out.resize(n, n);
  for (int i = 0; i < n; ++i) {
    double* row = out.row(i);
    std::fill_n(row, i + 1, 0.0);
    RowSum sum(i + 1, row);
    for (int k : supports_[i]) sum.add(U(k, i), mass_U_.row(k));
  }
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) out(i, j) = out(j, i);
}

/// lambda_ from the held part of T'(f - M a) = ([G; H] T)' lambda.
void StateSpace::reduced_multipliers(Tangent& tangent) {
  std::fill(lambda_.begin(), lambda_.end(), 0.0);
  if (rows_.empty()) return;
  force_ = ws_->f;
  multiply_add(-1, ws_->M, a_, force_);
  for (const Chart::Turn& t : chart_.turns())
    put_three(transposed_times(turn_[t.body], three_at(force_, t.v)), t.v, force_);
  split_.held_part(force_, held_velocities_);
  tangent.velocity->solve_transposed(held_velocities_);
  for (std::size_t i = 0; i < rows_.size(); ++i) lambda_[rows_[i]] = held_velocities_[i];
}

/// On the free directions where they are few; their mass matrix is dense, but rank and condition
/// are those of the constraints, not their squares.
void StateSpace::choose_accelerations() {
  chosen_ = true;
  const int n = system_.sizes().v - static_cast<int>(rows_.size());
  reduced_ = accelerations_ != Accelerations::saddle;
  if (accelerations_ == Accelerations::reduced) return;
  if (accelerations_ == Accelerations::automatic && n <= fewest_shared) return;
  kept_ = pick_rows(*system_.patterns().constraint, rows_);
  kept_G_ = SparseMatrix(kept_.pattern);
  kept_lambda_.resize(rows_.size());
  saddle_ = std::make_unique<MotionSolver>(ws_->M, kept_.pattern);
  if (accelerations_ == Accelerations::automatic)
    reduced_ = !(saddle_->work() < reduced_work()) && n <= most_reduced;
  if (reduced_) saddle_.reset();
}

/// Multiplications of the free directions, their mass matrix and its factors, about.
double StateSpace::reduced_work() const {
  const double n = second();
  double work = n * n * n / 3 + n * fill_of_factors * velocity_block_.pattern()->nonzeros();
  for (const BodyShare& share : shares_) {
    const double used = static_cast<double>(share.columns.size()), size = share.U.rows();
    work += size * used * (0.5 * used + size);
  }
  return work;
}

/// a_ and lambda_ at once from [M G'; G 0].
Eval StateSpace::saddle_accelerations() {
  if (kept_.place.size() == ws_->G.values.size() && std::ranges::is_sorted(rows_))
    std::ranges::copy(ws_->G.values, kept_G_.values.begin());  // all of them
  else
    kept_.take(ws_->G.values, kept_G_.values);
  if (Eval e = saddle_->factor(ws_->M, kept_G_); e != Eval::ok) {
    culprit_ = "the accelerations (mass matrix and constraints are singular together)";
    return e;
  }
  std::copy(ws_->f.begin(), ws_->f.end(), a_.begin());
  for (std::size_t i = 0; i < rows_.size(); ++i) kept_lambda_[i] = ws_->gamma[rows_[i]];
  saddle_->solve(a_, kept_lambda_);
  std::fill(lambda_.begin(), lambda_.end(), 0.0);
  for (std::size_t i = 0; i < rows_.size(); ++i) lambda_[rows_[i]] = kept_lambda_[i];
  return all_finite(a_) ? Eval::ok : Eval::recoverable;
}

}  // namespace kardan
