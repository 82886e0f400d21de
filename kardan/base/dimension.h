#pragma once
/// Physical dimensions of numbers, m^a kg^b s^c, as far as they can be known: from units a user has
/// declared, through sums, products and powers. Angles are numbers. A number written without a unit
/// fits everywhere, and what it is multiplied with is no longer known (it may be a constant of
/// nature).

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kardan/base/expected.h"
#include "kardan/base/expression.h"

namespace kardan {

struct Dimension {
  int m = 0, kg = 0, s = 0;
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

/// "kg m^2/s^2": in base units; "1" without.
[[nodiscard]] std::string to_string(const Dimension& dimension);

/// Of a unit such as "N s/m", "kg m^2", "rad/s" or "1"; nothing for other texts and for units that
/// are not SI without prefix (but kg).
[[nodiscard]] std::optional<Dimension> parse_unit(std::string_view unit);

/// What a message says of units: readers of files know more of them (kardan/io/units.h).
inline constexpr std::string_view unit_hint =
    "m, kg, s, rad, N, J, W, Pa, Hz, in files with prefixes (mm, kN, MPa), g, t, deg, rev, rpm, "
    "min, h, bar, and products such as N s/m";

/// The dimension of a name or of a function's value, or nothing where it is not known.
using DimensionScope = std::function<std::optional<Dimension>(std::string_view name)>;

/// The dimension of an expression's value, nothing where it cannot be known, or the sum or function
/// in it that cannot be meant: "m + kg".
[[nodiscard]] Expected<std::optional<Dimension>, std::string> find_dimension(
    const Expression& expression, const DimensionScope& names);

}  // namespace kardan
