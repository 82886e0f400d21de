/// All faults of a file in one pass, wherever they are found.

#include <fstream>
#include <sstream>

#include "io/reading.h"
#include "kardan/io/load.h"
#include "kardan/model/resolve.h"
#include "kardan/run/prepare.h"
#include "support/places.h"

namespace kardan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

std::vector<std::string> told(const Diagnostics& diagnostics, Severity severity) {
  std::vector<std::string> out;
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity == severity)
      out.push_back(std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + " " +
                    d.code);
  return out;
}

Diagnostics faults_in(const std::string& text) {
  Diagnostics diagnostics;
  (void)load_model_text("kardan: 1\n" + text, "m.yaml", {}, IncludeFrom::model_folder, diagnostics);
  return diagnostics;
}

std::string only_fault(const std::string& text) {
  return only(faults_in(text));
}

TEST(Faults, OfAFileAreToldInOnePassEachWhereItStands) {
  Diagnostics diagnostics;
  EXPECT_FALSE(
      load_model(test_data() + "/twelve_faults.yaml", {}, IncludeFrom::model_folder, diagnostics));
  EXPECT_THAT(told(diagnostics, Severity::error),
              UnorderedElementsAre(
                  "3:1 key.unknown", "6:9 parameter.cycle", "11:55 expression.unknown_name",
                  "12:15 field.range", "13:3 yaml.duplicate_key", "14:29 body.inertia",
                  "15:55 unit.dimension", "17:17 element.type", "18:41 body.unknown",
                  "23:13 function.kink", "25:5 wish.unknown_name", "27:25 expression.unknown_name",
                  "28:11 output.unknown", "29:30 method.unknown"))
      << format(diagnostics);
  EXPECT_THAT(told(diagnostics, Severity::warning), ElementsAre("8:3 parameter.unused"));
  for (const Diagnostic& d : diagnostics.all()) {
    EXPECT_FALSE(d.message.empty());
    EXPECT_THAT(d.where.file, HasSubstr("twelve_faults.yaml"));
  }
}

TEST(Faults, WhatFollowsFromAnotherIsNotTold) {
  // The sensor and the wish miss a joint and a sensor that are there, but faulty.
  EXPECT_EQ(only_fault("bodies: {rod: {mass: 1}}\n"
                       "joints: {pin: {type: revolut, between: [ground, rod]}}\n"
                       "sensors: {s: {type: reaction, joint: pin}}\n"),
            "3:22 element.type");
  EXPECT_EQ(only_fault("bodies: {rod: {mass: 1}}\n"
                       "sensors: {s: {type: coordinat, between: [ground, rod]}}\n"
                       "assemble: [{want: s, equals: 1}]\noutputs: [s.rate]\n"),
            "3:21 element.type");
  EXPECT_EQ(only_fault("parameters: {a: 2*(3}\nbodies: {rod: {mass: a}}\n"),
            "2:21 expression.syntax");
}

TEST(Units, ThatDoNotFitTheFieldAreRefused) {
  EXPECT_EQ(only_fault("bodies: {rod: {mass: {value: 3, unit: m}}}\n"), "2:39 unit.dimension");
  EXPECT_EQ(only_fault("bodies: {rod: {mass: {value: 3, unit: lb}}}\n"), "2:39 unit.unknown");
  EXPECT_EQ(only_fault("parameters: {L: {value: 3, unit: m}}\nbodies: {rod: {mass: L}}\n"),
            "3:22 unit.dimension");
  EXPECT_EQ(only_fault("parameters: {L: {value: 3, unit: m}, M: {value: 3, unit: kg}}\n"
                       "bodies: {rod: {mass: M + L}}\n"),
            "3:22 unit.dimension");
  EXPECT_EQ(only_fault("parameters: {L: {value: 3, unit: m}}\nbodies: {rod: {mass: sin(L)}}\n"),
            "3:22 unit.dimension");
  // A length given as a table of masses.
  EXPECT_EQ(only_fault("bodies: {rod: {mass: 1, inertia: [1, 1, 1]}}\n"
                       "joints: {m: {type: driver, coordinate: x, between: [ground, rod], motion: "
                       "{points: [[0, 0], [1, 1]], unit: kg}}}\n"),
            "3:108 unit.dimension");
  EXPECT_EQ(only_fault("functions: {load: {type: step, begin: 0, end: 1, unit: N}}\n"
                       "bodies: {rod: {mass: 1, inertia: [1, 1, 1]}}\n"
                       "forces: {f: {type: torque, on: rod, tz: load(t)}}\n"),
            "4:41 unit.dimension");
}

