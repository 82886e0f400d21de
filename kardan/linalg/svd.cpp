#include "kardan/linalg/svd.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kardan/base/stop.h"

namespace kardan {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// Ten are many: convergence is quadratic once columns are nearly orthogonal.
constexpr int most_sweeps = 60;
/// Squares of lengths below this share of the largest are zero: what is left of lines that follow from others is rounding,
/// which turning makes smaller and smaller, and never orthogonal.
constexpr double nothing = 1e-40;

std::span<double> line(Matrix& A, int i) {
  return {A.row(i), static_cast<std::size_t>(A.cols())};
}

void rotate(double c, double s, std::span<double> x, std::span<double> y) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = x[i], b = y[i];
    x[i] = c * a - s * b;
    y[i] = s * a + c * b;
  }
}

void transpose(const Matrix& A, Matrix& out) {
  out.resize(A.cols(), A.rows());
  for (int i = 0; i < A.rows(); ++i)
    for (int j = 0; j < A.cols(); ++j) out(j, i) = A(i, j);
}

}  // namespace

void Svd::swap_lines(int p, int q, bool vectors) {
  std::swap_ranges(work_.row(p), work_.row(p) + work_.cols(), work_.row(q));
  if (vectors)
    std::swap_ranges(rotation_.row(p), rotation_.row(p) + rotation_.cols(), rotation_.row(q));
  std::swap(square_[p], square_[q]);
}

/// Every pair once, the longest line first; false when all were orthogonal.
bool Svd::sweep(bool vectors) {
  const int count = work_.rows();
  const double orthogonal = epsilon * work_.cols();  // what rounding may leave of a product
  bool turned = false;
  for (int k = 0; k < count; ++k) square_[k] = dot(line(work_, k), line(work_, k));
  const double least = nothing * *std::ranges::max_element(square_);
  for (int k = 0; k < count; ++k)
    if (square_[k] < least) {
      square_[k] = 0;
      std::ranges::fill(line(work_, k), 0.0);
    }
  for (int p = 0; p < count; ++p) {
    if (work_.cols() >= long_loop) stop_point();
    const auto longest = std::max_element(square_.begin() + p, square_.end());
    if (longest - square_.begin() != p)
      swap_lines(p, static_cast<int>(longest - square_.begin()), vectors);
    for (int q = p + 1; q < count; ++q) {
      const double a = square_[p], b = square_[q], c = dot(line(work_, p), line(work_, q));
      if (!(std::abs(c) > orthogonal * std::sqrt(a) * std::sqrt(b))) continue;
      turned = true;
      const double zeta = (b - a) / (2 * c);
      const double t = std::copysign(1 / (std::abs(zeta) + std::hypot(1, zeta)), zeta);
      const double cosine = 1 / std::hypot(1, t), sine = cosine * t;
      rotate(cosine, sine, line(work_, p), line(work_, q));
      if (vectors) rotate(cosine, sine, line(rotation_, p), line(rotation_, q));
      square_[p] = a - t * c;
      square_[q] = std::fmax(0, b + t * c);
    }
  }
  return turned;
}

/// Line k is zero: any direction orthogonal to those before serves.
void Svd::complete(int k) {
  const std::span<double> x = line(work_, k);
  for (int unit = 0; unit < work_.cols(); ++unit) {
    std::fill(x.begin(), x.end(), 0.0);
    x[unit] = 1;
    for (int twice = 0; twice < 2; ++twice)
      for (int i = 0; i < k; ++i) add_scaled(-dot(line(work_, i), x), line(work_, i), x);
    const double length = norm_two(x);
    if (length * length * work_.cols() < 0.5) continue;  // some unit vector keeps as much
    for (double& value : x) value /= length;
    return;
  }
}

Eval Svd::factor(const Matrix& A, Output output) {
  const bool vectors = output == Output::values_and_vectors;
  const int count = std::min(A.rows(), A.cols());
  is_wide_ = A.cols() > A.rows();
  values_.assign(count, 0.0);
  sides_.resize(0, 0);
  turns_.resize(0, 0);
  if (!all_finite(A.values())) return values_.clear(), Eval::recoverable;
  if (is_wide_)
    work_ = A;
  else
    transpose(A, work_);
  // Squares of what is scaled by a power of two neither overflow nor vanish, and no digit is lost.
  const double largest = norm_max(A.values());
  int exponent = 0;
  std::frexp(largest, &exponent);
  if (largest > 0)
    for (double& value : std::span(work_.data(), work_.size()))
      value = std::ldexp(value, -exponent);
  square_.assign(count, 0.0);
  if (vectors) {
    rotation_.resize(count, count);
    rotation_.set_zero();
    for (int i = 0; i < count; ++i) rotation_(i, i) = 1;
  }
  int sweeps = 0;
  while (count > 0 && sweep(vectors))
    if (++sweeps == most_sweeps) return values_.clear(), Eval::recoverable;
  for (int k = 0; k < count; ++k) {
    const double length = std::sqrt(square_[k]);
    values_[k] = std::ldexp(length, exponent);
    if (!vectors) continue;
    if (length > 0)
      for (double& value : line(work_, k)) value /= length;
    else
      complete(k);
  }
  if (vectors) {
    transpose(work_, sides_);
    transpose(rotation_, turns_);
  }
  return Eval::ok;
}

}  // namespace kardan
