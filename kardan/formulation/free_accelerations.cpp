#include "kardan/formulation/free_accelerations.h"

#include <algorithm>
#include <cmath>

#include "kardan/base/rotation.h"
#include "kardan/linalg/kernels.h"

namespace kardan {
namespace {

/// Up to this many free directions accelerations are solved on them without a look at what it costs,
constexpr int fewest_shared = 6;
/// and beyond this many they are not: their mass matrix is dense.
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

/// Y = T X per body.
void FreeAccelerations::turn_to_body(const EvaluatedPoint& at, const Matrix& X, Matrix& Y) const {
  Y = X;
  const int n = X.cols();
  for (const Chart::Turn& t : chart_.turns()) {
    const Mat3d& T = at.turn[t.body];
    const double *x0 = X.row(t.v), *x1 = X.row(t.v + 1), *x2 = X.row(t.v + 2);
    for (int r = 0; r < 3; ++r) {
      double* y = Y.row(t.v + r);
      for (int j = 0; j < n; ++j) y[j] = T[r][0] * x0[j] + T[r][1] * x1[j] + T[r][2] * x2[j];
    }
  }
}

/// bias_ = T' q' at the point.
void FreeAccelerations::update_bias(const EvaluatedPoint& at) {
  bias_.assign(system_.sizes().v, 0.0);
  for (const Chart::Turn& t : chart_.turns()) {
    const Vec3d theta = three_at(at.q, t.v), rate = three_at(at.dq, t.v);
    put_three(rotation_rate_map_rate(theta, rate) * rate, t.v, bias_);
  }
}

/// a = T q'' + T' q'
void FreeAccelerations::to_accelerations(EvaluatedPoint& at) const {
  std::copy(at.ddq.begin(), at.ddq.end(), at.a.begin());
  for (const Chart::Turn& t : chart_.turns())
    put_three(at.turn[t.body] * three_at(at.ddq, t.v) + three_at(bias_, t.v), t.v, at.a);
}

Eval FreeAccelerations::reduced(const Workspace& ws, Tangent& tangent, EvaluatedPoint& at) {
  const int n = split_.free_velocities();
  std::fill(at.ddq.begin(), at.ddq.end(), 0.0);
  update_bias(at);
  const SparsePattern& p = *ws.G.pattern;
  for (std::size_t i = 0; i < split_.rows.size(); ++i) {
    double sum = ws.gamma[split_.rows[i]];
    for (int k = p.row_start[split_.rows[i]]; k < p.row_start[split_.rows[i] + 1]; ++k)
      sum -= ws.G.values[k] * bias_[p.column[k]];
    dependent_[i] = sum;
  }
  if (!split_.rows.empty()) tangent.velocity->solve(dependent_);
  split_.add_dependent(dependent_, at.ddq);
  to_accelerations(at);
  force_ = ws.f;
  multiply_add(-1, ws.M, at.a, force_);

  const Matrix& U = tangent.velocities();
  x_.assign(n, 0.0);
  if (shares_.empty())
    reduce_at_once(ws, at, U);
  else
    reduce_by_bodies(ws, at, U);
  if (Eval e = lu_.factor(mass_); e != Eval::ok) return e;
  lu_.solve(x_);
  add_products(U, x_, at.ddq);
  if (shares_.empty()) add_products(body_U_, x_, at.a);
  for (BodyShare& share : shares_) {
    for (std::size_t j = 0; j < share.columns.size(); ++j) share.x[j] = x_[share.columns[j]];
    const BodyLayout& body = system_.bodies()[share.body];
    add_products(share.U, share.x, std::span(at.a).subspan(body.v, body.v_count));
  }
  return all_finite(at.a) ? Eval::ok : Eval::recoverable;
}

/// mass_ = U'M U and x_ = U' force_, U in body tangents.
void FreeAccelerations::reduce_at_once(const Workspace& ws, const EvaluatedPoint& at,
                                       const Matrix& U) {
  turn_to_body(at, U, body_U_);
  reduce_mass(ws, body_U_);
  RowSum sum(U.cols(), x_.data());
  for (int j = 0; j < U.rows(); ++j) sum.add(force_[j], body_U_.row(j));
}

void FreeAccelerations::prepare() {
  supports_ = free_supports(system_, split_);
  dependent_.resize(split_.rows.size());
  chosen_ = false;
  shares_.clear();
  const SparsePattern& mass = *system_.patterns().mass;
  const auto& bodies = system_.bodies();
  const int n = split_.free_velocities();
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
void FreeAccelerations::gather(const Workspace& ws, const EvaluatedPoint& at, const Matrix& U,
                               BodyShare& share) {
  const BodyLayout& body = system_.bodies()[share.body];
  const int used = static_cast<int>(share.columns.size()), width = share.U.cols();
  const int* column = share.columns.data();
  for (int k = 0; k < body.v_count; ++k) {
    const double* from = U.row(body.v + k);
    double* to = share.U.row(k);
    for (int j = 0; j < used; ++j) to[j] = from[column[j]];
  }
  if (system_.dimension() == 3 && body.v_count > 3)
    turn_rows(&at.turn[share.body][0][0], width, share.U.row(3));
  const SparsePattern& mass = *ws.M.pattern;
  multiply_rows({body.v_count, body.v, mass.row_start.data() + body.v, mass.column.data(),
                 ws.M.values.data()},
                width, share.U.data(), share_mass_.data());
}

/// The same body by body, on the columns that move it.
void FreeAccelerations::reduce_by_bodies(const Workspace& ws, const EvaluatedPoint& at,
                                         const Matrix& U) {
  const int n = U.cols();
  mass_.resize(n, n);
  mass_.set_zero();
  for (BodyShare& share : shares_) {
    gather(ws, at, U, share);
    const BodyLayout& body = system_.bodies()[share.body];
    const int used = static_cast<int>(share.columns.size()), width = share.U.cols();
    const int* column = share.columns.data();
    multiply_lower(body.v_count, width, share.U.data(), share_mass_.data(), share_square_.data());
    multiply_transposed(share.U, std::span(force_).subspan(body.v, body.v_count), share.x);
    for (int i = 0; i < used; ++i) {
      double* row = mass_.row(column[i]);
      const double* square = share_square_.data() + std::ptrdiff_t{width} * i;
      for (int j = 0; j <= i; ++j) row[column[j]] += square[j];
      x_[column[i]] += share.x[i];
    }
  }
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) mass_(i, j) = mass_(j, i);
}

/// mass_ = U'M U: the lower half, and its mirror image.
void FreeAccelerations::reduce_mass(const Workspace& ws, const Matrix& U) {
  Matrix& out = mass_;
  const SparsePattern& p = *ws.M.pattern;
  const int n = U.cols();
  mass_U_.resize(p.rows, n);
  for (int k = 0; k < p.rows; ++k) {
    double* row = mass_U_.row(k);
    std::fill_n(row, n, 0.0);
    RowSum sum(n, row);
    for (int s = p.row_start[k]; s < p.row_start[k + 1]; ++s)
      if (ws.M.values[s] != 0) sum.add(ws.M.values[s], U.row(p.column[s]));
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

void FreeAccelerations::multipliers(const Workspace& ws, Tangent& tangent, EvaluatedPoint& at) {
  std::fill(at.lambda.begin(), at.lambda.end(), 0.0);
  if (split_.rows.empty()) return;
  force_ = ws.f;
  multiply_add(-1, ws.M, at.a, force_);
  for (const Chart::Turn& t : chart_.turns())
    put_three(transposed_times(at.turn[t.body], three_at(force_, t.v)), t.v, force_);
  split_.dependent_part(force_, dependent_);
  tangent.velocity->solve_transposed(dependent_);
  for (std::size_t i = 0; i < split_.rows.size(); ++i) at.lambda[split_.rows[i]] = dependent_[i];
}

void FreeAccelerations::choose(const Workspace& ws, int nonzeros) {
  chosen_ = true;
  const int n = system_.sizes().v - static_cast<int>(split_.rows.size());
  reduced_ = wanted_ != Accelerations::saddle;
  if (wanted_ == Accelerations::reduced) return;
  if (wanted_ == Accelerations::automatic && n <= fewest_shared) return;
  kept_ = pick_rows(*system_.patterns().constraint, split_.rows);
  kept_G_ = SparseMatrix(kept_.pattern);
  kept_lambda_.resize(split_.rows.size());
  saddle_ = std::make_unique<MotionSolver>(ws.M, kept_.pattern);
  if (wanted_ == Accelerations::automatic)
    reduced_ = !(saddle_->work() < reduced_work(nonzeros)) && n <= most_reduced;
  if (reduced_) saddle_.reset();
}

/// Multiplications of the free directions, their mass matrix and its factors, about.
double FreeAccelerations::reduced_work(int nonzeros) const {
  const double n = split_.free_velocities();
  double work = n * n * n / 3 + n * fill_of_factors * nonzeros;
  for (const BodyShare& share : shares_) {
    const double used = static_cast<double>(share.columns.size()), size = share.U.rows();
    work += size * used * (0.5 * used + size);
  }
  return work;
}

Eval FreeAccelerations::by_saddle(const Workspace& ws, EvaluatedPoint& at) {
  if (kept_.place.size() == ws.G.values.size() && std::ranges::is_sorted(split_.rows))
    std::ranges::copy(ws.G.values, kept_G_.values.begin());  // all of them
  else
    kept_.take(ws.G.values, kept_G_.values);
  if (Eval e = saddle_->factor(ws.M, kept_G_); e != Eval::ok) return e;
  std::copy(ws.f.begin(), ws.f.end(), at.a.begin());
  for (std::size_t i = 0; i < split_.rows.size(); ++i) kept_lambda_[i] = ws.gamma[split_.rows[i]];
  saddle_->solve(at.a, kept_lambda_);
  std::fill(at.lambda.begin(), at.lambda.end(), 0.0);
  for (std::size_t i = 0; i < split_.rows.size(); ++i) at.lambda[split_.rows[i]] = kept_lambda_[i];
  return all_finite(at.a) ? Eval::ok : Eval::recoverable;
}

}  // namespace kardan