TEST(Units, ThatFitOrCannotBeKnownAreAccepted) {
  EXPECT_TRUE(
      faults_in(
          "parameters: {L: {value: 3, unit: m}, rho: {value: 7, unit: kg/m}}\n"
          "gravity: {value: [0, 0, -9.81], unit: m/s^2}\n"
          "bodies: {rod: {mass: rho*L, inertia: [1, 1, 1], position: [L/2, 0, sqrt(L^2)]},\n"
          "         cube: {mass: 2*L, inertia: [1, 1, 1], com: [\"max(L, 0.1)\", -L, L + 1]}}\n")
          .empty())
      << "2*L may be a mass: the 2 has no declared unit";
}

TEST(Parameters, ThatNothingUsesAreWarnedOf) {
  const Diagnostics d = faults_in(
      "parameters: {a: 1, b: a, c: 3, N: 2}\n"
      "bodies: {\"r_${i}\": {repeat: {i: [1, N]}, kind: point, mass: \"${c}\"}}\n");
  EXPECT_EQ(only(d), "2:20 parameter.unused");
  EXPECT_FALSE(d.has_errors());
}

/// The system that was compiled to find faults is the one that runs.
TEST(Loading, CompilesOnce) {
  for (const char* start : {"assembled", "equilibrium"}) {
    Diagnostics diagnostics;
    auto loaded = load_model_text(
        std::string("kardan: 1\nstart: ") + start +
            "\ngravity: [0, -10, 0]\n"
            "bodies: {a: {kind: point, mass: 2, position: [0, -1, 0]}}\n"
            "forces: {s: {type: spring_damper, between: [ground, a], stiffness: 20}}\n",
        "m.yaml", {}, IncludeFrom::model_folder, diagnostics, {}, "called");
    ASSERT_TRUE(loaded) << format(diagnostics);
    const System* const compiled = loaded->system.get();
    ASSERT_TRUE(compiled);
    EXPECT_EQ(compiled->blueprint().name, "called");
    const Prepared prepared = prepare(loaded->model, {}, std::move(loaded->system), diagnostics);
    EXPECT_EQ(prepared.system.get(), compiled) << start;
  }
}

TEST(Defaults, FillFieldsThatAreNotGiven) {
  Diagnostics diagnostics;
  const auto loaded = load_model_text(
      "kardan: 1\n"
      "defaults: {bodies: {mass: 3, inertia: [1, 1, 1]}, spring_damper: {stiffness: 7}}\n"
      "bodies: {a: {}, b: {mass: 5, position: [1, 0, 0]}}\n"
      "forces: {s: {type: spring_damper, between: [a, b], damping: 2}}\n",
      "m.yaml", {}, IncludeFrom::model_folder, diagnostics);
  ASSERT_TRUE(loaded) << format(diagnostics);
  const Blueprint b = resolve(loaded->model, Catalog::builtin(), {}, diagnostics);
  EXPECT_EQ(b.bodies[1].mass, 3);
  EXPECT_EQ(b.bodies[2].mass, 5);
  EXPECT_EQ(b.bodies[2].inertia[0][0], 1);
  EXPECT_TRUE(std::any_of(b.elements[0].fields.begin(), b.elements[0].fields.end(),
                          [](const auto& f) { return f.first == "stiffness"; }));
}

TEST(Defaults, AreCheckedOnce) {
  const std::string bodies = "bodies: {a: {}, b: {}, c: {}}\n";
  EXPECT_EQ(only_fault("defaults: {bodies: {mass: -1}}\n" + bodies), "2:27 field.range");
  EXPECT_EQ(only_fault("defaults: {bodies: {mas: 1}}\n" + bodies), "2:26 key.unknown");
  EXPECT_EQ(only_fault("defaults: {body: {mass: 1}}\n" + bodies), "2:18 defaults.unknown");
  EXPECT_EQ(only_fault("defaults: {gear: {radius_1: 1}}\n" + bodies), "2:18 defaults.unused");
  EXPECT_EQ(only_fault("defaults: {bodies: 3}\n" + bodies), "2:20 field.type");
}

