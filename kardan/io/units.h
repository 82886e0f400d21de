#pragma once
/// Units of a file: those of the SI with prefixes, and others that engineers write.
///
///   position: [25 mm, 0, 0]      motion: 90 deg      speed: {value: 3000, unit: rpm}
///
/// Each such value is replaced by the same in units of the SI without prefixes, the only ones that
/// the rest of the library knows: {value: 0.025, unit: m}. Reading a field then compares
/// dimensions.

#include <optional>
#include <string>
#include <string_view>

#include "kardan/elements/field.h"
#include "kardan/io/yaml_document.h"
#include "kardan/model/model.h"

namespace kardan {

/// A value in this unit is value * numerator / denominator in the SI: both are exact where the unit
/// is one tenth, hundredth, ... of another, so that 25 mm are the double 0.025.
struct Unit {
  Dimension dimension;
  double numerator = 1, denominator = 1;

  [[nodiscard]] double to_si(double value) const { return value * numerator / denominator; }
  [[nodiscard]] bool is_si() const { return numerator == denominator; }
};

/// "kN/mm^2", "rpm", "deg"; nothing for other texts.
[[nodiscard]] std::optional<Unit> parse_any_unit(std::string_view text);

/// A number with its unit and nothing else: "25 mm". `blank`: whether one stands between them.
struct NumberWithUnit {
  double number = 0;
  Unit unit;
  std::string text;  ///< of the unit
  bool blank = true;
};
[[nodiscard]] std::optional<NumberWithUnit> parse_number_with_unit(std::string_view text);

/// Replaces the values with units inside `value`; faults are reported.
void convert_to_si(FieldValue& value, Diagnostics& diagnostics);
/// The same everywhere in a model.
void convert_to_si(Model& model, Diagnostics& diagnostics);

/// The unit that a document gives a parameter, where it is another one than the SI's.
[[nodiscard]] std::optional<std::string> foreign_unit(const YamlDocument& document,
                                                      std::string_view parameter);

}  // namespace kardan
