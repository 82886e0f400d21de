#include "kardan/integrate/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "kardan/base/assert.h"
#include "kardan/base/text.h"

namespace kardan {
namespace {

bool parse(const std::string& text, double& value) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end && std::isfinite(value);
}

}  // namespace

OptionValues complete_options(std::span<const OptionInfo> declared, const OptionValues& given) {
  OptionValues out = given;
  for (const OptionInfo& o : declared) out.emplace(o.name, o.fallback);
  return out;
}

void check_option(const OptionInfo& info, const std::string& value, Diagnostics& diagnostics) {
  if (!info.choices.empty()) {
    if (std::find(info.choices.begin(), info.choices.end(), value) != info.choices.end()) return;
    const std::string near = did_you_mean(value, info.choices);
    diagnostics.error("option.value", fmt::format("option {} = '{}'", info.name, value), {},
                      near.empty() ? fmt::format("wanted one of: {}", fmt::join(info.choices, ", "))
                                   : fmt::format("did you mean '{}'?", near));
    return;
  }
  double number = 0;
  if (!parse(value, number))
    diagnostics.error("option.value",
                      fmt::format("option {} = '{}'; wanted a number", info.name, value));
  else if (number < info.smallest || number > info.largest)
    diagnostics.error("option.value",
                      fmt::format("option {} = {}; wanted {} to {}", info.name, value,
                                  format_number(info.smallest), format_number(info.largest)));
}

double number_option(const OptionValues& values, std::string_view name) {
  double number = 0;
  KARDAN_ASSERT(parse(word_option(values, name), number), "an option was not checked");
  return number;
}

const std::string& word_option(const OptionValues& values, std::string_view name) {
  const auto found = values.find(name);
  KARDAN_ASSERT(found != values.end(), "an option was not declared");
  return found->second;
}

}  // namespace kardan
