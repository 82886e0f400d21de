#include "kardan/linalg/motion/null_space_solver.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <type_traits>

#include "kardan/linalg/dispatch.h"
#include "kardan/linalg/lanes.h"

namespace kardan {
namespace {

/// Smallest share of a row of G that may be left.
constexpr double smallest_share = 1e-3;

/// y := sum_j x[j] A(j), rows of `blocks` fours.
template <int blocks>
KARDAN_INLINE void combine(int count, const double* x, const Four* A, Four* y) {
  Four sum[blocks]{};
  for (int j = 0; j < count; ++j, A += blocks)
    for (int b = 0; b < blocks; ++b) sum[b] += x[j] * A[b];
  for (int b = 0; b < blocks; ++b) y[b] = sum[b];
}
/// The same for four x side by side; y has as many rows as the rows of A have entries.
template <int blocks>
KARDAN_INLINE void combine(int count, const Four* x, const Four* A, Four* y) {
  for (int b = 0; b < blocks; ++b) {
    const double* a = reinterpret_cast<const double*>(A + b);
    Four sum[lanes]{};
    for (int j = 0; j < count; ++j, a += lanes * blocks)
      for (int e = 0; e < lanes; ++e) sum[e] += a[e] * x[j];
    for (int e = 0; e < lanes; ++e) y[lanes * b + e] = sum[e];
  }
}

/// T := Q'T, upper triangular in its first m columns, with reflections in the rows of V. The
/// smallest square of a share of a column that is left; zero where that is too little.
template <int blocks>
KARDAN_INLINE double reflect(int n, int m, Four* T, double* V, double* factor) {
  constexpr int stride = lanes * blocks;
  const double* t = reinterpret_cast<const double*>(T);
  Four length[blocks]{};
  for (int j = 0; j < n; ++j)
    for (int b = 0; b < blocks; ++b) length[b] += T[j * blocks + b] * T[j * blocks + b];
  double smallest = 1;
  for (int k = 0; k < m; ++k) {
    double* v = V + k * n;
    double square = 0;
    for (int j = k; j < n; ++j) {
      v[j] = t[j * stride + k];
      square += v[j] * v[j];
    }
    // Reflections keep lengths.
    const double whole = reinterpret_cast<const double*>(length)[k];
    if (!(square > smallest_share * smallest_share * whole)) return 0;
    smallest = std::min(smallest, square / whole);
    const double norm = std::sqrt(square);
    factor[k] = 1 / (norm * (norm + std::abs(v[k])));
    v[k] += v[k] > 0 ? norm : -norm;
    Four sum[blocks]{};
    for (int j = k; j < n; ++j)
      for (int b = 0; b < blocks; ++b) sum[b] += v[j] * T[j * blocks + b];
    for (int b = 0; b < blocks; ++b) sum[b] *= factor[k];
    for (int j = k; j < n; ++j)
      for (int b = 0; b < blocks; ++b) T[j * blocks + b] -= v[j] * sum[b];
  }
  return smallest;
}

/// B := Q diag(L^-1, I), L = the transpose of T's triangle.
template <int blocks>
KARDAN_INLINE void expand(int n, int m, const Four* T, const double* V, const double* factor,
                          Four* B) {
  constexpr int stride = lanes * blocks;
  const double* t = reinterpret_cast<const double*>(T);
  for (int j = 0; j < n; ++j) {
    Four sum[blocks]{};
    reinterpret_cast<double*>(sum)[j] = 1;
    if (j < m) {
      const double inverse = 1 / t[j * stride + j];
      for (int i = 0; i < j; ++i)
        for (int b = 0; b < blocks; ++b) sum[b] -= t[i * stride + j] * B[i * blocks + b];
      for (int b = 0; b < blocks; ++b) sum[b] *= inverse;
    }
    for (int b = 0; b < blocks; ++b) B[j * blocks + b] = sum[b];
  }
  for (int k = m - 1; k >= 0; --k) {
    const double* v = V + k * n;
    Four sum[blocks]{};
    for (int j = k; j < n; ++j)
      for (int b = 0; b < blocks; ++b) sum[b] += v[j] * B[j * blocks + b];
    for (int b = 0; b < blocks; ++b) sum[b] *= factor[k];
    for (int j = k; j < n; ++j)
      for (int b = 0; b < blocks; ++b) B[j * blocks + b] -= v[j] * sum[b];
  }
}

// A template argument would lose the alignment of Four.
struct One {
  using Number = double;
};
struct SideBySide {
  using Number = Four;
};

/// (f, c) to (a, lambda) for one right-hand side, or four side by side; r, s and u have room for
/// whole blocks.
template <int blocks, class Kind>
KARDAN_INLINE void apply(const NullSpaceFactors& at, typename Kind::Number* x,
                         typename Kind::Number* r, typename Kind::Number* s,
                         typename Kind::Number* u) {
  using Number = typename Kind::Number;
  const int n = at.n, m = at.m, free = n - m;
  const auto rows = [](const double* A) { return reinterpret_cast<const Four*>(A); };
  const auto to = [](Number* y) { return reinterpret_cast<Four*>(y); };
  combine<blocks>(m, x + n, rows(at.B_transposed), to(s));
  combine<blocks>(n, s, rows(at.M_transposed), to(r));
  for (int i = 0; i < n; ++i) {
    r[i] = x[i] - r[i];
    x[i] = s[i];
  }
  combine<blocks>(n, r, rows(at.B), to(s));
  Number z[NullSpaceSolver::most_free];
  for (int l = 0; l < free; ++l) {
    z[l] = at.inverse[l * free] * s[m];
    for (int q = 1; q < free; ++q) z[l] += at.inverse[l * free + q] * s[m + q];
  }
  combine<blocks>(free, z, rows(at.B_transposed + m * lanes * blocks), to(r));
  combine<blocks>(free, z, rows(at.MZ_B), to(u));
  for (int i = 0; i < n; ++i) x[i] += r[i];
  for (int j = 0; j < m; ++j) x[n + j] = s[j] - u[j];
}

KARDAN_DISPATCHED
double invert(int n, int m, int blocks, double* T, double* V, double* factor, double* B) {
  static_assert(NullSpaceSolver::most_columns == 4 * lanes);
  const auto run = [&](auto b) __attribute__((always_inline)) {
    Four* t = reinterpret_cast<Four*>(T);
    const double share = reflect<b>(n, m, t, V, factor);
    if (share > 0) expand<b>(n, m, t, V, factor, reinterpret_cast<Four*>(B));
    return share;
  };
  return with_constant(blocks, run);
}

KARDAN_DISPATCHED
void apply_one(const NullSpaceFactors& at, int blocks, double* x, double* spare) {
  const int room = lanes * blocks;
  with_constant(
      blocks, [&](auto b) __attribute__((always_inline)) {
        apply<b, One>(at, x, spare, spare + room, spare + 2 * room);
      });
}

KARDAN_DISPATCHED
void apply_four(const NullSpaceFactors& at, int blocks, double* x, double* spare) {
  const int room = lanes * blocks;
  Four* r = reinterpret_cast<Four*>(spare);
  with_constant(
      blocks, [&](auto b) __attribute__((always_inline)) {
        apply<b, SideBySide>(at, reinterpret_cast<Four*>(x), r, r + room, r + 2 * room);
      });
}

/// y := sum_j x[j] A(j)
KARDAN_DISPATCHED
void combine_rows(int blocks, int count, const double* x, const double* A, double* y) {
  with_constant(
      blocks, [&](auto b) __attribute__((always_inline)) {
        combine<b>(count, x, reinterpret_cast<const Four*>(A), reinterpret_cast<Four*>(y));
      });
}

/// The same for four x side by side.
KARDAN_DISPATCHED
void combine_four(int blocks, int count, const double* x, const double* A, double* y) {
  with_constant(
      blocks, [&](auto b) __attribute__((always_inline)) {
        combine<b>(count, reinterpret_cast<const Four*>(x), reinterpret_cast<const Four*>(A),
                   reinterpret_cast<Four*>(y));
      });
}

/// B := A', in blocks of four times four; the last end with rows and columns, and share entries
/// with those before.
KARDAN_DISPATCHED
void transpose(int rows, int cols, const double* A, int stride_A, double* B, int stride_B) {
  if (rows < lanes || cols < lanes) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < cols; ++j) B[j * stride_B + i] = A[i * stride_A + j];
    return;
  }
  for (int i = 0; i < rows; i += lanes) {
    i = std::min(i, rows - lanes);
    for (int j = 0; j < cols; j += lanes) {
      j = std::min(j, cols - lanes);
      const double* from = A + i * stride_A + j;
      const auto row = [&](int k) __attribute__((always_inline))->const Four& {
        return *reinterpret_cast<const Four*>(from + k * stride_A);
      };
      const Four a = __builtin_shufflevector(row(0), row(1), 0, 4, 2, 6),
                 b = __builtin_shufflevector(row(0), row(1), 1, 5, 3, 7),
                 c = __builtin_shufflevector(row(2), row(3), 0, 4, 2, 6),
                 d = __builtin_shufflevector(row(2), row(3), 1, 5, 3, 7);
      double* to = B + j * stride_B + i;
      *reinterpret_cast<Four*>(to) = __builtin_shufflevector(a, c, 0, 1, 4, 5);
      *reinterpret_cast<Four*>(to + stride_B) = __builtin_shufflevector(b, d, 0, 1, 4, 5);
      *reinterpret_cast<Four*>(to + 2 * stride_B) = __builtin_shufflevector(a, c, 2, 3, 6, 7);
      *reinterpret_cast<Four*>(to + 3 * stride_B) = __builtin_shufflevector(b, d, 2, 3, 6, 7);
    }
  }
}

