#include "kardan/run/linearize.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kardan/linalg/eigenvalues.h"
#include "support/models.h"

namespace kardan {
namespace {

Linearization linearized(const Model& model) {
  Diagnostics diagnostics;
  const Prepared p = prepare(model, {}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
  const Linearization out = linearize(p, ModeShapes::find);
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
  // The error of this loop obeys (s + 1)(s + 2)(s + 3) = 0.
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
)"));
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

TEST(Linearize, AgreesWithTheKnownStabilityOfARollingDisc) {
  // Seen from axes that do not turn with the disc (Routh, Advanced Part, 1905, art. 244; here from
  // (A + m R^2) tilt'' + (C + m R^2) w yaw' = m g R tilt, A yaw'' = C w tilt'):
  // rate^2 = 4/5 g/R - 12/5 w^2. The state matrix is that of the chart, whose axes turn with the
  // disc; a steady motion y(t) of a group with the generator X has the modes of A - DX:
  // for right turns by w about z, X = w T(theta)^-1 e_z on theta and its derivative along theta' on
  // theta'.
  for (const double w : {1.0, 2.0, 6.0}) {
    const Linearization l = linearized(upright_disc(w));
    const std::vector<std::string> wanted{"disc.rx", "disc.ry", "disc.rz", "disc.wx",
                                          "disc.wy", "disc.wz", "disc.x",  "disc.y"};
    ASSERT_EQ(l.variables, wanted);
    Matrix A = l.modes.A;
    for (const int part : {0, 3}) {  // 1/2 delta x e_z
      A(part, part + 1) -= 0.5 * w;
      A(part + 1, part) += 0.5 * w;
    }
    for (const int i : {0, 1}) A(3 + i, i) -= w * w / 12;
    EigenSystem found;
    ASSERT_EQ(find_eigenvalues(A, EigenOutput::values, found), Eval::ok);
    const double square = 0.8 * 9.81 / 0.5 - 2.4 * w * w;
    const auto& first = found.values.front();
    const auto& last = found.values.back();
    if (square > 0) {
      EXPECT_NEAR(first.real(), -std::sqrt(square), 1e-6) << w;
      EXPECT_NEAR(last.real(), std::sqrt(square), 1e-6) << w;
    } else {
      double fastest = 0;
      for (const auto& value : found.values) {
        fastest = std::max(fastest, value.imag());
        EXPECT_NEAR(value.real(), 0, 1e-5) << w;
      }
      EXPECT_NEAR(fastest, std::sqrt(-square), 1e-6) << w;
    }
  }
}

}  // namespace
}  // namespace kardan
