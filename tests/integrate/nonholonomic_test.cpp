/// Nonholonomic constraints with every method: orders and reached errors on motions that are known,
/// in coordinates by partitioning and in those of the tangent space.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "integrate/runs.h"
#include "kardan/base/rotation.h"
#include "support/general_problems.h"

namespace kardan {
namespace {

using namespace test;

/// Chaplygin's sleigh on a belt of constant speed (models/sleigh_belt.yaml), 20 digits of the
/// closed form: x, y, angle and their rates.
State sleigh(double t) {
  State s;
  s.t = t;
  if (t == 1) {
    s.p = {-0.29339373640987884256, 0.11531387805591548256, 2.4774220259910098246};
    s.v = {-0.45728585011146373885, -0.027264504364480545366, 1.953058363197780181};
  } else if (t == 5) {
    s.p = {1.6869384582379310026, -4.1402945292668016096, 5.4761374067278618796};
    s.v = {1.3225781699292647435, -1.023928769832391801, 0.12148827817572126068};
  } else {
    s.p = {8.791834128681467893, -8.7234071750579241529, 5.6282258015879308347};
    s.v = {1.4496392579013050276, -0.88222856043216681712, 0.0024206661909730993121};
  }
  return s;
}

/// The same without an arm on a belt that speeds up: h depends on time.
const ParameterValues faster{{"m", 2},   {"J", 0.5}, {"a", 0},    {"V0", 0},
                             {"A", 1.5}, {"u0", 1},  {"w0", 0.8}, {"angle0", -0.3}};
State sleigh_on_a_faster_belt(double t) {
  State s;
  s.t = t;
  if (t == 1) {
    s.p = {1.0149233048961854033, -0.07026733805256916642, 0.5};
    s.v = {1.1024346760350370416, -0.21719092635761246173, 0.8};
  } else {
    s.p = {18.392764507532327764, -2.8248784685715462196, 3.7};
    s.v = {6.2792936846672201282, -0.76261561032389344873, 0.8};
  }
  return s;
}

/// The steady motion of models/rolling_disc.yaml: with W the precession and s the spin about the
/// disc's axis, the disc turns by W t about the vertical and by (s - W cos(tilt)) t about its axis.
State steady_disc(const State& start, double t) {
  const double R = 0.5, W = 2, tilt = 70 * std::numbers::pi / 180;
  const double s =
      W * std::cos(tilt) / 6 - 2 * 9.81 * std::cos(tilt) / (3 * R * W * std::sin(tilt));
  const double own = s - W * std::cos(tilt), radius = -s * R / W;
  auto about_z = [](double angle) {
    return kardan::Quaternion{std::cos(angle / 2), 0, 0, std::sin(angle / 2)};
  };
  const kardan::Quaternion q = about_z(W * t) *
                               kardan::Quaternion{start.p[3], start.p[4], start.p[5], start.p[6]} *
                               about_z(own * t);
  State e;
  e.t = t;
  e.p = {
      radius * std::cos(W * t), radius * std::sin(W * t), R * std::sin(tilt), q.w, q.x, q.y, q.z};
  e.v = {-radius * W * std::sin(W * t),
         radius * W * std::cos(W * t),
         0,
         W * std::sin(tilt) * std::cos(own * t),
         -W * std::sin(tilt) * std::sin(own * t),
         s};
  return e;
}

struct Form {
  const char* name;
  Parametrize choose;
};
const Form forms[] = {{"state_space", partition_coordinates},
                      {"tangent_space", span_tangent_space}};

class NonholonomicOrder : public testing::TestWithParam<std::tuple<Method, Form>> {
 protected:
  const Method& method() const { return std::get<Method>(GetParam()); }
  void expect_order(const Prepared& model, double t_end, const State& exact) const {
    const int first = coarsest(method(), 10, 20, 100);
    const OrderStudy s = measure_order({first, 2 * first, 4 * first, 8 * first}, [&](int n) {
      const Ended end = run_fixed(model, method(), t_end, n, std::get<Form>(GetParam()).choose);
      EXPECT_EQ(end.report.reason, Reason::finished) << end.report.message;
      return difference(end.state, exact);
    });
    test::expect_order(method(), s, 0.3, 1.5);
  }
};

TEST_P(NonholonomicOrder, OnASleigh) {
  expect_order(model_file("sleigh_belt.yaml"), 1, sleigh(1));
}
TEST_P(NonholonomicOrder, OnASleighWhoseBeltSpeedsUp) {
  expect_order(model_file("sleigh_belt.yaml", faster), 1, sleigh_on_a_faster_belt(1));
}
TEST_P(NonholonomicOrder, OnARollingDisc) {
  const Prepared model = model_file("rolling_disc.yaml");
  expect_order(model, 0.5, steady_disc(model.start.state, 0.5));
}

INSTANTIATE_TEST_SUITE_P(Methods, NonholonomicOrder,
                         testing::Combine(testing::ValuesIn(one_step_methods()),
                                          testing::ValuesIn(forms)),
                         [](const auto& test) {
                           return std::string(std::get<Method>(test.param).name) + "_" +
                                  std::get<Form>(test.param).name;
                         });

class Nonholonomic : public testing::TestWithParam<Form> {};

double scaled_error(const State& y, const State& exact) {
  const Reached r = reached({y}, {exact});
  return std::max(r.position, r.velocity);
}

TEST_P(Nonholonomic, ReachedErrorTracksTheTolerance) {
  for (const char* name : {"rn4", "rodasp", "sdirk4", "dopri5", "newmark", "adams", "bdf"}) {
    const Method& method = *find_method(name);
    const Prepared model = model_file("sleigh_belt.yaml");
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      if (method.order == 2 && tolerance < 1e-6) continue;  // ten thousands of steps
      DriverOptions options;
      options.tolerance = tolerance;
      double error = 0;
      for (const double t : {1.0, 5.0, 10.0}) {
        const Ended end = run(model, method, t, options, {}, GetParam().choose);
        ASSERT_EQ(end.report.reason, Reason::finished) << end.report.message;
        error = std::max(error, scaled_error(end.state, sleigh(t)));
      }
      fmt::print("{:<10}{:<16}{:.0e}  error {:.1e}\n", name, GetParam().name, tolerance, error);
      EXPECT_LE(error, 10 * tolerance) << name << " at " << tolerance;
      EXPECT_GE(error, tolerance / 100) << name << " wastes work at " << tolerance;
    }
  }
}

TEST_P(Nonholonomic, ConstraintsAndEnergyHoldWhereTheDiscNods) {
  const Prepared model = model_file("rolling_disc.yaml", {{"spin_factor", 0.7}});
  const auto ws = model.system->make_workspace();
  auto energy = [&](const State& s) {
    const Energy e = model.system->energy(s, *ws);
    return e.kinetic + e.potential;
  };
  const double before = energy(model.start.state);
  double lowest = 1;
  DriverOptions options;
  options.tolerance = 1e-8;
  const Observer observer = [&](const StepView& step) {
    const Residuals r =
        constraint_residuals(*model.system, *step.state, {}, *model.system->make_workspace());
    EXPECT_LE(r.position, 1e-12);
    EXPECT_LE(r.velocity, 1e-12);
    EXPECT_NEAR(energy(*step.state), before, 1e-6 * before);
    lowest = std::min(lowest, step.state->p[2]);
    return std::string();
  };
  const Ended end = run(model, *find_method("rn4"), 5, options, observer, GetParam().choose);
  EXPECT_EQ(end.report.reason, Reason::finished) << end.report.message;
  EXPECT_LT(lowest, model.start.state.p[2] - 0.02) << "it nods";
}

TEST_P(Nonholonomic, ResultsOnAGridMeetTheToleranceToo) {
  const Prepared model = model_file("rolling_disc.yaml");
  const std::vector<State> grid =
      run_grid(model, "rodasp", 3, 50, 1e-6, nullptr, GetParam().choose);
  ASSERT_EQ(grid.size(), 51u);
  const auto ws = model.system->make_workspace();
  for (const State& s : grid) {
    EXPECT_LE(scaled_error(s, steady_disc(model.start.state, s.t)), 1e-5) << "at " << s.t;
    const Residuals r = constraint_residuals(*model.system, s, {}, *ws);
    EXPECT_LE(std::max(r.position, r.velocity), 1e-12);
  }
}

/// Two wheels on one axle with a weight below: what keeps them from slipping sideways is said
/// twice.
constexpr const char* cart = R"(
kardan: 1
name: cart on two wheels
dimension: 3
gravity: [0, 0, -9.81]
parameters: {twist: 1.2, speed: 0.8}
bodies:
  box: {mass: 2, inertia: [0.1, 0.2, 0.15], position: [0.02, 0, 0.2], velocity: [speed, 0.02*twist, 0], angular_velocity: [0, 0, twist]}
  left: {mass: 0.3, inertia: [0.01, 0.01, 0.02], position: [0, 0.4, 0.3], z: [0, 1, 0], x: [1, 0, 0], velocity: [speed - 0.4*twist, 0, 0], angular_velocity: [0, -twist, (speed - 0.4*twist)/0.3]}
  right: {mass: 0.3, inertia: [0.01, 0.01, 0.02], position: [0, -0.4, 0.3], z: [0, 1, 0], x: [1, 0, 0], velocity: [speed + 0.4*twist, 0, 0], angular_velocity: [0, -twist, (speed + 0.4*twist)/0.3]}
joints:
  axle_left: {type: revolute, bodies: [box, left], at: [0, 0.4, 0.3], axis: [0, 1, 0]}
  axle_right: {type: revolute, bodies: [box, right], at: [0, -0.4, 0.3], axis: [0, 1, 0]}
contacts:
  left_rolls: {type: rolling_disc, between: [ground, left], radius: 0.3}
  right_rolls: {type: rolling_disc, between: [ground, right], radius: 0.3}
)";

