/// What forces are for: momentum, energy, modes and events, and refusals by name.

#include <gtest/gtest.h>

#include "elements/derivative_cases.h"
#include "kardan/elements/contacts/sphere_plane.h"
#include "kardan/elements/contacts/sphere_sphere.h"
#include "kardan/elements/contacts/tyre.h"
#include "kardan/elements/forces/applied_force.h"
#include "kardan/elements/forces/bushing.h"
#include "kardan/elements/forces/drag.h"
#include "kardan/elements/forces/pivot_bushing.h"
#include "kardan/elements/nonholonomic/rolling_disc.h"

namespace kardan::test {
namespace {

constexpr double round_off = 1e-13;  // of sums of a few numbers of order one to ten

/// Program with its element, at a scene.
template <int D>
struct Built {
  Scene<D> scene;
  DenseProgram<D> program;
  Built(const Scene<D>& s, const std::function<void(Builder<D>&)>& build)
      : scene(s), program(s, build) {}
  const ForceBank<D>& bank() const { return *program.program().forces.at(0); }
  const SwitchingForces<D>& switching() const { return *program.program().switching.at(0); }
  Potential potential() { return bank().potential(program.context(scene)); }
  double magnitude() {
    double value = 0;
    bank().magnitudes(program.context(scene), &value);
    return value;
  }
  int mode() {
    int mode = -1;
    switching().choose_modes(program.context(scene), &mode);
    return mode;
  }
  double event(int k) {
    double z[2] = {};
    switching().events(program.context(scene), z);
    return z[k];
  }
  std::vector<double> f() { return program.evaluate(scene).at("f"); }
};

/// Power f.v of the forces on the two free bodies.
template <int D>
double power(Scene<D>& scene, const std::vector<double>& f) {
  double sum = 0;
  for (int j = 0; j < 2 * dofs<D>; ++j) {
    BodyMotion<D>& b = scene.bodies[1 + j / dofs<D>];
    sum += f[j] * component<D>(b.v, b.w, j % dofs<D>);
  }
  return sum;
}

TEST(PairForces, ConserveMomentumAndAngularMomentumInSpace) {
  for (const Case<3>& c : force_cases<3>()) {
    if (c.bodies.size() != 2 || c.bodies[0] == 0) continue;
    Scene<3> scene = random_scene<3>(c.bodies, 0, 7);
    scene.mode = 1;
    const std::vector<double> f = DenseProgram<3>(scene, c.element).evaluate(scene).at("f");
    Vec3d force, moment;
    for (int b = 0; b < 2; ++b) {
      const double* q = f.data() + 6 * b;
      const BodyMotion<3>& m = scene.bodies[1 + b];
      const Vec3d F{q[0], q[1], q[2]};
      force += F;
      moment += cross(m.x, F) + m.R * Vec3d{q[3], q[4], q[5]};
    }
    EXPECT_LE(norm(force), round_off) << c.name;
    EXPECT_LE(norm(moment), 10 * round_off) << c.name;
  }
}

TEST(PairForces, ConserveMomentumAndAngularMomentumInThePlane) {
  for (const Case<2>& c : force_cases<2>()) {
    if (c.bodies.size() != 2 || c.bodies[0] == 0) continue;
    Scene<2> scene = random_scene<2>(c.bodies, 0, 7);
    scene.mode = 1;
    const std::vector<double> f = DenseProgram<2>(scene, c.element).evaluate(scene).at("f");
    Vec2d force;
    double moment = 0;
    for (int b = 0; b < 2; ++b) {
      const Vec2d F{f[3 * b], f[3 * b + 1]};
      force += F;
      moment += cross(scene.bodies[1 + b].x, F) + f[3 * b + 2];
    }
    EXPECT_LE(norm(force), round_off) << c.name;
    EXPECT_LE(std::abs(moment), 10 * round_off) << c.name;
  }
}

/// The potential changes along the motion by minus the power, and by its own rate.
template <int D>
void expect_conservative(const std::string& name, const std::vector<int>& bodies,
                         const std::function<void(Builder<D>&)>& build) {
  Scene<D> scene = random_scene<D>(bodies, 0, 11);
  scene.mode = 1;
  Built<D> now(scene, build);
  const Potential V = now.potential();
  EXPECT_NE(V.energy, 0) << name;
  EXPECT_NEAR(V.rate, -power(scene, now.f()), 1e-12 * std::abs(V.rate)) << name;
  constexpr double h = 1e-5;
  const double change = Built<D>(later(scene, h), build).potential().energy -
                        Built<D>(later(scene, -h), build).potential().energy;
  EXPECT_NEAR(change / (2 * h), V.rate, 1e-8 * std::abs(V.energy)) << name;
}

Bushing isotropic_bushing() {
  Bushing e;
  e.translation_stiffness = {4, 2, 3};
  e.rotation_stiffness = {1.5, 1.5, 1.5};
  return e;
}
SpherePlane smooth_plane() {
  SpherePlane e;
  e.stiffness = 3;
  e.radius = 6;
  return e;
}
SphereSphere hertz_spheres() {
  SphereSphere e;
  e.law = "hunt_crossley";
  e.stiffness = 3;
  e.radius_a = 4;
  e.radius_b = 6;
  return e;
}
Tyre tyre(double damping) {
  Tyre e;
  e.radius = 1;
  e.stiffness = 10;
  e.damping = damping;
  return e;
}

TEST(Potential, OfSprings) {
  const auto build = [](auto e) { return [e](auto& b) { e.build(b); }; };
  expect_conservative<3>("bushing", {1, 2}, build(isotropic_bushing()));
  expect_conservative<3>("pivot_bushing", {1, 2}, build(PivotBushing{2, 0}));
  expect_conservative<3>("sphere_plane", {1, 2}, build(smooth_plane()));
  expect_conservative<2>("disc_line", {1, 2}, build(smooth_plane()));
  expect_conservative<3>("sphere_sphere", {1, 2}, build(hertz_spheres()));
  expect_conservative<2>("disc_disc", {1, 2}, build(hertz_spheres()));
  expect_conservative<3>("tyre", {2}, build(tyre(0)));
  Bushing planar;
  planar.stiffness = {4, 0.3, 0.2, 0.3, 2, -0.4, 0.2, -0.4, 1};
  expect_conservative<2>("planar bushing", {1, 2}, build(planar));
}

TEST(Potential, IsNotClaimedForAnisotropicRotation) {
  Bushing e;
  e.rotation_stiffness = {1, 2, 0.5};
  const Scene<3> scene = random_scene<3>({1, 2}, 0, 11);
  EXPECT_EQ(Built<3>(scene, [&](auto& b) { e.build(b); }).potential().energy, 0);
}

TEST(Bushing, IsSmoothThroughZeroRotation) {
  // Equal marker axes: log(I) = 0, where the quotients of the rotation vector are 0/0.
  for (const double angle : {0.0, 1e-9, 1e-4, 0.99, 1.01}) {
    Scene<3> scene = random_scene<3>({1, 2}, 0, 5);
    scene.frames[0].R = scene.frames[1].R = Mat3d::identity();
    scene.bodies[2].R = scene.bodies[1].R * rotation_exp({0.6 * angle, 0, 0.8 * angle});
    Bushing e;
    e.rotation_stiffness = {1, 2, 0.5};
    e.rotation_damping = {0.2, 0.4, 0.1};
    DenseProgram<3> program(scene, [&](auto& b) { e.build(b); });
    Worst worst;
    compare(program.evaluate(scene), differences(program, scene), "bushing", worst);
    EXPECT_LE(worst.difference, 1e-8) << worst.where << " at angle " << angle;
  }
}

TEST(Drag, DissipatesAndHasADerivativeAtRest) {
  Scene<3> scene = random_scene<3>({2}, 0, 3);
  const Drag e{0.3, 0.7, 0.2, {}};
  Built<3> moving(scene, [&](auto& b) { e.build(b); });
  EXPECT_LT(power(scene, moving.f()), 0);
  scene.bodies[2].v = scene.bodies[2].w = {};
  Built<3> rest(scene, [&](auto& b) { e.build(b); });
  const Blocks blocks = rest.program.evaluate(scene);
  const int vx = 6;
  EXPECT_DOUBLE_EQ(blocks.at("f_v")[vx * 12 + vx], -0.3);
  EXPECT_EQ(rest.magnitude(), 0);
}

/// A disc of radius 0.5 above the ground line, at height y with vertical speed vy.
Built<2> disc(SpherePlane e, double y, double vy, int mode = 1) {
  Scene<2> scene;
  for (int b = 0; b < 3; b += 2) scene.frames.push_back({{b, 3, b == 0 ? 0 : 3}, {}, {}});
  scene.bodies[2].x = {0, y};
  scene.bodies[2].v = {0, vy};
  scene.mode = mode;
  e.radius = 0.5;
  return Built<2>(scene, [&](auto& b) { e.build(b); });
}

TEST(Contact, ModesFollowPenetrationAndNeverPull) {
  SpherePlane e = smooth_plane();
  e.damping = 2;
  EXPECT_EQ(disc(e, 0.6, -1).mode(), 0);  // apart
  EXPECT_EQ(disc(e, 0.4, -1).mode(), 1);
  EXPECT_EQ(disc(e, 0.4, 0.1).mode(), 1);
  EXPECT_EQ(disc(e, 0.4, 1).mode(), 0);  // 3 * 0.1 - 2 * 1 < 0
  e.damping = 0;
  EXPECT_EQ(disc(e, 0.4, 1).mode(), 1);
}

TEST(Contact, EventsChangeSignWhereTheModeDoes) {
  for (const bool hertz : {false, true}) {
    SpherePlane e = smooth_plane();
    (hertz ? e.dissipation : e.damping) = 2;
    if (hertz) e.law = "hunt_crossley";
    for (const double y : {0.3, 0.45, 0.55})
      for (const double vy : {-1.0, 0.1, 0.9}) {
        const bool acts = disc(e, y, vy).mode() == 1;
        EXPECT_EQ(disc(e, y, vy).event(0) > 0, y < 0.5);
        EXPECT_EQ(disc(e, y, vy, 0).event(1) > 0, acts) << y << " " << vy;
        if (y < 0.5) {
          EXPECT_EQ(disc(e, y, vy, 1).event(1) > 0, acts) << y << " " << vy;
        }
      }
  }
}

TEST(Contact, IsSmoothWithinItsModeBeyondTheEvent) {
  SpherePlane e = smooth_plane();
  EXPECT_NEAR(disc(e, 0.6, 0).magnitude(), -0.3, 1e-15);
  EXPECT_EQ(disc(e, 0.4, 0, 0).magnitude(), 0);
  e.law = "hunt_crossley";
  EXPECT_NEAR(disc(e, 0.6, 0).magnitude(), -3 * std::pow(0.1, 1.5), 1e-15);
}

TEST(Contact, HoldsAPointMassWithoutSpin) {
  Scene<3> scene = random_scene<3>({1, 2}, 0, 4);
  scene.mode = 1;
  scene.frames[1].body.count = 3;
  scene.frames[1].s = {};
  SpherePlane e = smooth_plane();
  e.friction = 0.3;
  const Blocks blocks = DenseProgram<3>(scene, [&](auto& b) { e.build(b); }).evaluate(scene);
  for (int i = 9; i < 12; ++i) {
    EXPECT_EQ(blocks.at("f")[i], 0);
    for (int j = 0; j < 12; ++j) {
      EXPECT_EQ(blocks.at("f_p")[i * 12 + j], 0);
      EXPECT_EQ(blocks.at("f_p")[j * 12 + i], 0);
    }
  }
}

/// A wheel of radius 1 with its centre at (x, y).
Built<2> wheel(const Tyre& e, Vec2d x, Vec2d v, int mode = 1) {
  Scene<2> scene;
  scene.frames.push_back({{2, 3, 3}, {}, {}});
  scene.bodies[2].x = x;
  scene.bodies[2].v = v;
  scene.mode = mode;
  return Built<2>(scene, [&](auto& b) { e.build(b); });
}

TEST(Tyre, PushesButNeverPulls) {
  const Tyre e = tyre(2);
  EXPECT_EQ(wheel(e, {0, 0.9}, {5, 0.1}).mode(), 1);
  EXPECT_NEAR(wheel(e, {0, 0.9}, {5, 0.1}).magnitude(), 10 * 0.1 - 2 * 0.1, 1e-14);
  EXPECT_EQ(wheel(e, {0, 0.9}, {5, 1}).mode(), 0);   // still compressed, but leaving fast
  EXPECT_EQ(wheel(e, {0, 1.1}, {5, -1}).mode(), 0);  // above the road
  for (const double y : {0.8, 0.95, 1.05})
    for (const double vy : {-1.0, 0.1, 0.6, 3.0}) {
      const bool acts = wheel(e, {0, y}, {0, vy}).mode() == 1;
      EXPECT_EQ(wheel(e, {0, y}, {0, vy}, 0).event(0) > 0, acts) << y << " " << vy;
      if (y < 1) {
        EXPECT_EQ(wheel(e, {0, y}, {0, vy}, 1).event(0) > 0, acts) << y << " " << vy;
      }
    }
}

TEST(Tyre, ClimbsTheBumpWhereItTouchesIt) {
  Tyre e = tyre(0);
  e.road = "bump";
  e.bump_radius = 0.2;
  e.bump_center = 3;
  const double half_length = std::sqrt(1.2 * 1.2 - 1);
  EXPECT_EQ(wheel(e, {3 - half_length - 1e-9, 0.9}, {}).mode(), 1);
  EXPECT_EQ(wheel(e, {3 - half_length + 1e-9, 0.9}, {}).mode(), 3);
  EXPECT_LT(wheel(e, {3 - half_length - 1e-9, 0.9}, {}).event(1), 0);
  EXPECT_GT(wheel(e, {3 - half_length + 1e-9, 0.9}, {}).event(1), 0);
  // On top of the bump the wheel rests 0.2 higher; at its foot the path is continuous.
  EXPECT_NEAR(wheel(e, {3, 1.1}, {}, 3).magnitude(), 10 * 0.1, 1e-13);
  EXPECT_NEAR(wheel(e, {3 - half_length, 0.9}, {}, 3).magnitude(),
              wheel(e, {3 - half_length, 0.9}, {}, 1).magnitude(), 1e-13);
}

TEST(RollingDisc, HoldsForAWheelThatRollsStraightAndTilted) {
  // Rolling straight along x, upright or leaning by `tilt`: the lowest point is at rest.
  for (const double tilt : {0.0, 0.4}) {
    Scene<3> scene;
    scene.frames.push_back({{0, 0, 0}, {}, Mat3d::identity()});
    scene.frames.push_back({{2, 6, 6}, {}, rotation_exp({-std::numbers::pi / 2, 0, 0})});
    scene.lambda = {0, 0, 0};
    scene.bodies[0].R = Mat3d::identity();
    BodyMotion<3>& wheel = scene.bodies[2];
    constexpr double radius = 0.7, spin = 2;
    wheel.R = rotation_exp({tilt, 0, 0});
    wheel.x = {0, 0, radius * std::cos(tilt)};
    wheel.w = {0, spin, 0};  // about the disc's axis
    wheel.v = {radius * spin, 0, 0};
    DenseProgram<3> program(scene, [](auto& b) { RollingDisc{radius}.build(b); });
    const Blocks blocks = program.evaluate(scene);
    EXPECT_NEAR(blocks.at("g")[0], 0, 1e-15);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(blocks.at("rate")[k], 0, 1e-15);
  }
}

// --- refusals ------------------------------------------------------------------------------------

template <int D>
std::string refusal(const std::vector<int>& bodies, const std::function<void(Builder<D>&)>& build) {
  const DenseProgram<D> program(random_scene<D>(bodies, 0, 1), build);
  return program.diagnostics.empty() ? "" : program.diagnostics.all()[0].code;
}

TEST(Refusals, NameWhatCannotBeBuilt) {
  EXPECT_EQ(refusal<3>({1, 2}, [](auto& b) { RollingDisc{1}.build(b); }), "rolling.ground");
  EXPECT_EQ(refusal<3>({1, 2}, [](auto& b) { RollingSphere{1}.build(b); }), "rolling.ground");
  EXPECT_EQ(refusal<2>({2},
                       [](auto& b) {
                         AppliedForce{{}, {}, 1.0}.build(b);
                       }),
            "planar.out_of_plane");
  EXPECT_EQ(refusal<2>({2},
                       [](auto& b) {
                         Drag{1, 0, 0, {0, 0, 1}}.build(b);
                       }),
            "planar.out_of_plane");
  Bushing bushing;
  bushing.stiffness = {1, 2, 3};
  EXPECT_EQ(refusal<3>({1, 2}, [&](auto& b) { bushing.build(b); }), "bushing.size");
  bushing.stiffness.assign(36, 1);
  bushing.translation_stiffness = {1, 1, 1};
  EXPECT_EQ(refusal<3>({1, 2}, [&](auto& b) { bushing.build(b); }), "bushing.twice");
  SpherePlane plane = smooth_plane();
  plane.dissipation = 1;
  EXPECT_EQ(refusal<3>({1, 2}, [&](auto& b) { plane.build(b); }), "contact.law");
  Tyre on_bump = tyre(0);
  on_bump.road = "bump";
  EXPECT_EQ(refusal<3>({2}, [&](auto& b) { on_bump.build(b); }), "tyre.bump");
  on_bump.road = "table";
  EXPECT_EQ(refusal<3>({2}, [&](auto& b) { on_bump.build(b); }), "tyre.table");
}

}  // namespace
}  // namespace kardan::test
