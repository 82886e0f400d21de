/// The program as a user meets it: exit codes, what goes where, and the words of the reports.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/endings.h"
#include "kardan/elements/catalog.h"
#include "support/places.h"
#include "support/process.h"

namespace kardan::test {
namespace {

using Json = nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;

constexpr const char* two_rods = R"(kardan: 1
dimension: 2
bodies:
  bead: {kind: point, mass: 1, position: [1, 0.1]}
joints:
  left: {type: distance, between: [ground, bead], length: 1}
  right: {type: distance, between: [{body: ground, at: [3, 0]}, bead], length: 1}
)";

/// One JSON document and nothing else.
Json document(const Output& output) {
  Json json = Json::parse(output.out, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << output.out;
  return json;
}

void expect_numbers(const Json& residuals) {
  for (const char* level : {"position", "velocity", "acceleration"})
    EXPECT_TRUE(residuals.at(level).is_number()) << level;
}

TEST(Check, OfTheVehiclePrintsItsCounts) {
  const Output o = run_kardan({"check", models + "hmmwv.yaml"});
  EXPECT_EQ(o.exit_code, finished);
  EXPECT_THAT(o.out, ContainsRegex("bodies +14 "));
  EXPECT_THAT(o.out, ContainsRegex("constraint equations +66\n"));
  EXPECT_THAT(o.out, ContainsRegex("degrees of freedom +18\n"));
  EXPECT_THAT(o.out, ContainsRegex("redundant +none"));
}

TEST(Check, OfBricardNamesTheRedundantSet) {
  const Output o = run_kardan({"check", models + "bricard.yaml"});
  EXPECT_EQ(o.exit_code, finished);
  EXPECT_THAT(o.out, ContainsRegex("degrees of freedom +1\n"));
  EXPECT_THAT(o.out, ContainsRegex("redundant +1 equation\n"));
  EXPECT_THAT(o.out, ContainsRegex("hinge_[1-6] .* about local [xyz], with hinge_[1-6], hinge"));
}

TEST(Check, OfSpatialFourBarsNamesThreeSetsEach) {
  const Output o =
      run_kardan({"check", models + "n_four_bar_spatial.yaml", "--set", "N=1", "--json"});
  EXPECT_EQ(o.exit_code, finished);
  const Json json = document(o);
  EXPECT_EQ(json.at("degrees_of_freedom"), 1);
  ASSERT_EQ(json.at("redundant").size(), 3u);
  for (const Json& set : json.at("redundant")) {
    EXPECT_THAT(set.at("text").get<std::string>(), HasSubstr(", with "));
    EXPECT_FALSE(set.at("with").empty());
  }
}

TEST(Check, AsJsonHasTheStableKeys) {
  const Output o = run_kardan({"check", models + "hmmwv.yaml", "--json"});
  EXPECT_EQ(o.exit_code, finished);
  const Json json = document(o);
  EXPECT_EQ(json.at("bodies"), 14);
  EXPECT_EQ(json.at("coordinates"), 98);
  EXPECT_EQ(json.at("velocities"), 84);
  EXPECT_EQ(json.at("constraints"), 66);
  EXPECT_EQ(json.at("rank"), 66);
  EXPECT_EQ(json.at("degrees_of_freedom"), 18);
  EXPECT_TRUE(json.at("redundant").is_array());
  expect_numbers(json.at("residuals"));
}

TEST(Check, OfContradictoryJointsFailsAndNamesThem) {
  const TemporaryFile file(two_rods);
  const Output o = run_kardan({"check", file.path()});
  EXPECT_EQ(o.exit_code, failed);
  EXPECT_THAT(o.out, HasSubstr("left distance"));
  EXPECT_THAT(o.err, HasSubstr("right distance"));
  const Output j = run_kardan({"check", file.path(), "--json"});
  EXPECT_EQ(j.exit_code, failed);
  EXPECT_EQ(document(j).at("contradictory").size(), 1u);
}

TEST(Assemble, AsJsonHasAllNamedValues) {
  const Output o = run_kardan({"assemble", models + "andrews.yaml", "--json"});
  EXPECT_EQ(o.exit_code, finished);
  EXPECT_THAT(o.err, IsEmpty());
  const Json json = document(o);
  EXPECT_EQ(json.at("consistent"), true);
  expect_numbers(json.at("residuals"));
  const Json& start = json.at("start");
  for (const char* key : {"K1.x", "K1.y", "K1.angle", "K1.vx", "K1.vy", "K1.omega", "K1.ax",
                          "pin_O.lambda[0]", "pin_O.lambda[1]", "spring.force", "F.x", "F.vy"})
    EXPECT_TRUE(start.contains(key) && start.at(key).is_number()) << key;
  ASSERT_EQ(json.at("wishes").size(), 1u);
  EXPECT_EQ(json.at("wishes")[0].at("met"), true);
}

TEST(Assemble, OfSpatialBodiesNamesQuaternionsAndSpins) {
  const Output o = run_kardan({"assemble", models + "chain.yaml", "--set", "N=2", "--json"});
  const Json start = document(o).at("start");
  for (const char* key : {"link_2.x", "link_2.z", "link_2.qw", "link_2.qx", "link_2.qy",
                          "link_2.qz", "link_2.vz", "link_2.wx", "link_2.wz", "ball_2.lambda[2]"})
    EXPECT_TRUE(start.contains(key)) << key;
  EXPECT_FALSE(start.contains("link_3.x"));
}

TEST(Assemble, OfContradictoryJointsFails) {
  const TemporaryFile file(two_rods);
  const Output o = run_kardan({"assemble", file.path()});
  EXPECT_EQ(o.exit_code, failed);
  EXPECT_THAT(o.err, HasSubstr("left distance"));
  EXPECT_THAT(o.err, HasSubstr("remains"));
}

TEST(Equilibrium, OfTheVehicleFindsItsParameters) {
  const Output o = run_kardan({"equilibrium", models + "hmmwv.yaml", "--json"});
  EXPECT_EQ(o.exit_code, finished);
  const Json json = document(o);
  EXPECT_LE(json.at("largest_acceleration").get<double>(), 1e-8);
  EXPECT_NEAR(json.at("parameters").at("free_length_front").get<double>(), 0.250564165268444, 1e-8);
  EXPECT_NEAR(json.at("start").at("chassis.z").get<double>(), 0.681805623476994, 1e-8);
}

TEST(Equilibrium, ThatDoesNotExistFailsAndSaysWhatDoesNotBalance) {
  const TemporaryFile file(
      "kardan: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  stone: {mass: 2, inertia: [1, 1, 1]}\n");
  const Output o = run_kardan({"equilibrium", file.path(), "--quiet"});
  EXPECT_EQ(o.exit_code, failed);
  EXPECT_THAT(o.out, IsEmpty());
  EXPECT_THAT(o.err, HasSubstr("'stone'"));
  EXPECT_THAT(o.err, HasSubstr("19.6 N"));
}

TEST(Quiet, PrintsNothingOnStandardOutput) {
  for (const char* command : {"check", "assemble", "equilibrium"}) {
    const Output o = run_kardan({command, models + "truck.yaml", "--quiet"});
    EXPECT_EQ(o.exit_code, finished) << command;
    EXPECT_THAT(o.out, IsEmpty()) << command;
    EXPECT_THAT(o.err, IsEmpty()) << command;
  }
}

TEST(BadInput, MissingFileIsToldOnStandardError) {
  const Output o = run_kardan({"check", models + "no_such_model.yaml"});
  EXPECT_EQ(o.exit_code, bad_input);
  EXPECT_THAT(o.out, IsEmpty());
  EXPECT_THAT(o.err, HasSubstr("no_such_model.yaml"));
  EXPECT_THAT(o.err, HasSubstr("error[file.open]"));
}

TEST(BadInput, SettingWithoutAValueIsRefused) {
  const Output o = run_kardan({"check", models + "chain.yaml", "--set", "N"});
  EXPECT_EQ(o.exit_code, bad_input);
  EXPECT_THAT(o.out, IsEmpty());
  EXPECT_THAT(o.err, HasSubstr("usage.set"));
}

TEST(BadInput, SettingAnUnknownParameterNamesTheNearest) {
  const Output o = run_kardan({"check", models + "hmmwv.yaml", "--set", "sped=6"});
  EXPECT_EQ(o.exit_code, bad_input);
  EXPECT_THAT(o.err, HasSubstr("sped"));
  EXPECT_THAT(o.err, HasSubstr("'speed'"));
}

TEST(BadInput, SettingAnExpressionThatIsNoneIsRefused) {
  const Output o = run_kardan({"check", models + "chain.yaml", "--set", "length=2*"});
  EXPECT_EQ(o.exit_code, bad_input);
  EXPECT_THAT(o.err, HasSubstr("--set length=2*"));
}

TEST(BadInput, UnknownElementTypeIsLocatedWithAHint) {
  const TemporaryFile file(
      "kardan: 1\nbodies:\n  one: {mass: 1, inertia: [1, 1, 1]}\njoints:\n"
      "  hinge: {type: revolut, between: [ground, one]}\n");
  const Output o = run_kardan({"check", file.path()});
  EXPECT_EQ(o.exit_code, bad_input);
  EXPECT_THAT(o.out, IsEmpty());
  EXPECT_THAT(o.err, ContainsRegex("model.yaml:5:[0-9]+: error\\[element.type\\].*revolut"));
  EXPECT_THAT(o.err, HasSubstr("did you mean 'revolute'?"));
}

TEST(BadInput, AllFaultsAreToldInOneGo) {
  const TemporaryFile file(
      "kardan: 1\nbodies:\n  one: {mass: -1, inertia: [1, 1, 1]}\njoints:\n"
      "  hinge: {type: revolut, between: [ground, one]}\n"
      "  rod: {type: distance, between: [ground, two], length: 1}\n");
  const Output o = run_kardan({"check", file.path()});
  EXPECT_EQ(o.exit_code, bad_input);
  EXPECT_THAT(o.err, ContainsRegex(":3:[0-9]+: error"));
  EXPECT_THAT(o.err, ContainsRegex(":5:[0-9]+: error"));
  EXPECT_THAT(o.err, ContainsRegex(":6:[0-9]+: error"));
}

TEST(BadInput, UnknownCommandAndNoCommandAreUsageErrors) {
  const Output unknown = run_kardan({"chek", models + "chain.yaml"});
  EXPECT_EQ(unknown.exit_code, bad_input);
  EXPECT_THAT(unknown.out, IsEmpty());
  EXPECT_THAT(unknown.err, Not(IsEmpty()));
  EXPECT_EQ(run_kardan({}).exit_code, bad_input);
  EXPECT_EQ(run_kardan({"check"}).exit_code, bad_input) << "no model";
  EXPECT_EQ(run_kardan({"check", models + "chain.yaml", "--no-such-option"}).exit_code, bad_input);
}

TEST(Help, IsNoError) {
  const Output o = run_kardan({"--help"});
  EXPECT_EQ(o.exit_code, finished);
  for (const char* command : {"check", "assemble", "equilibrium", "elements"})
    EXPECT_THAT(o.out, HasSubstr(command));
}

TEST(Version, NamesTheCommitOfARepository) {
  const Output o = run_kardan({"--version"});
  EXPECT_EQ(o.exit_code, finished);
  EXPECT_THAT(
      o.out,
      MatchesRegex(std::filesystem::exists(source_folder() + "/.git")
                       ? "kardan [0-9]+\\.[0-9]+\\.[0-9]+ \\(commit [0-9a-f]{10}(, changed)?\\)\n"
                       : "kardan [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(Elements, ListsEveryTypeOfTheCatalog) {
  const Output o = run_kardan({"elements"});
  EXPECT_EQ(o.exit_code, finished);
  const Json json = document(run_kardan({"elements", "--json"}));
  const auto& types = Catalog::builtin().types();
  ASSERT_GE(types.size(), 30u);
  EXPECT_EQ(json.size(), types.size());
  for (const ElementType& type : types) {
    EXPECT_THAT(o.out, ContainsRegex("\n  " + std::string(type.name) + " +(planar|spatial)"));
    EXPECT_THAT(o.out, HasSubstr(std::string(type.summary)));
  }
}

TEST(Elements, ShowsOneTypeInFull) {
  const Output revolute = run_kardan({"elements", "revolute"});
  EXPECT_EQ(revolute.exit_code, finished);
  EXPECT_THAT(revolute.out, HasSubstr("p_WB = p_WA; x_A.z_B = y_A.z_B = 0"));
  for (const ElementType& type : Catalog::builtin().types()) {
    const Output o = run_kardan({"elements", std::string(type.name)});
    EXPECT_EQ(o.exit_code, finished) << type.name;
    EXPECT_THAT(o.out, HasSubstr(std::string(type.equation)));
    for (const FieldDoc& field : type.fields) {
      EXPECT_THAT(o.out, HasSubstr(field.key)) << type.name;
      EXPECT_THAT(o.out, HasSubstr(field.info.doc)) << type.name;
    }
  }
}

TEST(Elements, UnknownTypeNamesTheNearest) {
  const Output o = run_kardan({"elements", "revolut"});
  EXPECT_EQ(o.exit_code, bad_input);
  EXPECT_THAT(o.out, IsEmpty());
  EXPECT_THAT(o.err, HasSubstr("'revolute'"));
}

TEST(Linearize, GivesPositionsWithoutAVelocityOfTheirOwnLast) {
  const Output o = run_kardan({"linearize", models + "rolling_disc.yaml", "--frozen", "--json"});
  EXPECT_EQ(o.exit_code, finished) << o.err;
  const Json json = document(o);
  ASSERT_EQ(json.at("variables").size(), 8u);
  EXPECT_EQ(json.at("variables")[6], "disc.x");
  EXPECT_EQ(json.at("variables")[7], "disc.y");
}

TEST(Run, OfNonholonomicModelsIsAsAnyOther) {
  for (const char* method : {"rn4", "dopri5@tangent_space", "bdf"}) {
    const Output o = run_kardan(
        {"run", models + "sleigh_belt.yaml", "--method", method, "--t-end", "1", "--json"});
    EXPECT_EQ(o.exit_code, finished) << o.err;
    const Json json = document(o);
    EXPECT_NEAR(json.at("final").at("sleigh.x").get<double>(), -0.29339373640987884, 1e-5);
    EXPECT_LT(json.at("residuals").at("velocity").get<double>(), 1e-12);
    EXPECT_LT(json.at("energy").at("balance_error").get<double>(), 1e-5) << "the belt does work";
  }
}

TEST(Linearize, PrintsEigenvaluesAndGivesModesByName) {
  const Output text = run_kardan({"linearize", models + "hmmwv.yaml"});
  EXPECT_EQ(text.exit_code, finished);
  EXPECT_THAT(text.out, ContainsRegex("zero eigenvalues +6\n"));
  EXPECT_THAT(text.out, HasSubstr("-259431.5796"));
  const Json json = document(run_kardan({"linearize", models + "hmmwv.yaml", "--json"}));
  EXPECT_EQ(json.at("variables").size(), 36u);
  EXPECT_EQ(json.at("matrix").size(), 36u);
  EXPECT_EQ(json.at("matrix")[35].size(), 36u);
  const Json& mode = json.at("modes")[0];
  EXPECT_NEAR(mode.at("value").at("re").get<double>(), -259431.5796312084, 1e-4);
  EXPECT_EQ(mode.at("damping_ratio"), 1.0);
  EXPECT_TRUE(mode.at("shape").at("chassis.rz").at("im").is_number());
}

}  // namespace
}  // namespace kardan::test
