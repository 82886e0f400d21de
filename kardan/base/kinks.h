#pragma once
/// Where a function of time has no continuous acceleration, found by enclosures: a stretch over
/// which value and three derivatives are bounded has no kink, others are halved until they are or
/// have shrunk to a point, where both sides are compared.

#include <optional>
#include <span>

#include "kardan/base/named_function.h"

namespace kardan {

struct Kink {
  double t = 0;        ///< [s]
  int derivative = 0;  ///< the lowest that jumps: 0 the value, 1 the velocity, 2 the acceleration
  double before = 0, behind = 0;
};

/// The first kink strictly between two times. Of points that have to be compared one by one, as
/// those of a function that repeats itself, the first ten thousand are looked at.
[[nodiscard]] std::optional<Kink> find_kink(const NamedFunction& f, double from, double to);

/// The same of a function that depends on other variables too, as a function of time for several
/// values of them: the first kink that all `views` have, in one of the first `derivatives` (0: in
/// the value). One that comes at another time in each of them is none of time. Views that are not
/// finite somewhere say nothing there.
[[nodiscard]] std::optional<Kink> find_kink(std::span<const NamedFunction* const> views,
                                            int derivatives, double from, double to);

}  // namespace kardan
