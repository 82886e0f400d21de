#pragma once
/// The elements whose derivatives are checked. To add one: its formula in formulas.h, a line here.

#include "elements/derivative_check.h"
#include "elements/formulas.h"

namespace kardan::test {

inline constexpr int A = 0, B = 1;  // frames

template <int D>
std::vector<Case<D>> constraint_cases();
template <int D>
std::vector<Case<D>> force_cases();

}  // namespace kardan::test
