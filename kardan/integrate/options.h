#pragma once
/// Options of methods and formulations: declared with default and meaning, given by name.

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kardan/base/diagnostics.h"

namespace kardan {

struct OptionInfo {
  std::string name;
  std::string fallback;  ///< what it is unless given
  std::string doc;
  std::vector<std::string> choices = {};  ///< empty: a number
  /// Numbers below or above are refused.
  double smallest = -1e300, largest = 1e300;
};

using OptionValues = std::map<std::string, std::string, std::less<>>;

/// `given`, and the default of every option that is not in it.
OptionValues complete_options(std::span<const OptionInfo> declared, const OptionValues& given);

/// Reports a value that is not one of the choices, no number, or out of bounds.
void check_option(const OptionInfo& info, const std::string& value, Diagnostics& diagnostics);

/// The value of a declared option.
double number_option(const OptionValues& values, std::string_view name);
const std::string& word_option(const OptionValues& values, std::string_view name);

}  // namespace kardan
