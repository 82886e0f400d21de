/// Parameters that are vectors, and those that `repeat` makes.

#include "io/reading.h"
#include "kardan/io/load.h"
#include "kardan/io/yaml_writer.h"
#include "kardan/model/resolve.h"

namespace kardan {
namespace {

struct Loaded {
  std::optional<LoadedModel> model;
  Diagnostics diagnostics;
  Blueprint blueprint;
};

Loaded load(const std::string& text, const ParameterValues& overrides = {}) {
  Loaded out;
  out.model = load_model_text("kardan: 1\n" + text, "m.yaml", overrides, IncludeFrom::model_folder,
                              out.diagnostics);
  if (out.model)
    out.blueprint = resolve(out.model->model, Catalog::builtin(), overrides, out.diagnostics);
  return out;
}

const std::string arm =
    "parameters: {hub: [1, 2*d, 3], d: 4, J: {value: [2, 2, 3], unit: g m^2}}\n"
    "bodies:\n"
    "  arm: {mass: 1, inertia: J, position: hub, markers: {a: {at: [hub.z, 0, -hub.x]}}}\n"
    "joints: {ball: {type: spherical, bodies: [ground, arm], at: hub}}\n";

TEST(Vectors, AreReadByTheirNameAndByComponent) {
  const Loaded got = load(arm);
  ASSERT_TRUE(got.model) << format(got.diagnostics);
  EXPECT_TRUE(got.diagnostics.empty()) << format(got.diagnostics);
  const BodyData& body = got.blueprint.bodies[1];
  EXPECT_EQ(body.position.y, 8);
  EXPECT_EQ(body.markers.at("a").s.x, 3);
  EXPECT_EQ(body.markers.at("a").s.z, -1);
  EXPECT_EQ(body.inertia[1][1], 0.002);
}

TEST(Vectors, ComponentsAreReplacedAndWrittenAnew) {
  const ParameterValues overrides{{"hub.y", 7}};
  const Loaded got = load(arm, overrides);
  ASSERT_TRUE(got.model) << format(got.diagnostics);
  EXPECT_EQ(got.blueprint.bodies[1].position.y, 7);
  for (YamlNode tree : {to_tree(got.model->model), got.model->document.root}) {
    EXPECT_TRUE(set_parameter(tree, "hub.y", 7));
    EXPECT_TRUE(set_parameter(tree, "J.y", 0.004));
    const Reading again = read(to_yaml(tree));
    ASSERT_TRUE(again.model) << to_yaml(tree) << format(again.diagnostics);
    Diagnostics none;
    const Blueprint b = resolve(*again.model, Catalog::builtin(), {}, none);
    EXPECT_TRUE(none.empty()) << format(none);
    EXPECT_EQ(b.bodies[1].position.y, 7);
    EXPECT_EQ(b.bodies[1].inertia[0][0], 0.002);
    EXPECT_EQ(b.bodies[1].inertia[1][1], 0.004);
  }
}

TEST(Vectors, MisusedAreToldWhereTheyStand) {
  const std::string bodies = "bodies: {arm: {mass: 1, inertia: [1, 1, 1]}}\n";
  EXPECT_EQ(only(load("parameters: {h: [1, 2, 3, 4]}\n" + bodies + "gravity: [h.x, h.y, h.z]\n")
                     .diagnostics),
            "2:17 field.type");
  EXPECT_EQ(only(load("parameters: {arm: [1, 2, 3]}\ngravity: arm\n" + bodies).diagnostics),
            "4:10 name.duplicate")
      << "arm.x would be two things";
  EXPECT_TRUE(
      has(load("parameters: {h: [1, 2, 3]}\nbodies: {arm: {mass: h, inertia: h}}\n").diagnostics,
          "3:22 expression.unknown_name"));
  EXPECT_TRUE(
      has(load("parameters: {h: {value: [1, 2, 3], unit: kg}}\ngravity: h\n" + bodies).diagnostics,
          "3:10 unit.dimension"));
}

TEST(RepeatedParameters, AreMadeForEveryIndex) {
  const Loaded got = load(
      "parameters:\n"
      "  N: 3\n"
      "  r: 2\n"
      "  x_${i}: {repeat: {i: [1, N]}, value: \"r*cos(${i}*tau/3) + shift\"}\n"
      "  L_${i}_${j}: {repeat: {i: [0, 1], j: [0, 1]}, value: \"${10*i + j}\", unit: mm}\n"
      "  shift: x_sum - x_sum\n"
      "  x_sum: L_1_1\n"
      "bodies: {\"b_${i}\": {repeat: {i: [1, N]}, kind: point, mass: 1, "
      "position: [\"x_${i}\", L_1_0, L_0_1]}}\n");
  ASSERT_TRUE(got.model) << format(got.diagnostics);
  EXPECT_TRUE(got.diagnostics.empty()) << format(got.diagnostics);
  EXPECT_NEAR(got.blueprint.bodies[1].position.x, -1, 1e-15);
  EXPECT_EQ(got.blueprint.bodies[3].position.x, 2);
  EXPECT_EQ(got.blueprint.bodies[2].position.y, 0.01);
  EXPECT_EQ(*got.blueprint.parameters.find("L_1_1"), 0.011);
}

TEST(RepeatedParameters, AreReplacedOneByOne) {
  const std::string text =
      "parameters: {\"m_${i}\": {repeat: {i: [1, 2]}, value: 3}}\n"
      "bodies: {\"b_${i}\": {repeat: {i: [1, 2]}, kind: point, mass: \"m_${i}\", "
      "position: [\"${i}\", 0, 0]}}\n";
  const Loaded got = load(text, {{"m_2", 5}});
  ASSERT_TRUE(got.model) << format(got.diagnostics);
  EXPECT_EQ(got.blueprint.bodies[1].mass, 3);
  EXPECT_EQ(got.blueprint.bodies[2].mass, 5);
  YamlNode whole = to_tree(got.model->model), as_written = got.model->document.root;
  EXPECT_TRUE(set_parameter(whole, "m_2", 5));
  EXPECT_FALSE(set_parameter(as_written, "m_2", 5)) << "it stands for several";
}

TEST(RepeatedParameters, MisusedAreToldWhereTheyStand) {
  const std::string bodies = "bodies: {a: {kind: point, mass: m_1}}\n";
  EXPECT_TRUE(has(load("parameters: {m: {repeat: {i: [1, 2]}, value: 3}}\n" + bodies).diagnostics,
                  "2:14 repeat.key"));
  EXPECT_TRUE(
      has(load("parameters: {\"m_${i}\": {repeat: {i: [1, M]}, value: 3}}\n" + bodies).diagnostics,
          "2:41 expression.unknown_name"));
  EXPECT_EQ(
      only(load("parameters: {m_1: 2, \"m_${i}\": {repeat: {i: [1, 1]}, value: 3}}\n" + bodies)
               .diagnostics),
      "2:23 name.duplicate");
}

TEST(Placement, ByAJointIsThatOfTheJoint) {
  const std::string bodies =
      "bodies:\n"
      "  waist: {mass: 2, inertia: [1, 2, 3], position: [0, 0, 1]}\n"
      "  upper: {mass: 1, inertia: [1, 1, 1], position: [0.2, 0.1, 2], rotation: [0.3, 0, 1]}\n";
  const std::string joint =
      "joints: {j: {type: revolute, bodies: [waist, upper], at: [0.2, 0, 1.5], axis: [0, 1, 1]}}\n";
  const Loaded by_joint =
      load(bodies + joint +
           "forces: {m: {type: controller, joint: j, kp: 10, reference: sin(t)},\n"
           "         d: {type: rotational_spring_damper, joint: j, damping: 3}}\n"
           "sensors: {a: {type: coordinate, joint: j}}\n");
  const std::string place = "bodies: [waist, upper], at: [0.2, 0, 1.5], axis: [0, 1, 1]";
  const Loaded written =
      load(bodies + joint + "forces: {m: {type: controller, " + place +
           ", kp: 10, reference: sin(t)},\n         d: {type: rotational_spring_damper, " + place +
           ", damping: 3}}\nsensors: {a: {type: coordinate, " + place + "}}\n");
  ASSERT_TRUE(by_joint.model) << format(by_joint.diagnostics);
  ASSERT_TRUE(written.model) << format(written.diagnostics);
  ASSERT_EQ(by_joint.blueprint.elements.size(), 4u);
  for (std::size_t e = 0; e < 4; ++e)
    for (std::size_t f = 0; f < 2; ++f) {
      const FrameData& a = by_joint.blueprint.elements[e].frames[f];
      const FrameData& b = written.blueprint.elements[e].frames[f];
      EXPECT_EQ(a.body, b.body);
      EXPECT_EQ(norm(a.s - b.s), 0);
      for (int k = 0; k < 3; ++k) EXPECT_EQ(norm(a.R.column(k) - b.R.column(k)), 0);
    }
}

TEST(Placement, ByWhatIsNoJointIsRefused) {
  const std::string head =
      "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {pin: {type: revolute, between: [ground, a]}}\n";
  const auto fault = [&](const std::string& rest) {
    return only(load(head + "drivers: {m: {type: driver, " + rest + ", motion: t}}\n").diagnostics);
  };
  EXPECT_EQ(fault("joint: pin"), "not one but:\n");
  EXPECT_EQ(fault("joint: pim"), "4:36 joint.unknown");
  EXPECT_EQ(fault("joint: a"), "4:36 joint.unknown");
  EXPECT_EQ(fault("joint: m"), "4:36 joint.unknown");
  EXPECT_EQ(fault("joint: pin, between: [ground, a]"), "4:36 element.frames");
}

}  // namespace
}  // namespace kardan
