#pragma once
#include "kardan/study/counter_random.h"
#include "kardan/study/design.h"

namespace kardan {

/// M. D. McKay, R. J. Beckman, W. J. Conover, A comparison of three methods for selecting values of
/// input variables in the analysis of output from a computer code, Technometrics 21 (1979) 239-245.
struct LatinHypercube final : Design {
  static constexpr std::string_view type = "latin_hypercube";
  static constexpr std::string_view summary =
      "Every parameter is cut into as many equal shares as there are runs, and each share holds "
      "one "
      "point.";
  double count = 0, seed = 0;

  template <class F>
  static void fields(F& f) {
    f("runs", &LatinHypercube::count, {.doc = "how many", .need = Need::required});
    f("seed", &LatinHypercube::seed, {.doc = "another one draws other points"});
  }
  std::string prepare(const DesignTask&) { return fault_of_count(count, "runs"); }
  DesignFacts facts() const override { return {}; }
  std::uint64_t runs() const override { return static_cast<std::uint64_t>(count); }
  void point(std::uint64_t run, std::span<double> out) const override {
    const auto key = static_cast<std::uint64_t>(seed);
    for (std::size_t k = 0; k < out.size(); ++k) {
      const auto column = static_cast<std::uint32_t>(k);
      const auto share = static_cast<double>(random_place(key, column, run, runs()));
      out[k] = (share + random_unit(key, Draw::jitter, run, column)) / count;
    }
  }
};

}  // namespace kardan
