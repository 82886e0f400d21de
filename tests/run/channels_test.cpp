/// Inputs and outputs of linearized models, against closed forms and differences of the simulation.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kardan/integrate/linear_responses.h"
#include "kardan/run/linearize.h"
#include "kardan/run/simulation.h"
#include "support/models.h"

namespace kardan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Linearization with_channels(const Model& model, ModesOf of = ModesOf::motion) {
  Diagnostics told;
  const Prepared p = prepare(model, {}, told);
  EXPECT_FALSE(told.has_errors()) << format(told);
  return linearize(p, ModeShapes::leave, of, model.functions);
}

LinearChannels channels_of(const Linearization& l) {
  return {l.modes.A, l.channels.B, l.channels.C, l.channels.D};
}

/// M = 2 kg, m = 0.5 kg at l = 0.8 m, a point mass on a massless rod: about the upright position
/// (M + m) x'' - m l q'' = u,  l q'' - x'' = g q, with q against the push.
const char* const cart_pole = R"(kardan: 1
dimension: 2
gravity: [0, -9.81]
inputs: {push: {unit: N}}
bodies:
  cart: {mass: 2, inertia: 1}
  pole: {mass: 0.5, inertia: 0, position: [0, 0.8]}
joints:
  rail: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}
  pin: {type: revolute, bodies: [cart, pole], at: [0, 0]}
forces:
  motor: {type: force, on: cart, fx: push(t)}
outputs:
  place: {value: cart.x, unit: m}
  lean: {value: pin.angle, unit: rad}
  tip: {value: pole.x + 0.001*push(t), unit: m}
)";

TEST(Channels, OfTheCartAndPoleAreItsClosedForm) {
  const Linearization l = with_channels(test::model_of(cart_pole));
  ASSERT_EQ(l.status, Eval::ok) << l.message;
  const Channels& c = l.channels;
  EXPECT_THAT(c.inputs, ElementsAre("push"));
  EXPECT_THAT(c.input_units, ElementsAre("N"));
  EXPECT_THAT(c.outputs, ElementsAre("place", "lean", "tip"));
  EXPECT_THAT(c.output_units, ElementsAre("m", "rad", "m"));
  EXPECT_THAT(l.remarks, ElementsAre());
  const double M = 2, m = 0.5, length = 0.8, g = 9.81;
  // G(i w) from u to x and to the angle (positive to the left: minus what leans with x).
  for (const double w : {0.3, 2.0, 11.0}) {
    const std::complex<double> s(0, w);
    // x: (l s^2 - g)/(s^2 (M l s^2 - (M + m) g)); lean to the left: -(-1)/(M l s^2 - (M + m) g)
    const auto bottom = M * length * s * s - (M + m) * g;
    const auto x = (length * s * s - g) / (s * s * bottom);
    const auto angle = 1.0 / bottom;
    const auto found = frequency_response(channels_of(l), {w}).front();
    EXPECT_NEAR(std::abs(found[0][0] - x), 0, 1e-12 * std::abs(x)) << w;
    EXPECT_NEAR(std::abs(found[1][0] - angle), 0, 1e-12 * std::abs(angle)) << w;
    const auto tip = x - length * angle + 0.001;
    EXPECT_NEAR(std::abs(found[2][0] - tip), 0, 1e-11 * std::abs(x)) << w;
  }
  EXPECT_EQ(c.D(0, 0), 0);
  EXPECT_NEAR(c.D(2, 0), 0.001, 1e-15);
}

