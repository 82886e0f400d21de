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

namespace detail {

/// One instruction of a program on the operands below `top`, neither a name nor a jump; the new top.
Taylor* enclose(const Instruction& i, Taylor* top, int order);
/// Whether a condition surely holds (1), surely does not (0), or either (-1).
int holds(const Taylor& condition);

}  // namespace detail

}  // namespace kardan
