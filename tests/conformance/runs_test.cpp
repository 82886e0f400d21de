/// What every method must do on every formulation it can treat: end right, or not end as finished.
/// Known answers only; the models are small, since all pairs of both catalogs run them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "conformance/pairs.h"
#include "kardan/formulation/catalog.h"
#include "support/models.h"

namespace kardan::test {
namespace {

constexpr double run_tolerance = 1e-6;

/// One method with all its formulations.
class EveryMethod : public testing::TestWithParam<std::string> {
 protected:
  /// Runs the model on every formulation; `error` is that of a finished run. The formulation the
  /// method takes by itself must finish.
  void expect_right(const std::string& text, double t_end, double tolerances,
                    const std::function<double(const Outcome&)>& error) {
    const Method& method = *find_method(GetParam());
    const Model model = model_of(text);
    for (const std::string& pair : pairs_of(method)) {
      SimulateOptions options;
      options.t_end = t_end;
      options.driver.tolerance = run_tolerance;
      const Outcome out = run_with(pair, model, options);
      const bool own = pair == fmt::format("{}@{}", method.name, method.formulation);
      EXPECT_TRUE(out.finished || !own) << pair << ": " << out.words;
      if (!out.finished) {
        EXPECT_FALSE(out.words.empty()) << pair << " ends early without a word";
        continue;
      }
      const double reached = error(out);
      EXPECT_LE(reached, allowed(pair, run_tolerance, tolerances))
          << pair << " in " << out.report.driver.counters.steps
          << " steps: wrong, and it ended as finished";
      EXPECT_FALSE(std::isnan(reached)) << pair;
    }
  }
  double allowed_here(double tolerances = 100) const {
    return allowed(GetParam(), run_tolerance, tolerances);
  }
};

// ---- contacts and events

/// Two equal balls on a rail: the elastic impact exchanges their velocities, and what they travel
/// afterwards tells when it happened. It lasts pi sqrt(m/(2k)) = 70 microseconds of a run of 4 s.
constexpr const char* balls_on_a_rail = R"yaml(kardan: 1
dimension: 2
bodies:
  a: {mass: 1, inertia: 1, position: [-20, 0], velocity: [10, 0]}
  b: {mass: 1, inertia: 1}
joints:
  rail_a: {type: prismatic, between: [ground, a]}
  rail_b: {type: prismatic, between: [ground, b]}
contacts:
  hit: {type: sphere_sphere, between: [a, b], radius_a: 0.05, radius_b: 0.05, stiffness: 1e9}
)yaml";

TEST_P(EveryMethod, SeesAContactBetweenLongFreeFlights) {
  expect_right(balls_on_a_rail, 4, 1e4, [](const Outcome& out) {
    return std::max(std::abs(out.value("a.vx")), std::abs(out.value("b.vx") - 10));
  });
}

/// A stone passes two heights, up and down.
constexpr const char* stone = R"yaml(kardan: 1
dimension: 2
gravity: [0, -10]
bodies: {stone: {kind: point, mass: 1, velocity: [0, 10]}}
when:
  low: {expression: stone.y - 3.75}
  top: {expression: stone.y - 4.95}
)yaml";

TEST_P(EveryMethod, SeesEveryPassageOfAnEvent) {
  expect_right(stone, 2, 100, [](const Outcome& out) {
    const auto& events = out.report.driver.events;
    if (events.size() != 4) return 4.0 + std::abs(4.0 - static_cast<double>(events.size()));
    // The height y is passed at 1 -+ sqrt(1 - y/5).
    const double times[] = {0.5, 0.9, 1.1, 1.5};
    double worst = 0;
    for (int i = 0; i < 4; ++i) worst = std::max(worst, std::abs(events[i].t - times[i]));
    return worst;
  });
}

// ---- inputs

/// A mass at rest gets 2 ms of 500 N in the middle of ten seconds.
constexpr const char* blow = R"yaml(kardan: 1
dimension: 2
functions:
  on: {type: step, begin: 5, end: 5.0005, to: 1}
  off: {type: step, begin: 5.002, end: 5.0025, to: 1}
bodies: {cart: {mass: 1, inertia: 1}}
joints: {rail: {type: prismatic, between: [ground, cart]}}
forces: {blow: {type: force, on: cart, fx: 500*(on(t) - off(t))}}
)yaml";

TEST_P(EveryMethod, SeesABlowInTheMiddleOfARest) {
  // The rise and the fall of the steps are alike: the impulse is 500 N times 2 ms.
  expect_right(blow, 10, 1000,
               [](const Outcome& out) { return std::abs(out.value("cart.vx") - 1); });
}

