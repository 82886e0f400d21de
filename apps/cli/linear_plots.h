#pragma once
/// Bode diagrams and answers to steps of a linearized model, as pictures.

#include <string>
#include <vector>

#include "apps/pictures/svg_plot.h"
#include "kardan/run/linearize.h"

namespace kardan::cli {

/// For every input: gain, phase and the answer to a step, with a curve for every output.
[[nodiscard]] std::vector<Plot> linear_plots(const Linearization& l);
[[nodiscard]] std::string linear_page(const std::string& title, const Linearization& l);

}  // namespace kardan::cli
