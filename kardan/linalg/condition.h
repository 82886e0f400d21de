#pragma once
/// Row scaling, and an estimate of the 1-norm of an inverse from solves alone: Hager's method in
/// the form of N. J. Higham, ACM TOMS 14 (1988) 381-396, Algorithm 4.1 (the one of LAPACK's
/// xLACON). The result is a lower bound, in practice within a factor of three.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kardan/linalg/matrix.h"

namespace kardan {

/// The power of two that brings the largest entry of a row into [1, 2): scaling by it is exact.
/// Subnormal rows are scaled as far as a double allows.
inline double power_of_two_scale(double largest) {
  constexpr int bias = 1023, largest_exponent = 1022, mantissa_bits = 52;
  const int field =
      static_cast<int>(std::bit_cast<std::uint64_t>(largest) >> mantissa_bits) & 0x7ff;
  const int exponent = std::clamp(field - bias, -largest_exponent, largest_exponent);
  return std::bit_cast<double>(static_cast<std::uint64_t>(bias - exponent) << mantissa_bits);
}

/// `solve` overwrites its span by B^-1 times it, `solve_transposed` by B^-T times it. `x` and
/// `signs` are scratch of the size of B.
template <class Solve, class SolveTransposed>
double estimate_inverse_norm(Solve solve, SolveTransposed solve_transposed, std::span<double> x,
                             std::span<double> signs) {
  const std::size_t size = x.size();
  if (size == 0) return 0.0;
  const auto norm_one_of = [](std::span<const double> y) {
    double sum = 0.0;
    for (const double value : y) sum += std::abs(value);
    return sum;
  };
  constexpr int max_sweeps = 5;  // Higham: rarely more than two are needed

  std::fill(x.begin(), x.end(), 1.0 / static_cast<double>(size));
  solve(x);
  double estimate = norm_one_of(x);
  std::size_t last = size;
  for (int sweep = 0; sweep < max_sweeps && std::isfinite(estimate); ++sweep) {
    for (std::size_t i = 0; i < size; ++i) signs[i] = x[i] >= 0.0 ? 1.0 : -1.0;
    solve_transposed(signs);
    std::size_t place = 0;
    for (std::size_t i = 1; i < size; ++i) {
      if (std::abs(signs[i]) > std::abs(signs[place])) place = i;
    }
    if (place == last) break;
    last = place;
    std::fill(x.begin(), x.end(), 0.0);
    x[place] = 1.0;
    solve(x);
    const double next = norm_one_of(x);
    if (!(next > estimate)) break;
    estimate = next;
  }

  // Higham's alternating vector catches the matrices on which the ascent stalls.
  for (std::size_t i = 0; i < size; ++i) {
    const double ramp = size > 1 ? static_cast<double>(i) / static_cast<double>(size - 1) : 0.0;
    x[i] = (i % 2 == 0 ? 1.0 : -1.0) * (1.0 + ramp);
  }
  solve(x);
  return std::max(estimate, 2.0 * norm_one_of(x) / (3.0 * static_cast<double>(size)));
}

/// 1 / (||B|| ||B^-1||); zero when the inverse norm overflowed.
inline double reciprocal_condition(double norm, double inverse_norm) {
  if (!std::isfinite(inverse_norm)) return 0.0;
  const double product = norm * inverse_norm;
  return product > 0.0 && std::isfinite(product) ? 1.0 / product : 0.0;
}

/// Estimate of 1 / (||DA|| ||(DA)^-1||) in the infinity norm, D scaling the rows and `norm` =
/// ||DA||, from solves with A and A'.
template <class Solve, class SolveTransposed>
double row_scaled_rcond(double norm, std::span<const double> row_scale, Solve solve,
                        SolveTransposed solve_transposed, std::span<double> x,
                        std::span<double> signs) {
  // (DA)^-1 = A^-1 D^-1
  const auto inverse = [&](std::span<double> y) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] /= row_scale[i];
    solve(y);
  };
  const auto inverse_transposed = [&](std::span<double> y) {
    solve_transposed(y);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] /= row_scale[i];
  };
  // The infinity norm of the inverse is the 1-norm of its transpose.
  return reciprocal_condition(norm, estimate_inverse_norm(inverse_transposed, inverse, x, signs));
}

}  // namespace kardan
