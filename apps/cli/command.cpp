#include "apps/cli/command.h"

#include <fmt/format.h>

#include "kardan/io/model_reader.h"

namespace kardan::cli {

std::optional<ParameterValues> parse_overrides(const ModelOptions& options) {
  ParameterValues values;
  Diagnostics diagnostics;
  for (const std::string& item : options.set) {
    const auto equals = item.find('=');
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
  if (tell(diagnostics)) return std::nullopt;
  return values;
}

std::optional<Model> read(const ModelOptions& options, const ParameterValues& overrides) {
  Diagnostics diagnostics;
  auto model = read_model_file(options.file, overrides, diagnostics);
  // Structure and fields are checked by different rooms; tell the faults of both in one go.
  if (model) resolve(*model, Catalog::builtin(), overrides, diagnostics);
  if (tell(diagnostics)) return std::nullopt;
  return model;
}

bool tell(const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all()) fmt::print(stderr, "{}\n", format(d));
  return diagnostics.has_errors();
}

}  // namespace kardan::cli