constexpr int blocks_of(int count) {
  return (count + lanes - 1) / lanes;
}

}  // namespace

NullSpaceSolver::NullSpaceSolver(int columns, int rows)
    : n_(columns), m_(rows), free_(columns - rows), stride_(lanes * blocks_of(columns)) {
  assert(serves(columns, rows));
  for (Vector* A : {&Mt_, &T_, &B_, &Bt_}) A->assign(n_ * stride_, 0.0);
  V_.resize(m_ * n_);
  factor_.resize(m_);
  for (Vector* A : {&MZ_, &MZ_B_}) A->assign(free_ * stride_, 0.0);
  inverse_.resize(free_ * free_);
  packed_.resize((n_ + m_) * lanes);
  spare_.resize(3 * stride_ * lanes);
  reduced_.resize(free_, free_);
}

Eval NullSpaceSolver::factor(std::span<const double> M, std::span<const double> G) {
  const int blocks = stride_ / lanes;
  transpose(n_, n_, M.data(), n_, Mt_.data(), stride_);
  transpose(m_, n_, G.data(), n_, T_.data(), stride_);
  pivot_ratio_ = invert(n_, m_, blocks, T_.data(), V_.data(), factor_.data(), B_.data());
  if (pivot_ratio_ == 0) return Eval::recoverable;
  transpose(n_, n_, B_.data(), stride_, Bt_.data(), stride_);
  for (int l = 0; l < free_; ++l) {
    double *MZ = &MZ_[l * stride_], *MZ_B = &MZ_B_[l * stride_];
    combine_rows(blocks, n_, &Bt_[(m_ + l) * stride_], Mt_.data(), MZ);
    combine_rows(blocks, n_, MZ, B_.data(), MZ_B);
    for (int q = 0; q < free_; ++q) reduced_(q, l) = MZ_B[m_ + q];
  }
  if (free_ == 0) return Eval::ok;
  if (free_ == 1) {
    inverse_[0] = 1 / reduced_(0, 0);
    return std::isfinite(inverse_[0]) ? Eval::ok : Eval::recoverable;
  }
  if (Eval e = lu_.factor(reduced_); e != Eval::ok) return e;
  reduced_.set_zero();
  for (int l = 0; l < free_; ++l) reduced_(l, l) = 1;
  lu_.solve(reduced_);
  std::copy(reduced_.values().begin(), reduced_.values().end(), inverse_.begin());
  return Eval::ok;
}

