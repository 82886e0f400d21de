#pragma once
/// Wishes: scalar conditions  want(p, v, t) = equals  with exact gradients.

#include <string>
#include <vector>

#include "kardan/base/diagnostics.h"
#include "kardan/system/system.h"

namespace kardan {

enum class WishLevel { position, velocity };

/// A wish bound to the quantities of a system.
struct BoundWish {
  const WishData* data = nullptr;
  std::vector<Quantity> quantities;  // in the order of the expression's names
  WishLevel level = WishLevel::position;
  std::vector<int> columns;  // velocity indices its gradient may touch, ascending
};

/// Binds names; unknown ones are reported with the nearest known one.
std::vector<BoundWish> bind_wishes(const std::vector<WishData>& wishes, const System& system,
                                   Diagnostics& diagnostics);

/// want - equals; the gradient over the tangent of p (or over v, for velocity wishes) goes to
/// `row`.
double wish_residual(const BoundWish& wish, const System& system, const State& state,
                     std::span<double> row, Workspace& ws);

}  // namespace kardan
