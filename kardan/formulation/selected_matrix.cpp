/// The projected strangeness-free form, linearized: spaces, selectors and what depends on them.

#include "kardan/formulation/selected_matrix.h"

#include "kardan/base/stop.h"
#include "kardan/formulation/analysis.h"

namespace kardan {
namespace {

/// Y += factor A X
void multiply_add(double factor, const SparseMatrix& A, const Matrix& X, Matrix& Y, int row = 0) {
  const SparsePattern& p = *A.pattern;
  // Two columns, a mechanism of one degree of freedom, are too short for a loop.
  if (X.cols() == 2 && p.nonzeros() == p.rows * p.cols) {
    const double* a = A.values.data();
    for (int i = 0; i < p.rows; ++i, a += p.cols) {
      double* y = Y.row(row + i);
      double sum[2] = {y[0], y[1]};
      for (int k = 0; k < p.cols; ++k) {
        sum[0] += factor * a[k] * X.row(k)[0];
        sum[1] += factor * a[k] * X.row(k)[1];
      }
      y[0] = sum[0];
      y[1] = sum[1];
    }
    return;
  }
  const auto width = static_cast<std::size_t>(X.cols());
  for (int i = 0; i < p.rows; ++i)
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k)
      if (A.values[k] != 0)
        add_scaled(factor * A.values[k], {X.row(p.column[k]), width}, {Y.row(row + i), width});
}

}  // namespace

Eval SelectedMatrix::prepare(const Workspace& ws) {
  if (Eval e = find_spaces(); e != Eval::ok) return e;
  if (Eval e = select(); e != Eval::ok) return e;
  for (int i = 0; i < l_.m; ++i) active_[i] = velocity_.is_independent(i) ? 1 : 0;
  if (Eval e = acceleration_.factor(motion_values(ws), active_); e != Eval::ok) return e;
  expand_velocities();
  expand_accelerations();
  reduce();
  return all_finite(J_.values()) ? Eval::ok : Eval::recoverable;
}

Eval SelectedMatrix::find_spaces() {
  auto factor = [&](int rank, const RowChoice& last, ConstraintSpace& space, Matrix& N) {
    if (known_rows && &space == &velocity_) {
      space.copy_dense(*known_rows);
    } else if (Eval e = space.factor(at.G, rank_tolerance, rank, last); e != Eval::ok) {
      return e;
    }
    space.null_space(N);
    return Eval::ok;
  };
  if (Eval e = factor(max_rank, *choice, velocity_, N_v_); e != Eval::ok) return e;
  if (!nonholonomic()) {
    N_p_ = N_v_;
    return Eval::ok;
  }
  return factor(max_position_rank, *position_choice, position_, N_p_);
}

/// Selectors, and E' = L N.
Eval SelectedMatrix::select() {
  if (form_.selectors == Selectors::orthonormal) {
    L_p_ = N_p_;
    L_v_ = N_v_;
    return Eval::ok;
  }
  // Coordinates by the largest row of the basis, less what those before have of it.
  new_selectors_ = false;
  auto choose = [&](const Matrix& N, std::vector<int>& rows, Matrix& L) {
    const auto width = static_cast<std::size_t>(N.cols());
    spare_ = N;
    pivots_.clear();
    L.resize(N.rows(), N.cols());
    L.set_zero();
    for (int c = 0; c < N.cols(); ++c) {
      if (N.rows() >= long_loop) stop_point();
      int best = 0;
      double largest = -1;
      for (int j = 0; j < N.rows(); ++j) {
        const double size = norm_two({spare_.row(j), width});
        if (size > largest) largest = size, best = j;
      }
      if (!(largest > 0)) return Eval::recoverable;
      pivots_.push_back(best);
      L(best, c) = 1;
      small_.assign(spare_.row(best), spare_.row(best) + width);
      for (double& value : small_) value /= largest;
      for (int j = 0; j < N.rows(); ++j) {
        const std::span<double> row{spare_.row(j), width};
        add_scaled(-dot(row, small_), small_, row);
      }
    }
    new_selectors_ = new_selectors_ || pivots_ != rows;
    rows = pivots_;
    return Eval::ok;
  };
  if (Eval e = choose(N_p_, rows_p_, L_p_); e != Eval::ok) return e;
  return choose(N_v_, rows_v_, L_v_);
}

/// P_p = C N_p, P_v = [V, C N_v] with G V = -rate_p P_p.
void SelectedMatrix::expand_velocities() {
  const int n = l_.n, np = free_p(), nv = free_v(), width = reduced();
  for (Matrix* P : {&P_p_, &P_v_}) {
    P->resize(n, width);
    P->set_zero();
  }
  for (int j = 0; j < n; ++j) {
    const double unit = at.column_scale[j];
    for (int i = 0; i < np; ++i) P_p_(j, i) = unit * N_p_(j, i);
    for (int i = 0; i < nv; ++i) P_v_(j, np + i) = unit * N_v_(j, i);
  }
  W_.resize(l_.m, width);
  W_.set_zero();
  multiply_add(-1, at.rate_p, P_p_, W_);
  small_.resize(l_.m);
  column_.resize(n);
  for (int i = 0; i < np; ++i) {
    if (n >= long_loop) stop_point();
    for (int k = 0; k < l_.m; ++k) small_[k] = W_(k, i);
    velocity_.solve(small_, column_);
    for (int j = 0; j < n; ++j) P_v_(j, i) += at.column_scale[j] * column_[j];
  }
}