void NullSpaceSolver::solve(std::span<double> x) {
  apply_one(factors(), stride_ / lanes, x.data(), spare_.data());
}

void NullSpaceSolver::solve(std::span<double> f, std::span<double> c) {
  std::copy(f.begin(), f.end(), packed_.begin());
  std::copy(c.begin(), c.end(), packed_.begin() + n_);
  apply_one(factors(), stride_ / lanes, packed_.data(), spare_.data());
  std::copy_n(packed_.begin(), n_, f.begin());
  std::copy_n(packed_.begin() + n_, m_, c.begin());
}

void NullSpaceSolver::solve_least_norm(const Matrix& C, Matrix& X) {
  combine_four(stride_ / lanes, m_, C.data(), Bt_.data(), spare_.data());
  std::copy_n(spare_.begin(), n_ * lanes, X.data());
}

void NullSpaceSolver::solve(Matrix& X) {
  const int blocks = stride_ / lanes;
  if (X.cols() == lanes) return apply_four(factors(), blocks, X.data(), spare_.data());
  for (int first = 0; first < X.cols(); first += lanes) {
    const int count = std::min(lanes, X.cols() - first);
    std::fill(packed_.begin(), packed_.end(), 0.0);
    for (int i = 0; i < X.rows(); ++i) std::copy_n(X.row(i) + first, count, &packed_[i * lanes]);
    apply_four(factors(), blocks, packed_.data(), spare_.data());
    for (int i = 0; i < X.rows(); ++i) std::copy_n(&packed_[i * lanes], count, X.row(i) + first);
  }
}

}  // namespace kardan