TEST(Functions, AreChecked) {
  const std::string body = "bodies: {rod: {mass: 1, inertia: [1, 1, 1]}}\n";
  const auto driven = [&](const std::string& functions, const std::string& motion) {
    return only_fault("functions: " + functions + "\n" + body +
                      "drivers: {m: {type: driver, between: [ground, rod], motion: " + motion +
                      "}}\n");
  };
  EXPECT_EQ(driven("{f: {type: ramp, begin: 0, end: 1}}", "2*f(t)"), "4:61 function.kink");
  EXPECT_EQ(driven("{f: {type: step, begin: 0, end: 1}}", "f"), "4:61 expression.unknown_name");
  EXPECT_EQ(driven("{f: {type: step, begin: 1, end: 1}}", "0"), "2:16 function.interval");
  EXPECT_EQ(driven("{f: {type: stepp, begin: 1, end: 1}}", "0"), "2:23 field.choice");
  EXPECT_EQ(driven("{f: {type: step, begin: 1, fin: 1, end: 2}}", "0"), "2:44 key.unknown");
  EXPECT_EQ(driven("{sin: 2*t}", "0"), "2:18 function.name");
  EXPECT_EQ(driven("{f: x + 1}", "f(t)"), "2:16 expression.unknown_name");
  EXPECT_EQ(driven("{f: g(t), g: 1}", "f(t)"), "2:16 expression.syntax")
      << "a function may call those before it";
  EXPECT_TRUE(faults_in("functions: {f: {points: [[0, 0], [1, 2], [2, 0]], interpolation: cubic}, "
                        "g: f(t)^2}\n" +
                        body +
                        "drivers: {m: {type: driver, between: [ground, rod], motion: g(t)}}\n")
                  .empty());
}

TEST(Functions, ChainsEnd) {
  std::string text = "functions:\n  f0: t\n";
  for (int i = 1; i <= 60; ++i)
    text += "  f" + std::to_string(i) + ": f" + std::to_string(i - 1) + "(t)\n";
  const Diagnostics d = faults_in(text + "bodies: {rod: {mass: 1}}\n");
  ASSERT_TRUE(d.has_errors());
  EXPECT_EQ(d.all()[0].code, "function.depth");
  EXPECT_EQ(d.all()[0].where.line, 53);
}

TEST(Drawing, ColorsAndShapesAreNamedAndChecked) {
  Diagnostics diagnostics;
  const auto loaded = load_model_text(
      "kardan: 1\n"
      "colors: {mine: [1, 0.5, 0], dark: \"#1A2b3c\"}\n"
      "shapes: {wheel: {shape: cylinder, radius: 0.3, length: 0.1, color: mine}}\n"
      "ground: {shapes: [{shape: box, size: [1, 1, 1], color: gray}]}\n"
      "bodies: {axle: {density: 1000, color: dark,\n"
      "  shapes: [wheel, {use: wheel, at: [0, 0, 1], color: red}, {shape: sphere, radius: 1}]}}\n",
      "m.yaml", {}, IncludeFrom::model_folder, diagnostics);
  ASSERT_TRUE(loaded) << format(diagnostics);
  const Blueprint b = resolve(loaded->model, Catalog::builtin(), {}, diagnostics);
  EXPECT_EQ(b.bodies[0].shapes[0].color, "#808080");
  ASSERT_EQ(b.bodies[1].shapes.size(), 3u);
  EXPECT_EQ(b.bodies[1].color, "#1a2b3c");
  EXPECT_EQ(b.bodies[1].shapes[0].color, "#ff8000");
  EXPECT_EQ(b.bodies[1].shapes[1].color, "#ff0000");
  EXPECT_EQ(b.bodies[1].shapes[1].at.z, 1);
  EXPECT_EQ(b.bodies[1].shapes[1].size.x, 0.3);
  EXPECT_EQ(b.bodies[1].shapes[2].color, "#1a2b3c") << "the body's";
  EXPECT_EQ(only_fault("bodies: {a: {mass: 1, color: blu}}\n"), "2:30 color.unknown");
  EXPECT_EQ(only_fault("bodies: {a: {mass: 1, color: [2, 0, 0]}}\n"), "2:31 field.range");
  EXPECT_EQ(only_fault("bodies: {a: {mass: 1, shapes: [weel]}}\n"), "2:32 shape.unknown");
  EXPECT_EQ(only_fault("shapes: {s: {shape: box}}\nbodies: {a: {mass: 1}}\n"), "2:13 shape.size");
}

