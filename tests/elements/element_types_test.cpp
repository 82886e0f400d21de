/// Forces, contacts and rolling as a user writes them: their fields are read and they build.

#include <gtest/gtest.h>

#include "elements/derivative_check.h"
#include "kardan/elements/contacts/sphere_plane.h"
#include "kardan/elements/contacts/sphere_sphere.h"
#include "kardan/elements/contacts/tyre.h"
#include "kardan/elements/forces/applied_force.h"
#include "kardan/elements/forces/applied_torque.h"
#include "kardan/elements/forces/bushing.h"
#include "kardan/elements/forces/drag.h"
#include "kardan/elements/forces/pivot_bushing.h"
#include "kardan/elements/nonholonomic/knife_edge.h"
#include "kardan/elements/nonholonomic/rolling_disc.h"

namespace kardan::test {
namespace {

enum class Dimensions { space, both };

/// Builds the type from written fields in each dimension it has.
void expect_builds(const ElementType& type, const FieldMap& fields, Dimensions dimensions) {
  Environment parameters;
  Diagnostics diagnostics;
  const ValueReader reader(parameters, diagnostics);
  const std::vector<int> bodies = type.frames == 2 ? std::vector<int>{0, 2} : std::vector<int>{2};
  ASSERT_NE(type.build_spatial, nullptr) << type.name;
  EXPECT_EQ(type.build_planar != nullptr, dimensions == Dimensions::both) << type.name;
  DenseProgram<3> spatial(random_scene<3>(bodies, 0, 1), [&](Builder<3>& b) {
    EXPECT_TRUE(type.build_spatial(fields, "element", {}, reader, b)) << type.name;
  });
  EXPECT_TRUE(spatial.diagnostics.empty()) << format(spatial.diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << format(diagnostics);
  EXPECT_EQ(spatial.program().forces.empty(), type.category == Category::nonholonomic);
  if (!type.build_planar) return;
  DenseProgram<2> planar(random_scene<2>(bodies, 0, 1), [&](Builder<2>& b) {
    EXPECT_TRUE(type.build_planar(fields, "element", {}, reader, b)) << type.name;
  });
  EXPECT_TRUE(planar.diagnostics.empty()) << format(planar.diagnostics);
}

TEST(ElementTypes, ReadTheirFieldsAndBuild) {
  const FieldValue xy = FieldValue::List{4, 2}, about_z = FieldValue::List{0, 0, 3};
  expect_builds(describe<Bushing>(),
                {{"translation_stiffness", xy}, {"rotation_stiffness", about_z}}, Dimensions::both);
  expect_builds(describe<PivotBushing>(), {{"stiffness", 2}, {"damping", 0.1}}, Dimensions::space);
  expect_builds(describe<AppliedForce>(), {{"fx", "3*sin(t)"}, {"frame", "body"}},
                Dimensions::both);
  expect_builds(describe<AppliedTorque>(), {{"tz", "3*sin(t)"}}, Dimensions::both);
  expect_builds(describe<Drag>(), {{"quadratic", 2}, {"wind", xy}}, Dimensions::both);
  expect_builds(describe<SpherePlane>(),
                {{"radius", 1}, {"stiffness", 1e4}, {"law", "hunt_crossley"}}, Dimensions::both);
  expect_builds(describe<SphereSphere>(), {{"radius_a", 1}, {"radius_b", 2}, {"stiffness", 1e4}},
                Dimensions::both);
  const FieldValue road = FieldValue::List{FieldValue::List{0, 0}, FieldValue::List{1, 0.1}};
  expect_builds(describe<Tyre>(),
                {{"radius", 1}, {"stiffness", 1e5}, {"road", "table"}, {"table", road}},
                Dimensions::both);
  expect_builds(describe<KnifeEdge>(), {}, Dimensions::both);
  expect_builds(describe<RollingSphere>(), {{"radius", 1}}, Dimensions::space);
  expect_builds(describe<RollingDisc>(), {{"radius", 1}}, Dimensions::space);
}

}  // namespace
}  // namespace kardan::test
