#include "kardan/io/run_options.h"

#include <fmt/format.h>

#include <cmath>

#include "apps/cli/command.h"
#include "kardan/base/text.h"
#include "kardan/io/driver_options.h"
#include "kardan/io/result_writer.h"
#include "kardan/io/simulate_options.h"
#include "kardan/run/ranges.h"

namespace kardan::cli {
namespace {

/// Of the run between checkpoints.
constexpr double default_checkpoints = 0.05;

/// The parts of name=value; false after telling that there is no '='.
bool split_assignment(const char* flag, const std::string& text, std::string& name,
                      std::string& value, Diagnostics& diagnostics) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    diagnostics.error("usage.assignment", fmt::format("{} {}: wanted name=value", flag, text));
    return false;
  }
  name = text.substr(0, equals);
  value = text.substr(equals + 1);
  return true;
}

/// A text, or a list where it has commas.
FieldValue option_value(const std::string& text) {
  if (text.find(',') == std::string::npos) return text;
  FieldValue::List list;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    list.emplace_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  return list;
}

/// `--option`, `--tol-of`.
void driver_options_from(const RunOptions& given, SimulateOptions& out, Diagnostics& diagnostics) {
  std::string name, value;
  for (const std::string& item : given.option)
    if (split_assignment("--option", item, name, value, diagnostics)) {
      if (is_driver_option(name))
        set_driver_option(name, option_value(value), out.driver, diagnostics);
      else
        out.options[name] = value;
    }
  const Environment none;
  const ValueReader reader(none, diagnostics);
  for (const std::string& item : given.tolerance_of) {
    double tolerance = 0;
    if (split_assignment("--tol-of", item, name, value, diagnostics) &&
        reader.read(value, "--tol-of " + name, {.check = Check::positive}, tolerance))
      out.tolerance_of.push_back({name, tolerance});
  }
}

/// A number of the command, where one is given, in the place of the file's.
void take(const std::string& flag, const std::optional<double>& given, double& out,
          Diagnostics& diagnostics, Check check = Check::positive) {
  if (!given) return;
  const bool zero_too = check == Check::non_negative;
  if (std::isfinite(*given) && (*given > 0 || (zero_too && *given == 0)))
    out = *given;
  else
    diagnostics.error("usage.number", fmt::format("{} {}: wanted a finite number {} 0", flag,
                                                  format_number(*given), zero_too ? ">=" : ">"));
}

}  // namespace

bool read_run_options(const Model& model, const System& system, const RunOptions& given,
                      SimulateOptions& out, Diagnostics& diagnostics) {
  read_simulate_options(
      model.simulate, system.blueprint().parameters,
      given.method.empty() ? MethodChoice::of_the_file : MethodChoice::of_the_command, out,
      diagnostics);
  if (!given.method.empty()) out.method = given.method;
  double wall_limit = 0, budget = 0;  // used elsewhere
  for (const RunOption& option : run_options())
    if (const auto at = given.numbers.find(option.key); at != given.numbers.end())
      take(option.flag, at->second, option.of(out), diagnostics, option.info.check);
  take("--wall-limit", given.wall_limit, wall_limit, diagnostics);
  take("--certify-budget", given.certify_budget, budget, diagnostics);
  if (!given.checkpoint.empty() && out.checkpoint_every == 0)
    out.checkpoint_every = default_checkpoints * out.t_end;
  if (out.every == 0) out.every = default_spacing(out.t_end, given.out);
  driver_options_from(given, out, diagnostics);
  if (!diagnostics.has_errors()) check_ranges(out, 0, {}, diagnostics);
  return !diagnostics.has_errors();
}

}  // namespace kardan::cli
