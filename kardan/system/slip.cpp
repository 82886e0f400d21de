#include "kardan/system/slip.h"

#include <algorithm>
#include <cmath>

namespace kardan {
namespace {

/// Newton's method ends at a step of this relative size; the forces of joints bend their equations.
constexpr double settled = 1e-14;
constexpr int most_iterations = 50;

/// inverse = A^-1 (Gauss-Jordan with pivots of the column); the determinant.
double invert(Matrix A, Matrix& inverse) {
  const int n = A.rows();
  inverse = Matrix::identity(n);
  double determinant = 1;
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(A(i, k)) > std::abs(A(pivot, k))) pivot = i;
    if (!(std::abs(A(pivot, k)) > 0)) return 0;
    if (pivot != k) determinant = -determinant;
    for (int j = 0; j < n; ++j) {
      std::swap(A(k, j), A(pivot, j));
      std::swap(inverse(k, j), inverse(pivot, j));
    }
    determinant *= A(k, k);
    const double scale = 1 / A(k, k);
    for (int j = 0; j < n; ++j) {
      A(k, j) *= scale;
      inverse(k, j) *= scale;
    }
    for (int i = 0; i < n; ++i) {
      const double factor = A(i, k);
      if (i == k || factor == 0) continue;
      for (int j = 0; j < n; ++j) {
        A(i, j) -= factor * A(k, j);
        inverse(i, j) -= factor * inverse(k, j);
      }
    }
  }
  return determinant;
}

}  // namespace

SlipLaw::Coefficient SlipLaw::coefficient(double speed) const {
  if (stribeck == 0) return {slip, 0};
  const double x = speed / stribeck, drop = (stick - slip) * std::exp(-x * x);
  return {slip + drop, -2 * x / stribeck * drop};
}

double SlipLoad::value(const Vector& lambda) const {
  if (stop_row >= 0) return -side * lambda[stop_row];
  double square = 0;
  for (const int row : joint_rows) square += lambda[row] * lambda[row];
  return std::sqrt(square);
}

double SlipLoad::along(const Vector& lambda, const Vector& change) const {
  if (stop_row >= 0) return -side * change[stop_row];
  const double size = value(lambda);
  double sum = 0;
  for (const int row : joint_rows) sum += lambda[row] * change[row];
  return size > 0 ? sum / size : 0;
}

void SlipLoad::gradient(const Vector& lambda, Vector& out) const {
  std::fill(out.begin(), out.end(), 0.0);
  if (stop_row >= 0) {
    out[stop_row] = -side;
    return;
  }
  const double size = value(lambda);
  for (const int row : joint_rows) out[row] = size > 0 ? lambda[row] / size : 0;
}

Eval solve_slips(const Patterns& patterns, double mass, const Workspace& ws, SlipScratch& scratch) {
  const auto count = static_cast<int>(scratch.loaded.size());
  if (!scratch.saddle) scratch.saddle.emplace(patterns.mass, patterns.constraint);
  if (Eval e = scratch.saddle->factor(ws.M.values, ws.G.values, Matrix(), mass); e != Eval::ok)
    return e;
  scratch.a = ws.f;
  scratch.lambda = ws.gamma;
  scratch.saddle->solve(scratch.a, scratch.lambda);
  const auto slip = [&](int i) -> SlipNow& { return scratch.slips[scratch.loaded[i]]; };
  for (int i = 0; i < count; ++i) scratch.saddle->solve(slip(i).a, slip(i).lambda);
  for (int i = 0; i < count; ++i) slip(i).force = 0;
  Matrix J(count, count);
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    for (int i = 0; i < count; ++i)
      for (int k = 0; k < count; ++k)
        J(i, k) =
            (i == k ? 1 : 0) - slip(i).weight * slip(i).load.along(scratch.lambda, slip(k).lambda);
    // Beyond a determinant of zero forces grow with what they hinder: no motion or several.
    if (!(invert(J, scratch.inverse) > 0)) return Eval::recoverable;
    double change = 0;
    scratch.left.assign(count, 0.0);
    scratch.right.assign(count, 0.0);
    for (int i = 0; i < count; ++i)
      scratch.left[i] =
          slip(i).fixed + slip(i).weight * slip(i).load.value(scratch.lambda) - slip(i).force;
    for (int i = 0; i < count; ++i)
      for (int k = 0; k < count; ++k) scratch.right[i] += scratch.inverse(i, k) * scratch.left[k];
    for (int i = 0; i < count; ++i) {
      slip(i).force += scratch.right[i];
      change = std::max(change, std::abs(scratch.right[i]) / (1 + std::abs(slip(i).force)));
      add_scaled(scratch.right[i], slip(i).a, scratch.a);
      add_scaled(scratch.right[i], slip(i).lambda, scratch.lambda);
    }
    if (!std::isfinite(change)) return Eval::recoverable;
    if (change < settled) return Eval::ok;
  }
  return Eval::recoverable;
}

}  // namespace kardan
