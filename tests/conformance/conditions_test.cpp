/// Formulas and conditions over several quantities that hold, or are large, for a moment only: no
/// method passes them over on any formulation, wherever its steps and samples lie.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "conformance/pairs.h"
#include "kardan/formulation/catalog.h"
#include "support/models.h"

namespace kardan::test {
namespace {

/// A slider a passes along x at 10 m/s, a point b along y at 3 m/s; c rests until forces that are
/// formulas of a and b push it.
constexpr double speed_a = 10, speed_b = 3, t_end = 1;
/// s = a.x + b.y goes from 0 to 13 at this speed.
constexpr double speed = speed_a + speed_b;

std::string passing(const std::string& rest) {
  return fmt::format(R"yaml(kardan: 1
dimension: 2
bodies:
  a: {{mass: 1, inertia: 1, velocity: [{}, 0]}}
  b: {{kind: point, mass: 1, velocity: [0, {}]}}
  c: {{kind: point, mass: 1, position: [0, 5]}}
joints: {{rail: {{type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0]}}}}
{})yaml",
                     speed_a, speed_b, rest);
}

class ConditionsOf : public testing::TestWithParam<std::string> {
 protected:
  /// On every formulation; the one the method takes by itself must finish.
  template <class Look>
  static void on_all(const std::string& text, const Look& look) {
    const Method& method = *find_method(GetParam());
    const Model model = model_of(text);
    for (const std::string& pair : pairs_of(method)) {
      SimulateOptions options;
      options.t_end = t_end;
      options.driver.tolerance = tolerance;
      const Outcome out = run_with(pair, model, options);
      const bool own = pair == fmt::format("{}@{}", method.name, method.formulation);
      EXPECT_TRUE(out.finished || !own) << pair << ": " << out.words << '\n' << text;
      if (out.finished) look(pair, out);
    }
  }
  std::mt19937 random_{static_cast<unsigned>(std::hash<std::string>{}(GetParam()))};
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
};

/// Windows of places, by conditions that come and go between two samples.
TEST_P(ConditionsOf, SeeWindowsOfSeveralQuantities) {
  for (int trial = 0; trial < 2; ++trial) {
    const double at = uniform(1, 12), width = 13 * std::pow(10, uniform(-6, -1));
    const double gained = std::pow(10, uniform(-4, 0));
    on_all(passing(fmt::format("forces: {{p: {{type: force, on: c, fx: '(a.x + b.y - {:.17g})^2 < "
                               "{:.17g} ? {:.17g} : 0'}}}}\n",
                               at, width * width / 4, gained * speed / width)),
           [&](const std::string& pair, const Outcome& out) {
             EXPECT_NEAR(out.value("c.vx"), gained, 10 * tolerance)
                 << pair << " at " << at << ", " << width << " wide";
           });
  }
}

/// Peaks that are smooth: of exp, and of a quotient, which is (atan s)' .
TEST_P(ConditionsOf, SeeSmoothPeaksOfSeveralQuantities) {
  for (int trial = 0; trial < 2; ++trial) {
    const double at = uniform(2, 11), width = 13 * std::pow(10, uniform(-6, -2));
    const double gained = std::pow(10, uniform(-3, 0));
    const double peak = gained * speed / width;
    on_all(
        passing(fmt::format("forces: {{p: {{type: force, on: c, fx: '{0:.17g}*exp(-((a.x + b.y - "
                            "{1:.17g})/{2:.17g})^2)', fy: '{0:.17g}/(1 + ((a.x + b.y - "
                            "{1:.17g})/{2:.17g})^2)'}}}}\n",
                            peak, at, width)),
        [&](const std::string& pair, const Outcome& out) {
          const double all = std::atan((13 - at) / width) + std::atan(at / width);
          EXPECT_NEAR(out.value("c.vx"), gained * std::sqrt(std::numbers::pi),
                      allowed(pair, tolerance))
              << pair << " at " << at << ", " << width << " wide";
          EXPECT_NEAR(out.value("c.vy"), gained * all, allowed(pair, tolerance))
              << pair << " at " << at << ", " << width << " wide";
        });
  }
}

