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
#include "kardan/linalg/lanes.h"
#include "kardan/linalg/square_qr.h"

namespace kardan {
namespace {

/// Y += factor A X
void multiply_add(double factor, const SparseMatrix& A, const Matrix& X, Matrix& Y, int row = 0) {
  const SparsePattern& p = *A.pattern;
  const auto width = static_cast<std::size_t>(X.cols());
  for (int i = 0; i < p.rows; ++i) {
    double* y = Y.row(row + i);
    // Two columns, a mechanism of one degree of freedom, are too short for a loop.
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k) {
      if (A.values[k] == 0) continue;
      const double a = factor * A.values[k], *x = X.row(p.column[k]);
      if (width != 2) {
        add_scaled(a, {x, width}, {y, width});
      } else {
        y[0] += a * x[0];
        y[1] += a * x[1];
      }
    }
  }
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
    for (Matrix* x : {&pi_, &v_, &tangent_}) *x = Matrix(l_.n, lanes);
    for (double unit : units) unit_.push_back(1 / unit);
    k_ = Matrix(acceleration_.size(), lanes);
    rows_ = Matrix(l_.m, lanes);
    own_ = Matrix(l_.r + l_.w, lanes);
  }

  Eval prepare(const Workspace& ws) override;
  int rank() const override { return velocity_.rank(); }
  int new_selectors() const override { return new_selectors_ ? 1 : 0; }
  const ConstraintSpace* rows() const override { return &velocity_; }
  double condition() const override { return 1 / velocity_.smallest_remainder(); }
  Eval factor(double real, std::span<const Complex> complex) override;
  void solve(std::span<const double> F, std::span<double> y) override;
  void solve(std::span<const Vector> F, std::span<Vector> y) override;

 private:
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
  void gather(std::span<const std::span<const double>> F, int from, int count, Matrix& to,
              int row = 0) const;
  void determine_algebraic(std::span<const std::span<const double>> F);
  void determine(std::span<const std::span<const double>> F);
  void turn(std::size_t count);
  void solve_real(int lane);
  void solve_pair(int lane, std::size_t which);
  void compose(std::span<const std::span<double>> y);

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
  SquareQr<double> real_qr_;
  /// c E' + J for one of the complex c.
  struct Pair {
    Complex c;
    ComplexLu lu;
    SquareQr<Complex> qr;
  };
  std::vector<Pair> pairs_;
  Matrix E_, spare_;
  double real_c_ = 0;
  // What the constraints and the balance determine of a solution, whatever c; and the rest of it.
  Matrix pi_, v_, k_, tangent_, rows_, own_, reduced_;
  Vector unit_;  // inverse of the columns' units
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

/// pi, v, k = (a, lambda, w) with x = u = r = 0.
void SelectedMatrix::determine_algebraic(std::span<const std::span<const double>> F) {
  const int n = l_.n, m = l_.m, own = l_.r + l_.w;
  const auto in_units = [&](Matrix& x) {
    for (int j = 0; j < n; ++j)
      for (int lane = 0; lane < lanes; ++lane) x(j, lane) *= at.column_scale[j];
  };
  gather(F, l_.position(), m, rows_);
  (nonholonomic() ? position_ : velocity_).solve_lanes(rows_, pi_);
  in_units(pi_);
  gather(F, l_.velocity(), m, rows_);
  multiply_add_lanes(-1, at.rate_p, pi_, rows_);
  velocity_.solve_lanes(rows_, v_);
  in_units(v_);
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

}  // namespace

std::unique_ptr<DescriptorMatrix> make_selected_matrix(const System& system,
                                                       const DescriptorLayout& layout,
                                                       const DescriptorForm& form,
                                                       const Vector& units) {
  return std::make_unique<SelectedMatrix>(system, layout, form, units);
}

}  // namespace kardan
