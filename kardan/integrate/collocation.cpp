#include "kardan/integrate/collocation.h"

#include <algorithm>
#include <cmath>

#include "kardan/linalg/dispatch.h"

namespace kardan {
namespace {

template <int s>
KARDAN_INLINE void combine(const Matrix& C, double factor, const Stages& X, Stages& Y) {
  double c[s][s];
  const double* x[s];
  for (int i = 0; i < s; ++i) {
    x[i] = X[i].data();
    for (int j = 0; j < s; ++j) c[i][j] = factor * C(i, j);
  }
  const std::size_t size = X[0].size();
  for (int i = 0; i < s; ++i) {
    double* __restrict y = Y[i].data();
    for (std::size_t k = 0; k < size; ++k) {
      double sum = c[i][0] * x[0][k];
      for (int j = 1; j < s; ++j) sum += c[i][j] * x[j][k];
      y[k] = sum;
    }
  }
}

}  // namespace

KARDAN_DISPATCHED
void combine(const Matrix& C, double factor, const Stages& X, Stages& Y) {
  return C.rows() == 3 ? combine<3>(C, factor, X, Y) : combine<5>(C, factor, X, Y);
}

CollocationPolynomial::CollocationPolynomial(const Vector& c) : c_(c) {
  for (double node : c_) {
    double distances = node;
    for (double other : c_)
      if (other != node) distances *= node - other;
    scale_.push_back(1 / distances);
  }
}

double CollocationPolynomial::weight(std::size_t j, double x) const {
  double out = x * scale_[j];
  for (std::size_t l = 0; l < c_.size(); ++l)
    if (l != j) out *= x - c_[l];
  return out;
}

void CollocationPolynomial::add(double x, const Stages& Z, std::span<double> out) const {
  for (std::size_t j = 0; j < c_.size(); ++j) add_scaled(weight(j, x), Z[j], out);
}

/// The polynomial about the middle between a and b: no term exceeds its size at the ends.
void CollocationPolynomial::bound(double a, double b, const Vector& y0, const Stages& Z, int first,
                                  std::span<double> out) {
  const double middle = 0.5 * (a + b), reach = 0.5 * (b - a);
  const int n = static_cast<int>(out.size()), degree = static_cast<int>(c_.size());
  terms_.resize(n, degree + 1);  // by powers of the distance from the middle
  terms_.set_zero();
  for (int k = 0; k < n; ++k) terms_(k, 0) = y0[first + k];
  powers_.resize(degree + 1);
  for (int j = 0; j < degree; ++j) {
    // The Lagrange polynomial as a product of (x - node) = (distance + middle - node).
    std::fill(powers_.begin(), powers_.end(), 0.0);
    powers_[0] = scale_[j];
    const auto times = [&](double node) {
      for (int d = degree; d >= 0; --d)
        powers_[d] = powers_[d] * (middle - node) + (d > 0 ? powers_[d - 1] : 0);
    };
    times(0);
    for (int l = 0; l < degree; ++l)
      if (l != j) times(c_[l]);
    for (int k = 0; k < n; ++k)
      for (int d = 0; d <= degree; ++d) terms_(k, d) += powers_[d] * Z[j][first + k];
  }
  std::fill(out.begin(), out.end(), 0.0);
  for (int k = 0; k < n; ++k)
    for (int d = degree; d >= 0; --d) out[k] = std::abs(terms_(k, d)) + reach * out[k];
}

}  // namespace kardan
