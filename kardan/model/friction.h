#pragma once
/// Dry friction of a model, from its fields.

#include "kardan/model/blueprint.h"

namespace kardan {

/// Reads the section `friction` of a model; events and elements stand in the blueprint already.
void resolve_frictions(const std::vector<NamedFields>& frictions, const ValueReader& reader,
                       Blueprint& blueprint);

/// What a friction may have, for listings.
std::vector<FieldDoc> friction_field_docs();

}  // namespace kardan
