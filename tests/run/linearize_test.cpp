#include "kardan/run/linearize.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kardan/run/simulate.h"
#include "support/models.h"

namespace kardan {
namespace {

Linearization linearized(const Model& model, ModesOf of = ModesOf::motion) {
  Diagnostics diagnostics;
  const Prepared p = prepare(model, {}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
  const Linearization out = linearize(p, ModeShapes::find, of);
  EXPECT_EQ(out.status, Eval::ok) << out.message;
  return out;
}

std::complex<double> part(const Linearization& l, const Mode& m, const std::string& name) {
  for (std::size_t j = 0; j < l.coordinates.size(); ++j)
    if (l.coordinates[j] == name) return m.shape[j];
  ADD_FAILURE() << "no coordinate " << name;
  return {};
}

TEST(Linearize, FindsTheDominantEigenvalueAndTheFreeDirectionsOfTheVehicle) {
  const Linearization l = linearized(test::shipped("hmmwv"));
  ASSERT_EQ(l.modes.modes.size(), 36u);
  // 18 exact coordinates, derivatives by dual numbers, computed for Kardan.
  const std::complex<double> dominant = l.modes.modes.front().value;
  EXPECT_NEAR(dominant.real() / -259431.5796312084, 1, 1e-10);
  EXPECT_EQ(dominant.imag(), 0);
  EXPECT_EQ(l.zero, 6);  // x, y, yaw, each a double zero
  EXPECT_LT(l.largest_acceleration, 1e-6);
  for (const Mode& m : l.modes.modes)
    if (!m.zero) {
      EXPECT_LT(m.value.real(), -1) << "the vehicle is stable";
    }
}

/// A swing about x with a slider on its arm, at rest: two uncoupled known frequencies.
constexpr const char* swing = R"(
kardan: 1
dimension: 3
gravity: [0, 0, -10]
bodies:
  arm: {mass: 2, inertia: [0.5, 0.3, 0.3], position: [0, 0, -1]}
  weight: {mass: 1, inertia: [1, 1, 1], position: [3, 0, 0]}
joints:
  pivot: {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: [1, 0, 0]}
  rail: {type: prismatic, bodies: [ground, weight], at: [3, 0, 0], axis: [0, 0, 1]}
forces:
  spring:
    type: spring_damper
    between: [{body: ground, at: [3, 0, 2]}, {body: weight, at: [0, 0, 0]}]
    stiffness: 36
    damping: 1.2
    free_length: 2 - 10/36
)";

TEST(Linearize, KnowsFrequencyDampingAndShapeOfAPendulumAndAnOscillator) {
  const Linearization l = linearized(test::model_of(swing));
  ASSERT_EQ(l.modes.modes.size(), 4u);
  EXPECT_LT(l.largest_acceleration, 1e-12);
  EXPECT_EQ(l.zero, 0);
  // m z'' = -36 z - 1.2 z': omega = 6, damping ratio 1.2/(2 sqrt(36)) = 0.1.
  const Mode& oscillator = l.modes.modes[0];
  EXPECT_NEAR(oscillator.value.real(), -0.6, 1e-12);
  EXPECT_NEAR(oscillator.damping_ratio, 0.1, 1e-12);
  EXPECT_NEAR(oscillator.frequency, 6 * std::sqrt(0.99) / (2 * std::numbers::pi), 1e-12);
  EXPECT_NEAR(std::abs(part(l, oscillator, "weight.z") - 1.0), 0, 1e-12);
  EXPECT_NEAR(std::abs(part(l, oscillator, "arm.rx")), 0, 1e-12);
  // (J + m l^2) theta'' = -m g l theta: omega^2 = 20/2.5. The centre moves by l theta along +y.
  const Mode& pendulum = l.modes.modes[2];
  EXPECT_NEAR(std::abs(pendulum.value.imag()), std::sqrt(8.0), 1e-12);
  EXPECT_NEAR(pendulum.damping_ratio, 0, 1e-12);
  EXPECT_NEAR(std::abs(part(l, pendulum, "arm.y") / part(l, pendulum, "arm.rx") - 1.0), 0, 1e-12);
  EXPECT_EQ(l.variables.size(), 4u);
}

TEST(Linearize, IncludesDynamicVariables) {
  // The error of this loop obeys (s + 1)(s + 2)(s + 3) = 0, wherever it stands.
  const Linearization l = linearized(test::model_of(R"(
kardan: 1
dimension: 2
gravity: [0, 0]
bodies:
  mass: {mass: 1, inertia: 1}
joints:
  rail: {type: prismatic, between: [ground, mass]}
forces:
  control: {type: controller, coordinate: x, between: [ground, mass], kp: 11, kd: 6, ki: 6, reference: 1}
)"),
                                     ModesOf::frozen);
  ASSERT_EQ(l.modes.modes.size(), 3u);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(l.modes.modes[k].value.real(), k - 3, 1e-10);
    EXPECT_NEAR(l.modes.modes[k].value.imag(), 0, 1e-10);
  }
  EXPECT_EQ(l.variables.size(), 3u);
}

/// An upright disc on the plane (models/rolling_disc.yaml without tilt), rolling with the rate w.
Model upright_disc(double w) {
  return test::model_of(fmt::format(R"(
kardan: 1
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  disc: {{mass: 2, inertia: [0.125, 0.125, 0.25], position: [0, 0, 0.5], z: [0, 1, 0], x: [1, 0, 0], velocity: [0.5*{0}, 0, 0], angular_velocity: [0, 0, {0}]}}
contacts:
  rolling: {{type: rolling_disc, between: [ground, disc], radius: 0.5}}
)",
                                    w));
}

