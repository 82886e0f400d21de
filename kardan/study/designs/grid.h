#pragma once
#include <fmt/format.h>

#include "kardan/study/design.h"

namespace kardan {

struct GridDesign final : Design {
  static constexpr std::string_view type = "grid";
  static constexpr std::string_view summary =
      "All combinations of lists and steps; the last parameter changes fastest.";
  std::vector<int> levels;

  template <class F>
  static void fields(F&) {}
  std::string prepare(const DesignTask& task) {
    levels = task.levels;
    double product = 1;
    for (std::size_t k = 0; k < levels.size(); ++k) {
      if (levels[k] == 0)
        return fmt::format("'{}' is a continuum; wanted a list or steps", task.parameters[k]);
      product *= levels[k];
    }
    return fault_of_count(product, "combinations");
  }
  DesignFacts facts() const override { return {.given = {}, .is_drawn = false}; }
  std::uint64_t runs() const override {
    std::uint64_t product = 1;
    for (const int n : levels) product *= static_cast<std::uint64_t>(n);
    return product;
  }
  void point(std::uint64_t run, std::span<double> out) const override {
    for (std::size_t k = out.size(); k-- > 0;) {
      const auto n = static_cast<std::uint64_t>(levels[k]);
      out[k] = (static_cast<double>(run % n) + 0.5) / static_cast<double>(n);
      run /= n;
    }
  }
};

}  // namespace kardan
