#include "kardan/study/kept/spectrum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>

#include "kardan/study/extremes.h"

namespace kardan {
namespace {

using Complex = std::complex<double>;
constexpr std::size_t density = 8;
constexpr std::size_t fewest = 8;

/// J. W. Cooley, J. W. Tukey, Math. Comp. 19 (1965) 297-301; the size is a power of two.
void transform(std::vector<Complex>& x) {
  const std::size_t n = x.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (std::size_t length = 2; length <= n; length *= 2)
    for (std::size_t k = 0; k < length / 2; ++k) {
      const Complex turn = std::polar(
          1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length));
      for (std::size_t i = k; i < n; i += length) {
        const Complex odd = turn * x[i + length / 2];
        x[i + length / 2] = x[i] - odd;
        x[i] += odd;
      }
    }
}

}  // namespace

void Spectrum::begin() {
  values_.clear();
}

void Spectrum::see(double t, double y) {
  if (values_.empty()) first_ = t;
  last_ = t;
  values_.push_back(y);
}

Spectrum::Peak Spectrum::peak() const {
  const std::size_t n = values_.size();
  if (n < fewest) return {not_seen, not_seen};
  double mean = 0, weights = 0;
  for (const double y : values_) mean += y / static_cast<double>(n);
  std::vector<Complex> x(std::bit_ceil(n) * density);
  for (std::size_t i = 0; i < n; ++i) {
    const double turn = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    const double weight = 0.5 * (1 - std::cos(turn));
    weights += weight;
    x[i] = weight * (values_[i] - mean);
  }
  transform(x);
  std::size_t best = 1;
  for (std::size_t i = 2; i < x.size() / 2; ++i)
    if (std::abs(x[i]) > std::abs(x[best])) best = i;
  const double a = std::abs(x[best - 1]), b = std::abs(x[best]), c = std::abs(x[best + 1]);
  const double bend = a - 2 * b + c, offset = bend < 0 ? 0.5 * (a - c) / bend : 0;
  const double spacing = (last_ - first_) / static_cast<double>(n - 1);
  return {(static_cast<double>(best) + offset) / (static_cast<double>(x.size()) * spacing),
          2 * (b - 0.25 * (a - c) * offset) / weights};
}

}  // namespace kardan