TEST_P(EveryMethod, SeesAPulseWrittenAsAnExpression) {
  const std::string text = R"yaml(kardan: 1
dimension: 2
bodies: {cart: {mass: 1, inertia: 1}}
joints: {rail: {type: prismatic, between: [ground, cart]}}
forces: {blow: {type: force, on: cart, fx: "100*exp(-((t - 3.3)/0.01)^2)"
}
}
)yaml";
  const double impulse = 100 * 0.01 * std::sqrt(std::numbers::pi);
  expect_right(text, 10, 1000,
               [&](const Outcome& out) { return std::abs(out.value("cart.vx") - impulse); });
}

// ---- turns

constexpr const char* gears = R"yaml(kardan: 1
bodies:
  a: {mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 0, 10]}
  b: {mass: 1, inertia: [1, 1, 1], position: [3, 0, 0], angular_velocity: [0, 0, -5]}
joints:
  ja: {type: revolute, between: [ground, a]}
  jb: {type: revolute, bodies: [ground, b], at: [3, 0, 0], axis: [0, 0, 1]}
  g: {type: gear, between: [ground, a, ground, b], radius_1: 1, radius_2: 2}
sensors:
  pa: {type: coordinate, coordinate: angle, between: [ground, a]}
  pb: {type: coordinate, coordinate: angle, between: [ground, b]}
)yaml";

TEST_P(EveryMethod, CountsTurnsWhateverTheStep) {
  expect_right(gears, 10, 5000, [](const Outcome& out) {
    return std::max(std::abs(out.value("pa") - 100), std::abs(out.value("pb") + 50));
  });
}

// ---- branches

/// A slider-crank whose crank is driven: nothing is free, the closed form is elementary.
constexpr const char* driven_crank = R"yaml(kardan: 1
dimension: 2
parameters: {r: 0.05, l: 0.15}
bodies:
  crank: {mass: 1, inertia: 1e-3, markers: {pin: {at: [r, 0]}}}
  rod: {mass: 0.5, inertia: 1e-3, position: [r + l/2, 0], markers: {big: {at: [-l/2, 0]}, small: {at: [l/2, 0]}}}
  piston: {mass: 0.4, inertia: 1e-4, position: [r + l, 0]}
joints:
  main: {type: revolute, between: [ground, crank]}
  big: {type: revolute, between: [crank.pin, rod.big]}
  small: {type: revolute, between: [rod.small, piston]}
  bore: {type: prismatic, between: [ground, piston]}
drivers: {motor: {type: driver, between: [ground, crank], motion: 20*t}}
)yaml";

TEST_P(EveryMethod, KeepsTheBranchOfADrivenMechanism) {
  const Model model = model_of(driven_crank);
  for (const std::string& pair : pairs_of(*find_method(GetParam()))) {
    SimulateOptions options;
    options.t_end = 3;
    options.every = 0.01;
    options.driver.tolerance = run_tolerance;
    double worst = 0;
    const Outcome out = run_with(pair, model, options, [&](const Instant& at) {
      const double phi = 20 * at.state->t;
      const double piston =
          0.05 * std::cos(phi) + std::sqrt(0.15 * 0.15 - std::pow(0.05 * std::sin(phi), 2));
      // Bodies in the order of the file, three coordinates each.
      worst = std::max(worst, std::abs(at.state->p[6] - piston));
      return std::string();
    });
    const bool own = pair == fmt::format("{}@{}", GetParam(), find_method(GetParam())->formulation);
    EXPECT_TRUE(out.finished || !own) << pair << ": " << out.words;
    if (out.finished) {
      EXPECT_LE(worst, allowed_here()) << pair << ": on the grid";
    }
  }
}

// ---- scales

/// User equations of a mass beside which a dynamic variable of size 1 oscillates faster than any
/// coordinate: r = exp(sin(20 t)).
std::string equations_of_mass(double mass) {
  return fmt::format(R"yaml(kardan: 1
equations:
  positions: {{x: 0}}
  velocities: {{v: 1}}
  mass: {{v: {}}}
  forces: {{v: 0}}
  dynamic: {{r: {{start: 1, rate: "20*cos(20*t)*r"}}}}
)yaml",
                     mass);
}

TEST_P(EveryMethod, MeansTheSameByAToleranceWhateverTheMass) {
  for (const double mass : {1.0, 1e6})
    expect_right(equations_of_mass(mass), 2, 1000, [](const Outcome& out) {
      return std::abs(out.end.start.state.r[0] - std::exp(std::sin(40.0)));
    });
}

std::vector<std::string> methods_asked() {
  std::vector<std::string> names;
  for (const Method& method : methods()) names.emplace_back(method.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod, testing::ValuesIn(methods_asked()),
                         [](const auto& of) { return test_name(of.param); });

}  // namespace
}  // namespace kardan::test
