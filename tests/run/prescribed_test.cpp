/// Drivers that no motion can follow are refused, with the place in the file and the time.

#include <gtest/gtest.h>

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