TEST_P(Nonholonomic, RedundantRowsAreLeftOut) {
  const Prepared model = model_text(cart);
  StateSpace problem(*model.system, GetParam().choose);
  ASSERT_EQ(problem.rebase(model.start.state), Eval::ok);
  // Free: both wheels and the swing of the box; positions: x, y and the heading besides, while one
  // of the four rolling rows follows from the others.
  EXPECT_EQ(problem.second_order(), 3);
  EXPECT_EQ(problem.parametrization().drift(), 3);
  EXPECT_LT(problem.parametrization().rows.size(),
            static_cast<std::size_t>(model.system->sizes().constraints()));
  DriverOptions options;
  options.tolerance = 1e-8;
  const auto ws = model.system->make_workspace();
  const Observer observer = [&](const StepView& step) {
    const Residuals r = constraint_residuals(*model.system, *step.state, {}, *ws);
    EXPECT_LE(std::max(r.position, r.velocity), 1e-11);
    return std::string();
  };
  const Energy before = model.system->energy(model.start.state, *ws);
  const Ended end = run(model, *find_method("rodasp"), 3, options, observer, GetParam().choose);
  ASSERT_EQ(end.report.reason, Reason::finished) << end.report.message;
  const Energy after = model.system->energy(end.state, *ws);
  EXPECT_NEAR(after.kinetic + after.potential, before.kinetic + before.potential, 1e-6);
  const Ended other = run(model, *find_method("dopri5"), 3, options, {}, GetParam().choose);
  EXPECT_LE(difference(end.state, other.state), 1e-5);
}

