/// Events and contacts, and variables that must keep their branch: the same claims for every method
/// on every formulation it can treat, with closed forms.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "conformance/pairs.h"
#include "kardan/formulation/catalog.h"
#include "support/models.h"

namespace kardan::test {
namespace {

class EventsOf : public testing::TestWithParam<std::string> {
 protected:
  using Look = std::function<void(const std::string& pair, const Outcome&)>;

  /// Runs the model on every formulation, and looks at what finished; the formulation the method
  /// takes by itself must.
  static void on_all(const std::string& text, double t_end, const Look& look) {
    const Method& method = *find_method(GetParam());
    const Model model = model_of(text);
    for (const std::string& pair : pairs_of(method)) {
      SimulateOptions options;
      options.t_end = t_end;
      options.driver.tolerance = tolerance;
      const Outcome out = run_with(pair, model, options);
      const bool own = pair == fmt::format("{}@{}", method.name, method.formulation);
      EXPECT_TRUE(out.finished || !own) << pair << ": " << out.words;
      if (out.finished) look(pair, out);
    }
  }
  static double allowed_here(double tolerances) {
    return allowed(GetParam(), tolerance, tolerances);
  }
};

std::size_t count(const Outcome& out, std::string_view name) {
  const auto& names = out.end.system->event_names();
  return static_cast<std::size_t>(std::ranges::count_if(
      out.report.driver.events, [&](const EventRecord& e) { return names[e.event] == name; }));
}

/// A ball of radius 0.1 that begins at rest at `height`, on a floor of stiffness k and mass 1.
std::string falling_balls(const std::vector<std::pair<double, double>>& height_and_stiffness) {
  std::string bodies, contacts;
  for (std::size_t i = 0; i < height_and_stiffness.size(); ++i) {
    const auto [height, k] = height_and_stiffness[i];
    bodies += fmt::format("  b{}: {{kind: point, mass: 1, position: [{}, {}]}}\n", i, i, height);
    contacts += fmt::format(
        "  floor_{0}: {{type: sphere_plane, between: [ground, b{0}], radius: 0.1, stiffness: "
        "{1}}}\n",
        i, k);
  }
  return "kardan: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n" + bodies + "contacts:\n" +
         contacts;
}

/// Height and velocity after one bounce: x'' = -k x - g from x = 0 with the speed v is back at 0
/// after (pi + 2 atan(g/(omega v)))/omega.
std::pair<double, double> after_bounce(double height, double k, double t) {
  const double omega = std::sqrt(k), fall = std::sqrt(2 * (height - 0.1) / g), v = g * fall;
  const double contact = (M_PI + 2 * std::atan(g / (omega * v))) / omega;
  const double up = t - fall - contact;
  return {0.1 + v * up - g / 2 * up * up, v - g * up};
}

/// Of 0.3 ms in a fall of half a second: what is stiff begins at an event.
TEST_P(EventsOf, FollowAnElasticBounce) {
  const double height = 1, k = 1e8, t_end = 0.8;
  on_all(falling_balls({{height, k}}), t_end, [&](const std::string& pair, const Outcome& out) {
    const auto [y, vy] = after_bounce(height, k, t_end);
    EXPECT_EQ(out.report.driver.events.size(), 2u) << pair;
    EXPECT_NEAR(out.value("b0.y"), y, allowed_here(1000)) << pair;
    EXPECT_NEAR(out.value("b0.vy"), vy, allowed_here(1000)) << pair;
  });
}

/// Both floors are met at the same time, and left at others.
TEST_P(EventsOf, HappenTogetherWhereTheyDo) {
  const double height = 0.6, t_end = 0.5;
  on_all(falling_balls({{height, 1e5}, {height, 4e5}}), t_end,
         [&](const std::string& pair, const Outcome& out) {
           EXPECT_EQ(out.report.driver.events.size(), 4u) << pair;
           for (const auto& [body, k] : {std::pair{"b0.y", 1e5}, {"b1.y", 4e5}})
             EXPECT_NEAR(out.value(body), after_bounce(height, k, t_end).first, allowed_here(1000))
                 << pair << ' ' << body;
         });
}

/// Hunt and Crossley: m d'' = -k d^n (1 + a d') has u du/(1 + a u) = -k/m d^n dd, so that
/// u/a - ln(1 + a u)/a^2 is the same before and after, whatever k and n.
TEST_P(EventsOf, LoseInAnImpactWhatItsLawTakes) {
  const double a = 0.2, v = 4;
  const auto kept = [a](double u) { return u / a - std::log1p(a * u) / (a * a); };
  double low = 0, high = v;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (kept(-middle) < kept(v) ? low : high) = middle;
  }
  on_all(R"yaml(kardan: 1
dimension: 2
bodies:
  a: {kind: point, mass: 1, position: [-2, 0], velocity: [4, 0]}
  b: {kind: point, mass: 1, position: [0, 0]}
contacts:
  hit: {type: sphere_sphere, between: [a, b], radius_a: 0.1, radius_b: 0.1, stiffness: 1e8, law: hunt_crossley, dissipation: 0.2}
)yaml",
         1, [&](const std::string& pair, const Outcome& out) {
           EXPECT_NEAR(out.value("b.vx") - out.value("a.vx"), low, allowed_here(1000)) << pair;
           EXPECT_NEAR(out.value("b.vx") + out.value("a.vx"), v, allowed_here(1000)) << pair;
         });
}

