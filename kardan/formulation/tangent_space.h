#pragma once
/// The state-space form with an orthonormal basis of the tangent space in the place of single
/// coordinates: q = N x + D y, where G N = 0 at the state it was made and D spans the rest. A turn
/// of the mechanism within the basis costs nothing; only what leaves it must be corrected. The
/// basis is kept until the free directions are a quarter longer than their part within it (37
/// degrees).
///
/// N and D are dense: factors of the dependent block take m^3 operations for m constraints at every
/// evaluation. Everything else is that of state_space.h.

#include "kardan/formulation/formulation.h"

namespace kardan {

Formulation tangent_space();

}  // namespace kardan