/// K P_k = the change of (f, gamma, -d) with (p, v, r).
void SelectedMatrix::expand_accelerations() {
  const int n = l_.n, m = l_.m, width = reduced(), r0 = free_p() + free_v();
  P_k_.resize(acceleration_.size(), width);
  P_k_.set_zero();
  multiply_add(1, at.f_p, P_p_, P_k_);
  multiply_add(1, at.f_v, P_v_, P_k_);
  multiply_add(-1, at.accel_p, P_p_, P_k_, n);
  multiply_add(-1, at.accel_v, P_v_, P_k_, n);
  for (int i = 0; i < m; ++i)
    if (!active_[i]) std::fill_n(P_k_.row(n + i), width, 0.0);
  if (l_.r + l_.w > 0) {
    W_.resize(l_.r + l_.w, width);
    W_.set_zero();
    multiply_add(1, at.aux_p, P_p_, W_);
    multiply_add(1, at.aux_v, P_v_, W_);
    const SparsePattern& own = *at.aux_aux.pattern;
    for (int i = 0; i < l_.w; ++i) {
      for (int j = 0; j < width; ++j) P_k_(n + m + i, j) -= W_(l_.r + i, j);
      for (int k = own.row_start[l_.r + i]; k < own.row_start[l_.r + i + 1]; ++k)
        if (own.column[k] < l_.r) P_k_(n + m + i, r0 + own.column[k]) -= at.aux_aux.values[k];
    }
    const SparsePattern& force = *at.force_aux.pattern;
    for (int i = 0; i < n; ++i)
      for (int k = force.row_start[i]; k < force.row_start[i + 1]; ++k)
        if (force.column[k] < l_.r) P_k_(i, r0 + force.column[k]) += at.force_aux.values[k];
  }
  acceleration_.solve(P_k_);
}

/// x := gradient T^-1 x on rotations, zero elsewhere: the change of T(q)^-1 v with q is -T^-1 of
/// it.
void SelectedMatrix::turn_tangent(std::span<double> x) const {
  std::size_t next = 0;
  for (int j = 0; j < l_.n; ++j) {
    if (next < at.rotations.size() && j == at.rotations[next].v) {
      const RotationChart& c = at.rotations[next++];
      const Vec3d turned = c.gradient * (c.T_inverse * Vec3d{x[j], x[j + 1], x[j + 2]});
      for (int k = 0; k < 3; ++k) x[j + k] = turned[k];
      j += 2;
    } else {
      x[j] = 0;
    }
  }
}

/// J of c I + J on (x, u, r).
void SelectedMatrix::reduce() {
  const int n = l_.n, m = l_.m, np = free_p(), nv = free_v(), width = reduced();
  J_.resize(width, width);
  J_.set_zero();
  column_.resize(n);
  for (int j = 0; j < width; ++j) {
    if (n >= long_loop) stop_point();
    for (int k = 0; k < n; ++k) column_[k] = P_p_(k, j);
    if (!at.rotations.empty())
      turn_tangent(column_);
    else
      std::fill(column_.begin(), column_.end(), 0.0);
    for (int k = 0; k < n; ++k) {
      const double unit = at.column_scale[k];
      const double kinematics = (column_[k] - P_v_(k, j)) / unit, dynamics = -P_k_(k, j) / unit;
      for (int i = 0; i < np; ++i) J_(i, j) += L_p_(k, i) * kinematics;
      for (int i = 0; i < nv; ++i) J_(np + i, j) += L_v_(k, i) * dynamics;
    }
  }
  if (form_.selectors == Selectors::unit_rows) {
    // E P_v: dv has a part V x as well.
    E_.resize(width, width);
    E_.set_zero();
    for (int j = 0; j < width; ++j) {
      if (n >= long_loop) stop_point();
      for (int k = 0; k < n; ++k) {
        const double unit = at.column_scale[k];
        for (int i = 0; i < np; ++i) E_(i, j) += L_p_(k, i) * P_p_(k, j) / unit;
        for (int i = 0; i < nv; ++i) E_(np + i, j) += L_v_(k, i) * P_v_(k, j) / unit;
      }
    }
    for (int i = np + nv; i < width; ++i) E_(i, i) = 1;
  }
  if (l_.r == 0) return;
  // r' = b: by p, v (in W_), r, w and multipliers.
  const SparsePattern& own = *at.aux_aux.pattern;
  for (int i = 0; i < l_.r; ++i) {
    double* row = J_.row(np + nv + i);
    for (int j = 0; j < width; ++j) row[j] -= W_(i, j);
    for (int k = own.row_start[i]; k < own.row_start[i + 1]; ++k) {
      const int c = own.column[k];
      if (c < l_.r)
        row[np + nv + c] -= at.aux_aux.values[k];
      else
        for (int j = 0; j < width; ++j) row[j] -= at.aux_aux.values[k] * P_k_(n + m + c - l_.r, j);
    }
    if (at.aux_lambda.values.empty()) continue;
    const SparsePattern& by = *at.aux_lambda.pattern;
    for (int k = by.row_start[i]; k < by.row_start[i + 1]; ++k)
      for (int j = 0; j < width; ++j) row[j] -= at.aux_lambda.values[k] * P_k_(n + by.column[k], j);
  }
}

std::unique_ptr<DescriptorMatrix> make_selected_matrix(const System& system,
                                                       const DescriptorLayout& layout,
                                                       const DescriptorForm& form,
                                                       const Vector& units) {
  return std::make_unique<SelectedMatrix>(system, layout, form, units);
}

}  // namespace kardan