/// A ball thrown at a ceiling that it just reaches, or just does not: in and out, or neither. It
/// comes with the speed u, and x'' = -k x - g is back at 0 after 2 atan(omega u/g)/omega.
TEST_P(EventsOf, GrazeWithoutHarm) {
  const double v = 5, top = v * v / (2 * g), omega = std::sqrt(1e5);
  for (const double depth : {1e-4, 0.0, -1e-4}) {
    const double u = std::sqrt(2 * g * std::max(0.0, depth));
    const double t = 1 + 2 * u / g - 2 * std::atan(omega * u / g) / omega;
    on_all(fmt::format(R"yaml(kardan: 1
dimension: 2
gravity: [0, -9.81]
ground: {{markers: {{ceiling: {{at: [0, {:.17g}], angle: pi}}}}}}
bodies: {{ball: {{kind: point, mass: 1, velocity: [0, 5]}}}}
contacts: {{roof: {{type: sphere_plane, between: [ground.ceiling, ball], radius: 0.1, stiffness: 1e5}}}}
)yaml",
                       top + 0.1 - depth),
           1, [&](const std::string& pair, const Outcome& out) {
             const std::size_t events = out.report.driver.events.size();
             EXPECT_EQ(events % 2, 0u) << pair << ' ' << depth;
             if (std::abs(depth) > allowed_here(1)) {
               EXPECT_EQ(events, depth > 0 ? 2u : 0u) << pair;
             }
             EXPECT_NEAR(out.value("ball.y"), v * t - g / 2 * t * t, allowed_here(1000))
                 << pair << ' ' << depth;
           });
  }
}

/// x = 1 + t: one function is zero at the start, one at the end, one has a kink where it is zero,
/// and two are zero at once. Nothing is counted twice.
TEST_P(EventsOf, AreCountedOnceAtTheStartTheEndAndAtKinks) {
  on_all(R"yaml(kardan: 1
dimension: 2
bodies: {a: {kind: point, mass: 1, position: [1, 0], velocity: [1, 0]}}
when:
  at_start: {expression: a.x - 1}
  left_at_start: {expression: 1 - a.x}
  kink: {expression: "a.x - 1.75 + 0.9*abs(a.x - 1.75)"}
  twin_1: {expression: a.x - 2.25}
  twin_2: {expression: "2*(2.25 - a.x)"}
  at_end: {expression: a.x - 3}
)yaml",
         2, [&](const std::string& pair, const Outcome& out) {
           EXPECT_LE(count(out, "at_start"), 1u) << pair;
           EXPECT_LE(count(out, "left_at_start"), 1u) << pair;
           EXPECT_LE(count(out, "at_end"), 1u) << pair;
           for (const auto& [name, t] :
                {std::pair{"kink", 0.75}, {"twin_1", 1.25}, {"twin_2", 1.25}}) {
             EXPECT_EQ(count(out, name), 1u) << pair << ' ' << name;
             for (const EventRecord& e : out.report.driver.events)
               if (out.end.system->event_names()[e.event] == name) {
                 EXPECT_NEAR(e.t, t, 1e-9) << pair << ' ' << name;
               }
           }
           EXPECT_NEAR(out.value("a.x"), 3, allowed_here(1)) << pair;
         });
}

/// A contact that is met exactly at the end, and one that begins to be pressed at the start.
TEST_P(EventsOf, BeginAContactAtTheStartOrTheEnd) {
  on_all(R"yaml(kardan: 1
dimension: 2
ground: {markers: {right: {at: [1, 0], angle: pi/2}, left: {at: [0, 0], angle: -pi/2}}}
bodies:
  a: {kind: point, mass: 1, position: [0.5, 0], velocity: [0.5, 0]}
  b: {kind: point, mass: 1, position: [0, 1], velocity: [-1, 0]}
contacts:
  at_end: {type: sphere_plane, between: [ground.right, a], radius: 0, stiffness: 1e6}
  at_start: {type: sphere_plane, between: [ground.left, b], radius: 0, stiffness: 1e6}
)yaml",
         1, [&](const std::string& pair, const Outcome& out) {
           EXPECT_NEAR(out.value("a.vx"), 0.5, allowed_here(1000)) << pair;
           EXPECT_NEAR(out.value("b.vx"), 1, allowed_here(1000)) << pair;
           EXPECT_NEAR(out.value("b.x"), 1 - M_PI / 1000, allowed_here(1000)) << pair;
         });
}

