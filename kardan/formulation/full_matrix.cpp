/// The linearization of any form as one matrix: all rows of F by all unknowns, and of these the
/// rows, or combinations of rows, that the form uses.

#include <algorithm>

#include "kardan/base/stop.h"
#include "kardan/formulation/analysis.h"
#include "kardan/formulation/descriptor_matrix.h"

namespace kardan {
namespace {

/// Rows of G, the first `rows` of them, by columns in the units `scale`.
void scale_columns(const SparseMatrix& G, int rows, const Vector& scale, Matrix& out) {
  const SparsePattern& p = *G.pattern;
  out.resize(rows, p.cols);
  out.set_zero();
  for (int i = 0; i < rows; ++i)
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k)
      out(i, p.column[k]) = G.values[k] * scale[p.column[k]];
}

class FullMatrix final : public DescriptorMatrix, public SquareLinearization {
 public:
  FullMatrix(const DescriptorLayout& layout, const DescriptorForm& form)
      : l_(layout), form_(form), active_(layout.m, 1) {
    const int size = l_.unknowns();
    all_.resize(l_.equations(), size);
    A_.resize(size, size);
    E_.resize(size, size);
    for (Vector* x : {&rhs_, &rhs_im_}) x->resize(size);
    z_.resize(size);
  }

  Eval prepare(const Workspace& ws) override;
  int rank() const override { return velocity_.rank(); }
  double condition() const override { return 1 / velocity_.smallest_remainder(); }
  Eval factor(double real, std::span<const Complex> complex) override;
  void solve(std::span<const double> F, std::span<double> y) override;
  void solve(std::span<const Vector> F, std::span<Vector> y) override;
  int new_selectors() const override { return 1; }
  const ConstraintSpace* rows() const override { return nullptr; }
  /// Combinations would have to change with the point; a projected end is not what was solved for.
  SquareLinearization* as_square() override {
    return form_.select_kinematics || form_.select_dynamics || form_.project ? nullptr : this;
  }
  void matrix(double c, Matrix& out) const override;
  void square(std::span<const double> F, std::span<const double> y,
              std::span<double> out) const override;
  void freeze() override { frozen_ = true; }

 private:
  /// A row of the system: row `index` of F, a free combination of n rows, or unknown `index` = 0.
  struct Row {
    enum class Kind { equation, kinematics, dynamics, zero } kind;
    int index;
  };

  Eval find_spaces();
  void fill();
  void fill_auxiliary();
  void fill_kinematics();
  void add(int row, int col, const SparseMatrix& block, double factor, int first, int count);
  void choose_rows();
  void load(std::span<const double> F, Vector& rhs) const;
  template <class Use>
  void each_of(const Row& row, Use&& use) const;

  DescriptorLayout l_;
  DescriptorForm form_;
  std::vector<char> active_;
  RowSpace position_, velocity_;
  Matrix scaled_G_, N_p_, N_v_;
  Matrix all_, A_, E_, S_;
  std::vector<Row> rows_;
  ComplexMatrix C_;
  DenseLu real_;
  std::vector<ComplexLu> complex_;
  Vector rhs_, rhs_im_;
  std::vector<Complex> z_;
  bool frozen_ = false;
};

Eval FullMatrix::find_spaces() {
  auto factor = [&](int rows, int rank, RowSpace& space, Matrix& N) {
    scale_columns(at.G, rows, at.column_scale, scaled_G_);
    if (Eval e = space.factor(scaled_G_, rank_tolerance, rank); e != Eval::ok) return e;
    space.null_space(N);
    return Eval::ok;
  };
  if (Eval e =
          factor(l_.holonomic, l_.m > l_.holonomic ? max_position_rank : max_rank, position_, N_p_);
      e != Eval::ok)
    return e;
  if (Eval e = factor(l_.m, max_rank, velocity_, N_v_); e != Eval::ok) return e;
  for (int i = 0; i < l_.m; ++i) active_[i] = velocity_.is_independent(i) ? 1 : 0;
  return Eval::ok;
}

/// all(row + i, col + j) += factor block(first + i, j), i < count.
void FullMatrix::add(int row, int col, const SparseMatrix& block, double factor, int first,
                     int count) {
  if (block.values.empty()) return;
  const SparsePattern& p = *block.pattern;
  for (int i = 0; i < count; ++i)
    for (int k = p.row_start[first + i]; k < p.row_start[first + i + 1]; ++k)
      all_(row + i, col + p.column[k]) += factor * block.values[k];
}

void FullMatrix::fill() {
  const int n = l_.n, r = l_.r, m = l_.m, w = l_.w;
  all_.set_zero();
  // By body tangents of the positions first.
  add(l_.balance(), 0, at.f_p, -1, 0, n);
  add(l_.balance(), l_.v(), at.f_v, -1, 0, n);
  add(l_.balance(), l_.a(), at.M, 1, 0, n);
  add(l_.acceleration(), 0, at.accel_p, 1, 0, m);
  add(l_.acceleration(), l_.v(), at.accel_v, 1, 0, m);
  add(l_.acceleration(), l_.a(), at.G, 1, 0, m);
  add(l_.velocity(), 0, at.rate_p, 1, 0, m);
  add(l_.velocity(), l_.v(), at.G, 1, 0, m);
  add(l_.position(), 0, at.G, 1, 0, l_.holonomic);
  const SparsePattern& p = *at.G.pattern;
  for (int i = 0; i < m; ++i)
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k)
      all_(l_.balance() + p.column[k], l_.lambda() + i) += at.G.values[k];
  add(l_.balance(), l_.lambda(), at.force_lambda, -1, 0, n);
  if (r + w > 0) fill_auxiliary();
  // Columns of q times T: from body tangents to the chart.
  for (const RotationChart& c : at.rotations)
    for (int i = 0; i < all_.rows(); ++i) {
      double* a = all_.row(i) + c.v;
      const Vec3d turned = transposed_times(c.T, Vec3d{a[0], a[1], a[2]});
      for (int k = 0; k < 3; ++k) a[k] = turned[k];
    }
  fill_kinematics();
}

