#pragma once
/// Whether an expression is linear in some of its names, whatever the others are: decided by its
/// operations, so that a product of two of them is never, and a quotient only where they stand
/// above the line.

#include <vector>

#include "kardan/base/expression.h"

namespace kardan {

/// `moves`: of each of its names, whether it is one of those.
[[nodiscard]] bool is_affine(const Expression& expression, const std::vector<char>& moves);

}  // namespace kardan
