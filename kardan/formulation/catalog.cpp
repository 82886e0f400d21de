#include "kardan/formulation/catalog.h"

#include <algorithm>

#include "kardan/formulation/all_coordinates.h"
#include "kardan/formulation/descriptor.h"
#include "kardan/formulation/state_space.h"
#include "kardan/formulation/tangent_space.h"

namespace kardan {

const std::vector<Formulation>& formulations() {
  static const std::vector<Formulation> all{
      state_space(), tangent_space(), all_coordinates(),   baumgarte(),
      index1_ode(),  projected_ode(), strangeness_free(),  strangeness_free_2(),
      ggl(),         index_1(),       index_1_projected(), index_2(),
      index_3()};
  return all;
}

const Formulation& free_form() {
  return *std::ranges::find_if(formulations(), &Formulation::free_form);
}

bool treats(const Formulation& formulation, const System& system) {
  Diagnostics unused;
  if (formulation.refuse) formulation.refuse(system, unused);
  return !unused.has_errors();
}

const Formulation* find_formulation(std::string_view name) {
  for (const Formulation& f : formulations())
    if (f.name == name) return &f;
  return nullptr;
}

}  // namespace kardan
