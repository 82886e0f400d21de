#pragma once
/// Which columns go into result files: those the model asks for under `outputs`, or all.

#include <cstddef>
#include <string>
#include <vector>

#include "kardan/model/blueprint.h"

namespace kardan {

/// Indices of the columns of the model's outputs, and of `time`. An output that names no column is
/// reported.
[[nodiscard]] std::vector<std::size_t> chosen_outputs(const Blueprint& blueprint,
                                                      const std::vector<std::string>& columns,
                                                      Diagnostics& diagnostics);

}  // namespace kardan
