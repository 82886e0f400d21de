/// Energy, power, momentum and gyroscopic terms along the motion that the equations give.

#include <gtest/gtest.h>

#include "base/differences.h"
#include "kardan/formulation/accelerations.h"
#include "support/models.h"

namespace kardan::test {
namespace {

/// The state after s seconds, to first order: enough for derivatives at s = 0.
State along(const System& system, const State& at, const Vector& a, double s) {
  State later = at;
  Vector delta = at.v;
  for (double& d : delta) d *= s;
  system.retract(at.p, delta, later.p);
  for (std::size_t i = 0; i < a.size(); ++i) later.v[i] += s * a[i];
  later.t += s;
  return later;
}

struct Power {
  double stored = 0;   // d(T + V)/dt by differences
  double applied = 0;  // what the system says the other forces do
  double drivers = 0;  // -lambda'(G v): what moving constraints do
  double scale = 0;    // size of the powers involved
};

/// Differences along the motion at a consistent state.
Power power_at(const System& system, State state) {
  const auto ws = system.make_workspace();
  Vector a, lambda;
  EXPECT_EQ(solve_accelerations(system, state, a, lambda, *ws), Eval::ok);
  Power power;
  power.applied = system.energy(state, *ws).applied_power;
  EXPECT_EQ(system.evaluate(state, Request::all(), *ws), Eval::ok);
  for (std::size_t i = 0; i < lambda.size(); ++i) {
    power.drivers += lambda[i] * ws->g_t[i];
    power.scale += std::abs(lambda[i] * ws->g_t[i]);
  }
  for (std::size_t i = 0; i < a.size(); ++i) power.scale += std::abs(ws->f[i] * state.v[i]);
  const double h = 1e-3 * system.scales().length / system.scales().speed;
  const auto probe = system.make_workspace();
  power.stored = difference(
      [&](double s) {
        const Energy e = system.energy(along(system, state, a, s), *probe);
        return e.kinetic + e.potential;
      },
      0.0, h);
  return power;
}

/// Random velocities made consistent, in the modes that belong to the positions.
State moving(const System& system, unsigned seed, double share) {
  Random random(seed);
  const ConsistentStart start = assemble(system, disturbed(system, random, share), {});
  EXPECT_EQ(start.report.status, Eval::ok) << start.report.message;
  State state = start.state;
  system.choose_modes(state, *system.make_workspace());
  return state;
}

void expect_balance(const System& system, const State& state, const std::string& what) {
  const Power power = power_at(system, state);
  EXPECT_GT(power.scale, 0) << what;
  EXPECT_NEAR(power.stored, power.applied + power.drivers, 1e-8 * power.scale) << what;
}

constexpr const char* springs = R"(
kardan: 1
dimension: 3
gravity: [0.4, -0.3, -9.81]
bodies:
  one: {mass: 2, inertia: [0.3, 0.4, 0.5, 0.02, 0.01, -0.03], position: [0.5, 0, 0.2]}
  two: {mass: 1, inertia: [0.2, 0.3, 0.25], position: [1.4, 0.3, -0.3], rotation: [0.3, 0.2, 0.5]}
  bead: {kind: point, mass: 0.5, position: [1, 1, 1]}
forces:
  a: {type: spring_damper, between: [ground, {body: one, at: [0.1, 0.2, 0]}], stiffness: 50,
      free_length: 0.4, preload: 3, damping: DAMPING}
  b: {type: spring_damper, between: [{body: one, at: [0, 0, 0.3]}, {body: two, at: [0.2, 0, 0]}],
      stiffness: 80, free_length: 0.7, damping: DAMPING}
  c: {type: spring_damper, between: [two, bead], stiffness: 30, free_length: 1, damping: DAMPING}
  d: {type: rotational_spring_damper, between: [one, two], stiffness: 4, free_angle: 0.3,
      damping: DAMPING}
)";

std::string with_damping(double c) {
  std::string text = springs;
  for (auto at = text.find("DAMPING"); at != std::string::npos; at = text.find("DAMPING"))
    text.replace(at, 7, std::to_string(c));
  return text;
}

TEST(Power, OfFallingBodiesOnSpringsIsConserved) {
  const auto system = compiled(with_damping(0));
  for (const unsigned seed : {1u, 2u, 3u}) {
    const State state = moving(*system, seed, 0.2);
    const Power power = power_at(*system, state);
    EXPECT_NEAR(power.applied, 0, 1e-12 * power.scale) << "all forces have a potential";
    EXPECT_NEAR(power.stored, 0, 1e-8 * power.scale);
  }
}

TEST(Power, OfDampersIsTheLossOfEnergy) {
  const auto system = compiled(with_damping(1.5));
  for (const unsigned seed : {1u, 2u, 3u}) {
    const State state = moving(*system, seed, 0.2);
    EXPECT_LT(power_at(*system, state).applied, 0) << "dampers take energy";
    expect_balance(*system, state, "dampers");
  }
}

TEST(Power, OfEveryShippedModelBalances) {
  for (const std::string& name : shipped_names()) {
    const auto system = smooth_shipped(name);
    if (!system->energy(system->start(), *system->make_workspace()).known) continue;
    expect_balance(*system, moving(*system, 4, 0.02), name);
  }
}

TEST(Power, OfDriversIsTheirMultiplierTimesTheirSpeed) {
  // A crank driven through a spring-loaded slider-crank: energy comes in through the driver only.
  const auto system = compiled(R"(
kardan: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, inertia: 0.1, position: [0.5, 0], markers: {O: {at: [-0.5, 0]}, A: {at: [0.5, 0]}}}
  rod: {mass: 2, inertia: 0.7, position: [2, 0], markers: {A: {at: [-1, 0]}, B: {at: [1, 0]}}}
joints:
  foot: {type: revolute, between: [ground, crank.O]}
  pin: {type: revolute, between: [crank.A, rod.A]}
  slide: {type: point_on_line, between: [ground, rod.B]}
drivers:
  motor: {type: driver, between: [ground, crank.O], coordinate: angle, motion: 0.4 + 3*t + 0.5*t^3}
forces:
  spring: {type: spring_damper, between: [ground, rod.B], stiffness: 40, free_length: 1}
)");
  State state = assembled(*system).state;
  state.t = 0.7;
  const ConsistentStart start = assemble(*system, state, {});
  ASSERT_EQ(start.report.status, Eval::ok) << start.report.message;
  const Power power = power_at(*system, start.state);
  EXPECT_NEAR(power.applied, 0, 1e-11 * power.scale);
  EXPECT_GT(std::abs(power.drivers), 0.1) << "the driver works";
  EXPECT_NEAR(power.stored, power.drivers, 1e-8 * power.scale);
  // It is the torque of the motor times the speed of the crank.
  const auto ws = system->make_workspace();
  const auto all =
      reactions(*system, start.state, start.lambda, analyse(*system, start.state, *ws), *ws);
  ASSERT_EQ(all.back().element, "motor");
  EXPECT_NEAR(power.drivers, all.back().torque.z * value_of(*system, start.state, "crank.omega"),
              1e-10 * power.scale);
}

