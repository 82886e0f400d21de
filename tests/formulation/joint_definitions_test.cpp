/// Every joint of the catalog closes, from any pose of its body, in the pose that its definition
/// means: never in a mirror image that fulfils its equations as well.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <numbers>

#include "kardan/base/rotation.h"
#include "kardan/elements/catalog.h"
#include "support/models.h"

namespace kardan::test {
namespace {

using testing::HasSubstr;

/// The two frames of a joint in the world.
struct Frames {
  Vec3d d;       // from A to B, in A's axes
  Mat3d R;       // B's axes in A's
  double given;  // distance of the origins in the start given
};

double off(double x, double y = 0, double z = 0) {
  return norm(Vec3d{x, y, z});
}
/// z_B = z_A.
double tilt(const Frames& f) {
  return norm(f.R.column(2) - Vec3d{0, 0, 1});
}
double turn(const Frames& f) {
  return norm(rotation_log(f.R));
}
/// How far x_B is from x_A carried along by the shortest rotation of z_A to z_B.
double twist(const Frames& f) {
  const Vec3d z{0, 0, 1}, n = cross(z, f.R.column(2));
  const double s = norm(n), c = f.R[2][2];
  if (s < 1e-6) return 0;  // straight: no twist is told below; folded: the way is not unique
  const Mat3d swing = rotation_exp((std::atan2(s, c) / s) * n);
  return norm(swing.column(0) - f.R.column(0));
}

struct Definition {
  std::function<double(const Frames&)> miss;  // zero where the joint is what it says
  const char* fields = "";
};

/// Stated by the frames, not by the rows. Couplings of angles (gear, rack_and_pinion) have no pose.
const std::map<std::string, Definition, std::less<>>& definitions() {
  static const std::map<std::string, Definition, std::less<>> all{
      {"fixed", {[](const Frames& f) { return norm(f.d) + turn(f); }}},
      {"revolute", {[](const Frames& f) { return norm(f.d) + tilt(f); }}},
      {"prismatic", {[](const Frames& f) { return off(f.d.x, f.d.y) + turn(f); }}},
      {"cylindrical", {[](const Frames& f) { return off(f.d.x, f.d.y) + tilt(f); }}},
      {"screw", {[](const Frames& f) { return off(f.d.x, f.d.y) + tilt(f); }, ", pitch: 0.1"}},
      {"planar", {[](const Frames& f) { return off(f.d.z) + tilt(f); }}},
      {"spherical", {[](const Frames& f) { return norm(f.d); }}},
      {"universal", {[](const Frames& f) { return norm(f.d) + std::abs(f.R[0][1]); }}},
      {"constant_velocity", {[](const Frames& f) { return norm(f.d) + twist(f); }}},
      {"point_on_line", {[](const Frames& f) { return off(f.d.x, f.d.y); }}},
      {"point_on_plane", {[](const Frames& f) { return off(f.d.z); }}},
      {"distance", {[](const Frames& f) { return std::abs(norm(f.d) - f.given); }}}};
  return all;
}

std::string numbers(const Vec3d& v) {
  return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", v.x, v.y, v.z);
}

Frames frames_of(const System& system, const State& state) {
  const ElementData& joint = system.blueprint().elements[0];
  Vec3d p[2];
  Mat3d R[2];
  for (int k = 0; k < 2; ++k) {
    const FrameData& f = joint.frames[static_cast<std::size_t>(k)];
    Vec3d x;
    Mat3d body = Mat3d::identity();
    if (f.body > 0) {
      const double* q = state.p.data() + system.bodies()[static_cast<std::size_t>(f.body)].p;
      x = {q[0], q[1], q[2]};
      body = rotation_matrix(normalized(Quaternion{q[3], q[4], q[5], q[6]}));
    }
    p[k] = x + body * f.s;
    R[k] = body * f.R;
  }
  return {transposed_times(R[0], p[1] - p[0]), transposed_times(R[0], R[1]), 0};
}

TEST(JointDefinition, HoldsWhereverAJointClosesFromAnyPose) {
  for (const ElementType& type : Catalog::builtin().types()) {
    if (type.category != Category::joint || !type.build_spatial || type.frames != 2) continue;
    const auto known = definitions().find(type.name);
    ASSERT_NE(known, definitions().end()) << type.name << ": state its definition above";
    Random random(7);
    const auto vector = [&](double size) {
      return Vec3d{random(size), random(size), random(size)};
    };
    for (int k = 0; k < 60; ++k) {
      // Rotations by up to more than half a turn, so that any pose is met.
      const std::string text = fmt::format(
          "kardan: 1\nbodies:\n  base: {{mass: 2, inertia: [1, 2, 3], position: {}, rotation: "
          "{}}}\n"
          "  a: {{mass: 1, inertia: [0.2, 0.3, 0.4], position: {}, rotation: {}}}\n"
          "joints:\n  j: {{type: {}, between: [{{body: {}, at: {}, rotation: {}}}, {{body: a, at: "
          "{}, rotation: {}}}]{}}}\n",
          numbers(vector(1)), numbers(vector(3)), numbers(vector(1)), numbers(vector(3)), type.name,
          k % 2 == 0 ? "base" : "ground", numbers(vector(0.5)), numbers(vector(3)),
          numbers(vector(0.5)), numbers(vector(3)), known->second.fields);
      const auto system = compiled(text);
      const ConsistentStart start = assembled(*system);
      ASSERT_EQ(start.report.status, Eval::ok) << text << start.report.message;
      Frames f = frames_of(*system, start.state);
      f.given = norm(frames_of(*system, system->start()).d);
      EXPECT_LE(known->second.miss(f), 1e-9) << text;
    }
  }
}

TEST(JointDefinition, OfAWeldIsReachedFromItsMirrorImages) {
  // Axes exchanged in a circle, with signs: all of them fulfil the three products of axes.
  const double s = 1 / std::sqrt(3.0);
  for (const Vec3d& axis : {Vec3d{s, s, s}, {-s, s, s}, {s, -s, s}, {s, s, -s}})
    for (const double angle : {2 * std::numbers::pi / 3, 4 * std::numbers::pi / 3}) {
      const auto system = compiled(fmt::format(
          "kardan: 1\nbodies:\n  a: {{mass: 1, inertia: [0.1, 0.1, 0.1], rotation: {}}}\njoints:\n"
          "  j: {{type: fixed, between: [ground, a]}}\n",
          numbers(angle * axis)));
      const ConsistentStart start = assembled(*system);
      ASSERT_EQ(start.report.status, Eval::ok) << start.report.message;
      EXPECT_LE(turn(frames_of(*system, start.state)), 1e-12);
      ASSERT_EQ(start.report.changes.moved.size(), 1u);
      EXPECT_EQ(start.report.changes.moved[0].body, "a");
      EXPECT_NEAR(start.report.changes.moved[0].angle, 2 * std::numbers::pi / 3, 1e-9);
      EXPECT_EQ(start.report.changes.warnings.size(), 1u);
    }
}

TEST(JointDefinition, OfAHingeWhoseAxesAreOpposedIsRefusedByName) {
  for (const char* start : {"assembled", "as_given"}) {
    const Model model = model_of(fmt::format(R"(
kardan: 1
bodies:
  rod: {{mass: 1, inertia: [0.1, 0.1, 0.1], rotation: [pi, 0, 0]}}
joints:
  hinge: {{type: revolute, between: [ground, rod]}}
start: {}
)",
                                             start));
    Diagnostics diagnostics;
    const Prepared prepared = prepare(model, {}, diagnostics);
    ASSERT_TRUE(prepared.system) << format(diagnostics);
    EXPECT_NE(prepared.start.report.status, Eval::ok) << start;
    EXPECT_THAT(prepared.start.report.message, HasSubstr("'hinge'")) << start;
  }
}

TEST(JointDefinition, OfAllHingesOfAChainHoldsFromAnyPoseOfItsBodies) {
  const auto system = compiled(R"(
kardan: 1
bodies:
  one: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0], markers: {l: {at: [-0.5, 0, 0]}, r: {at: [0.5, 0, 0]}}}
  two: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, 0], markers: {l: {at: [-0.5, 0, 0]}, r: {at: [0.5, 0, 0]}}}
  three: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [2.5, 0, 0], markers: {l: {at: [-0.5, 0, 0]}}}
