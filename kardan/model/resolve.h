#pragma once
/// From the editable description of a model to its blueprint.

#include "kardan/elements/catalog.h"
#include "kardan/model/blueprint.h"
#include "kardan/model/model.h"
#include "kardan/model/parameter_uses.h"

namespace kardan {

/// Evaluates the parameters (with overrides), then everything that depends on them.
/// The result is meaningful only if no error was reported.
Blueprint resolve(const Model& model, const Catalog& catalog, const ParameterValues& overrides,
                  Diagnostics& diagnostics);

/// The same from `known`, which was resolved without an error of a model of bodies for the same
/// `overrides`, but for those of the parameters that have touched `touched`.
Blueprint resolve_again(const Model& model, const Catalog& catalog,
                        const ParameterValues& overrides, const Blueprint& known,
                        const ParameterUses& uses, const ParameterUses::Names& touched,
                        Diagnostics& diagnostics);

}  // namespace kardan