TEST(Momentum, OfFreeBodiesJoinedToEachOtherIsConserved) {
  const auto system = compiled(R"(
kardan: 1
dimension: 3
bodies:
  one: {mass: 2, inertia: [0.3, 0.4, 0.5], position: [0.5, 0, 0.2], markers: {a: {at: [0.4, 0, 0]}}}
  two: {mass: 1, inertia: [0.2, 0.3, 0.25], position: [1.2, 0, 0.2], markers: {a: {at: [-0.3, 0, 0]}}}
  bead: {kind: point, mass: 0.5, position: [1, 1, 1]}
joints:
  ball: {type: universal, between: [one.a, two.a]}
forces:
  spring: {type: spring_damper, between: [two, bead], stiffness: 30, free_length: 0.5, damping: 2}
  hinge: {type: bushing, between: [one.a, two.a], translation_stiffness: [5, 6, 7],
          rotation_stiffness: [3, 4, 5], rotation_damping: [0.1, 0.2, 0.3]}
contacts:
  touch: {type: sphere_sphere, between: [one, two], radius_a: 0.8, radius_b: 0.7, stiffness: 100,
          damping: 3, friction: 0.4, friction_speed: 0.1}
)");
  State state = moving(*system, 5, 0.05);
  const auto ws = system->make_workspace();
  ASSERT_EQ(state.modes, std::vector<int>{1}) << "the contact acts";
  Vector a, lambda;
  ASSERT_EQ(solve_accelerations(*system, state, a, lambda, *ws), Eval::ok);
  ASSERT_GT(norm_max(a), 1);
  for (int k = 0; k < 3; ++k) {
    auto linear = [&](double s) {
      return system->bodies_at(along(*system, state, a, s), *ws)
          ->momentum(along(*system, state, a, s), *ws)
          .linear[k];
    };
    auto angular = [&](double s) {
      return system->bodies_at(along(*system, state, a, s), *ws)
          ->momentum(along(*system, state, a, s), *ws)
          .angular[k];
    };
    EXPECT_NEAR(difference(linear, 0.0, 1e-3), 0, 1e-9 * norm_max(a));
    EXPECT_NEAR(difference(angular, 0.0, 1e-3), 0, 1e-9 * norm_max(a));
  }
}

