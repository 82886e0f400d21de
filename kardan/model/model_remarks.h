#pragma once
/// What is allowed in a model, but seldom meant: a warning each, with its place and a way out.

#include "kardan/model/blueprint.h"
#include "kardan/model/model.h"

namespace kardan {

/// Of a model that was resolved without errors. Codes: body.no_inertia, force.no_effect,
/// joint.far, model.size.
void remark_on_model(const Model& model, const Blueprint& blueprint, Diagnostics& diagnostics);

}  // namespace kardan
