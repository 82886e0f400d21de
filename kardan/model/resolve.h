#pragma once
/// From the editable description of a model to its blueprint.

#include "kardan/elements/catalog.h"
#include "kardan/model/blueprint.h"
#include "kardan/model/model.h"

namespace kardan {

/// Evaluates the parameters (with overrides), then everything that depends on them.
/// The result is meaningful only if no error was reported.
Blueprint resolve(const Model& model, const Catalog& catalog, const ParameterValues& overrides,
                  Diagnostics& diagnostics);

}  // namespace kardan