/// A blade along a rail says nothing new.
constexpr const char* railed = R"(
kardan: 1
name: blade along a rail
dimension: 2
gravity: [3, 0]
bodies:
  car: {mass: 1, inertia: 1, markers: {blade: {at: [0.3, 0]}}}
joints:
  rail: {type: prismatic, between: [ground, car]}
contacts:
  runner: {type: knife_edge, on: car.blade}
)";

TEST_P(Nonholonomic, ARowThatFollowsFromAJointIsLeftOut) {
  const Prepared model = model_text(railed);
  StateSpace problem(*model.system, GetParam().choose);
  ASSERT_EQ(problem.rebase(model.start.state), Eval::ok);
  EXPECT_EQ(problem.parametrization().drift(), 0);
  EXPECT_EQ(problem.parametrization().holonomic, 2);
  const Ended end = run_fixed(model, *find_method("rn4"), 1, 10, GetParam().choose);
  EXPECT_NEAR(end.state.p[0], 1.5, 1e-13);
}

/// A skater who runs into a spring and comes back.
constexpr const char* skater = R"(
kardan: 1
name: skater
dimension: 2
gravity: [0, 0]
ground: {markers: {wall: {at: [2, 0], angle: radians(90)}}}
bodies:
  skate: {mass: 1, inertia: 1, position: [0, 0], velocity: [1.5, 0]}
