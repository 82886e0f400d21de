#pragma once
/// Every derivative of a compiled system against central differences through `retract`.
///
/// A row of a derivative is compared in the model's units: columns times their scale. The error
/// allowed is `tolerance` of the largest entry of the row or of the size of the function itself,
/// whose round-off the differences magnify.

#include <string>
#include <vector>

#include "kardan/system/system.h"

namespace kardan::test {

struct DerivativeReport {
  double worst = 0;  ///< largest error, in parts of the row's size
  std::string where = "nowhere";
  int compared = 0;  ///< entries that are not zero
};

/// The point at which derivatives are taken.
struct DerivativePoint {
  State state;
  Vector a, lambda;
};

/// Compares everything `differentiate` fills, and G, g_t and gamma, at a point.
DerivativeReport check_derivatives(const System& system, const DerivativePoint& at);

/// A random point near the model's start: bodies displaced by `share` of the scales.
DerivativePoint random_point(const System& system, unsigned seed, double share);

}  // namespace kardan::test
