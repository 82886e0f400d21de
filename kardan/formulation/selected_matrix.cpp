/// The linearization of the projected strangeness-free form. With N_p, N_v orthonormal bases of the
/// directions that the position and velocity constraints leave free (in units of the model),
///
///   dp = N_p x + ...,   dv = N_v u + V x + ...
///
/// all constraints and the balance are solved for the rest once per linearization, and c E + A
/// shrinks to c E' + J on (x, u, r): the only part that depends on c. Selectors are L_p = N_p',
/// L_v = N_v', with E' = I, or rows of the unit matrix, with E' = L N.

#include "kardan/formulation/analysis.h"
#include "kardan/formulation/descriptor_matrix.h"
#include "kardan/linalg/square_qr.h"

namespace kardan {
namespace {

/// Y += factor A X
void multiply_add(double factor, const SparseMatrix& A, const Matrix& X, Matrix& Y, int row = 0) {
  const SparsePattern& p = *A.pattern;
  const auto width = static_cast<std::size_t>(X.cols());
  for (int i = 0; i < p.rows; ++i)
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k)
      if (A.values[k] != 0)
        add_scaled(factor * A.values[k], {X.row(p.column[k]), width}, {Y.row(row + i), width});
}

class SelectedMatrix final : public DescriptorMatrix {
 public:
  SelectedMatrix(const System& system, const DescriptorLayout& layout, const DescriptorForm& form,
                 const Vector& units)
      : l_(layout),
        form_(form),
        acceleration_(system),
        active_(layout.m),
        position_(system.patterns().constraint, layout.holonomic, units, form.algebraic),
        velocity_(system.patterns().constraint, layout.m, units, form.algebraic) {
    const auto n = static_cast<std::size_t>(l_.n);
    for (Part& part : parts_) {
      part.pi.resize(n);
      part.v.resize(n);
      part.k.resize(acceleration_.size());
      part.tangent.resize(n);
      part.rows.resize(l_.m);
    }
  }

  Eval prepare(const Workspace& ws) override;
  int rank() const override { return velocity_.rank(); }
  int new_selectors() const override { return new_selectors_ ? 1 : 0; }
  const ConstraintSpace* rows() const override { return &velocity_; }
  double condition() const override { return 1 / velocity_.smallest_remainder(); }
  Eval factor(double real, std::complex<double> complex) override;
  void solve(std::span<const double> F, std::span<double> y) override;
  void solve(std::span<const double> F_re, std::span<const double> F_im, std::span<double> y_re,
             std::span<double> y_im) override;

 private:
  /// What the constraints and the balance determine of a solution, whatever c.
  struct Part {
    Vector pi, v, k, tangent, rows, reduced, shift;
  };

  int free_p() const { return N_p_.cols(); }
  int free_v() const { return N_v_.cols(); }
  int reduced() const { return free_p() + free_v() + l_.r; }
  bool nonholonomic() const { return l_.m > l_.holonomic; }

  Eval find_spaces();
  Eval select();
  void expand_velocities();
  void expand_accelerations();
  void reduce();
  void turn_tangent(std::span<double> x) const;
  void add_auxiliary(const Vector& pi, const Vector& v, Vector& k) const;
  void determine(std::span<const double> F, Part& part);
  void compose(const Part& part, std::span<const double> x, std::span<double> y) const;

