/// Mass, centre and inertia of bodies from numbers, markers and shapes, against closed forms.

#include <gtest/gtest.h>

#include <numbers>

#include "kardan/model/resolve.h"
#include "support/matrices.h"
#include "support/models.h"

namespace kardan::test {
namespace {

using std::numbers::pi;

/// The only body of a spatial model whose fields are given.
BodyData body_of(const std::string& fields, int dimension = 3) {
  const Model model = model_of("kardan: 1\ndimension: " + std::to_string(dimension) +
                               "\nbodies:\n  one: {" + fields + "}\n");
  Diagnostics diagnostics;
  const Blueprint blueprint = resolve(model, Catalog::builtin(), {}, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << format(diagnostics);
  return blueprint.bodies.at(1);
}

Mat3d diagonal(double x, double y, double z) {
  return {{{x, 0, 0}, {0, y, 0}, {0, 0, z}}};
}

/// Parallel axes: inertia about a point c away from the centre.
Mat3d steiner(double mass, const Vec3d& c) {
  return mass * (diagonal(dot(c, c), dot(c, c), dot(c, c)) - outer(c, c));
}

TEST(Inertia, OfABoxIsTheClosedForm) {
  const BodyData b = body_of("density: 7, shapes: [{shape: box, size: [0.2, 0.3, 0.5]}]");
  const double m = 7 * 0.2 * 0.3 * 0.5;
  EXPECT_NEAR(b.mass, m, 1e-15);
  EXPECT_LE(distance(b.inertia, diagonal(m / 12 * (0.09 + 0.25), m / 12 * (0.04 + 0.25),
                                         m / 12 * (0.04 + 0.09))),
            1e-16);
}

TEST(Inertia, OfACylinderIsTheClosedForm) {
  const double r = 0.2, l = 0.7, m = 3 * pi * r * r * l;
  const BodyData b = body_of("density: 3, shapes: [{shape: cylinder, radius: 0.2, length: 0.7}]");
  EXPECT_NEAR(b.mass, m, 1e-15);
  const double across = m * (3 * r * r + l * l) / 12;
  EXPECT_LE(distance(b.inertia, diagonal(across, across, m * r * r / 2)), 1e-16);
}

TEST(Inertia, OfASphereIsTheClosedForm) {
  const double r = 0.4, m = 2 * 4.0 / 3 * pi * r * r * r;
  const BodyData b = body_of("density: 2, shapes: [{shape: sphere, radius: 0.4}]");
  EXPECT_NEAR(b.mass, m, 1e-15);
  EXPECT_LE(distance(b.inertia, diagonal(0.4 * m * r * r, 0.4 * m * r * r, 0.4 * m * r * r)),
            1e-16);
}

TEST(Inertia, OfACapsuleIsThatOfThinSlices) {
  // Numerical integral over slices across z, independent of the closed form.
  const double r = 0.3, l = 0.8, rho = 5;
  const BodyData b = body_of("density: 5, shapes: [{shape: capsule, radius: 0.3, length: 0.8}]");
  const int n = 200000;
  const double half = l / 2 + r, dz = 2 * half / n;
  double mass = 0, axial = 0, across = 0;
  for (int i = 0; i < n; ++i) {
    const double z = -half + (i + 0.5) * dz;
    const double beyond = std::max(0.0, std::abs(z) - l / 2);
    const double s2 = r * r - beyond * beyond, dm = rho * pi * s2 * dz;
    mass += dm;
    axial += dm * s2 / 2;
    across += dm * (s2 / 4 + z * z);
  }
  EXPECT_NEAR(b.mass, mass, 1e-9 * mass);
  EXPECT_LE(distance(b.inertia, diagonal(across, across, axial)), 1e-9 * across);
}

TEST(Inertia, OfAVeryShortCapsuleIsThatOfASphere) {
  const BodyData capsule =
      body_of("density: 2, shapes: [{shape: capsule, radius: 0.4, length: 1e-9}]");
  const BodyData sphere = body_of("density: 2, shapes: [{shape: sphere, radius: 0.4}]");
  EXPECT_NEAR(capsule.mass, sphere.mass, 1e-8 * sphere.mass);
  EXPECT_LE(distance(capsule.inertia, sphere.inertia), 1e-8 * sphere.inertia[0][0]);
}

TEST(Inertia, OfTwoHalfBoxesIsThatOfTheWhole) {
  const BodyData whole = body_of("density: 7, shapes: [{shape: box, size: [0.2, 0.3, 1.0]}]");
  const BodyData halves = body_of(
      "density: 7, shapes: [{shape: box, size: [0.2, 0.3, 0.4], at: [0, 0, -0.3]}, "
      "{shape: box, size: [0.2, 0.3, 0.6], at: [0, 0, 0.2]}]");
  EXPECT_NEAR(halves.mass, whole.mass, 1e-15);
  EXPECT_LE(norm(halves.com), 1e-16);
  EXPECT_LE(distance(halves.inertia, whole.inertia), 1e-16);
}

TEST(Inertia, OfATurnedShapeIsTurned) {
  const BodyData straight = body_of("density: 7, shapes: [{shape: box, size: [0.2, 0.3, 0.5]}]");
  const BodyData turned = body_of(
      "density: 7, shapes: [{shape: box, size: [0.2, 0.3, 0.5], rotation: [0.3, -0.5, 0.7]}]");
  const Mat3d R = rotation_exp({0.3, -0.5, 0.7});
  EXPECT_LE(distance(turned.inertia, R * straight.inertia * transposed(R)), 1e-16);
}

TEST(Inertia, OfACompositeFollowsTheParallelAxes) {
  // A cylinder with a ball of another density at its end.
  const BodyData b = body_of(
      "density: 3, shapes: [{shape: cylinder, radius: 0.1, length: 1, z: [1, 0, 0]}, "
      "{shape: sphere, radius: 0.2, density: 11, at: [0.5, 0.1, -0.2]}]");
  const double m1 = 3 * pi * 0.01, m2 = 11 * 4.0 / 3 * pi * 0.008, m = m1 + m2;
  const Vec3d ball{0.5, 0.1, -0.2}, com = (m2 / m) * ball;
  EXPECT_NEAR(b.mass, m, 1e-15);
  EXPECT_LE(norm(b.com - com), 1e-16);
  const double axial = m1 * 0.01 / 2, across = m1 * (0.03 + 1) / 12, round = 0.4 * m2 * 0.04;
  const Mat3d expected = diagonal(axial, across, across) + steiner(m1, com) +
                         diagonal(round, round, round) + steiner(m2, ball - com);
  EXPECT_LE(distance(b.inertia, expected), 1e-15);
}

TEST(Inertia, AtAMarkerIsMovedToTheCentreAndTurned) {
  // A body's tensor about a displaced, turned marker by the parallel-axes theorem, and back.
  const Mat3d J{{{0.5, 0.04, -0.03}, {0.04, 0.6, 0.02}, {-0.03, 0.02, 0.7}}};
  const Vec3d com{0.1, -0.2, 0.3}, at{0.4, 0.1, -0.2};
  const Mat3d R = rotation_exp({0.2, 0.5, -0.3});
  const Mat3d about = transposed(R) * (J + steiner(2, com - at)) * R;
  std::string numbers;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      char text[40];
      // Symmetric to the last bit, as the reader wants it.
      std::snprintf(text, sizeof text, "%s%.17g", numbers.empty() ? "" : ", ",
                    about[std::min(i, j)][std::max(i, j)]);
      numbers += text;
    }
  const BodyData b = body_of("mass: 2, com: [0.1, -0.2, 0.3], inertia_at: m, inertia: [" + numbers +
                             "], markers: {m: {at: [0.4, 0.1, -0.2], rotation: [0.2, 0.5, -0.3]}}");
  EXPECT_LE(distance(b.inertia, J), 1e-15);
  EXPECT_LE(norm(b.markers.at("m").s - (at - com)), 1e-16) << "markers are seen from the centre";
}

TEST(Inertia, OfSixNumbersIsTheFullTensor) {
  const BodyData b = body_of("mass: 1, inertia: [5, 6, 7, 0.1, 0.2, 0.3]");
  EXPECT_EQ(distance(b.inertia, Mat3d{{{5, 0.1, 0.2}, {0.1, 6, 0.3}, {0.2, 0.3, 7}}}), 0);
}

TEST(Inertia, OfAPlanarBodyAtAMarkerLosesTheDistance) {
  const BodyData b = body_of(
      "mass: 2, inertia: 3, com: [0.3, 0.4], inertia_at: pivot, markers: {pivot: {at: [0, 0]}}", 2);
  EXPECT_NEAR(b.inertia[2][2], 3 - 2 * 0.25, 1e-15);
}

TEST(Inertia, ThatNoBodyHasIsRefusedOrToldOf) {
  auto diagnose = [](const std::string& fields) {
    const Model model = model_of("kardan: 1\nbodies:\n  one: {" + fields + "}\n");
    Diagnostics diagnostics;
    resolve(model, Catalog::builtin(), {}, diagnostics);
    return diagnostics;
  };
  const Diagnostics negative = diagnose("mass: 1, inertia: [1, 1, -1]");
  ASSERT_EQ(negative.error_count(), 1u);
  EXPECT_EQ(negative.all()[0].code, "body.inertia");
  EXPECT_TRUE(diagnose("mass: 1, inertia: [1, 1, 1, 5, 0, 0]").has_errors()) << "indefinite";
  const Diagnostics triangle = diagnose("mass: 1, inertia: [1, 1, 2.5]");
  EXPECT_FALSE(triangle.has_errors());
  EXPECT_EQ(triangle.warning_count(), 1u) << "2.5 > 1 + 1";
  EXPECT_TRUE(diagnose("mass: 1, inertia: [1, 1, 1], density: 3").has_errors()) << "given twice";
}

TEST(PointMass, HasNoOrientation) {
  const auto system = compiled(R"(
kardan: 1
dimension: 3
gravity: [0, 0, -10]
bodies:
  bead: {kind: point, mass: 2, position: [1, 2, 3], velocity: [1, 0, 0]}
  rigid: {mass: 1, inertia: [1, 1, 1]}
)");
  EXPECT_EQ(system->sizes().p, 3 + 7);
  EXPECT_EQ(system->sizes().v, 3 + 6);
  const ConsistentStart start = assembled(*system);
  EXPECT_DOUBLE_EQ(start.a[2], -10);
  const auto ws = system->make_workspace();
  EXPECT_DOUBLE_EQ(system->energy(start.state, *ws).kinetic, 1);
  EXPECT_DOUBLE_EQ(system->energy(start.state, *ws).potential, 60);
  EXPECT_DOUBLE_EQ(system->bodies_at(start.state, *ws)->momentum(start.state, *ws).angular.y,
                   2 * 3 * 1);
  EXPECT_FALSE(system->find_quantity("bead.qw"));
  EXPECT_TRUE(system->find_quantity("rigid.qw"));
}

TEST(PointMass, OnARodIsThePendulum) {
  // theta'' = -g/l sin(theta): at 90 degrees the bead falls freely, at rest there is no tension.
  const auto system = compiled(R"(
kardan: 1
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  bead: {kind: point, mass: 2, position: [0.6, 0, -0.8]}
joints:
  rod: {type: distance, between: [ground, bead], length: 1}
)");
  const ConsistentStart start = assembled(*system);
  ASSERT_EQ(start.report.status, Eval::ok);
  // along the circle g sin(theta), sin = 0.6, cos = 0.8
  EXPECT_NEAR(start.a[0], -9.81 * 0.6 * 0.8, 1e-13);
  EXPECT_NEAR(start.a[1], 0, 1e-15);
  EXPECT_NEAR(start.a[2], -9.81 * 0.6 * 0.6, 1e-13);
  // tension m g cos(theta)
  const auto ws = system->make_workspace();
  const auto all =
      reactions(*system, start.state, start.lambda, analyse(*system, start.state, *ws), *ws);
  EXPECT_NEAR(norm(all[0].force), 2 * 9.81 * 0.8, 1e-12);
}

}  // namespace
}  // namespace kardan::test
