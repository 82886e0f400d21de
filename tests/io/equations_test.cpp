/// Faults of the `equations:` section: all in one pass, located, with a code.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kardan/io/model_reader.h"
#include "kardan/run/prepare.h"

namespace kardan {
namespace {

Diagnostics faults(const std::string& text) {
  Diagnostics diagnostics;
  const auto model = read_model_text(text, "m.yaml", {}, diagnostics);
  if (model) (void)compile_model(*model, {}, diagnostics);
  return diagnostics;
}

/// Start of "m.yaml:LINE:COLUMN: error[CODE]" of every fault.
std::vector<std::string> heads(const std::string& text) {
  std::vector<std::string> out;
  const Diagnostics found = faults(text);
  for (const Diagnostic& d : found.all()) {
    const std::string line = format(d);
    out.push_back(line.substr(0, line.find("]:") + 1));
  }
  return out;
}

TEST(EquationsSection, TellsAllItsFaultsInOnePass) {
  EXPECT_THAT(heads(R"yaml(kardan: 1
parameters: {m: 1}
equations:
  positions: {x: 1, m: 0, t: 0, 2z: 1}
  velocities: {vx: 0, vy: oops, vz: 0, vw: 0}
  mass: {vx: m, vy: {vx: 2, vy: 1}, vz: vx, va: 3}
  forces: {vx: -sin(xx), vb: 1}
  constraints: {rod: x^2 + vx, wall: "x +* 2"}
  dynamic: {lag: {start: 0}}
  auxiliary: {w: 3}
  outputs: {x: 1}
  force: {}
)yaml"),
              testing::UnorderedElementsAre(
                  "m.yaml:4:24: error[name.duplicate]",           // m is a parameter
                  "m.yaml:4:30: error[name.reserved]",            // t
                  "m.yaml:4:37: error[name.bad]",                 // 2z
                  "m.yaml:5:27: error[expression.unknown_name]",  // oops
                  "m.yaml:6:41: error[equations.variable]",       // a mass that depends on vx
                  "m.yaml:6:49: error[key.unknown]",              // va
                  "m.yaml:7:21: error[expression.unknown_name]",  // xx
                  "m.yaml:7:30: error[key.unknown]",              // vb
                  "m.yaml:8:22: error[equations.variable]",       // a velocity in a constraint
                  "m.yaml:8:42: error[expression.syntax]",        // +*
                  "m.yaml:9:18: error[field.missing]",            // rate
                  "m.yaml:10:18: error[field.type]",              // w
                  "m.yaml:11:16: error[name.duplicate]",          // x
                  "m.yaml:12:10: error[key.unknown]"));           // force
}

TEST(EquationsSection, RefusesWhatItCannotMean) {
  using testing::ElementsAre;
  EXPECT_THAT(heads("kardan: 1\nequations: {positions: {x: 0, y: 0}, velocities: {u: 0}}\n"),
              ElementsAre("m.yaml:2:50: error[equations.kinematics]"));
  EXPECT_THAT(heads("kardan: 1\nequations: {positions: {x: 0}, nonholonomic: {a: x_rate^2}}\n"),
              ElementsAre("m.yaml:2:50: error[equations.linear]"));
  EXPECT_THAT(heads("kardan: 1\nequations: {positions: {x: 0}, kinematics: {x: x_rate + 1}}\n"),
              ElementsAre("m.yaml:2:48: error[equations.linear]"));
  EXPECT_THAT(heads("kardan: 1\ngravity: [0, 0, 1]\nequations: {positions: {x: 0}}\n"),
              ElementsAre("m.yaml:3:1: error[equations.bodies]"));
  EXPECT_THAT(heads("kardan: 1\nequations: {forces: {}}\n"),
              ElementsAre("m.yaml:2:1: error[equations.empty]"));
  EXPECT_THAT(heads("kardan: 1\nequations: {positions: {x: 0}, forces: {x_rate: 1/x}}\n"),
              ElementsAre("m.yaml:2:49: error[equations.not_finite]"));
  EXPECT_THAT(heads("kardan: 1\nequations: {positions: {x: 0, y: 0}, mass: {x_rate: {y_rate: 1}, "
                    "y_rate: {x_rate: 1}}}\n"),
              ElementsAre("m.yaml:2:83: error[equations.mass]"));
}

TEST(EquationsSection, SuggestsTheNearestName) {
  const std::string told = format(
      faults("kardan: 1\nequations: {positions: {angle: 0}, forces: {angle_rate: -sin(angel)}}\n"));
  EXPECT_THAT(told, testing::HasSubstr("did you mean 'angle'?"));
}

TEST(EquationsSection, RepeatsAndSetsParameters) {
  const std::string chain = R"yaml(kardan: 1
parameters: {N: 3, k: 2}
equations:
  positions:
    x_${i}: {repeat: {i: [1, N]}, start: "0.1*${i}"}
  definitions:
    stretch_${i}: {repeat: {i: [2, N]}, value: "x_${i} - x_${i - 1}"}
  forces:
    x_1_rate: k*stretch_2
    x_${i}_rate: {repeat: {i: [2, N - 1]}, value: "k*(stretch_${i + 1} - stretch_${i})"}
    x_${N}_rate: -k*stretch_${N}
)yaml";
  Diagnostics diagnostics;
  for (const double count : {3.0, 5.0}) {
    const ParameterValues set{{"N", count}};
    const auto model = read_model_text(chain, "m.yaml", set, diagnostics);
    ASSERT_TRUE(model) << format(diagnostics);
    const auto system = compile_model(*model, set, diagnostics);
    ASSERT_TRUE(system) << format(diagnostics);
    EXPECT_EQ(system->sizes().p, static_cast<int>(count));
    const auto ws = system->make_workspace();
    ASSERT_EQ(system->evaluate(system->start(), Request::all(), *ws), Eval::ok);
    EXPECT_NEAR(ws->f.front(), 0.2, 1e-15);
    EXPECT_NEAR(ws->f.back(), -0.2, 1e-15);
    EXPECT_NEAR(ws->f[1], 0, 1e-15);
  }
}

TEST(EquationsSection, HoldsPositionsInTheAssembly) {
  Diagnostics diagnostics;
  const auto model = read_model_text(
      "kardan: 1\nequations:\n  positions: {x: {start: 0.6, hold: exactly}, y: 0.5}\n"
      "  constraints: {circle: x^2 + y^2 - 1}\n",
      "m.yaml", {}, diagnostics);
  ASSERT_TRUE(model) << format(diagnostics);
  const Prepared prepared = prepare(*model, {}, diagnostics);
  ASSERT_TRUE(prepared.system) << format(diagnostics);
  EXPECT_NEAR(prepared.start.state.p[0], 0.6, 1e-12);
  EXPECT_NEAR(prepared.start.state.p[1], 0.8, 1e-12);
}

}  // namespace
}  // namespace kardan