contacts:
  runner: {type: knife_edge, on: skate}
  buffer: {type: sphere_plane, between: [ground.wall, skate], radius: 0.5, stiffness: 400}
)";

TEST_P(Nonholonomic, EventsAreFound) {
  const Prepared model = model_text(skater);
  for (const char* name : {"rn4", "dopri5", "adams"}) {
    DriverOptions options;
    options.tolerance = 1e-8;
    const Ended end = run(model, *find_method(name), 2, options, {}, GetParam().choose);
    ASSERT_EQ(end.report.reason, Reason::finished) << end.report.message;
    ASSERT_EQ(end.report.events.size(), 2u) << name;
    EXPECT_NEAR(end.report.events[0].t, 1, 1e-7) << name;
    EXPECT_NEAR(end.report.events[1].t, 1 + std::numbers::pi / 20, 1e-6) << name;
    EXPECT_NEAR(end.state.v[0], -1.5, 1e-6) << name;
  }
}

TEST(NonholonomicForms, Agree) {
  for (const char* file : {"rolling_disc.yaml", "sleigh_belt.yaml"}) {
    const Prepared model = model_file(file);
    DriverOptions options;
    options.tolerance = 1e-11;
    const Method& method = *find_method("dopri5");
    const Ended a = run(model, method, 2, options, {}, partition_coordinates);
    const Ended b = run(model, method, 2, options, {}, span_tangent_space);
    EXPECT_LE(difference(a.state, b.state), 1e-9) << file;
  }
}

TEST(NonholonomicForms, ErrorsOfDriftingPositionsCount) {
  const Prepared model = model_file("rolling_disc.yaml");
  StateSpace problem(*model.system);
  ASSERT_EQ(problem.rebase(model.start.state), Eval::ok);
  const ErrorScale scale = problem.default_scale(1e-6);
  Local e = problem.base(), weights;
  for (Vector* part : {&e.x, &e.u, &e.z}) std::fill(part->begin(), part->end(), 0.0);
  problem.error_weights(model.start.state, scale, weights);
  ASSERT_EQ(e.z.size(), 2u);
  for (std::size_t i = 0; i < e.z.size(); ++i) {
    e.z[i] = 1e-6;
    const int j = problem.parametrization().free_coordinates[problem.second_order() + i];
    const double norm = problem.error_norm(e, model.start.state, scale);
    const State& at = model.start.state;  // the disc touches the ground at the origin
    const double size = j < 3 ? std::hypot(at.p[0], at.p[1], at.p[2]) : 0;
    EXPECT_GE(norm * (1 + 1e-12), 1e-6 / (scale.position[j] + scale.relative * size));
    EXPECT_NEAR(norm, 1e-6 * weights.z[i], 1e-12 * norm);
    e.z[i] = 0;
  }
}

TEST_P(Nonholonomic, EquationsOfAUserReachTheToleranceToo) {
  for (const char* name : {"sleigh_turning", "sleigh_driven"}) {
    const GeneralProblem problem = general_problem(name);
    State start = problem.reference.front().state;
    if (start.t != 0) start = assemble(*problem.system, problem.system->start(), {}).state;
    StateSpace form(*problem.system, GetParam().choose);
    DriverOptions options;
    options.tolerance = 1e-7;
    for (const char* method : {"rodasp", "dopri5"})
      for (const ReferencePoint& point : problem.reference) {
        if (point.state.t <= start.t) continue;
        State state = start;
        const DriverReport r =
            integrate(form, *find_method(method), state, point.state.t, options, {});
        ASSERT_EQ(r.reason, Reason::finished) << r.message;
        EXPECT_LE(scaled_error(state, point.state), 1e-6) << name << " " << method;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, Nonholonomic, testing::ValuesIn(forms),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace kardan