/// An oscillator pushed by its input: s(t) = (1 - exp(-d t)(cos w t + d/w sin w t))/k.
TEST(Channels, AnswerAStepAsTheOscillatorDoes) {
  const Linearization l = with_channels(test::model_of(R"(kardan: 1
dimension: 2
inputs: {push: {unit: N, start: 3}}
bodies: {cart: {mass: 2, inertia: 1, position: [0.375, 0]}}
ground: {markers: {wall: {at: [-10, 0]}}}
joints: {rail: {type: prismatic, bodies: [ground, cart], at: [0.375, 0], axis: [1, 0]}}
forces:
  motor: {type: force, on: cart, fx: push(t)}
  spring: {type: spring_damper, between: [ground.wall, cart], stiffness: 8, damping: 1, free_length: 10}
outputs: [cart.x, cart.vx]
)"));
  ASSERT_EQ(l.status, Eval::ok) << l.message;
  EXPECT_EQ(l.channels.input_values.front(), 3);
  const double k = 8, d = 0.25, w = std::sqrt(4 - d * d);
  const StepResponse s = step_response(channels_of(l), 3, 30);
  ASSERT_EQ(s.size(), 31u);
  for (int i = 0; i <= 30; ++i) {
    const double t = 0.1 * i;
    const double x = (1 - std::exp(-d * t) * (std::cos(w * t) + d / w * std::sin(w * t))) / k;
    EXPECT_NEAR(s[static_cast<std::size_t>(i)][0][0], x, 1e-14) << t;
  }
}

/// All that an input can go through: a lag, a formula, a motor with gains, in space, spinning.
const char* const swung_arm = R"(kardan: 1
gravity: [0, 0, -9.81]
inputs: {torque: {unit: N m, start: 0.3}, command: {start: 0.2}, gust: {unit: N, start: 1}}
bodies:
  boom: {mass: 2, inertia: [0.3, 0.4, 0.5, 0.02, 0.01, -0.03], position: [0.5, 0, 0.1], angular_velocity: [0, 0, 1.5]}
  tip: {mass: 0.5, inertia: [0.02, 0.03, 0.04], position: [1.2, 0.1, 0.2], angular_velocity: [0.3, 0.2, 1.5]}
joints:
  slew: {type: revolute, bodies: [ground, boom], at: [0, 0, 0], axis: [0.1, 0.2, 1]}
  wrist: {type: universal, bodies: [boom, tip], at: [1, 0, 0.1], axis: [1, 0, 0]}
forces:
  drive: {type: torque, on: boom, frame: body, tz: torque(t) - 0.2*slew.rate}
  lag: {type: actuator, joint: slew, time_constant: 0.2, command: 2*command(t), initial: 0.1}
  wind: {type: force, on: tip, fy: gust(t)*(1 + 0.3*tip.x^2), fz: 0.2*gust(t)^2}
  hold: {type: bushing, between: [boom, tip], rotation_stiffness: [3, 4, 5], rotation_damping: [0.1, 0.1, 0.1]}
outputs: [slew.angle, slew.rate, tip.z, tip.vz, tip.wx, lag.state]
)";

/// u + e and u - e, run for a short time h from the same state: (w+ - w-)/2e = (C h + ...) B e.
TEST(Channels, AreWhatTheSimulationDoes) {
  const Model model = test::model_of(swung_arm);
  const Linearization l = with_channels(model, ModesOf::frozen);
  ASSERT_EQ(l.status, Eval::ok) << l.message;
  const Channels& c = l.channels;
  ASSERT_EQ(c.outputs.size(), 6u);
  EXPECT_THAT(l.remarks, testing::Contains(HasSubstr("not at rest")));
  Diagnostics told;
  SimulateOptions options;
  options.method = "dop853";
  options.driver.tolerance = 1e-12;
  options.t_end = 1;
  const double h = 0.002;
  const StepResponse expected = step_response(channels_of(l), h, 1);
  for (std::size_t k = 0; k < c.inputs.size(); ++k) {
    // Central differences of the nonlinear motion against the linear one, whose error falls as e.
    std::vector<std::vector<double>> at;
    for (const double e : {0.05, -0.05}) {
      auto s = Simulation::make(model, {}, options, told);
      ASSERT_TRUE(s) << format(told);
      const int input = *s->find_input(c.inputs[k]);
      ASSERT_EQ(s->set(input, c.input_values[k] + e), "");
      ASSERT_EQ(s->step_to(h), "");
      auto& values = at.emplace_back();
      for (const std::string& name : c.outputs) values.push_back(s->get(*s->find(name)));
    }
    for (std::size_t o = 0; o < c.outputs.size(); ++o) {
      const double measured = (at[0][o] - at[1][o]) / 0.1, linear = expected[1][o][k];
      // A along the motion differs from A at the start by O(h).
      double size = 0;
      for (std::size_t i = 0; i < c.outputs.size(); ++i)
        size = std::max(size, std::abs(expected[1][i][k]));
      EXPECT_NEAR(measured, linear, 10 * h * std::abs(linear) + h * h * size + 1e-9)
          << c.outputs[o] << " by " << c.inputs[k];
    }
  }
}