joints:
  a: {type: revolute, between: [ground, one.l]}
  b: {type: revolute, between: [one.r, two.l]}
  c: {type: fixed, between: [two.r, three.l]}
)");
  Random random(3);
  for (int k = 0; k < 40; ++k) {
    State guess = system->start();
    const Vector p = guess.p;
    Vector delta(system->sizes().v);
    for (std::size_t i = 0; i < delta.size(); ++i) delta[i] = random(i % 6 < 3 ? 0.5 : 3);
    system->retract(p, delta, guess.p);
    const ConsistentStart start = assemble(*system, guess, {});
    ASSERT_EQ(start.report.status, Eval::ok) << k << ": " << start.report.message;
    for (const char* body : {"one.qx", "one.qy", "two.qx", "two.qy", "three.qx", "three.qy"})
      EXPECT_NEAR(value_of(*system, start.state, body), 0, 1e-9) << k;
    EXPECT_NEAR(std::abs(value_of(*system, start.state, "two.qz")),
                std::abs(value_of(*system, start.state, "three.qz")), 1e-9);
  }
}

// --- what the assembly tells --------------------------------------------------------------------

TEST(StartChanges, NameBodiesAndVelocitiesThatWereNotKept) {
  const auto moved = compiled(R"(
kardan: 1
dimension: 2
bodies:
  rod: {mass: 2, inertia: 0.2, position: [0.5, 0], markers: {end: {at: [1, 0]}}}
joints:
  pin: {type: revolute, between: [ground, rod]}
)");
  const StartChanges far = assembled(*moved).report.changes;
  ASSERT_EQ(far.moved.size(), 1u);
  EXPECT_EQ(far.moved[0].body, "rod");
  EXPECT_NEAR(far.moved[0].length, 0.5, 1e-9);
  ASSERT_EQ(far.warnings.size(), 1u);
  EXPECT_THAT(far.warnings[0], HasSubstr("'rod' by 0.5 m"));

  const auto stopped = compiled(R"(
kardan: 1
dimension: 2
bodies:
  rod: {mass: 2, inertia: 0.2, position: [0.5, 0], velocity: [3, 0]}
joints:
  pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}
)");
  const StartChanges slow = assembled(*stopped).report.changes;
  EXPECT_TRUE(slow.moved.empty());
  ASSERT_EQ(slow.velocities.size(), 1u);
  EXPECT_EQ(slow.velocities[0].name, "rod.vx");
  EXPECT_EQ(slow.velocities[0].from, 3);
  EXPECT_NEAR(slow.velocities[0].to, 0, 1e-12);
  ASSERT_EQ(slow.warnings.size(), 1u);
  EXPECT_THAT(slow.warnings[0], HasSubstr("rod.vx from 3 to "));
}

