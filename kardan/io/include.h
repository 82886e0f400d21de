#pragma once
/// Model files that include others.
///
///   include: [parts/axle.yaml, parts/road.yaml]      # relative to this file
///
/// Sections of all files are joined, those of included files first. What the including file says of
/// parameters, functions, colors, shapes, defaults, and of the head (name, gravity, start,
/// simulate,
/// ...) replaces what included files say. A file is read once. Every node knows its file, so that
/// faults are reported where they stand.

#include <optional>
#include <string>
#include <string_view>

#include "kardan/io/input_file.h"
#include "kardan/io/yaml_document.h"

namespace kardan {

/// Where included files may be: beneath the folder of the model, or anywhere. A model that stands
/// in a stored result is complete: it includes nothing.
enum class IncludeFrom { nowhere, model_folder, anywhere };

/// Codes besides those of parse_yaml: include.path, include.cycle, include.conflict,
/// include.too_many, file.open.
[[nodiscard]] YamlDocument parse_with_includes(std::string_view text, const std::string& file,
                                               IncludeFrom from, Diagnostics& diagnostics);

/// The whole text of a file, at most one byte more than a model may have; nothing after reporting
/// at `where`.
[[nodiscard]] std::optional<std::string> read_text(const std::string& path, FileKind kind,
                                                   const SourceLocation& where,
                                                   Diagnostics& diagnostics);

}  // namespace kardan