TEST(Linearize, KnowsHowADiscAtRestFalls) {
  const Linearization l = linearized(upright_disc(0));
  // (A + m R^2) tilt'' = m g R tilt with A = m R^2/4; the yaw, the roll and the two places on the
  // plane are free, the last two without velocities of their own.
  ASSERT_EQ(l.modes.modes.size(), 8u);
  EXPECT_EQ(l.variables.size(), 8u);
  EXPECT_EQ(l.zero, 6);
  const double rate = std::sqrt(0.8 * 9.81 / 0.5);
  EXPECT_NEAR(l.modes.modes.front().value.real(), -rate, 1e-10);
  EXPECT_NEAR(l.modes.modes.back().value.real(), rate, 1e-10);
  // The top falls aside, the point of contact stays: the centre moves by R times the tilt.
  const Mode& falling = l.modes.modes.back();
  EXPECT_NEAR(std::abs(part(l, falling, "disc.y")) / std::abs(part(l, falling, "disc.rx")), 0.5,
              1e-10);
}

/// The values above rounding, with those of zero left out.
std::vector<std::complex<double>> exponents(const Linearization& l) {
  std::vector<std::complex<double>> out;
  for (const Mode& m : l.modes.modes)
    if (std::abs(m.value) > 1e-4) out.push_back(m.value);
  return out;
}

/// Checks that the exponents are +-rate, real or imaginary, with `zeros` others at zero.
void expect_pair(const Linearization& l, double square, int zeros, const std::string& label) {
  const auto found = exponents(l);
  ASSERT_EQ(found.size(), 2u) << label;
  EXPECT_EQ(static_cast<int>(l.modes.modes.size()), 2 + zeros) << label;
  EXPECT_EQ(l.zero, zeros) << label;
  const double rate = std::sqrt(std::abs(square));
  for (const std::complex<double>& value : found) {
    EXPECT_NEAR(std::abs(square > 0 ? value.real() : value.imag()), rate, 1e-6 * rate) << label;
    EXPECT_NEAR(square > 0 ? value.imag() : value.real(), 0, 1e-5) << label;
  }
}

TEST(Linearize, KnowsTheStabilityOfARollingDisc) {
  // From (A + m R^2) tilt'' + (C + m R^2) w yaw' = m g R tilt, A yaw'' = C w tilt' (Routh, Advanced
  // Part, 1905, art. 244): rate^2 = 4/5 g/R - 12/5 w^2. The place, the heading and the roll are
  // cyclic; two parameters of steady motions remain as zeros.
  for (const double w : {1.0, 2.0, 6.0})
    expect_pair(linearized(upright_disc(w)), 0.8 * 9.81 / 0.5 - 2.4 * w * w, 2,
                fmt::format("rolling at {} rad/s", w));
}