/// Dynamic and auxiliary variables.
void FullMatrix::fill_auxiliary() {
  const int n = l_.n, r = l_.r, w = l_.w;
  for (auto [rows, first, count, sign] : {std::tuple{l_.z(), 0, r, -1.0}, {l_.d(), r, w, 1.0}}) {
    add(rows, 0, at.aux_p, sign, first, count);
    add(rows, l_.v(), at.aux_v, sign, first, count);
    add(rows, l_.lambda(), at.aux_lambda, sign, first, count);
  }
  // (r; w) are apart in y.
  auto column = [&](int j) { return j < r ? l_.z() + j : l_.aux() + j - r; };
  const SparsePattern& force = *at.force_aux.pattern;
  for (int i = 0; i < n; ++i)
    for (int k = force.row_start[i]; k < force.row_start[i + 1]; ++k)
      all_(l_.balance() + i, column(force.column[k])) -= at.force_aux.values[k];
  const SparsePattern& own = *at.aux_aux.pattern;
  for (int i = 0; i < r + w; ++i)
    for (int k = own.row_start[i]; k < own.row_start[i + 1]; ++k)
      all_(i < r ? l_.z() + i : l_.d() + i - r, column(own.column[k])) +=
          (i < r ? -1 : 1) * at.aux_aux.values[k];
}

void FullMatrix::fill_kinematics() {
  const int n = l_.n;
  const SparsePattern& p = *at.G.pattern;
  // q' - T^-1 (v - G' eta), eta = 0; v' - a.
  for (int j = 0; j < n; ++j) {
    all_(j, l_.v() + j) = -1;
    all_(n + j, l_.a() + j) = -1;
  }
  for (int i = 0; i < l_.eta; ++i)
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k)
      all_(p.column[k], l_.multiplier() + i) += at.G.values[k];
  for (const RotationChart& c : at.rotations) {
    const Mat3d by_q = c.T_inverse * c.gradient;  // -d(T^-1 v)/dq
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        all_(c.v + i, l_.v() + c.v + j) = -c.T_inverse[i][j];
        all_(c.v + i, c.v + j) += by_q[i][j];
      }
    for (int col = l_.multiplier(); col < l_.unknowns(); ++col) {
      const Vec3d turned =
          c.T_inverse * Vec3d{all_(c.v, col), all_(c.v + 1, col), all_(c.v + 2, col)};
      for (int i = 0; i < 3; ++i) all_(c.v + i, col) = turned[i];
    }
  }
}

void FullMatrix::choose_rows() {
  using Kind = Row::Kind;
  rows_.clear();
  auto equations = [&](int first, int count) {
    for (int i = 0; i < count; ++i) rows_.push_back({Kind::equation, first + i});
  };
  if (form_.select_kinematics) {
    for (int i = 0; i < N_p_.cols(); ++i) rows_.push_back({Kind::kinematics, i});
    for (int i = 0; i < position_.rank(); ++i)
      rows_.push_back({Kind::equation, l_.position() + position_.row_permutation()[i]});
  } else {
    equations(0, l_.n);
  }
  if (form_.select_dynamics) {
    for (int i = 0; i < N_v_.cols(); ++i) rows_.push_back({Kind::dynamics, i});
    for (int i = 0; i < velocity_.rank(); ++i)
      rows_.push_back({Kind::equation, l_.velocity() + velocity_.row_permutation()[i]});
  } else {
    equations(l_.v(), l_.n);
  }
  equations(l_.z(), l_.r);
  equations(l_.balance(), l_.n);
  equations(l_.d(), l_.w);
  for (int i = 0; i < l_.m; ++i) {
    const int level = form_.acceleration                    ? l_.acceleration()
                      : form_.velocity || i >= l_.holonomic ? l_.velocity()
                                                            : l_.position();
    rows_.push_back(active_[i] ? Row{Kind::equation, level + i} : Row{Kind::zero, l_.lambda() + i});
  }
  for (int i = 0; i < l_.eta; ++i)
    rows_.push_back(active_[i] ? Row{Kind::equation, l_.position() + i}
                               : Row{Kind::zero, l_.multiplier() + i});
}

