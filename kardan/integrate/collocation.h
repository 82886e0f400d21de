#pragma once
/// The polynomial y0 + sum_j Z_j l_j(x) of a collocation step: y0 at 0, y0 + Z_j at the nodes c_j;
/// x = 1 is the end of the step.

#include <span>

#include "kardan/linalg/matrix.h"

namespace kardan {

using Stages = std::vector<Vector>;

/// Y := factor (C x I) X, for 3 or 5 stages.
void combine(const Matrix& C, double factor, const Stages& X, Stages& Y);

class CollocationPolynomial {
 public:
  explicit CollocationPolynomial(const Vector& c);

  /// l_j(x)
  double weight(std::size_t j, double x) const;
  /// out += sum_j Z_j l_j(x)
  void add(double x, const Stages& Z, std::span<double> out) const;
  /// Bounds of |y| between a and b of out.size() components from `first` on.
  void bound(double a, double b, const Vector& y0, const Stages& Z, int first,
             std::span<double> out);

 private:
  Vector c_;
  Vector scale_;  // 1 / (c_j times its distances from the other nodes)
  Vector powers_;
  Matrix terms_;
};

}  // namespace kardan
