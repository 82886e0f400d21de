/// Every analytic derivative of every measure, constraint and force against an independent formula.

#include <gtest/gtest.h>

#include "elements/derivative_cases.h"
#include "kardan/base/diagnostics.h"

namespace kardan::test {
namespace {

constexpr int states = 20;
constexpr double dual_tolerance = 1e-12;       // analytic against dual numbers
constexpr double difference_tolerance = 1e-6;  // dual numbers against central differences

/// Calls use(scene, element, formula, name) at random states in all modes of a case.
template <int D, class Use>
void at_random_states(const Case<D>& c, int count, const Use& use) {
  for (const int mode : c.modes)
    for (int state = 0; state < count; ++state) {
      const unsigned seed = 1000 * mode + state;
      Scene<D> scene = random_scene<D>(c.bodies, 8, seed);
      scene.mode = mode;
      DenseProgram<D> element(scene, c.element);
      DenseProgram<D> formula(scene, [&](Builder<D>& b) { c.formula(b, mode); });
      ASSERT_TRUE(element.diagnostics.empty()) << format(element.diagnostics);
      use(scene, element, formula, c.name + " mode " + std::to_string(mode));
    }
}

template <int D>
void expect_dual_agreement(const Case<D>& c) {
  Worst worst;
  at_random_states(
      c, states, [&](const Scene<D>& scene, auto& element, auto& formula, const std::string& name) {
        compare(element.evaluate(scene), formula.evaluate(scene), name, worst);
      });
  EXPECT_LE(worst.difference, dual_tolerance) << worst.where;
  ::testing::Test::RecordProperty("worst", std::to_string(worst.difference * 1e15) + "e-15");
}

template <int D>
void expect_difference_agreement(const Case<D>& c) {
  Worst worst;
  at_random_states(c, 3, [&](const Scene<D>& scene, auto&, auto& formula, const std::string& name) {
    compare(formula.evaluate(scene), differences(formula, scene), name, worst);
  });
  EXPECT_LE(worst.difference, difference_tolerance) << worst.where;
  ::testing::Test::RecordProperty("worst", std::to_string(worst.difference * 1e9) + "e-9");
}

template <int D>
std::vector<Case<D>> all_cases() {
  std::vector<Case<D>> cases = constraint_cases<D>();
  for (Case<D>& c : force_cases<D>()) cases.push_back(std::move(c));
  return cases;
}

struct CaseName {
  template <class Info>
  std::string operator()(const Info& info) const {
    return info.param.name;
  }
};

class PlanarDerivatives : public ::testing::TestWithParam<Case<2>> {};
TEST_P(PlanarDerivatives, AgreeWithDualNumbers) {
  expect_dual_agreement(GetParam());
}
TEST_P(PlanarDerivatives, OfDualNumbersAgreeWithDifferences) {
  expect_difference_agreement(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Of, PlanarDerivatives, ::testing::ValuesIn(all_cases<2>()), CaseName());

class SpatialDerivatives : public ::testing::TestWithParam<Case<3>> {};
TEST_P(SpatialDerivatives, AgreeWithDualNumbers) {
  expect_dual_agreement(GetParam());
}
TEST_P(SpatialDerivatives, OfDualNumbersAgreeWithDifferences) {
  expect_difference_agreement(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Of, SpatialDerivatives, ::testing::ValuesIn(all_cases<3>()), CaseName());

}  // namespace
}  // namespace kardan::test
