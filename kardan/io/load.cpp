#include "kardan/io/load.h"

#include "kardan/io/simulate_options.h"
#include "kardan/io/unused_parameters.h"
#include "kardan/model/model_remarks.h"
#include "kardan/model/parameters.h"
#include "kardan/run/prepare.h"

namespace kardan {

std::optional<LoadedModel> load_model_tree(YamlDocument document, const ParameterValues& overrides,
                                           Diagnostics& diagnostics, const Catalog& catalog,
                                           const ExpansionLimits& limits,
                                           const std::string& unnamed) {
  const std::size_t errors = diagnostics.error_count();
  LoadedModel out;
  out.document = std::move(document);
  out.model = read_model_draft(out.document, overrides, diagnostics, limits);
  if (out.model.name.empty()) out.model.name = unnamed;
  // Behind a fault of syntax too much is missing.
  if (out.document.complete && out.document.root.kind == YamlNode::Kind::mapping) {
    report_unused_parameters(out.document, diagnostics);
    out.system = find_faults(out.model, overrides, diagnostics, catalog);
    if (out.system && diagnostics.error_count() == errors)
      remark_on_model(out.model, out.system->blueprint(), diagnostics);
    Diagnostics discarded;
    const Environment parameters = resolve_parameters(out.model.parameters, overrides, discarded);
    SimulateOptions unused;
    read_simulate_options(out.model.simulate, parameters, MethodChoice::of_the_file, unused,
                          diagnostics);
  }
  if (diagnostics.error_count() > errors) return {};
  return out;
}

std::optional<LoadedModel> load_model_text(std::string_view text, const std::string& file,
                                           const ParameterValues& overrides, IncludeFrom from,
                                           Diagnostics& diagnostics, const ExpansionLimits& limits,
                                           const std::string& unnamed) {
  const std::size_t errors = diagnostics.error_count();
  auto out = load_model_tree(parse_with_includes(text, file, from, diagnostics), overrides,
                             diagnostics, Catalog::builtin(), limits, unnamed);
  if (diagnostics.error_count() > errors) return {};
  return out;
}

std::optional<LoadedModel> load_model(const std::string& path, const ParameterValues& overrides,
                                      IncludeFrom from, Diagnostics& diagnostics,
                                      const std::string& unnamed) {
  const auto text = read_text(path, FileKind::regular_or_pipe, {path, 0, 0}, diagnostics);
  if (!text) return {};
  return load_model_text(*text, path, overrides, from, diagnostics, {}, unnamed);
}

}  // namespace kardan
