#pragma once
/// Model files, read and checked in one pass: all faults that can be found without computing.

#include "kardan/io/model_reader.h"

namespace kardan {

struct LoadedModel {
  io::YamlDocument document;  ///< with the files it includes
  Model model;
};

/// Nothing after reporting at least one error.
[[nodiscard]] std::optional<LoadedModel> load_model_tree(
    io::YamlDocument document, const ParameterValues& overrides, Diagnostics& diagnostics,
    const Catalog& catalog = Catalog::builtin(), const io::ExpansionLimits& limits = {});
[[nodiscard]] std::optional<LoadedModel> load_model_text(std::string_view text,
                                                         const std::string& file,
                                                         const ParameterValues& overrides,
                                                         IncludeFrom from, Diagnostics& diagnostics,
                                                         const io::ExpansionLimits& limits = {});
[[nodiscard]] std::optional<LoadedModel> load_model(const std::string& path,
                                                    const ParameterValues& overrides,
                                                    IncludeFrom from, Diagnostics& diagnostics);

}  // namespace kardan
