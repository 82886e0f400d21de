#pragma once
/// Model files, read and checked in one pass: all faults that can be found without computing.

#include <memory>

#include "kardan/io/model_reader.h"
#include "kardan/run/prepare.h"

namespace kardan {

struct LoadedModel {
  YamlDocument document;  ///< with the files it includes
  Model model;
  std::unique_ptr<System> system;  ///< compiled to check it, for prepare()
};

/// Nothing after reporting at least one error. A model without a name is called `unnamed`.
[[nodiscard]] std::optional<LoadedModel> load_model_tree(
    YamlDocument document, const ParameterValues& overrides, Diagnostics& diagnostics,
    const Catalog& catalog = Catalog::builtin(), const ExpansionLimits& limits = {},
    const std::string& unnamed = {});
[[nodiscard]] std::optional<LoadedModel> load_model_text(std::string_view text,
                                                         const std::string& file,
                                                         const ParameterValues& overrides,
                                                         IncludeFrom from, Diagnostics& diagnostics,
                                                         const ExpansionLimits& limits = {},
                                                         const std::string& unnamed = {});
[[nodiscard]] std::optional<LoadedModel> load_model(const std::string& path,
                                                    const ParameterValues& overrides,
                                                    IncludeFrom from, Diagnostics& diagnostics,
                                                    const std::string& unnamed = {});

}  // namespace kardan
