#pragma once
/// Which quantities go into result files: those the model asks for under `outputs`, or all.

#include <string>
#include <vector>

#include "kardan/system/system.h"

namespace kardan {

/// Names of everything a result file can hold, in its order: quantities of the motion and energies.
[[nodiscard]] std::vector<std::string> result_names(const System& system);

/// Those the model asks for; an output that names nothing is reported.
[[nodiscard]] std::vector<std::string> chosen_outputs(const System& system,
                                                      Diagnostics& diagnostics);

}  // namespace kardan