/// Calls use(row of F, factor) for everything a row is made of: L_p = N_p' C^-1 T, L_v = N_v' C^-1.
template <class Use>
void FullMatrix::each_of(const Row& row, Use&& use) const {
  if (row.kind == Row::Kind::equation) return use(row.index, 1.0);
  if (row.kind == Row::Kind::zero) return;
  const bool kinematics = row.kind == Row::Kind::kinematics;
  const Matrix& N = kinematics ? N_p_ : N_v_;
  std::size_t next = 0;
  for (int j = 0; j < l_.n; ++j) {
    const double factor = N(j, row.index) / at.column_scale[j];
    if (kinematics && next < at.rotations.size() && j == at.rotations[next].v) {
      const RotationChart& c = at.rotations[next++];
      const Vec3d turned =
          transposed_times(c.T, Vec3d{factor, N(j + 1, row.index), N(j + 2, row.index)});
      for (int k = 0; k < 3; ++k) use(j + k, turned[k]);
      j += 2;
    } else {
      use(kinematics ? j : l_.n + j, factor);
    }
  }
}

Eval FullMatrix::prepare(const Workspace&) {
  if (!frozen_)
    if (Eval e = find_spaces(); e != Eval::ok) return e;
  fill();
  if (!frozen_) choose_rows();
  A_.set_zero();
  E_.set_zero();
  const auto width = static_cast<std::size_t>(A_.cols());
  const int differential = 2 * l_.n + l_.r;
  for (int i = 0; i < A_.rows(); ++i) {
    if (A_.rows() >= long_loop) stop_point();
    if (rows_[i].kind == Row::Kind::zero) A_(i, rows_[i].index) = 1;
    each_of(rows_[i], [&](int row, double factor) {
      add_scaled(factor, {all_.row(row), width}, {A_.row(i), width});
      if (row < differential) E_(i, row) += factor;
    });
  }
  return all_finite(A_.values()) ? Eval::ok : Eval::recoverable;
}

Eval FullMatrix::factor(double real, std::span<const Complex> complex) {
  const int size = A_.rows();
  S_ = A_;
  for (int i = 0; i < size; ++i) {
    if (size >= long_loop) stop_point();
    for (int j = 0; j < size; ++j) S_(i, j) += real * E_(i, j);
  }
  if (Eval e = real_.factor(S_); e != Eval::ok) return e;
  C_.resize(size);
  complex_.resize(complex.size());
  for (std::size_t k = 0; k < complex.size(); ++k) {
    for (int i = 0; i < size; ++i) {
      if (size >= long_loop) stop_point();
      for (int j = 0; j < size; ++j) C_(i, j) = A_(i, j) + complex[k] * E_(i, j);
    }
    if (Eval e = complex_[k].factor(C_); e != Eval::ok) return e;
  }
  return Eval::ok;
}

void FullMatrix::matrix(double c, Matrix& out) const {
  out.resize(A_.rows(), A_.cols());
  for (int i = 0; i < A_.rows(); ++i) {
    if (A_.rows() >= long_loop) stop_point();
    for (int j = 0; j < A_.cols(); ++j) out(i, j) = A_(i, j) + c * E_(i, j);
  }
}

void FullMatrix::square(std::span<const double> F, std::span<const double> y,
                        std::span<double> out) const {
  for (std::size_t i = 0; i < rows_.size(); ++i)
    out[i] = rows_[i].kind == Row::Kind::zero ? y[rows_[i].index] : F[rows_[i].index];
}

void FullMatrix::load(std::span<const double> F, Vector& rhs) const {
  for (std::size_t i = 0; i < rhs.size(); ++i) {
    rhs[i] = 0;
    each_of(rows_[i], [&](int row, double factor) { rhs[i] += factor * F[row]; });
  }
}

void FullMatrix::solve(std::span<const double> F, std::span<double> y) {
  load(F, rhs_);
  real_.solve(rhs_);
  std::copy(rhs_.begin(), rhs_.end(), y.begin());
}

void FullMatrix::solve(std::span<const Vector> F, std::span<Vector> y) {
  solve(F[0], y[0]);
  for (std::size_t k = 0; k < complex_.size(); ++k) {
    Vector &re = y[2 * k + 1], &im = y[2 * k + 2];
    load(F[2 * k + 1], rhs_);
    load(F[2 * k + 2], rhs_im_);
    for (std::size_t i = 0; i < z_.size(); ++i) z_[i] = {rhs_[i], rhs_im_[i]};
    complex_[k].solve(z_);
    for (std::size_t i = 0; i < z_.size(); ++i) {
      re[i] = z_[i].real();
      im[i] = z_[i].imag();
    }
  }
}

}  // namespace

std::unique_ptr<DescriptorMatrix> make_full_matrix(const System&, const DescriptorLayout& layout,
                                                   const DescriptorForm& form) {
  return std::make_unique<FullMatrix>(layout, form);
}

}  // namespace kardan