/// How often the disc nods, measured on a run that begins beside the steady motion.
TEST(Linearize, KnowsHowATiltedRollingDiscNods) {
  const Linearization l = linearized(test::shipped("rolling_disc"));
  const auto found = exponents(l);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(l.zero, 2);
  EXPECT_EQ(l.cyclic.size(), 4u);
  Diagnostics diagnostics;
  Prepared p = prepare(test::shipped("rolling_disc", {{"spin_factor", 1.00002}}),
                       {{"spin_factor", 1.00002}}, diagnostics);
  SimulateOptions options;
  options.t_end = 60;
  options.every = 0.01;
  options.driver.tolerance = 1e-9;
  std::vector<double> rising;  // times at which the centre begins to rise
  double last = 0;
  const RunReport report = simulate(
      p, options,
      [&](const Instant& at) {
        const double rate = at.state->v[2];
        if (last < 0 && rate >= 0)
          rising.push_back(at.state->t - options.every * rate / (rate - last));
        last = rate;
        return std::string();
      },
      {}, diagnostics);
  ASSERT_EQ(report.driver.reason, Reason::finished);
  ASSERT_GT(rising.size(), 10u);
  const double period = (rising.back() - rising.front()) / static_cast<double>(rising.size() - 1);
  EXPECT_NEAR(std::abs(found[0].imag()), 2 * std::numbers::pi / period, 3e-4);
  EXPECT_NEAR(found[0].real(), 0, 1e-6);
}

/// A symmetric top on a fixed point: A about that point, C about the axis.
constexpr double top_A = 0.3, top_C = 0.1, top_mgl = 9.81 * 0.5;
Model top(double tilt, double precession, double spin) {
  return test::model_of(fmt::format(
      R"(
kardan: 1
gravity: [0, 0, -9.81]
parameters: {{tilt: {}, W: {}, s: {}}}
bodies:
  top: {{mass: 1, inertia: [0.05, 0.05, 0.1], position: [0.5*sin(tilt), 0, 0.5*cos(tilt)], z: [sin(tilt), 0, cos(tilt)], x: [-cos(tilt), 0, sin(tilt)], velocity: [0, 0.5*W*sin(tilt), 0], angular_velocity: [W*sin(tilt), 0, s]}}
joints:
  point: {{type: spherical, bodies: [ground, top], at: [0, 0, 0]}}
)",
      tilt, precession, spin));
}

TEST(Linearize, KnowsTheTwoFrequenciesOfASleepingTop) {
  // A xi'' - i C s xi' - m g l xi = 0 for the axis' complex deflection xi.
  const double s = 60;
  const Linearization l = linearized(top(0, 0, s));
  const double root = std::sqrt(top_C * top_C * s * s - 4 * top_A * top_mgl);
  std::vector<double> found;
  for (const auto& value : exponents(l)) {
    EXPECT_NEAR(value.real(), 0, 1e-6);
    if (value.imag() > 0) found.push_back(value.imag());
  }
  std::sort(found.begin(), found.end());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0], (top_C * s - root) / (2 * top_A), 1e-6);
  EXPECT_NEAR(found[1], (top_C * s + root) / (2 * top_A), 1e-6);
}

TEST(Linearize, KnowsTheNutationOfATopThatPrecesses) {
  for (const double tilt : {0.4, 1.0, 2.0}) {
    const double W = 2, s = (top_mgl + top_A * W * W * std::cos(tilt)) / (top_C * W);
    // The effective potential f^2/(2A) + m g l cos(tilt), f = (p_phi - p_psi cos(tilt))/sin(tilt).
    const double f = top_A * W * std::sin(tilt), cotangent = std::cos(tilt) / std::sin(tilt),
                 first = top_C * s - f * cotangent,
                 second = -first * cotangent + f / (std::sin(tilt) * std::sin(tilt)),
                 bend = (first * first + f * second) / top_A - top_mgl * std::cos(tilt);
    expect_pair(linearized(top(tilt, W, s)), -bend / top_A, 2, fmt::format("tilt {}", tilt));
  }
}

