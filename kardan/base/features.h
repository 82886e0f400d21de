#pragma once
/// Formulas of the state that a step may pass over: where a function has a kink, a jump or a narrow
/// peak between two places that the step has evaluated, its error estimate says nothing of it.

#include <span>

#include "kardan/base/expression.h"
#include "kardan/base/taylor.h"

namespace kardan {

/// How a formula depends on the state, from little to much: not at all; along every straight way as
/// a straight line; as sums, products, powers, roots and sines make it, whose values in between
/// their values elsewhere tell, or the estimate does; by quotients, roots and arcs of such, which may
/// be flat almost everywhere and steep somewhere; by conditions, tables, steps of every kind, abs,
/// min, max, exp, tanh, whose values elsewhere do not tell.
enum class Dependence { none, straight, smooth, narrow, featured };

/// Of an expression whose names, in the order of names(), depend so.
[[nodiscard]] Dependence dependence(const Expression& expression,
                                    std::span<const Dependence> names);
/// The same of what is left of it while its switches (switches.h) are held.
[[nodiscard]] Dependence dependence_between_switches(const Expression& expression,
                                                     std::span<const Dependence> names);

/// Whether a narrow function, enclosed over a time h, does no more in between than its values and
/// slopes at the ends show: then estimates see what it does.
[[nodiscard]] bool shown_by_ends(const Taylor& f, const Taylor& at_start, const Taylor& at_end,
                                 double h);

/// A variable on the way from x0 to x1, `since` = t - t0 of h: the chord, and around it what a
/// way leaves it by that is nowhere faster than at its ends, or the cubic with their slopes.
[[nodiscard]] Taylor along_chord(double x0, double v0, double x1, double v1, double h,
                                 const Taylor& since);
/// The rate of that variable, likewise.
[[nodiscard]] Taylor rate_along_chord(double x0, double v0, double x1, double v1, double h,
                                      const Taylor& since);

}  // namespace kardan
