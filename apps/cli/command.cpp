#include "apps/cli/command.h"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>

#include "kardan/base/text.h"
#include "kardan/io/stored_result.h"
#include "kardan/io/units.h"

namespace kardan::cli {

std::optional<ParameterValues> parse_overrides(const ModelOptions& options) {
  ParameterValues values;
  Diagnostics diagnostics;
  for (const std::string& item : options.set) {
    const auto equals = item.find('=');
    if (equals != std::string::npos) {
      if (const auto given = parse_number_with_unit(item.substr(equals + 1))) {
        values.emplace_back(item.substr(0, equals), given->unit.to_si(given->number));
        continue;
      }
    }
    const auto parsed = equals == std::string::npos
                            ? Expected<Expression, ExpressionError>(
                                  ExpressionError{"no '=' found", 0, "write --set name=value"})
                            : Expression::parse(item.substr(equals + 1));
    if (!parsed) {
      diagnostics.error("usage.set", fmt::format("--set {}: {}", item, parsed.error().message), {},
                        parsed.error().hint);
      continue;
    }
    if (!parsed.value().is_constant()) {
      diagnostics.error("usage.set",
                        fmt::format("--set {}: got the name '{}'; wanted a number", item,
                                    parsed.value().names()[0]),
                        {}, "parameters may not refer to each other here");
      continue;
    }
    values.emplace_back(item.substr(0, equals), parsed.value().evaluate(std::span<const double>{}));
  }
  if (print_faults(diagnostics)) return std::nullopt;
  return values;
}

namespace {

/// A number for a parameter that the file gives in millimetres may be meant in those, or in metres.
void refuse_bare_numbers(const ModelOptions& options, const YamlDocument& document,
                         Diagnostics& diagnostics) {
  for (const std::string& item : options.set) {
    const std::size_t equals = item.find('=');
    const std::string name = item.substr(0, equals), value = item.substr(equals + 1);
    const auto unit = foreign_unit(document, name);
    if (unit && !parse_number_with_unit(value))
      diagnostics.error("usage.set",
                        fmt::format("--set {}: '{}' is given in {}; wanted a number with its unit",
                                    item, name, *unit),
                        {}, fmt::format("write --set '{}={} {}'", name, value, *unit));
  }
}

}  // namespace

std::optional<LoadedModel> load(const ModelOptions& options, const ParameterValues& overrides,
                                Unnamed unnamed) {
  Diagnostics diagnostics;
  const std::string name =
      unnamed == Unnamed::stays
          ? std::string()
          : printable(std::filesystem::path(options.file).stem().string(), Lines::one);
  const IncludeFrom from =
      options.include_anywhere ? IncludeFrom::anywhere : IncludeFrom::model_folder;
  std::optional<LoadedModel> loaded;
  if (!is_stored_result(options.file))
    loaded = load_model(options.file, overrides, from, diagnostics, name);
  else if (const auto stored = StoredResult::open(options.file, diagnostics))
    loaded = load_model_text(stored->description().model, options.file, overrides,
                             IncludeFrom::nowhere, diagnostics, {}, name);
  if (loaded) refuse_bare_numbers(options, loaded->document, diagnostics);
  if (print_faults(diagnostics)) return std::nullopt;
  return loaded;
}

std::vector<Argument> model_arguments(ModelOptions& o) {
  return {{.name = "MODEL",
           .doc = "model file (YAML), or a result (.h5) with its model",
           .to = &o.file,
           .required = true},
          {"--set", "name=value: replace a parameter; may be repeated", &o.set},
          {"--json", "print one JSON document", &o.json},
          {"--quiet", "print nothing but errors", &o.quiet},
          {"--include-anywhere", "the model may include files outside of its folder",
           &o.include_anywhere}};
}

Argument force_argument(bool& force) {
  return {"--force", "overwrite files that Kardan has not written", &force};
}

std::vector<Argument> joined(std::vector<Argument> head, std::vector<Argument> tail) {
  head.insert(head.end(), std::make_move_iterator(tail.begin()),
              std::make_move_iterator(tail.end()));
  return head;
}

int start_model(const ModelOptions& options, StartedModel& out) {
  const auto overrides = parse_overrides(options);
  if (!overrides) return bad_input;
  auto loaded = load(options, *overrides);
  if (!loaded) return bad_input;
  for (const SharedText& file : loaded->document.files) out.files.push_back(file.str());
  out.model = std::move(loaded->model);
  out.overrides = *overrides;
  Diagnostics diagnostics;
  out.prepared = prepare(out.model, *overrides, std::move(loaded->system), diagnostics);
  if (diagnostics.has_errors() || !out.prepared.system) {
    print_faults(diagnostics);
    return bad_input;
  }
  const AssemblyReport& report = out.prepared.start.report;
  if (report.status == Eval::ok) return finished;
  const std::string named = report.diagnosis == Diagnosis::none
                                ? std::string()
                                : fmt::format(" [{}]", to_string(report.diagnosis));
  fmt::print(stderr, "kardan: {}{}\n        {}\n", report.message, named, report.advice);
  return failed;
}

}  // namespace kardan::cli
