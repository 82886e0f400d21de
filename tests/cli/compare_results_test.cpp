/// Two results beside each other, and the table of outputs at the end of a run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/places.h"
#include "support/process.h"

namespace kardan::test {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

class TwoResults : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("kardan_two_" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
    // x = cos(2 t)
    std::ofstream(file("m.yaml")) << R"(kardan: 1
dimension: 2
parameters: {k: 8}
bodies: {cart: {mass: 2, inertia: 1, position: [1, 0]}}
ground: {markers: {wall: {at: [-10, 0]}}}
joints: {rail: {type: prismatic, bodies: [ground, cart], at: [1, 0], axis: [1, 0]}}
forces: {spring: {type: spring_damper, between: [ground.wall, cart], stiffness: k, free_length: 10}}
outputs:
  place: {value: cart.x, unit: m}
  slope: {value: cart.y, unit: m}
  speed: {value: cart.vx, unit: m/s}
simulate: {t_end: 2, tolerance: 1e-9, method: dop853}
)";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

TEST_F(TwoResults, DifferByWhatTheirModelsDo) {
  ASSERT_EQ(run_kardan({"run", file("m.yaml"), "--every", "0.1", "--quiet", "--out", file("a.h5")})
                .exit_code,
            0);
  ASSERT_EQ(run_kardan({"run", file("m.yaml"), "--set", "k=8.08", "--every", "0.1", "--quiet",
                        "--out", file("b.csv")})
                .exit_code,
            0);
  const auto o = run_kardan({"compare", file("a.h5"), file("b.csv"), "--json"});
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const Json found = Json::parse(o.out);
  EXPECT_FALSE(found["interpolated"].get<bool>());
  EXPECT_EQ(found["rows"], 21);
  double largest = 0, at = 0;
  const double w = std::sqrt(8.08 / 2);
  for (int i = 0; i <= 20; ++i) {
    const double t = 0.1 * i, d = std::abs(std::cos(2 * t) - std::cos(w * t));
    if (d > largest) largest = d, at = t;
  }
  for (const Json& c : found["columns"])
    if (c["name"] == "place") {
      EXPECT_NEAR(c["largest"], largest, 1e-7);
      EXPECT_NEAR(c["at"], at, 1e-12);
      EXPECT_NEAR(c["of_range"], largest / c["range"].get<double>(), 1e-12);
      EXPECT_EQ(c["unit"], "m");
    }
  EXPECT_THAT(found["only_a"].dump(), HasSubstr("cart.x")) << "a CSV has the outputs alone";
}

TEST_F(TwoResults, OnOtherTimesAreInterpolated) {
  ASSERT_EQ(run_kardan({"run", file("m.yaml"), "--every", "0.1", "--quiet", "--out", file("a.h5")})
                .exit_code,
            0);
  ASSERT_EQ(run_kardan({"run", file("m.yaml"), "--every", "0.013", "--quiet", "--out", file("b.h5"),
                        "--out", file("b.csv")})
                .exit_code,
            0);
  const auto o = run_kardan({"compare", file("a.h5"), file("b.h5"), "--json"});
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const Json found = Json::parse(o.out);
  EXPECT_TRUE(found["interpolated"].get<bool>());
  for (const Json& c : found["columns"])
    if (c["name"] == "place") {
      // The cubic: (0.013)^4 |x''''| 9/16/24 = 1.1e-8, twice that at an end.
      EXPECT_LT(c["largest"], 3e-8);
    }
  const auto page = run_kardan({"compare", file("a.h5"), file("b.h5"), "--out", file("d.html")});
  EXPECT_EQ(page.exit_code, 0) << page.err;
  EXPECT_GT(std::filesystem::file_size(file("d.html")), 3000u);
}

TEST_F(TwoResults, OfOtherModelsAreRefused) {
  std::ofstream(file("c.csv")) << "time,other\n0,1\n1,2\n";
  std::ofstream(file("d.csv")) << "time,place\n5,1\n6,2\n";
  ASSERT_EQ(run_kardan({"run", file("m.yaml"), "--every", "0.1", "--quiet", "--out", file("a.csv")})
                .exit_code,
            0);
  const auto columns = run_kardan({"compare", file("a.csv"), file("c.csv")});
  EXPECT_EQ(columns.exit_code, 2);
  EXPECT_THAT(columns.err, HasSubstr("[compare.columns]"));
  const auto times = run_kardan({"compare", file("a.csv"), file("d.csv")});
  EXPECT_EQ(times.exit_code, 2);
  EXPECT_THAT(times.err, HasSubstr("[compare.times]"));
}

/// x = cos(2 t) up to t = 2: from 1 down to -1 at pi/2, inside a step; cos 4 at the end.
TEST_F(TwoResults, ARunEndsWithTheExtremesOfItsOutputs) {
  const auto o = run_kardan({"run", file("m.yaml"), "--json"});
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const Json outputs = Json::parse(o.out)["outputs"];
  EXPECT_EQ(outputs["place"]["unit"], "m");
  EXPECT_NEAR(outputs["place"]["first"], 1, 1e-12);
  EXPECT_NEAR(outputs["place"]["least"], -1, 1e-7);
  EXPECT_NEAR(outputs["place"]["greatest"], 1, 1e-7);
  EXPECT_NEAR(outputs["place"]["last"], std::cos(4), 1e-7);
  EXPECT_NEAR(outputs["speed"]["least"], -2, 1e-6);
  const auto text = run_kardan({"run", file("m.yaml")});
  EXPECT_THAT(text.out, HasSubstr("outputs"));
  EXPECT_THAT(text.out, testing::ContainsRegex("slope \\[m\\] +0 +0 +0 +0\n")) << text.out;
}

}  // namespace
}  // namespace kardan::test
