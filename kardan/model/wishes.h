#pragma once
/// Wishes for the start and for balance, as written, in numbers.

#include "kardan/model/blueprint.h"

namespace kardan {

void resolve_wish(const NamedFields& wish, const std::string& owner, const ValueReader& reader,
                  std::vector<WishData>& out);
void resolve_equilibrium(const NamedFields& equilibrium, const ValueReader& reader,
                         EquilibriumData& out);

}  // namespace kardan