TEST(Momentum, ChangesByTheForcesAndTheirMoments) {
  const auto system = compiled(with_damping(1), {});
  State state = moving(*system, 6, 0.1);
  const auto ws = system->make_workspace();
  Vector a, lambda;
  ASSERT_EQ(solve_accelerations(*system, state, a, lambda, *ws), Eval::ok);
  // The spring to the ground pulls too: take the forces of the bodies one by one.
  Vec3d force, moment;
  ASSERT_EQ(system->evaluate(state, Request::all(), *ws), Eval::ok);
  for (std::size_t b = 1; b < system->bodies().size(); ++b) {
    const BodyLayout& body = system->bodies()[b];
    const double* p = state.p.data() + body.p;
    const double* f = ws->f.data() + body.v;
    const Vec3d F{f[0], f[1], f[2]};
    force += F;
    moment += cross(Vec3d{p[0], p[1], p[2]}, F);
    if (body.v_count < 6) continue;
    // f holds the gyroscopic term -w x J w; what is left of it is the torque of the springs.
    const double* v = state.v.data() + body.v;
    const Vec3d w{v[3], v[4], v[5]};
    const Vec3d torque =
        Vec3d{f[3], f[4], f[5]} + cross(w, system->blueprint().bodies[b].inertia * w);
    moment += rotation_matrix(Quaternion{p[3], p[4], p[5], p[6]}) * torque;
  }
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(difference(
                    [&](double s) {
                      return system->bodies_at(along(*system, state, a, s), *ws)
                          ->momentum(along(*system, state, a, s), *ws)
                          .linear[k];
                    },
                    0.0, 1e-3),
                force[k], 1e-9 * norm(force));
    EXPECT_NEAR(difference(
                    [&](double s) {
                      return system->bodies_at(along(*system, state, a, s), *ws)
                          ->momentum(along(*system, state, a, s), *ws)
                          .angular[k];
                    },
                    0.0, 1e-3),
                moment[k], 1e-8 * (norm(moment) + norm(force)));
  }
}

TEST(Momentum, OfAFreelyFallingBodyGrowsByItsWeight) {
  const auto system = compiled(R"(
kardan: 1
dimension: 2
gravity: [0.5, -9.81]
bodies:
  one: {mass: 3, inertia: 0.4, position: [2, 1], angular_velocity: 3}
)");
  const ConsistentStart start = assembled(*system);
  EXPECT_DOUBLE_EQ(start.a[0], 0.5);
  EXPECT_DOUBLE_EQ(start.a[1], -9.81);
  EXPECT_DOUBLE_EQ(start.a[2], 0);
  const auto ws = system->make_workspace();
  EXPECT_DOUBLE_EQ(system->bodies_at(start.state, *ws)->momentum(start.state, *ws).angular.z,
                   3 * 0.4);
  EXPECT_DOUBLE_EQ(system->energy(start.state, *ws).kinetic, 0.5 * 0.4 * 9);
  EXPECT_DOUBLE_EQ(system->energy(start.state, *ws).potential, -3 * (0.5 * 2 - 9.81));
}