/// A free body, A across and C along its axis.
Model free_body(const std::string& inertia, const std::string& spin) {
  return test::model_of("kardan: 1\nbodies:\n  body: {mass: 2, inertia: " + inertia +
                        ", velocity: [1, 2, 3], angular_velocity: " + spin + "}\n");
}

TEST(Linearize, KnowsThePrecessionOfAFreeBody) {
  // Seen from space the axis goes round the angular momentum with C s/A.
  expect_pair(linearized(free_body("[0.2, 0.2, 0.5]", "[0, 0, 4]")), -std::pow(0.5 * 4 / 0.2, 2), 1,
              "about the axis of symmetry");
  // In precession every free body close to it precesses too.
  EXPECT_TRUE(exponents(linearized(free_body("[0.2, 0.2, 0.5]", "[1, 0, 4]"))).empty());
  // About the axis of largest, middle and least inertia: w1' = (B - C) w2 w3 / A ...
  const double J[] = {0.2, 0.3, 0.4}, s = 4;
  for (int axis = 0; axis < 3; ++axis) {
    const double A = J[(axis + 1) % 3], B = J[(axis + 2) % 3], C = J[axis];
    const std::string spin =
        fmt::format("[{}, {}, {}]", axis == 0 ? s : 0, axis == 1 ? s : 0, axis == 2 ? s : 0);
    expect_pair(linearized(free_body("[0.2, 0.3, 0.4]", spin)), (A - C) * (C - B) / (A * B) * s * s,
                1, fmt::format("axis {}", axis));
  }
}

/// A pendulum that hangs from a shaft driven at a constant rate, J about its centre of mass:
/// frequency^2 = (m g l - W^2 (m l^2 + J_y - J_z)) / (m l^2 + J_x).
TEST(Linearize, KnowsAPendulumOnADrivenShaft) {
  for (const double W : {1.0, 3.0, 6.0}) {
    const Linearization l = linearized(test::model_of(fmt::format(R"(
kardan: 1
gravity: [0, 0, -9.81]
bodies:
  shaft: {{mass: 1, inertia: [0.1, 0.1, 0.1], angular_velocity: [0, 0, {0}]}}
  rod: {{mass: 2, inertia: [0.03, 0.04, 0.01], position: [0, 0, -0.5], angular_velocity: [0, 0, {0}]}}
joints:
  bearing: {{type: revolute, bodies: [ground, shaft], at: [0, 0, 0], axis: [0, 0, 1]}}
  hinge: {{type: revolute, bodies: [shaft, rod], at: [0, 0, 0], axis: [1, 0, 0]}}
drivers:
  motor: {{type: driver, between: [ground, shaft], coordinate: angle, motion: {0}*t}}
)",
                                                                  W)));
    const double square = (2 * 9.81 * 0.5 - W * W * (2 * 0.25 + 0.04 - 0.01)) / (2 * 0.25 + 0.03);
    expect_pair(l, -square, 0, fmt::format("shaft at {} rad/s", W));
  }
}

/// Motions that no symmetry carries along.
TEST(Linearize, RefusesMotionsThatAreNotSteady) {
  for (const Model& model :
       {test::shipped("pendulum"), free_body("[0.2, 0.3, 0.4]", "[1, 4, 1]"), top(1, 2, 5)}) {
    Diagnostics diagnostics;
    const Prepared p = prepare(model, {}, diagnostics);
    const Linearization out = linearize(p, ModeShapes::leave);
    EXPECT_NE(out.status, Eval::ok);
    EXPECT_NE(out.message.find("neither a balance nor steady"), std::string::npos) << out.message;
    EXPECT_EQ(linearize(p, ModeShapes::leave, ModesOf::frozen).status, Eval::ok);
  }
}

}  // namespace
}  // namespace kardan
