/// Drivers that no motion can follow are refused, with the place in the file and the time.

#include <gtest/gtest.h>

#include <cmath>

#include "kardan/formulation/catalog.h"
#include "kardan/run/simulate.h"
#include "support/models.h"

namespace kardan::test {
namespace {

std::string model_text(const std::string& motion) {
  return R"yaml(kardan: 1
dimension: 2
bodies: {a: {mass: 1, inertia: 1}}
joints: {p: {type: prismatic, between: [ground, a]}}
drivers:
  d: {type: driver, between: [ground, a], coordinate: x, motion: ")yaml" +
         motion + "\"}\n";
}

/// What the run from 0 to 2 s is refused with; empty: it finishes.
std::string refusal(const std::string& motion, const std::string& method = "rn4") {
  Diagnostics diagnostics;
  Prepared p = prepare(model_of(model_text(motion)), {}, diagnostics);
  SimulateOptions options;
  options.method = method;
  options.t_end = 2;
  const RunReport report = simulate(p, options, Watchers{}, diagnostics);
  if (diagnostics.has_errors()) return format(diagnostics);
  return report.driver.reason == Reason::finished ? "" : report.driver.message;
}

TEST(Prescribed, KinksAreRefusedWithTheirTimeAndPlace) {
  for (const char* motion : {"abs(t - 1.25)", "t < 1.25 ? 0 : 1", "min(t, 1.25)", "floor(t/1.25)",
                             "max(0, t - 1.25)^2", "0.1*t + mod(t, 1.25)"}) {
    const std::string text = refusal(motion);
    EXPECT_NE(text.find("function.kink"), std::string::npos) << motion << ": " << text;
    EXPECT_NE(text.find("t = 1.25"), std::string::npos) << motion << ": " << text;
    EXPECT_NE(text.find("model.yaml:6:67"), std::string::npos) << motion << ": " << text;
  }
}

TEST(Prescribed, KinksThatCancelOrLieOutsideAreNone) {
  for (const char* motion :
       {"abs(t - 2.25)", "abs(t + 1)", "max(0, t - 1.25)^3", "sin(mod(t, tau))",
        "t < 1 ? t^3 : 1 + 3*(t - 1) + 3*(t - 1)^2 + (t - 1)^3"})
    EXPECT_EQ(refusal(motion), "") << motion;
}

TEST(Prescribed, KinksAreRefusedByEveryMethod) {
  for (const Method& method : methods())
    EXPECT_NE(refusal("abs(t - 1)", std::string(method.name)), "") << method.name;
}

// ---- written equations

/// A mass in the plane whose x follows `motion`, `kind` the key it stands under. Its y is free.
std::string written(const std::string& kind, const std::string& row) {
  return R"yaml(kardan: 1
parameters: {a: 1.25}
equations:
  positions: {x: 0.3, y: 0.2}
  velocities: {u: 0, v: 0}
  forces: {v: -y}
  definitions: {late: t - a}
  )yaml" +
         kind + ":\n    drive: \"" + row + "\"\n";
}

std::string written_refusal(const std::string& kind, const std::string& row,
                            const std::string& method = "rn4") {
  Diagnostics diagnostics;
  Prepared p = prepare(model_of(written(kind, row)), {}, diagnostics);
  SimulateOptions options;
  options.method = method;
  options.t_end = 2;
  const RunReport report = simulate(p, options, Watchers{}, diagnostics);
  if (diagnostics.has_errors()) return format(diagnostics);
  return report.driver.reason == Reason::finished ? "" : report.driver.message;
}

TEST(Prescribed, KinksOfWrittenConstraintsAreRefusedWithTheirTimeAndPlace) {
  for (const char* motion : {"x - abs(t - 1.25)", "x - (t < 1.25 ? 0 : 1)", "x - min(t, a)",
                             "x - floor(t/1.25)", "x - max(0, t - 1.25)^2", "x - abs(late)",
                             "x - 0.3*y*abs(late) - sin(x)/3", "x^2 + y^2 - 1 - 0.1*abs(late)",
                             // A kink of the place comes before that of time.
                             "x - abs(x - 0.5*t) - abs(late)", "sqrt(4 - x^2) - max(late, 0)"}) {
    const std::string text = written_refusal("constraints", motion);
    EXPECT_NE(text.find("function.kink"), std::string::npos) << motion << ": " << text;
    EXPECT_NE(text.find("equations.constraints.drive: at t = 1.25 "), std::string::npos) << text;
    EXPECT_NE(text.find("model.yaml:9:13"), std::string::npos) << motion << ": " << text;
  }
}

TEST(Prescribed, SmoothWrittenConstraintsAreNotRefused) {
  for (const char* motion :
       {"x - 0.3*cos(t)", "x - abs(t - 2.25)", "x - 0.3 - max(0, late)^3",
        "x - 0.3 - 0.1*step(t, 1, 0, 1.5, 1)", "x - 0.3 - 0.1*sin(mod(t, tau))",
        // On the side of the kink where it stays.
        "max(x, -t - 5) - 0.3", "sqrt(1 + x^2 - 0.09) - 1 - 0.1*sin(t)^2"})
    EXPECT_EQ(written_refusal("constraints", motion), "") << motion;
}

TEST(Prescribed, JumpsOfWrittenVelocitiesAreRefusedButNotTheirKinks) {
  for (const char* motion : {"u - (t < 1.25 ? 0 : 1)", "u*(1 + y^2) - floor(t/a)"}) {
    const std::string text = written_refusal("nonholonomic", motion);
    EXPECT_NE(text.find("equations.nonholonomic.drive: at t = 1.25 the velocity jumps"),
              std::string::npos)
        << motion << ": " << text;
  }
  for (const char* motion : {"u - abs(late) + a", "u - max(0, late)", "u - sin(t)"})
    EXPECT_EQ(written_refusal("nonholonomic", motion), "") << motion;
}

TEST(Prescribed, KinksOfWrittenConstraintsAreRefusedByEveryMethod) {
  for (const Method& method : methods())
    EXPECT_NE(written_refusal("constraints", "x - 0.3 - abs(t - 1) + 1", std::string(method.name)),
              "")
        << method.name;
}

/// A pulse on a prescribed velocity, a hundred thousandth of the run long, moves by its area.
TEST(Prescribed, NoPulseOfAWrittenVelocityIsPassedOver) {
  for (const char* method : {"rn4", "radau5", "dop853", "auto", "hem5", "bdf"}) {
    Diagnostics diagnostics;
    Prepared p = prepare(model_of(written("nonholonomic", "u - 1e4*exp(-((t - 1)/1e-5)^2)")), {},
                         diagnostics);
    SimulateOptions options;
    options.method = method;
    options.t_end = 2;
    options.driver.tolerance = 1e-6;
    const RunReport report = simulate(p, options, Watchers{}, diagnostics);
    if (diagnostics.has_errors() || report.driver.reason != Reason::finished) {
      ADD_FAILURE() << method << ": " << format(diagnostics) << report.driver.message;
      continue;
    }
    EXPECT_NEAR(value_of(*p.system, p.start.state, "x"), 0.3 + 0.1 * std::sqrt(M_PI), 1e-4)
        << method;
  }
}

/// Two drivers that agree but for a while in the middle.
TEST(Prescribed, DriversThatContradictEachOtherForAWhileAreFoundByEveryPair) {
  const Model model = model_of(R"yaml(kardan: 1
dimension: 2
bodies:
  a: {mass: 1, inertia: 1}
  b: {kind: point, mass: 1, position: [0, -1]}
joints:
  p: {type: prismatic, between: [ground, a]}
  r: {type: distance, between: [a, b]}
drivers:
  d: {type: driver, between: [ground, a], coordinate: x, motion: 0.1*t}
  e: {type: driver, between: [ground, a], coordinate: x, motion: "0.1*t + 0.01*step(t, 5, 0, 5.1, 1) - 0.01*step(t, 5.3, 0, 5.4, 1)"}
gravity: [0, -9.81]
)yaml");
  for (const Method& method : methods())
    for (const Formulation& formulation : formulations()) {
      if (formulation.problem != method.problem) continue;
      Diagnostics diagnostics;
      Prepared p = prepare(model, {}, diagnostics);
      SimulateOptions options;
      options.method = std::string(method.name) + "@" + std::string(formulation.name);
      options.t_end = 10;
      options.driver.tolerance = 1e-4;
      const RunReport report = simulate(p, options, Watchers{}, diagnostics);
      EXPECT_TRUE(diagnostics.has_errors() || report.driver.reason != Reason::finished)
          << options.method << " has not seen that two drivers contradict each other";
      if (report.driver.reason == Reason::step_too_small) {
        EXPECT_NEAR(report.driver.t, 5, 0.02) << options.method;
      }
    }
}

}  // namespace
}  // namespace kardan::test