TEST(Observation, EventsInvariantsAndOutputsAreChecked) {
  const std::string body = "bodies: {rod: {mass: 1, inertia: [1, 1, 1]}}\n";
  EXPECT_EQ(only_fault(body + "when: {e: {expression: rod.q}}\n"), "3:24 expression.unknown_name");
  EXPECT_EQ(only_fault(body + "when: {e: {expression: 2*3}}\n"), "3:24 event.constant");
  EXPECT_EQ(only_fault(body + "when: {e: {direction: rising}}\n"), "3:8 field.missing");
  EXPECT_EQ(only_fault(body + "when: {e: {expression: rod.z, direction: up}}\n"),
            "3:42 field.choice");
  EXPECT_EQ(only_fault(body + "when: {e: {expression: rod.z, action: {jump: {a: 1}}}}\n"),
            "3:39 event.action");
  EXPECT_EQ(only_fault(body + "when: {e: {expression: rod.z, action: {set: {a: 1}}}}\n"),
            "3:49 event.set");
  EXPECT_EQ(
      only_fault(body + "when: {e: {expression: rod.z, action: {impulse: {restitution: 2}}}}\n"),
      "3:63 field.range");
  EXPECT_EQ(
      only_fault(body + "when: {e: {expression: rod.vz, action: {impulse: {restitution: 1}}}}\n"),
      "3:24 event.impulse");
  EXPECT_EQ(only_fault(body + "when: {rod: {expression: rod.z}}\n"), "3:8 name.duplicate");
  EXPECT_EQ(only_fault(body + "invariants: [energy, energy]\n"), "3:22 invariant.twice");
  EXPECT_EQ(only_fault(body + "invariants: [rod.vq]\n"), "3:14 expression.unknown_name");
  EXPECT_EQ(only_fault(body + "invariants: [3]\n"), "3:14 field.type");
  EXPECT_EQ(only_fault(body + "outputs: [rod.xx]\n"), "3:11 output.unknown");
  EXPECT_EQ(only_fault(body + "outputs: [[rod.x]]\n"), "3:11 field.type");
  EXPECT_TRUE(faults_in(body + "when: {e: {expression: rod.z - 1, action: stop}}\n"
                               "invariants: [energy, momentum, angular_momentum, 2*rod.vx]\n"
                               "outputs: [\"rod.v*\", energy.kinetic]\n")
                  .empty());
}

TEST(Simulate, OptionsAreCheckedWhereTheyStand) {
  const std::string body = "bodies: {rod: {mass: 1, inertia: [1, 1, 1]}}\n";
  EXPECT_EQ(only_fault(body + "simulate: {t_ende: 3}\n"), "3:20 key.unknown");
  EXPECT_EQ(only_fault(body + "simulate: {t_end: -3}\n"), "3:19 field.range");
  EXPECT_EQ(only_fault(body + "simulate: {options: {safty: 0.9}}\n"), "3:29 option.unknown");
  EXPECT_EQ(only_fault(body + "simulate: {options: {safety: 9}}\n"), "3:30 field.range");
  EXPECT_EQ(only_fault(body + "simulate: {method: newmark, options: {gamma: fast}}\n"),
            "3:46 option.value");
  EXPECT_EQ(only_fault(body + "simulate: {method: rn4, formulation: index9}\n"),
            "3:38 formulation.unknown");
  // 'auto' chooses both.
  EXPECT_EQ(only_fault(body + "simulate: {formulation: index_1}\n"), "3:25 method.formulation");
  EXPECT_EQ(only_fault(body + "simulate: {options: 3}\n"), "3:21 field.type");
  EXPECT_TRUE(faults_in(body +
                        "simulate: {t_end: 3, method: newmark, tolerance: 1e-3, every: 0.1,\n"
                        "  options: {safety: 0.9, gamma: 0.6}, tolerance_of: {rod: 1e-2}}\n")
                  .empty());
}

}  // namespace
}  // namespace kardan