/// Two actions that undo each other as soon as they can: the run ends, and names both.
TEST_P(EventsOf, ThatUndoEachOtherEndTheRun) {
  const Model model = model_of(R"yaml(kardan: 1
dimension: 2
parameters: {k: 1}
bodies: {a: {kind: point, mass: 1, velocity: [1, 0]}}
forces: {p: {type: force, on: a, fx: -1e5*k}}
when:
  up: {expression: a.vx, direction: falling, action: {set: {k: -1}}}
  down: {expression: a.vx, direction: rising, action: {set: {k: 1}}}
)yaml");
  for (const std::string& pair : pairs_of(*find_method(GetParam()))) {
    SimulateOptions options;
    options.t_end = 1;
    options.driver.tolerance = tolerance;
    const Outcome out = run_with(pair, model, options);
    EXPECT_FALSE(out.finished) << pair;
    if (out.report.driver.counters.steps == 0) continue;  // it does not treat this form
    EXPECT_NE(out.words.find("'up'"), std::string::npos) << pair << ": " << out.words;
    EXPECT_NE(out.words.find("'down'"), std::string::npos) << pair << ": " << out.words;
  }
}

/// A contact variable and an auxiliary variable that follow an angle, whatever the step: on another
/// branch the force would not vanish.
TEST_P(EventsOf, KeepTheBranchOfVariablesThatAreSolvedFor) {
  for (const char* kind : {"contact", "auxiliary"})
    on_all(fmt::format(R"yaml(kardan: 1
equations:
  positions: {{phi: 0, x: 0}}
  velocities: {{w: 3, v: 0}}
  {}: {{s: {{start: 0, residual: sin(s - phi)}}}}
  forces: {{v: 1 - cos(s - phi)}}
  events: {{passage: "sin(s/20) - 0.5"}}
)yaml",
                       kind),
           10, [&](const std::string& pair, const Outcome& out) {
             EXPECT_NEAR(out.value("v"), 0, allowed_here(10)) << pair << ' ' << kind;
             EXPECT_NEAR(out.value("s"), 30, allowed_here(100)) << pair << ' ' << kind;
             // s = 20 asin(0.5) = 10.47 is passed at 3.49.
             EXPECT_EQ(count(out, "passage"), 1u) << pair << ' ' << kind;
           });
}

/// Two branches that come as near as 0.002 to each other, where a straight way leads across: no
/// method changes over.
TEST_P(EventsOf, KeepTheBranchOfVariablesThatTurnSharply) {
  const double near = 1e-3;
  for (const char* kind : {"contact", "auxiliary"})
    on_all(fmt::format(R"yaml(kardan: 1
equations:
  positions: {{x: 1, y: 0}}
  velocities: {{v: -1, u: 0}}
  {}: {{s: {{start: 1, residual: "s^2 - x^2 - {}"}}}}
  forces: {{u: s}}
)yaml",
                       kind, near * near),
           2, [&](const std::string& pair, const Outcome& out) {
             // The integral of sqrt(x^2 + n^2) from -1 to 1.
             const double r = std::hypot(1, near), all = r + near * near * std::asinh(1 / near);
             EXPECT_NEAR(out.value("u"), all, allowed_here(100)) << pair << ' ' << kind;
             EXPECT_NEAR(out.value("s"), r, allowed_here(100)) << pair << ' ' << kind;
           });
}

INSTANTIATE_TEST_SUITE_P(Methods, EventsOf, testing::ValuesIn(method_names()),
                         [](const auto& of) { return test_name(of.param); });

/// What swings up to a million times within a step of the flow is enclosed, not sampled.
TEST(Flows, LeaveAContactWhereItEnds) {
  for (const char* method : {"llm", "auto"})
    for (int i = 0; i < 20; ++i) {
      const double k = std::pow(10, 4 + 0.45 * i), height = 0.5 + 0.07 * (i % 7), t_end = 0.7;
      SimulateOptions options;
      options.t_end = t_end;
      options.driver.tolerance = tolerance;
      const Outcome out = run_with(method, model_of(falling_balls({{height, k}})), options);
      ASSERT_TRUE(out.finished) << out.words;
      EXPECT_EQ(out.report.driver.events.size(), 2u) << method << ' ' << k;
      const auto [y, vy] = after_bounce(height, k, t_end);
      EXPECT_NEAR(out.value("b0.y"), y, 1e-8) << method << ' ' << k;
      EXPECT_NEAR(out.value("b0.vy"), vy, 1e-8) << method << ' ' << k;
    }
}

/// A multiplier with two roots: that nearest to its start is taken.
TEST(Multipliers, AreFoundFromTheirStart) {
  // x is held at 0; its reaction solves lambda = f with f = lambda^2 - 3 lambda + 3: 1 or 3.
  for (const double start : {0.9, 3.2}) {
    const Model model = model_of(fmt::format(R"yaml(kardan: 1
equations:
  positions: {{x: 0, y: 0}}
  velocities: {{v: 0, u: 0}}
  constraints: {{hold: {{value: x, start: {}}}}}
  forces: {{v: "hold.lambda^2 - 3*hold.lambda + 3", u: hold.lambda}}
)yaml",
                                             start));
    SimulateOptions options;
    options.t_end = 1;
    const Outcome out = run_with("radau5@strangeness_free", model, options);
    ASSERT_TRUE(out.finished) << out.words;
    EXPECT_NEAR(out.value("u"), start < 2 ? 1 : 3, 1e-5);
  }
}

}  // namespace
}  // namespace kardan::test
