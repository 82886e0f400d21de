#pragma once
/// Models from YAML (or JSON) files. All faults of a file are reported in one pass, each with its
/// line and column; the fields of bodies and elements are checked later, by `resolve`.

#include <optional>
#include <string>
#include <string_view>

#include "kardan/base/diagnostics.h"
#include "kardan/io/expander.h"
#include "kardan/io/include.h"
#include "kardan/model/blueprint.h"
#include "kardan/model/model.h"

namespace kardan {

/// The model in `text`, or nothing after reporting at least one error. `file` names the text in
/// messages, and files it includes are sought beside it; `overrides` replace parameters, which the
/// bounds of `repeat` may depend on.
[[nodiscard]] std::optional<Model> read_model_text(std::string_view text, const std::string& file,
                                                   const ParameterValues& overrides,
                                                   Diagnostics& diagnostics,
                                                   IncludeFrom from = IncludeFrom::model_folder);

[[nodiscard]] std::optional<Model> read_model_file(const std::string& path,
                                                   const ParameterValues& overrides,
                                                   Diagnostics& diagnostics,
                                                   IncludeFrom from = IncludeFrom::model_folder);

/// As much of a model as can be read, whatever is reported.
[[nodiscard]] Model read_model_draft(const YamlDocument& document, const ParameterValues& overrides,
                                     Diagnostics& diagnostics, const ExpansionLimits& limits = {});

}  // namespace kardan
