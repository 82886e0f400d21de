#pragma once
#include "kardan/study/counter_random.h"
#include "kardan/study/design.h"

namespace kardan {

struct RandomDesign final : Design {
  static constexpr std::string_view type = "random";
  static constexpr std::string_view summary = "Independent random points.";
  double count = 0, seed = 0;

  template <class F>
  static void fields(F& f) {
    f("runs", &RandomDesign::count, {.doc = "how many", .need = Need::required});
    f("seed", &RandomDesign::seed, {.doc = "another one draws other points"});
  }
  std::string prepare(const DesignTask&) { return fault_of_count(count, "runs"); }
  DesignFacts facts() const override { return {}; }
  std::uint64_t runs() const override { return static_cast<std::uint64_t>(count); }
  void point(std::uint64_t run, std::span<double> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = random_unit(static_cast<std::uint64_t>(seed), Draw::sample, run,
                           static_cast<std::uint32_t>(k));
  }
};

}  // namespace kardan
