#pragma once
#include <fmt/format.h>

#include <optional>

#include "kardan/study/design.h"
#include "kardan/study/sobol_sequence.h"

namespace kardan {

struct SobolDesign final : Design {
  static constexpr std::string_view type = "sobol";
  static constexpr std::string_view summary =
      "Sobol's sequence: even in every projection on two parameters; best with a power of two "
      "runs.";
  double count = 0, seed = 1;
  std::optional<SobolSequence> sequence;

  template <class F>
  static void fields(F& f) {
    f("runs", &SobolDesign::count, {.doc = "how many", .need = Need::required});
    f("seed", &SobolDesign::seed, {.doc = "of the digital shift; 0: none"});
  }
  std::string prepare(const DesignTask& task) {
    if (task.parameters.size() > SobolSequence::most_dimensions)
      return fmt::format("got {} parameters; wanted {} at most", task.parameters.size(),
                         SobolSequence::most_dimensions);
    sequence.emplace(static_cast<int>(task.parameters.size()), static_cast<std::uint64_t>(seed));
    return fault_of_count(count, "runs");
  }
  DesignFacts facts() const override { return {}; }
  std::uint64_t runs() const override { return static_cast<std::uint64_t>(count); }
  void point(std::uint64_t run, std::span<double> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = sequence->at(run, static_cast<int>(k));
  }
};

}  // namespace kardan
