#pragma once
/// The formulations: how equations of motion become problems that methods can treat. A new one is
/// one file and one line in catalog.cpp.

#include <string_view>
#include <vector>

#include "kardan/formulation/formulation.h"

namespace kardan {

const std::vector<Formulation>& formulations();
const Formulation* find_formulation(std::string_view name);
/// The one with Formulation::free_form.
const Formulation& free_form();
/// Whether it can treat a system; it says nothing of why not.
bool treats(const Formulation& formulation, const System& system);

}  // namespace kardan
