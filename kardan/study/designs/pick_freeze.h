#pragma once
#include <fmt/format.h>

#include <optional>

#include "kardan/study/design.h"
#include "kardan/study/sobol_sequence.h"

namespace kardan {

/// A row is d + 2 runs: at a point A, at a point B, and at A with one coordinate of B, for each of
/// the d parameters. A and B are halves of a point of Sobol's sequence in 2 d dimensions.
///
/// A. Saltelli et al., Variance based sensitivity analysis of model output. Design and estimator
/// for the total sensitivity index, Comput. Phys. Commun. 181 (2010) 259-270, section 4.
struct PickFreezeDesign final : Design {
  static constexpr std::string_view type = "sensitivity";
  static constexpr std::string_view summary =
      "Rows of d + 2 runs for d parameters, of which first-order and total Sobol indices follow.";
  double rows = 0, seed = 1;
  std::size_t parameters = 0;
  std::optional<SobolSequence> sequence;

  template <class F>
  static void fields(F& f) {
    f("rows", &PickFreezeDesign::rows,
      {.doc = "how many; best a power of two", .need = Need::required});
    f("seed", &PickFreezeDesign::seed, {.doc = "of the digital shift; 0: none"});
  }
  std::string prepare(const DesignTask& task) {
    parameters = task.parameters.size();
    if (!task.independent)
      return "Sobol indices mean nothing for correlated parameters; wanted independent ones";
    if (2 * parameters > SobolSequence::most_dimensions)
      return fmt::format("got {} parameters; wanted {} at most", parameters,
                         SobolSequence::most_dimensions / 2);
    sequence.emplace(static_cast<int>(2 * parameters), static_cast<std::uint64_t>(seed));
    return fault_of_count(rows * static_cast<double>(parameters + 2), "runs");
  }
  DesignFacts facts() const override {
    return {.given = {}, .pick_freeze_rows = static_cast<std::uint64_t>(rows)};
  }
  std::uint64_t runs() const override {
    return static_cast<std::uint64_t>(rows) * (parameters + 2);
  }
  void point(std::uint64_t run, std::span<double> out) const override {
    const std::uint64_t row = run / (parameters + 2), block = run % (parameters + 2);
    for (std::size_t k = 0; k < out.size(); ++k) {
      const bool of_b = block == 1 || block == k + 2;
      out[k] = sequence->at(row, static_cast<int>(of_b ? parameters + k : k));
    }
  }
};

}  // namespace kardan
