#pragma once
/// Functions of one variable, tables and expressions over a stretch of time: enclosures of their
/// values and derivatives, by the program that evaluates them. A condition that may hold and may
/// not hold counts as both.

#include <span>

#include "kardan/base/expression.h"
#include "kardan/base/taylor.h"

namespace kardan {

/// `values` in the order of names(), at least as many; of one order. Allocates nothing.
[[nodiscard]] Taylor enclose(const Expression& expression, std::span<const Taylor> values,
                             int order);

}  // namespace kardan
