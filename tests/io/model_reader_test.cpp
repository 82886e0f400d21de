#include "kardan/io/model_reader.h"

#include <fstream>

#include "io/reading.h"
#include "kardan/model/resolve.h"

namespace kardan {
namespace {

constexpr const char* good = R"(kardan: 1
name: a pendulum
dimension: 2
gravity: [0, -g]
parameters: {g: 9.81, L: "2"}
ground:
  markers: {O: {at: [0, 0]}}
bodies:
  arm:
    mass: 1
    inertia: L^2/12
    position: ['L/2', 0]
    markers: {left: {at: [-L/2, 0]}}
joints:
  pin: {type: revolute, between: [ground.O, arm.left]}
sensors:
  tip: {type: point, between: [ground, arm]}
forces:
assemble:
  - {want: arm.angle, equals: 0}
equilibrium: {velocities: rest}
start: equilibrium
simulate: {t_end: 5, method: rn4}
)";

std::string with(const std::string& tail) {
  return "kardan: 1\n" + tail;
}

TEST(ModelReader, ReadsAWholeModel) {
  const Reading r = read(good);
  ASSERT_TRUE(r.diagnostics.empty()) << format(r.diagnostics);
  const Model& m = *r.model;
  EXPECT_EQ(m.name, "a pendulum");
  EXPECT_EQ(m.dimension, 2);
  ASSERT_EQ(m.parameters.size(), 2u);
  EXPECT_EQ(std::get<double>(m.parameters[0].second.data), 9.81);
  EXPECT_EQ(std::get<std::string>(m.parameters[1].second.data), "2") << "quoted stays text";
  ASSERT_EQ(m.bodies.size(), 1u);
  EXPECT_EQ(m.bodies[0].where.line, 9);
  EXPECT_EQ(m.bodies[0].where.column, 3);
  ASSERT_EQ(m.elements.size(), 2u);
  EXPECT_EQ(m.elements[0].name, "pin");
  EXPECT_EQ(m.wishes.size(), 1u);
  EXPECT_EQ(m.start, "equilibrium");
  EXPECT_NE(m.equilibrium.find("velocities"), nullptr);
  EXPECT_NE(m.simulate.find("t_end"), nullptr);
  EXPECT_NE(m.ground.find("markers"), nullptr);

  Diagnostics diagnostics;
  const Blueprint b = resolve(m, Catalog::builtin(), {}, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << format(diagnostics);
  EXPECT_EQ(b.bodies[1].position.x, 1) << "quoted numbers are expressions";
}

TEST(ModelReader, LocatesTheLettersInsideQuotesForExpressionErrors) {
  const Reading r = read(with("bodies: {a: {mass: '1 + nope'}}\ndimension: 2\n"));
  ASSERT_TRUE(r.model) << format(r.diagnostics);
  Diagnostics diagnostics;
  resolve(*r.model, Catalog::builtin(), {}, diagnostics);
  EXPECT_TRUE(has(diagnostics, "2:25 expression.unknown_name")) << format(diagnostics);
}

TEST(ModelReader, WantsTheVersion) {
  EXPECT_EQ(only(read("name: x\n").diagnostics), "1:1 model.version");
  EXPECT_EQ(only(read("kardan: 2\n").diagnostics), "1:9 model.version");
  EXPECT_EQ(only(read("kardan: [1]\n").diagnostics), "1:9 model.version");
}

TEST(ModelReader, RefusesEmptyFilesAndOtherShapes) {
  EXPECT_EQ(only(read("").diagnostics), "0:0 model.empty");
  EXPECT_EQ(only(read("# only a comment\n").diagnostics), "0:0 model.empty");
  EXPECT_EQ(only(read("- 1\n- 2\n").diagnostics), "1:1 model.shape");
  EXPECT_EQ(only(read("just words\n").diagnostics), "1:1 model.shape");
}

TEST(ModelReader, NamesUnknownKeysWithTheNearestKnownOne) {
  const Reading r = read(with("bodys: {}\n"));
  EXPECT_EQ(only(r.diagnostics), "2:1 key.unknown");
  EXPECT_THAT(r.diagnostics.all()[0].hint, testing::HasSubstr("bodies"));
}

TEST(ModelReader, ReportsWrongShapesWhereTheyStand) {
  EXPECT_EQ(only(read(with("bodies: [a, b]\n")).diagnostics), "2:9 model.shape");
  EXPECT_EQ(only(read(with("bodies: {a: 5}\n")).diagnostics), "2:13 model.shape");
  EXPECT_EQ(only(read(with("joints:\n  j: [1]\n")).diagnostics), "3:6 model.shape");
  EXPECT_EQ(only(read(with("assemble: {want: x}\n")).diagnostics), "2:11 model.shape");
  EXPECT_EQ(only(read(with("assemble: [x]\n")).diagnostics), "2:12 model.shape");
  EXPECT_EQ(only(read(with("parameters: [1]\n")).diagnostics), "2:13 model.shape");
  EXPECT_EQ(only(read(with("parameters: {a: [1]}\n")).diagnostics), "2:17 field.type");
  EXPECT_EQ(only(read(with("name: {a: 1}\n")).diagnostics), "2:7 model.shape");
  EXPECT_EQ(only(read(with("ground: 3\n")).diagnostics), "2:9 model.shape");
  EXPECT_EQ(only(read(with("start: []\n")).diagnostics), "2:8 model.shape");
}

TEST(ModelReader, ChecksDimensionAndStart) {
  EXPECT_EQ(only(read(with("dimension: 4\n")).diagnostics), "2:12 model.dimension");
  EXPECT_EQ(only(read(with("dimension: two\n")).diagnostics), "2:12 model.dimension");
  const Reading r = read(with("start: asembled\n"));
  EXPECT_EQ(only(r.diagnostics), "2:8 field.choice");
  EXPECT_THAT(r.diagnostics.all()[0].hint, testing::HasSubstr("assembled"));
}

TEST(ModelReader, RefusesKeysWithoutAValue) {
  EXPECT_EQ(only(read(with("bodies: {a: {mass: }}\n")).diagnostics), "2:20 field.empty");
  EXPECT_THAT(only(read(with("bodies: {a: {mass: ~}}\n")).diagnostics),
              testing::EndsWith("field.empty"));
}

TEST(ModelReader, RefusesBadAndReservedNames) {
  EXPECT_EQ(only(read(with("bodies: {2a: {mass: 1}}\n")).diagnostics), "2:10 name.bad");
  EXPECT_EQ(only(read(with("joints: {a.b: {type: x}}\n")).diagnostics), "2:10 name.bad");
  EXPECT_EQ(only(read(with("parameters: {'a b': 1}\n")).diagnostics), "2:15 name.bad");
  for (const std::string name : {"ground", "t", "time", "energy"})
    EXPECT_EQ(only(read(with("bodies: {" + name + ": {mass: 1}}\n")).diagnostics),
              "2:10 name.reserved");
}

TEST(ModelReader, RefusesANameUsedTwiceWithBothPlaces) {
  const Reading r = read(with("bodies: {a: {mass: 1}}\njoints: {a: {type: fixed}}\n"));
  EXPECT_EQ(only(r.diagnostics), "3:10 name.duplicate");
  EXPECT_THAT(r.diagnostics.all()[0].message, testing::HasSubstr("m.yaml:2:10"));
}

TEST(ModelReader, ReportsAllFaultsInOnePass) {
  const Reading r = read(
      "dimension: 5\nbodys: {}\nparameters: {a: b, c: 1}\n"
      "bodies: {1x: {mass: 1}, y: [], y: {}}\nassemble: 3\n");
  EXPECT_FALSE(r.model);
  for (const std::string wanted :
       {"1:1 model.version", "1:12 model.dimension", "2:1 key.unknown",
        "3:17 expression.unknown_name", "4:10 name.bad", "4:28 model.shape",
        "4:32 yaml.duplicate_key", "5:11 model.shape"})
    EXPECT_TRUE(has(r.diagnostics, wanted)) << wanted << "\n" << format(r.diagnostics);
  EXPECT_EQ(r.diagnostics.all().size(), 8u) << format(r.diagnostics);
}

TEST(ModelReader, ChecksWhatStandsBeforeASyntaxErrorAndGuessesNothingAboutTheRest) {
  const Reading r = read("bodies:\n  1x: {mass: 1}\nnmae: z\njoints: {a: {b: ]}\nkardan: 1\n");
  EXPECT_TRUE(has(r.diagnostics, "2:3 name.bad")) << format(r.diagnostics);
  EXPECT_TRUE(has(r.diagnostics, "3:1 key.unknown")) << format(r.diagnostics);
  EXPECT_TRUE(has(r.diagnostics, "4:17 yaml.syntax")) << format(r.diagnostics);
  EXPECT_EQ(r.diagnostics.all().size(), 3u) << format(r.diagnostics);
}

TEST(ModelReader, TakesNumbersAndNothingElseAsNumbers) {
  const Reading r =
      read(with("simulate: {a: 1, b: -2.5e-3, c: +.5, d: 1., e: nan, f: inf, g: 0x10, h: 1e999, "
                "i: '3', j: 1_0, k: -, l: .}\n"));
  ASSERT_TRUE(r.model) << format(r.diagnostics);
  for (const auto& [key, value] : r.model->simulate.fields)
    EXPECT_EQ(std::holds_alternative<double>(value.data), key <= "d") << key;
  EXPECT_EQ(std::get<double>(r.model->simulate.find("c")->data), 0.5);
}

TEST(ModelReader, ReportsUnknownOverrides) {
  const Reading r = read(with("parameters: {length: 1}\n"), {{"lenght", 2}});
  EXPECT_EQ(only(r.diagnostics), "0:0 parameter.unknown");
}

TEST(ModelReader, ReadsFilesAndSaysWhatCannotBeRead) {
  const std::string path = testing::TempDir() + "model_reader_test.yaml";
  std::ofstream(path) << good;
  Diagnostics diagnostics;
  EXPECT_TRUE(read_model_file(path, {}, diagnostics)) << format(diagnostics);
  EXPECT_FALSE(read_model_file(path + ".missing", {}, diagnostics));
  EXPECT_EQ(only(diagnostics), "0:0 file.open");
  Diagnostics directory;
  EXPECT_FALSE(read_model_file(testing::TempDir(), {}, directory));
  EXPECT_EQ(only(directory), "0:0 file.open");
}

}  // namespace
}  // namespace kardan