/// A free body with spin w and inertia J about its centre.
State spinning(const System& system, const Vec3d& w) {
  State state = system.start();
  for (int k = 0; k < 3; ++k) state.v[3 + k] = w[k];
  return state;
}

TEST(Gyroscopic, SymmetricTopPrecessesInItsBodyFrame) {
  // w1' = n w2, w2' = -n w1, w3' = 0 with n = (A - C)/A w3 (Euler's equations, J = diag(A, A, C)).
  const double A = 0.7, C = 1.1;
  const auto system = compiled(R"(
kardan: 1
dimension: 3
bodies:
  top: {mass: 2, inertia: [0.7, 0.7, 1.1], rotation: [0.4, -0.2, 0.9]}
)");
  const Vec3d w{0.3, -0.5, 4};
  State state = spinning(*system, w);
  Vector a, lambda;
  const auto ws = system->make_workspace();
  ASSERT_EQ(solve_accelerations(*system, state, a, lambda, *ws), Eval::ok);
  const double n = (A - C) / A * w.z;
  EXPECT_NEAR(a[3], n * w.y, 1e-15);
  EXPECT_NEAR(a[4], -n * w.x, 1e-15);
  EXPECT_NEAR(a[5], 0, 1e-15);
}

TEST(Gyroscopic, SymmetricTopFollowsItsClosedSolution) {
  // In the body frame the spin turns about the axis with n; in space the body is
  // R(t) = exp(L t/A) R0 exp(-m t e3), L the constant momentum, m = (C - A)/A w3.
  const double A = 0.7, C = 1.1, t = 0.8;
  const auto system = compiled(R"(
kardan: 1
dimension: 3
bodies:
  top: {mass: 2, inertia: [0.7, 0.7, 1.1], rotation: [0.4, -0.2, 0.9]}
)");
  const Vec3d w0{0.3, -0.5, 4};
  const State start = spinning(*system, w0);
  const Mat3d R0 = rotation_exp({0.4, -0.2, 0.9});
  const Vec3d L = R0 * Vec3d{A * w0.x, A * w0.y, C * w0.z};
  const double m = (C - A) / A * w0.z;
  const Mat3d R = rotation_exp((t / A) * L) * R0 * rotation_exp({0, 0, -m * t});
  const Vec3d w = rotation_exp({0, 0, m * t}) * w0;
  // The closed solution has the spin, the momentum and the accelerations the system gives it.
  State later = start;
  const Quaternion q = quaternion_from_matrix(R);
  later.p = {0, 0, 0, q.w, q.x, q.y, q.z};
  for (int k = 0; k < 3; ++k) later.v[3 + k] = w[k];
  const auto ws = system->make_workspace();
  const Vec3d momentum = system->bodies_at(later, *ws)->momentum(later, *ws).angular;
  EXPECT_LE(norm(momentum - L), 1e-14 * norm(L));
  Vector a, lambda;
  ASSERT_EQ(solve_accelerations(*system, later, a, lambda, *ws), Eval::ok);
  const Vec3d expected = m * cross(Vec3d{0, 0, 1}, w);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(a[3 + k], expected[k], 1e-13);
}

TEST(Gyroscopic, TermOfAFullTensorIsSpinCrossMomentum) {
  const auto system = compiled(R"(
kardan: 1
dimension: 3
bodies:
  one: {mass: 2, inertia: [0.5, 0.6, 0.7, 0.1, -0.05, 0.08]}
)");
  const Mat3d J{{{0.5, 0.1, -0.05}, {0.1, 0.6, 0.08}, {-0.05, 0.08, 0.7}}};
  const Vec3d w{1.3, -0.4, 2.1};
  const State state = spinning(*system, w);
  const auto ws = system->make_workspace();
  ASSERT_EQ(system->evaluate(state, Request::all(), *ws), Eval::ok);
  const Vec3d gyro = cross(w, J * w);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(ws->f[3 + k], -gyro[k], 1e-15);
  EXPECT_NEAR(system->energy(state, *ws).kinetic, 0.5 * dot(w, J * w), 1e-15);
}

}  // namespace
}  // namespace kardan::test
