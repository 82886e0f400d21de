/// The projected strangeness-free form, solved for one step size after the other.

#include <algorithm>
#include <array>

#include "kardan/formulation/selected_matrix.h"

namespace kardan {

Eval SelectedMatrix::factor(double real, std::span<const Complex> complex) {
  const int size = reduced();
  z_.resize(size);
  reduced_.resize(size, lanes);
  real_c_ = real;
  pairs_.resize(complex.size());
  const bool qr = form_.differential == StepDecomposition::qr;
  const auto add = [&](auto c, auto& to) {
    for (int i = 0; i < size; ++i) {
      if (form_.selectors == Selectors::orthonormal)
        to(i, i) += c;
      else
        for (int j = 0; j < size; ++j) to(i, j) += c * E_(i, j);
    }
  };
  S_ = J_;
  add(real, S_);
  if (size > 0)
    if (Eval e = qr ? real_qr_.factor(size, S_.values()) : real_.factor(S_); e != Eval::ok)
      return e;
  C_.resize(size);
  for (std::size_t k = 0; k < complex.size(); ++k) {
    Pair& pair = pairs_[k];
    pair.c = complex[k];
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) C_(i, j) = J_(i, j);
    add(pair.c, C_);
    if (size > 0)
      if (Eval e = qr ? pair.qr.factor(size, C_.values) : pair.lu.factor(C_); e != Eval::ok)
        return e;
  }
  return Eval::ok;
}

/// Rows of all right-hand sides, side by side.
void SelectedMatrix::gather(std::span<const std::span<const double>> F, int from, int count,
                            Matrix& to, int row) const {
  for (std::size_t lane = 0; lane < F.size(); ++lane)
    for (int i = 0; i < count; ++i) to(row + i, static_cast<int>(lane)) = F[lane][from + i];
}

/// x := the least change that rows_ ask for.
void SelectedMatrix::solve_rows(ConstraintSpace& space, Matrix& x) {
  NullSpaceSolver* const known = acceleration_.constraints();
  if (known && plain_ && &space == &velocity_) return known->solve_least_norm(rows_, x);
  space.solve_lanes(rows_, x);
  for (int j = 0; j < l_.n; ++j)
    for (int lane = 0; lane < lanes; ++lane) x(j, lane) *= at.column_scale[j];
}

/// pi, v, k = (a, lambda, w) with x = u = r = 0.
void SelectedMatrix::determine_algebraic(std::span<const std::span<const double>> F) {
  const int n = l_.n, m = l_.m, own = l_.r + l_.w;
  gather(F, l_.position(), m, rows_);
  solve_rows(nonholonomic() ? position_ : velocity_, pi_);
  gather(F, l_.velocity(), m, rows_);
  multiply_add_lanes(-1, at.rate_p, pi_, rows_);
  solve_rows(velocity_, v_);
  gather(F, l_.balance(), n + m, k_);
  gather(F, l_.d(), l_.w, k_, n + m);
  multiply_add_lanes(1, at.f_p, pi_, k_);
  multiply_add_lanes(1, at.f_v, v_, k_);
  multiply_add_lanes(-1, at.accel_p, pi_, k_, n);
  multiply_add_lanes(-1, at.accel_v, v_, k_, n);
  for (int i = 0; i < m; ++i)
    if (!active_[i]) std::fill_n(k_.row(n + i), lanes, 0.0);
  if (own > 0) {
    own_.set_zero();
    multiply_add_lanes(1, at.aux_p, pi_, own_);
    multiply_add_lanes(1, at.aux_v, v_, own_);
    for (int i = 0; i < l_.w; ++i) add_scaled_lanes(-1, own_.row(l_.r + i), k_.row(n + m + i));
  }
  acceleration_.solve(k_);
}

/// The algebraic part of a solution and what is left for (x, u, r): of one right-hand side for the
/// real c, of two for a complex one, or of both.
void SelectedMatrix::determine(std::span<const std::span<const double>> F) {
  const int n = l_.n, m = l_.m, np = free_p(), nv = free_v();
  // The estimate of an error leaves the algebraic equations alone.
  const auto is_zero = [](double x) { return x == 0; };
  const bool alone = l_.r + l_.w == 0 && std::all_of(F.begin(), F.end(), [&](auto f) {
                       return std::all_of(f.begin() + l_.balance(), f.end(), is_zero);
                     });
  if (alone)
    for (Matrix* x : {&pi_, &v_, &k_}) x->set_zero();
  else
    determine_algebraic(F);
  // Kinematics in body tangents: T F - (gradient T^-1 pi - v); dynamics F + a.
  gather(F, 0, n, tangent_);
  turn(F.size());
  for (int j = 0; j < n; ++j) add_scaled_lanes(1, v_.row(j), tangent_.row(j));
  reduced_.set_zero();
  multiply_transposed_add_lanes(L_p_, unit_, tangent_, reduced_, 0);
  gather(F, n, n, tangent_);
  for (int j = 0; j < n; ++j) add_scaled_lanes(1, k_.row(j), tangent_.row(j));
  multiply_transposed_add_lanes(L_v_, unit_, tangent_, reduced_, np);
  gather(F, l_.z(), l_.r, reduced_, np + nv);
  for (int i = 0; i < l_.r; ++i) {
    double* sum = reduced_.row(np + nv + i);
    add_scaled_lanes(1, own_.row(i), sum);
    const SparsePattern& of = *at.aux_aux.pattern;
    for (int e = of.row_start[i]; e < of.row_start[i + 1]; ++e)
      if (of.column[e] >= l_.r)
        add_scaled_lanes(at.aux_aux.values[e], k_.row(n + m + of.column[e] - l_.r), sum);
    if (at.aux_lambda.values.empty()) continue;
    const SparsePattern& by = *at.aux_lambda.pattern;
    for (int e = by.row_start[i]; e < by.row_start[i + 1]; ++e)
      add_scaled_lanes(at.aux_lambda.values[e], k_.row(n + by.column[e]), sum);
  }
}