TEST(StartChanges, AreSilentAboutRoundingAndToldWithoutWarningBelowATenth) {
  const auto changes = [](double off) {
    const auto system = compiled(fmt::format(R"(
kardan: 1
dimension: 2
bodies:
  rod: {{mass: 2, inertia: 0.2, position: [{:.17g}, 0], markers: {{end: {{at: [-1, 0]}}}}}}
joints:
  pin: {{type: revolute, between: [ground, rod.end]}}
)",
                                             1 + off));
    return assembled(*system).report.changes;
  };
  EXPECT_TRUE(changes(1e-9).moved.empty());
  EXPECT_EQ(changes(1e-3).moved.size(), 1u);
  EXPECT_TRUE(changes(1e-3).warnings.empty());
  EXPECT_EQ(changes(0.3).warnings.size(), 1u);
}

TEST(StartChanges, AreNoneWhereVelocitiesWereNotGiven) {
  const auto system = compiled(R"(
kardan: 1
dimension: 2
bodies:
  rod: {mass: 2, inertia: 0.2, position: [0.5, 0]}
joints:
  pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}
drivers:
  motor: {type: driver, bodies: [ground, rod], at: [0, 0], motion: 3*t}
)");
  const ConsistentStart start = assembled(*system);
  ASSERT_EQ(start.report.status, Eval::ok);
  EXPECT_NEAR(value_of(*system, start.state, "rod.vy"), 1.5, 1e-12);
  EXPECT_TRUE(start.report.changes.velocities.empty());
  EXPECT_TRUE(start.report.changes.warnings.empty());
}

}  // namespace
}  // namespace kardan::test
