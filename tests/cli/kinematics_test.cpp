/// `kardan kinematics` against closed forms of planar linkages.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "support/places.h"
#include "support/process.h"

namespace kardan::test {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

constexpr double pi = std::numbers::pi;

std::string four_bar(double a, double b, double c, double d, const std::string& guess) {
  return "kardan: 1\ndimension: 2\nparameters: {a: " + std::to_string(a) +
         ", b: " + std::to_string(b) + ", c: " + std::to_string(c) + ", d: " + std::to_string(d) +
         R"(}
bodies:
  crank: {mass: 1, inertia: 0.01, angle: 1, markers: {pin: {at: [a, 0]}}}
  coupler: {mass: 1, inertia: 0.02, position: [a*cos(1), a*sin(1)], angle: )" +
         guess + R"(, markers: {pin: {at: [b, 0]}}}
  rocker: {mass: 1, inertia: 0.02, position: [d, 0], angle: 1.5, markers: {pin: {at: [c, 0]}}}
joints:
  A: {type: revolute, between: [ground, crank]}
  B: {type: revolute, between: [crank.pin, coupler]}
  C: {type: revolute, between: [coupler.pin, rocker.pin]}
  D: {type: revolute, between: [{body: ground, at: [d, 0]}, rocker]}
drivers: {motor: {type: driver, joint: A, motion: 1 + t}}
outputs: [rocker.angle, coupler.angle]
)";
}

class Kinematics : public ::testing::Test {
 protected:
  Output sweep(const std::string& model, std::vector<std::string> more = {}) {
    std::ofstream(folder_.file("m.yaml")) << model;
    std::vector<std::string> all{"kinematics", folder_.file("m.yaml"), "--json"};
    all.insert(all.end(), more.begin(), more.end());
    return run_kardan(all);
  }
  TemporaryFolder folder_;
};

TEST_F(Kinematics, OfACrankRockerAreItsClosedForm) {
  const double a = 0.2, b = 0.5, c = 0.4, d = 0.6;
  const Output o = sweep(four_bar(a, b, c, d, "0.3"), {"--transmission", "B,C,D"});
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const Json found = Json::parse(o.out);
  ASSERT_EQ(found["points"].size(), 361u);
  EXPECT_TRUE(found["singular"].empty());
  EXPECT_TRUE(found["limit"].is_null());
  const auto place = [&](const char* name) {
    for (std::size_t i = 0; i < found["names"].size(); ++i)
      if (found["names"][i] == name) return i;
    return std::size_t{99};
  };
  for (const Json& p : found["points"]) {
    const double q = p["at"];
    // The diagonal e from the crank's pin to the rocker's foot, and the triangle on it.
    const double x = d - a * std::cos(q), y = -a * std::sin(q), e = std::hypot(x, y);
    const double mu = std::acos((b * b + c * c - e * e) / (2 * b * c));
    const double at_pin = std::acos((b * b + e * e - c * c) / (2 * b * e));
    const double coupler = std::atan2(y, x) + at_pin;
    const double rocker = std::atan2(a * std::sin(q) + b * std::sin(coupler),
                                     a * std::cos(q) + b * std::cos(coupler) - d);
    EXPECT_NEAR(p["values"][place("coupler.angle")], coupler, 1e-12);
    EXPECT_NEAR(p["values"][place("rocker.angle")], rocker, 1e-12);
    EXPECT_NEAR(p["transmission"], std::min(mu, pi - mu), 1e-12);
    // Of velocities: a sin(q - coupler) = c rocker' sin(rocker - coupler)
    const double rate = a * std::sin(q - coupler) / (c * std::sin(rocker - coupler));
    EXPECT_NEAR(p["rates"][place("rocker.angle")], rate, 1e-11);
  }
}

TEST_F(Kinematics, OfAParallelogramGoStraightThroughItsSingularPositions) {
  const Output o = sweep(four_bar(0.3, 0.5, 0.3, 0.5, "0"));
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const Json found = Json::parse(o.out);
  ASSERT_EQ(found["singular"].size(), 2u) << found["singular"];
  EXPECT_NEAR(found["singular"][0], pi, 1e-6);
  EXPECT_NEAR(found["singular"][1], 2 * pi, 1e-6);
  for (const Json& p : found["points"]) {
    EXPECT_NEAR(p["values"][0], 0, 1e-9) << "the coupler stays parallel, at " << p["at"];
    EXPECT_NEAR(p["values"][1], p["at"], 1e-9);
  }
}

TEST_F(Kinematics, EndWhereTheJointsCannotBeClosed) {
  // The crank of a double rocker reaches where coupler and rocker are stretched: e = b + c.
  const double a = 0.5, b = 0.3, c = 0.4, d = 0.6;
  const Output o = sweep(four_bar(a, b, c, d, "0.9"));
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const Json found = Json::parse(o.out);
  const double limit = std::acos((a * a + d * d - (b + c) * (b + c)) / (2 * a * d));
  EXPECT_NEAR(found["limit"], limit, 1e-6);
}

TEST_F(Kinematics, RefuseWhatIsNotDriven) {
  const std::string free_crank = R"(kardan: 1
dimension: 2
bodies: {crank: {mass: 1, inertia: 1}, arm: {mass: 1, inertia: 1}}
joints:
  A: {type: revolute, between: [ground, crank]}
  B: {type: revolute, between: [crank, arm]}
)";
  EXPECT_THAT(sweep(free_crank).err, HasSubstr("[kinematics.driver]"));
  const std::string one = free_crank + "drivers: {m: {type: driver, joint: A, motion: t}}\n";
  EXPECT_THAT(sweep(one).err, HasSubstr("[kinematics.freedom]"));
  EXPECT_THAT(sweep(one, {"--driver", "n"}).err, HasSubstr("[kinematics.driver]"));
  const std::string two = free_crank +
                          "drivers: {m: {type: driver, joint: A, motion: t}, n: {type: driver, "
                          "joint: B, motion: 2*t}}\n";
  EXPECT_THAT(sweep(two).err, HasSubstr("[kinematics.driver]"));
  EXPECT_THAT(sweep(two, {"--driver", "m"}).err, HasSubstr("[kinematics.others]"));
  const Output o = sweep(two, {"--driver", "m", "--points", "1"});
  EXPECT_THAT(o.err, HasSubstr("[kinematics.range]"));
  EXPECT_EQ(o.exit_code, 2);
}

}  // namespace
}  // namespace kardan::test
