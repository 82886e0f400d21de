#include "kardan/io/parts.h"

#include <filesystem>
#include <fstream>

#include "io/reading.h"
#include "kardan/io/load.h"
#include "kardan/model/resolve.h"
#include "support/places.h"

namespace kardan {
namespace {

using ::testing::HasSubstr;

/// Files of one test in a folder of their own.
class Parts : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("kardan_parts_" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  std::optional<LoadedModel> load(const std::string& text) {
    write("model.yaml", text);
    return load_model((folder_ / "model.yaml").string(), {}, IncludeFrom::model_folder, told_);
  }
  /// "file:line:column code" of the faults.
  std::string told() const {
    std::string out;
    for (const Diagnostic& d : told_.all())
      out += std::filesystem::path(d.where.file.str()).filename().string() + ":" +
             std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + " " + d.code +
             "\n";
    return out;
  }

  std::filesystem::path folder_;
  Diagnostics told_;
};

const ElementData& element(const Blueprint& b, const std::string& name) {
  static const ElementData none;
  for (const ElementData& e : b.elements)
    if (e.name == name) return e;
  ADD_FAILURE() << "no element " << name;
  return none;
}

const std::string a_part = R"(kardan: 1
ports: [hull]
parameters: {length: 1, mass: 2, spare: {value: 5, unit: mm}}
bodies:
  rod:
    mass: mass
    inertia: [0.2, 0.3, 0.4, 0.01, 0.02, 0.03]
    position: [length/2, 0.3, spare]
    markers: {tip: {at: [length, 0.1, 0]}}
joints:
  hinge: {type: revolute, bodies: [hull, rod], at: [0, 0.3, 0], axis: [1, 2, 3]}
sensors:
  tip: {type: point, between: [ground, rod.tip]}
)";

TEST_F(Parts, HaveNamesBehindTheirOwnAndValuesFromTheirUse) {
  write("arm.yaml", a_part);
  const auto model = load(R"(kardan: 1
parameters: {reach: 3}
bodies: {base: {mass: 1, inertia: [1, 1, 1]}}
parts:
  left: {file: arm.yaml, at: [0, 0, 5], with: {hull: base, length: 2*reach}}
  right: {file: arm.yaml, with: {hull: base, mass: 7}}
sensors:
  height: {type: expression, value: left.rod.z + left.tip.z}
)");
  ASSERT_TRUE(model) << format(told_);
  const Blueprint b = resolve(model->model, Catalog::builtin(), {}, told_);
  EXPECT_TRUE(told_.empty()) << format(told_);
  ASSERT_EQ(b.bodies.size(), 4u);
  EXPECT_EQ(b.bodies[2].name, "left.rod");
  EXPECT_EQ(b.bodies[2].position.x, 3);
  EXPECT_EQ(b.bodies[2].position.z, 5.005);
  EXPECT_EQ(b.bodies[2].mass, 2);
  EXPECT_EQ(b.bodies[3].mass, 7);
  EXPECT_EQ(element(b, "left.hinge").frames[0].s.z, 5) << "in the frame of the hull";
  EXPECT_EQ(*b.parameters.find("left.length"), 6);
}

/// S J S, S p and the like: everything that a mirror y does to the geometry of one body.
TEST_F(Parts, AreMirroredWithTheirInertiaPlacesAndAxes) {
  write("arm.yaml", a_part);
  const auto model = load(R"(kardan: 1
bodies: {base: {mass: 1, inertia: [1, 1, 1]}}
parts:
  left: {file: arm.yaml, with: {hull: base}}
  right: {file: arm.yaml, with: {hull: base}, mirror: y}
)");
  ASSERT_TRUE(model) << format(told_);
  const Blueprint b = resolve(model->model, Catalog::builtin(), {}, told_);
  const BodyData &left = b.bodies[2], &right = b.bodies[3];
  EXPECT_EQ(right.position.y, -left.position.y);
  EXPECT_EQ(right.inertia[0][1], -left.inertia[0][1]);
  EXPECT_EQ(right.inertia[0][2], left.inertia[0][2]);
  EXPECT_EQ(right.markers.at("tip").s.y, -left.markers.at("tip").s.y);
  // The axis of a hinge is that of a rotation: its part along the mirror's normal stays.
  const Vec3d z = element(b, "left.hinge").frames[1].R.column(2),
              w = element(b, "right.hinge").frames[1].R.column(2);
  EXPECT_NEAR(w.x, -z.x, 1e-15);
  EXPECT_NEAR(w.y, z.y, 1e-15);
  EXPECT_NEAR(w.z, -z.z, 1e-15);
}

TEST_F(Parts, HavePartsThemselves) {
  write("arm.yaml", a_part);
  write("pair.yaml", R"(kardan: 1
ports: [hull]
parts:
  left: {file: arm.yaml, at: [0, 1, 0], with: {hull: hull}}
  right: {file: arm.yaml, at: [0, -1, 0], with: {hull: hull}, mirror: y}
)");
  const auto model = load(R"(kardan: 1
bodies: {base: {mass: 1, inertia: [1, 1, 1]}}
parts:
  front: {file: pair.yaml, at: [10, 0, 0], with: {hull: base}}
  back: {file: pair.yaml, at: [-10, 0, 0], with: {hull: base}, mirror: y}
)");
  ASSERT_TRUE(model) << format(told_);
  const Blueprint b = resolve(model->model, Catalog::builtin(), {}, told_);
  ASSERT_EQ(b.bodies.size(), 6u);
  EXPECT_EQ(b.bodies[3].name, "front.right.rod");
  EXPECT_EQ(b.bodies[3].position.x, 10.5);
  EXPECT_EQ(b.bodies[3].position.y, -1.3);
  EXPECT_EQ(b.bodies[4].name, "back.left.rod");
  EXPECT_EQ(b.bodies[4].position.y, -1.3);
  EXPECT_EQ(b.bodies[5].position.y, 1.3) << "mirrored twice";
  EXPECT_EQ(b.bodies[5].inertia[0][1], b.bodies[2].inertia[0][1]);
}

TEST_F(Parts, AreToldOfByTheirFilesAndNames) {
  write("arm.yaml", a_part);
  write("bad.yaml", R"(kardan: 1
bodies:
  rod: {mass: wieght, inertia: [1, 1, 1], positoin: [0, 0, 0]}
)");
  EXPECT_FALSE(load(R"(kardan: 1
parts: {left: {file: bad.yaml}}
)"));
  EXPECT_EQ(told(), "bad.yaml:3:53 key.unknown\nbad.yaml:3:15 expression.unknown_name\n");
  EXPECT_THAT(format(told_), HasSubstr("left.rod.mass"));
}

TEST_F(Parts, RefuseWhatTheirUseGetsWrong) {
  write("arm.yaml", a_part);
  EXPECT_FALSE(load(R"(kardan: 1
bodies: {base: {mass: 1, inertia: [1, 1, 1]}}
parts:
  base: {file: arm.yaml, with: {hull: base}}
  a: {file: arm.yaml}
  b: {file: arm.yaml, with: {hull: base, lenght: 2}}
  c: {file: arm.yaml, with: {hull: base, spare: 2}}
  d: {file: arm.yaml, with: {hull: base}, mirror: up}
  e: {file: gone.yaml}
  f: {fiel: arm.yaml}
)"));
  EXPECT_EQ(told(),
            "model.yaml:4:3 name.duplicate\n"
            "model.yaml:5:6 part.port\n"
            "model.yaml:6:42 part.with\n"
            "model.yaml:7:49 part.unit\n"
            "model.yaml:8:51 field.choice\n"
            "model.yaml:9:13 file.open\n"
            "model.yaml:10:7 key.unknown\n"
            "model.yaml:10:6 field.missing\n");
  Diagnostics alone;
  EXPECT_FALSE(load_model((folder_ / "arm.yaml").string(), {}, IncludeFrom::model_folder, alone));
  EXPECT_TRUE(has(alone, "2:1 part.port")) << format(alone);
}

TEST_F(Parts, SeeNothingOfTheModelButWhatTheyAreGiven) {
  write("arm.yaml", R"(kardan: 1
gravity: [0, 0, -9.81]
bodies: {rod: {mass: weight, inertia: [1, 1, 1]}}
)");
  EXPECT_FALSE(load(R"(kardan: 1
parameters: {weight: 3}
parts: {left: {file: arm.yaml}}
)"));
  EXPECT_EQ(told().substr(0, 53), "arm.yaml:2:10 part.section\narm.yaml:3:22 part.outside");
}

TEST_F(Parts, RefuseWhatHasAHandOrMeansTheWorld) {
  write("arm.yaml", R"(kardan: 1
bodies: {rod: {mass: 1, inertia: [1, 1, 1]}}
joints: {thread: {type: screw, between: [ground, rod], pitch: 0.01}}
forces: {pull: {type: force, on: rod, fx: -3*rod.x}}
)");
  EXPECT_FALSE(load("kardan: 1\nparts: {left: {file: arm.yaml, mirror: y}}\n"));
  EXPECT_EQ(told(), "arm.yaml:3:18 part.mirror\narm.yaml:4:43 part.world\n");
}

TEST_F(Parts, ThatAreTurnedRefuseComponentsAlongTheWorld) {
  write("arm.yaml", R"(kardan: 1
bodies: {rod: {mass: 1, inertia: [1, 1, 1]}}
forces:
  pull: {type: force, on: rod, fx: 3}
  own: {type: force, on: rod, frame: body, fx: 3}
)");
  EXPECT_TRUE(load("kardan: 1\nparts: {left: {file: arm.yaml, at: [1, 0, 0]}}\n")) << told();
  EXPECT_FALSE(load("kardan: 1\nparts: {left: {file: arm.yaml, rotation: [0, 0, 1]}}\n"));
  EXPECT_EQ(told(), "arm.yaml:4:9 part.world\n");
}

}  // namespace
}  // namespace kardan
