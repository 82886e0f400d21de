/// Every derivative of compiled systems against differences through `retract`.

#include <gtest/gtest.h>

#include "support/difference_check.h"
#include "support/models.h"
#include "support/variants.h"

namespace kardan::test {
namespace {

constexpr double tolerance = 1e-6;
/// Displacement of the bodies from the start, in scales: off the constraints, near the mechanism.
constexpr double share = 0.1;

/// Returns the number of derivatives that are not zero.
int expect_exact(const System& system, const DerivativePoint& at, const std::string& what) {
  const DerivativeReport report = check_derivatives(system, at);
  EXPECT_LE(report.worst, tolerance) << what << ": " << report.where;
  return report.compared;
}

void expect_exact_near_the_start(const System& system, const std::string& what) {
  for (const unsigned seed : {1u, 2u, 3u})
    EXPECT_GT(expect_exact(system, random_point(system, seed, share), what), 0) << what;
}

TEST(SystemDerivatives, OfTheVehicleAreExact) {
  expect_exact_near_the_start(*compiled_shipped("hmmwv"), "hmmwv");
}

TEST(SystemDerivatives, OfTheVehicleOnTheBumpAreExact) {
  // The bump stands under the front wheels; the tyres press (contact bit) on it (bump bit).
  const auto system = compiled_shipped("hmmwv", {{"bump_center", 1.7}});
  DerivativePoint at = random_point(*system, 4, 0.01);
  EXPECT_EQ(std::count_if(at.state.modes.begin(), at.state.modes.end(),
                          [](int m) { return (m & 2) != 0; }),
            2)
      << "the front wheels are not on the bump";
  for (int& mode : at.state.modes) mode |= 1;
  expect_exact(*system, at, "hmmwv on the bump");
}

TEST(SystemDerivatives, OfTheBricardMechanismAreExact) {
  expect_exact_near_the_start(*compiled_shipped("bricard"), "bricard");
}

TEST(SystemDerivatives, OfAndrewsMechanismAreExact) {
  expect_exact_near_the_start(*compiled_shipped("andrews", {{"spring_damping", 10}}), "andrews");
}

TEST(SystemDerivatives, OfAChainOfFiveAreExact) {
  expect_exact_near_the_start(*compiled_shipped("chain", {{"N", 5}}), "chain");
}

TEST(SystemDerivatives, OfAllOtherShippedModelsAreExact) {
  for (const std::string& name : shipped_names()) {
    if (name == "hmmwv" || name == "bricard" || name == "andrews" || name == "chain") continue;
    const auto system = smooth_shipped(name);
    for (const unsigned seed : {1u, 5u})
      expect_exact(*system, random_point(*system, seed, 0.02), name);
  }
}

/// Each element of the catalog by itself between two bodies, in every mode it may have.
void check_alone(int dimension) {
  int checked = 0;
  for (const ElementType& type : Catalog::builtin().types()) {
    if (!exists_in(type, dimension) || type.category == Category::sensor) continue;
    for (const Variant& variant : variants(type, dimension)) {
      const auto system = compiled(model_with(variant));
      ASSERT_TRUE(system) << variant.label();
      DerivativePoint at = random_point(*system, 6, 0.05);
      // One bit, and on a bump a second.
      const bool bump = variant.label().find("road: bump") != std::string::npos;
      const int modes = system->sizes().modes == 0 ? 1 : (bump ? 4 : 2);
      int derivatives = 0;
      for (int mode = 0; mode < modes; ++mode) {
        for (int& m : at.state.modes) m = mode;
        derivatives +=
            expect_exact(*system, at, variant.label() + ", mode " + std::to_string(mode));
      }
      EXPECT_GT(derivatives, 0) << variant.label();
      ++checked;
    }
  }
  EXPECT_GE(checked, 20);
}

TEST(SystemDerivatives, OfEverySpatialElementInEveryModeAreExact) {
  check_alone(3);
}
TEST(SystemDerivatives, OfEveryPlanarElementInEveryModeAreExact) {
  check_alone(2);
}

/// All elements of the catalog in one model of a few bodies, so that all patterns overlap.
Model crowded_model(int dimension) {
  Model model = two_bodies(dimension);
  NamedFields third = model.bodies[1];
  third.name = "three";
  for (auto& [key, value] : third.fields)
    if (key == "position")
      value = dimension == 2 ? FieldValue(FieldValue::List{0.1, -0.8})
                             : FieldValue(Vec3d{0.1, -0.8, 0.9});
  model.bodies.push_back(third);
  FieldMap point{{"kind", "point"}, {"mass", 0.8}};
  point.emplace_back("position", dimension == 2 ? FieldValue(FieldValue::List{0.2, 1.1})
                                                : FieldValue(Vec3d{0.2, 1.1, -0.4}));
  model.add_body("bead", point);
  int count = 0;
  for (const ElementType& type : Catalog::builtin().types()) {
    if (!exists_in(type, dimension)) continue;
    for (const Variant& v : variants(type, dimension)) {
      std::vector<std::string> markers = v.markers;
      // Neighbours change with each element: one-two, two-three, three-one.
      static const char* const ring[] = {"one.m", "two.m", "three.m"};
      for (std::string& m : markers) {
        if (m == "one.m")
          m = ring[count % 3];
        else if (m == "two.m")
          m = ring[(count + 1) % 3];
      }
      model.add("element_" + std::to_string(count++), std::string(type.name), markers, v.fields);
    }
  }
  model.add("string", "distance", {"one.m", "bead"}, {{"length", 0.9}});
  model.add("rubber", "spring_damper", {"bead", "three.m"}, {{"stiffness", 3}, {"damping", 0.2}});
  return model;
}

void check_crowd(int dimension) {
  const auto system = compiled(crowded_model(dimension));
  ASSERT_TRUE(system);
  ASSERT_GT(system->sizes().r, 1);
  ASSERT_GT(system->sizes().w, 1);
  ASSERT_GT(system->sizes().mu, 0);
  ASSERT_GT(system->sizes().modes, 2);
  DerivativePoint at = random_point(*system, 7, 0.05);
  expect_exact(*system, at, "modes of the state");
  for (int& m : at.state.modes) m = 0;
  expect_exact(*system, at, "no contact");
  for (int& m : at.state.modes) m = 1;
  expect_exact(*system, at, "all contacts");
}

TEST(SystemDerivatives, OfAllSpatialElementsTogetherAreExact) {
  check_crowd(3);
}
TEST(SystemDerivatives, OfAllPlanarElementsTogetherAreExact) {
  check_crowd(2);
}

}  // namespace
}  // namespace kardan::test
