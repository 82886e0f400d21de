#pragma once
/// Parameters that nothing in a file mentions: misspelt, or left over.

#include "kardan/io/yaml_document.h"

namespace kardan {

/// Warns of each (parameter.unused).
void report_unused_parameters(const YamlDocument& document, Diagnostics& diagnostics);

}  // namespace kardan
