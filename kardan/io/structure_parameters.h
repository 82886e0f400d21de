#pragma once
/// Parameters that decide what a model consists of, not only with which numbers: those in `repeat`
/// and in `${...}`, and those they are made of.

#include <string>
#include <vector>

#include "kardan/io/yaml_document.h"

namespace kardan {

/// By name, in the order of the model.
[[nodiscard]] std::vector<std::string> structure_parameters(const YamlDocument& document);

}  // namespace kardan
