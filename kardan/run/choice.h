#pragma once
/// Methods and formulations by their names.

#include <string>
#include <string_view>

#include "kardan/base/diagnostics.h"
#include "kardan/formulation/formulation.h"
#include "kardan/integrate/method.h"
#include "kardan/run/simulate_options.h"

namespace kardan {

/// A method with the formulation it shall run on.
struct Choice {
  const Method* method = nullptr;
  const Formulation* formulation = nullptr;
};
/// From "method" or "method@formulation"; null members after reporting what does not exist, or does
/// not fit together, and for "auto", which chooses when a run begins.
Choice choose_method(const std::string& name, Diagnostics& diagnostics);

/// Reports options that neither the method nor the formulation has, and values they cannot take.
void check_options(const Choice& choice, const OptionValues& given, Diagnostics& diagnostics);

/// Counted work in evaluations of all coordinates, of `variables` of both orders.
[[nodiscard]] double counted_work(const Choice& choice, int variables, const Counters& counters);

}  // namespace kardan