  DescriptorLayout l_;
  DescriptorForm form_;
  AccelerationSystem acceleration_;
  std::vector<char> active_;
  ConstraintSpace position_, velocity_;        // of G by unit columns; holonomic rows, all rows
  Matrix N_p_, N_v_;                           // orthonormal in units of the columns
  Matrix L_p_, L_v_;                           // selectors, by columns
  std::vector<int> rows_p_, rows_v_, pivots_;  // where they are unit rows
  bool new_selectors_ = true;
  Matrix P_p_, P_v_, P_k_;  // dp, dv, d(a, lambda, w) by (x, u, r)
  Matrix J_, S_, W_;
  ComplexMatrix C_;
  DenseLu real_;
  ComplexLu complex_;
  SquareQr<double> real_qr_;
  SquareQr<Complex> complex_qr_;
  Matrix E_, spare_;
  double real_c_ = 0;
  Complex complex_c_;
  Part parts_[2];
  Vector small_, column_;
  std::vector<Complex> z_;
};

Eval SelectedMatrix::prepare(const Workspace& ws) {
  if (Eval e = find_spaces(); e != Eval::ok) return e;
  if (Eval e = select(); e != Eval::ok) return e;
  for (int i = 0; i < l_.m; ++i) active_[i] = velocity_.is_independent(i) ? 1 : 0;
  if (Eval e = acceleration_.factor(ws, active_); e != Eval::ok) return e;
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

/// The rows of b: k += -(b_p pi + b_v v), in the first r entries of k; and of d after them.
void SelectedMatrix::add_auxiliary(const Vector& pi, const Vector& v, Vector& k) const {
  at.aux_p.multiply_add(1, pi, k);
  at.aux_v.multiply_add(1, v, k);
}

/// J of c I + J on (x, u, r).
void SelectedMatrix::reduce() {
  const int n = l_.n, m = l_.m, np = free_p(), nv = free_v(), width = reduced();
  J_.resize(width, width);
  J_.set_zero();
  column_.resize(n);
  for (int j = 0; j < width; ++j) {
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
    for (int j = 0; j < width; ++j)
      for (int k = 0; k < n; ++k) {
        const double unit = at.column_scale[k];
        for (int i = 0; i < np; ++i) E_(i, j) += L_p_(k, i) * P_p_(k, j) / unit;
        for (int i = 0; i < nv; ++i) E_(np + i, j) += L_v_(k, i) * P_v_(k, j) / unit;
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

Eval SelectedMatrix::factor(double real, std::complex<double> complex) {
  const int size = reduced();
  S_ = J_;
  C_.resize(size);
  z_.resize(size);
  for (Part& part : parts_) part.reduced.resize(size);
  real_c_ = real;
  complex_c_ = complex;
  const bool unit = form_.selectors == Selectors::unit_rows;
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) C_(i, j) = J_(i, j);
    if (unit) {
      for (int j = 0; j < size; ++j) {
        S_(i, j) += real * E_(i, j);
        C_(i, j) += complex * E_(i, j);
      }
    } else {
      S_(i, i) += real;
      C_(i, i) += complex;
    }
  }
  if (size == 0) return Eval::ok;
  if (form_.differential == StepDecomposition::qr) {
    if (Eval e = real_qr_.factor(size, S_.values()); e != Eval::ok) return e;
    return complex_qr_.factor(size, C_.values);
  }
  if (Eval e = real_.factor(S_); e != Eval::ok) return e;
  return complex_.factor(C_);
}

/// pi, v, k = (a, lambda, w) with x = u = r = 0, and what is left for (x, u, r).
void SelectedMatrix::determine(std::span<const double> F, Part& part) {
  const int n = l_.n, m = l_.m, np = free_p(), nv = free_v();
  const auto count = static_cast<std::size_t>(n);
  auto& [pi, v, k, tangent, rows, reduced, shift] = part;
  auto in_units = [&](Vector& x) {
    for (int j = 0; j < n; ++j) x[j] *= at.column_scale[j];
  };
  (nonholonomic() ? position_ : velocity_).solve(F.subspan(l_.position(), m), pi);
  in_units(pi);
  std::copy_n(F.begin() + l_.velocity(), m, rows.begin());
  at.rate_p.multiply_add(-1, pi, rows);
  velocity_.solve(rows, v);
  in_units(v);
  std::copy_n(F.begin() + l_.balance(), n + m, k.begin());
  std::copy_n(F.begin() + l_.d(), l_.w, k.begin() + n + m);
  const std::span<double> all = k;
  at.f_p.multiply_add(1, pi, all.subspan(0, count));
  at.f_v.multiply_add(1, v, all.subspan(0, count));
  at.accel_p.multiply_add(-1, pi, all.subspan(count, m));
  at.accel_v.multiply_add(-1, v, all.subspan(count, m));
  for (int i = 0; i < m; ++i)
    if (!active_[i]) k[n + i] = 0;
  small_.assign(l_.r + l_.w, 0.0);
  if (l_.r + l_.w > 0) add_auxiliary(pi, v, small_);
  for (int i = 0; i < l_.w; ++i) k[n + m + i] -= small_[l_.r + i];
  acceleration_.solve(k);
  // Kinematics in body tangents: T F - (gradient T^-1 pi - v).
  std::copy(pi.begin(), pi.end(), tangent.begin());
  if (at.rotations.empty())
    std::fill(tangent.begin(), tangent.end(), 0.0);
  else
    turn_tangent(tangent);
  for (int j = 0; j < n; ++j) tangent[j] = F[j] - tangent[j] + v[j];
  for (const RotationChart& c : at.rotations) {
    const Vec3d f{F[c.v], F[c.v + 1], F[c.v + 2]}, turned = c.T * f;
    for (int i = 0; i < 3; ++i) tangent[c.v + i] += turned[i] - f[i];
  }
  std::fill(reduced.begin(), reduced.end(), 0.0);
  for (int j = 0; j < n; ++j) {
    const double unit = at.column_scale[j];
    const double kinematics = tangent[j] / unit, dynamics = (F[n + j] + k[j]) / unit;
    for (int i = 0; i < np; ++i) reduced[i] += L_p_(j, i) * kinematics;
    for (int i = 0; i < nv; ++i) reduced[np + i] += L_v_(j, i) * dynamics;
  }
  if (form_.selectors == Selectors::unit_rows) {
    // c L of the determined part, which orthonormal selectors do not see.
    shift.assign(np + nv, 0.0);
    for (int i = 0; i < np; ++i) shift[i] = pi[rows_p_[i]] / at.column_scale[rows_p_[i]];
    for (int i = 0; i < nv; ++i) shift[np + i] = v[rows_v_[i]] / at.column_scale[rows_v_[i]];
  }
  for (int i = 0; i < l_.r; ++i) {
    double sum = F[l_.z() + i] + small_[i];
    const SparsePattern& own = *at.aux_aux.pattern;
    for (int e = own.row_start[i]; e < own.row_start[i + 1]; ++e)
      if (own.column[e] >= l_.r) sum += at.aux_aux.values[e] * k[n + m + own.column[e] - l_.r];
    if (!at.aux_lambda.values.empty()) {
      const SparsePattern& by = *at.aux_lambda.pattern;
      for (int e = by.row_start[i]; e < by.row_start[i + 1]; ++e)
        sum += at.aux_lambda.values[e] * k[n + by.column[e]];
    }
    reduced[np + nv + i] = sum;
  }
}

/// y from the determined part and (x, u, r).
void SelectedMatrix::compose(const Part& part, std::span<const double> x,
                             std::span<double> y) const {
  const int n = l_.n, r0 = free_p() + free_v();
  for (int j = 0; j < n; ++j) {
    y[j] = part.pi[j] + dot({P_p_.row(j), x.size()}, x);
    y[l_.v() + j] = part.v[j] + dot({P_v_.row(j), x.size()}, x);
  }
  for (const RotationChart& c : at.rotations) {
    const Vec3d turned = c.T_inverse * Vec3d{y[c.v], y[c.v + 1], y[c.v + 2]};
    for (int i = 0; i < 3; ++i) y[c.v + i] = turned[i];
  }
  for (int i = 0; i < l_.r; ++i) y[l_.z() + i] = x[r0 + i];
  for (int i = 0; i < acceleration_.size(); ++i)
    y[l_.a() + i] = part.k[i] + dot({P_k_.row(i), x.size()}, x);
}

void SelectedMatrix::solve(std::span<const double> F, std::span<double> y) {
  determine(F, parts_[0]);
  if (form_.selectors == Selectors::unit_rows)
    for (std::size_t i = 0; i < parts_[0].shift.size(); ++i)
      parts_[0].reduced[i] -= real_c_ * parts_[0].shift[i];
  if (reduced() > 0) {
    if (form_.differential == StepDecomposition::qr)
      real_qr_.solve(parts_[0].reduced);
    else
      real_.solve(parts_[0].reduced);
  }
  compose(parts_[0], parts_[0].reduced, y);
}

void SelectedMatrix::solve(std::span<const double> F_re, std::span<const double> F_im,
                           std::span<double> y_re, std::span<double> y_im) {
  determine(F_re, parts_[0]);
  determine(F_im, parts_[1]);
  for (int i = 0; i < reduced(); ++i) z_[i] = {parts_[0].reduced[i], parts_[1].reduced[i]};
  if (form_.selectors == Selectors::unit_rows)
    for (std::size_t i = 0; i < parts_[0].shift.size(); ++i)
      z_[i] -= complex_c_ * Complex(parts_[0].shift[i], parts_[1].shift[i]);
  if (reduced() > 0) {
    if (form_.differential == StepDecomposition::qr)
      complex_qr_.solve(z_);
    else
      complex_.solve(z_);
  }
  for (int i = 0; i < reduced(); ++i) {
    parts_[0].reduced[i] = z_[i].real();
    parts_[1].reduced[i] = z_[i].imag();
  }
  compose(parts_[0], parts_[0].reduced, y_re);
  compose(parts_[1], parts_[1].reduced, y_im);
}

}  // namespace

std::unique_ptr<DescriptorMatrix> make_selected_matrix(const System& system,
                                                       const DescriptorLayout& layout,
                                                       const DescriptorForm& form,
                                                       const Vector& units) {
  return std::make_unique<SelectedMatrix>(system, layout, form, units);
}

}  // namespace kardan