/// tangent_ := T tangent_ - gradient T^-1 pi on rotations.
void SelectedMatrix::turn(std::size_t count) {
  for (const RotationChart& c : at.rotations)
    for (int lane = 0; lane < static_cast<int>(count); ++lane) {
      const auto at_lane = [&](const Matrix& x) {
        return Vec3d{x(c.v, lane), x(c.v + 1, lane), x(c.v + 2, lane)};
      };
      const Vec3d turned = c.T * at_lane(tangent_) - c.gradient * (c.T_inverse * at_lane(pi_));
      for (int i = 0; i < 3; ++i) tangent_(c.v + i, lane) = turned[i];
    }
}

/// (x, u, r) of one lane with the real c, or of two with a complex one.
void SelectedMatrix::solve_real(int lane) {
  const int size = reduced();
  small_.resize(size);
  for (int i = 0; i < size; ++i) small_[i] = reduced_(i, lane);
  if (form_.selectors == Selectors::unit_rows) {
    // c L of the determined part, which orthonormal selectors do not see.
    for (std::size_t i = 0; i < rows_p_.size(); ++i)
      small_[i] -= real_c_ * pi_(rows_p_[i], lane) / at.column_scale[rows_p_[i]];
    for (std::size_t i = 0; i < rows_v_.size(); ++i)
      small_[rows_p_.size() + i] -= real_c_ * v_(rows_v_[i], lane) / at.column_scale[rows_v_[i]];
  }
  if (size > 0) {
    if (form_.differential == StepDecomposition::qr)
      real_qr_.solve(small_);
    else
      real_.solve(small_);
  }
  for (int i = 0; i < size; ++i) reduced_(i, lane) = small_[i];
}

void SelectedMatrix::solve_pair(int lane, std::size_t which) {
  const int size = reduced();
  Pair& pair = pairs_[which];
  for (int i = 0; i < size; ++i) z_[i] = {reduced_(i, lane), reduced_(i, lane + 1)};
  if (form_.selectors == Selectors::unit_rows) {
    const auto less = [&](std::size_t i, const Matrix& x, int j) {
      z_[i] -= pair.c * Complex(x(j, lane), x(j, lane + 1)) / at.column_scale[j];
    };
    for (std::size_t i = 0; i < rows_p_.size(); ++i) less(i, pi_, rows_p_[i]);
    for (std::size_t i = 0; i < rows_v_.size(); ++i) less(rows_p_.size() + i, v_, rows_v_[i]);
  }
  if (size > 0) {
    if (form_.differential == StepDecomposition::qr)
      pair.qr.solve(z_);
    else
      pair.lu.solve(z_);
  }
  for (int i = 0; i < size; ++i) {
    reduced_(i, lane) = z_[i].real();
    reduced_(i, lane + 1) = z_[i].imag();
  }
}

/// y from the determined part and (x, u, r).
void SelectedMatrix::compose(std::span<const std::span<double>> y) {
  const int n = l_.n, r0 = free_p() + free_v();
  multiply_add_lanes(P_p_, reduced_, pi_);
  multiply_add_lanes(P_v_, reduced_, v_);
  multiply_add_lanes(P_k_, reduced_, k_);
  for (std::size_t lane = 0; lane < y.size(); ++lane) {
    const auto scatter = [&](const Matrix& from, int row, int count, int to) {
      for (int i = 0; i < count; ++i) y[lane][to + i] = from(row + i, static_cast<int>(lane));
    };
    scatter(pi_, 0, n, 0);
    scatter(v_, 0, n, l_.v());
    scatter(reduced_, r0, l_.r, l_.z());
    scatter(k_, 0, acceleration_.size(), l_.a());
    for (const RotationChart& c : at.rotations) {
      const Vec3d turned = c.T_inverse * Vec3d{y[lane][c.v], y[lane][c.v + 1], y[lane][c.v + 2]};
      for (int i = 0; i < 3; ++i) y[lane][c.v + i] = turned[i];
    }
  }
}

void SelectedMatrix::solve(std::span<const double> F, std::span<double> y) {
  determine(std::array{F});
  solve_real(0);
  compose(std::array{y});
}

/// The real one beside the first pair; then two pairs at a time.
void SelectedMatrix::solve(std::span<const Vector> F, std::span<Vector> y) {
  std::array<std::span<const double>, lanes> from;
  std::array<std::span<double>, lanes> to;
  for (std::size_t first = 0, next = 0; first < F.size();) {
    std::size_t count = 0;
    const std::size_t last = std::min(F.size(), first + (first == 0 ? lanes - 1 : lanes));
    for (std::size_t i = first; i < last; ++i, ++count) {
      from[count] = F[i];
      to[count] = y[i];
    }
    determine({from.data(), count});
    if (first == 0) solve_real(0);
    for (std::size_t lane = first == 0 ? 1 : 0; lane < count; lane += 2)
      solve_pair(static_cast<int>(lane), next++);
    compose({to.data(), count});
    first = last;
  }
}

}  // namespace kardan