/// The exact check of B and of the speeds in C: rates of outputs of the first order.
TEST(Channels, HaveTheRatesOfTheEquationsInB) {
  const Model model = test::model_of(swung_arm);
  const Linearization l = with_channels(model, ModesOf::frozen);
  ASSERT_EQ(l.status, Eval::ok) << l.message;
  const Channels& c = l.channels;
  // d(w')/du = C B for outputs that are velocities or lags: their rates are accelerations.
  Diagnostics told;
  SimulateOptions options;
  options.method = "dop853";
  options.driver.tolerance = 1e-10;
  options.t_end = 1;
  auto s = Simulation::make(model, {}, options, told);
  ASSERT_TRUE(s) << format(told);
  const Prepared p = prepare(model, {}, told);
  for (std::size_t k = 0; k < c.inputs.size(); ++k) {
    double by[2];
    for (const int side : {0, 1}) {
      Model other = model;
      for (auto& [name, value] : other.functions)
        if (name == c.inputs[k])
          for (auto& [field, given] : std::get<FieldMap>(value.data))
            if (field == "start") given.data = c.input_values[k] + (side == 0 ? 1e-3 : -1e-3);
      const Prepared moved = prepare(other, {}, told);
      const System& system = *moved.system;
      double tip_vz = 0;
      for (int i = 0; i < system.sizes().v; ++i)
        if (system.velocity_name(i) == "tip.vz")
          tip_vz = moved.start.a[static_cast<std::size_t>(i)];
      by[side] = tip_vz;
    }
    const auto output =
        static_cast<int>(std::ranges::find(c.outputs, "tip.vz") - c.outputs.begin());
    double CB = 0;
    for (int i = 0; i < c.B.rows(); ++i) CB += c.C(output, i) * c.B(i, static_cast<int>(k));
    EXPECT_NEAR(CB, (by[0] - by[1]) / 2e-3, 1e-7) << c.inputs[k];
  }
}

TEST(Channels, RefuseAnInputThatPrescribesAMotion) {
  const Linearization l = with_channels(test::model_of(R"(kardan: 1
dimension: 2
inputs: {place: {unit: m}}
bodies: {cart: {mass: 2, inertia: 1}, rider: {kind: point, mass: 1}}
joints: {rail: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}}
drivers: {drive: {type: driver, between: [ground, cart], coordinate: x, motion: place(t)}}
outputs: [cart.x]
)"));
  EXPECT_NE(l.status, Eval::ok);
  EXPECT_THAT(l.message, HasSubstr("the input 'place' prescribes a motion"));
}

TEST(Channels, SayWhatHasNoRowAndWhereAKinkIs) {
  const Linearization l = with_channels(test::model_of(R"(kardan: 1
dimension: 2
inputs: {push: {unit: N}}
bodies: {cart: {mass: 2, inertia: 1}}
joints: {rail: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}}
forces: {motor: {type: force, on: cart, fx: push(t) - 3*cart.x - 2*abs(cart.x)}}
outputs: [cart.x, cart.ax]
)"));
  ASSERT_EQ(l.status, Eval::ok) << l.message;
  EXPECT_THAT(l.channels.outputs, ElementsAre("cart.x"));
  EXPECT_THAT(l.remarks, testing::Contains(HasSubstr("'cart.ax' is no function of positions")));
  EXPECT_THAT(l.remarks, testing::Contains(HasSubstr("stands on a kink")));
}

/// A damper by a table, whose slope is another one to each side of rest.
TEST(Channels, SayThatALawHasAKinkAtRest) {
  const std::string text = R"(kardan: 1
dimension: 2
functions: {damper: {points: [[-1, 900], [0, 0], [1, -VALUE]], interpolation: linear, outside: extend}}
bodies: {cart: {mass: 2, inertia: 1}}
ground: {markers: {wall: {at: [-1, 0]}}}
joints: {rail: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}}
forces: {strut: {type: spring_damper, between: [ground.wall, cart], stiffness: 10, free_length: 1, law: damper(rate)}}
)";
  const auto with = [&](const std::string& value) {
    std::string out = text;
    return out.replace(out.find("VALUE"), 5, value);
  };
  EXPECT_THAT(with_channels(test::model_of(with("900"))).remarks, ElementsAre());
  EXPECT_THAT(with_channels(test::model_of(with("1500"))).remarks,
              ElementsAre(HasSubstr("stands on a kink")));
}

}  // namespace
}  // namespace kardan