/// Two points that come near each other for a moment, and a product of quantities.
TEST_P(ConditionsOf, RecordWhatHappensForAMoment) {
  for (int trial = 0; trial < 2; ++trial) {
    // b crosses the way of a, which comes as near as `nearest` to it at this time.
    const double t = uniform(0.1, 0.9), near = std::pow(10, uniform(-5.5, -1));
    const double window = std::sqrt(near * near) / std::hypot(speed_a, speed_b);
    on_all(passing(
               fmt::format("when:\n  meet: {{expression: 'hypot(a.x - {:.17g}, b.y - {:.17g}) - "
                           "{:.17g}'}}\n  square: {{expression: '(a.x - {:.17g})*(a.x - "
                           "{:.17g})*b.vy'}}\n",
                           speed_a * t, speed_b * t, near, speed_a * t - near, speed_a * t + near)),
           [&](const std::string& pair, const Outcome& out) {
             int met = 0;
             for (const EventRecord& e : out.report.driver.events) {
               const bool meets = out.end.system->event_names()[e.event] == "meet";
               const double half = meets ? window : near / speed_a;
               const double expected = t + (e.direction < 0 ? -half : half);
               EXPECT_NEAR(e.t, expected, 2 * tolerance) << pair;
               met += meets ? 1 : 100;
             }
             EXPECT_EQ(met, 202) << pair << " at " << t << ", " << near;
           });
  }
}

/// A start that stands right on a switch: the side it goes to holds, whatever was said of zero.
TEST_P(ConditionsOf, StartOnASwitch) {
  struct Case {
    const char* force;
    double v, x_end, v_end;
  };
  for (const Case& c : {Case{"b.y > 0 ? 2 : -3", 0, 1, 2},
                        {"c.x > 0 ? 2 : -3", 1, 2, 3},
                        {"c.x > 0 ? 2 : -3", -1, -2.5, -4},
                        {"c.x > 0 ? 2 : 5", 0, 1, 2},
                        {"c.x >= 0 ? 2 : 5", 0, 1, 2},
                        {"1 - abs(c.vx)", 0, std::exp(-1), 1 - std::exp(-1)},
                        {"1 + max(c.x, 0)", 0, std::cosh(1) - 1, std::sinh(1)},
                        {"-100*abs(c.x)", 0, 0, 0},
                        {"mod(c.x, 2)", 0, 0, 0},
                        {"2*sign(c.x)", 1, 2, 3}})
    on_all(
        fmt::format("kardan: 1\ndimension: 2\nbodies:\n  b: {{kind: point, mass: 1, velocity: [0, "
                    "3]}}\n  c: {{kind: point, mass: 1, velocity: [{}, 0]}}\nforces:\n  p: {{type: "
                    "force, on: c, fx: '{}'}}\n",
                    c.v, c.force),
        [&](const std::string& pair, const Outcome& out) {
          EXPECT_NEAR(out.value("c.x"), c.x_end, 10 * tolerance) << pair << ' ' << c.force;
          EXPECT_NEAR(out.value("c.vx"), c.v_end, 10 * tolerance) << pair << ' ' << c.force;
          EXPECT_LE(out.report.driver.events.size(), 2u) << pair << ' ' << c.force;
        });
}

/// What pushes back on both sides of a switch has no motion across it: the run ends and says so, also
/// where it starts there.
TEST_P(ConditionsOf, ThatUndoThemselvesEndTheRun) {
  for (const char* force : {"c.vx + 0.001*c.x > 0 ? -3 : 3", "c.x > 0 ? -3 : 3"}) {
    const Model model = model_of(fmt::format(
        "kardan: 1\ndimension: 2\nbodies: {{c: {{kind: point, mass: 1, velocity: [0, 1]}}}}\n"
        "forces: {{p: {{type: force, on: c, fx: '{}'}}}}\n",
        force));
    for (const std::string& pair : pairs_of(*find_method(GetParam()))) {
      SimulateOptions options;
      options.t_end = 1e-3;  // multistep methods may cross a thousand times in it
      options.driver.tolerance = tolerance;
      const Outcome out = run_with(pair, model, options);
      if (out.finished) {
        EXPECT_NEAR(out.value("c.x"), 0, 10 * tolerance) << pair;
        EXPECT_NEAR(out.value("c.vx"), 0, 10 * tolerance) << pair;
      } else if (out.report.driver.counters.steps > 0) {
        EXPECT_NE(out.words.find("p.fx.switch"), std::string::npos) << pair << ": " << out.words;
      }
    }
  }
}

std::vector<std::string> methods_of_order_two() {
  std::vector<std::string> out;
  for (const std::string& name : method_names())
    if (find_method(name)->order > 1) out.push_back(name);
  return out;
}
INSTANTIATE_TEST_SUITE_P(Methods, ConditionsOf, testing::ValuesIn(methods_of_order_two()),
                         [](const auto& of) { return test_name(of.param); });

}  // namespace
}  // namespace kardan::test
