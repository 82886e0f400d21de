/// What `kardan run` tells of the model and its files, `kardan compare` without methods, and what a
/// model accepts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/places.h"
#include "support/process.h"

namespace kardan::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Run, TellsOfTheModelAndOfItsFiles) {
  const TemporaryFile model(R"(kardan: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  rod: {mass: 2, inertia: 0.2, position: [0.5, 0]}
  loose: {mass: 1, inertia: 1}
joints:
  pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}
  again: {type: revolute, bodies: [ground, rod], at: [0, 0]}
simulate: {t_end: 0.1}
)");
  const TemporaryFolder folder;
  const Output o = run_kardan({"run", model.path(), "--out", folder.file("a.csv")});
  ASSERT_EQ(o.exit_code, 0) << o.err;
  EXPECT_THAT(o.out,
              HasSubstr("2 bodies, 4 degrees of freedom; 2 of 4 constraint equations redundant: "));
  EXPECT_THAT(o.out, HasSubstr("nothing is attached to 'loose'"));
  EXPECT_THAT(o.out, testing::ContainsRegex("wrote +" + folder.file("a.csv")));
}

TEST(Compare, NeedsNoMethods) {
  const std::string pendulum = models_folder() + "/pendulum.yaml";
  const Output o =
      run_kardan({"compare", pendulum, "--tols", "1e-4", "--t-end", "0.2", "--repeat", "0"});
  ASSERT_EQ(o.exit_code, 0) << o.err;
  for (const char* method : {"auto", "dop853@projected_ode", "rodasp", "radau5", "rn4"})
    EXPECT_THAT(o.out, HasSubstr(method));
}

TEST(Accept, SilencesAnInertiaThatNoBodyHas) {
  const auto told = [](const std::string& more) {
    const TemporaryFile model("kardan: 1\nbodies: {rod: {mass: 1, inertia: [1, 1, 5]" + more +
                              "}}\n");
    return run_kardan({"check", model.path()});
  };
  EXPECT_THAT(told("").err, HasSubstr("warning[body.inertia]"));
  EXPECT_THAT(told("").err, HasSubstr("'accept: inertia' says that it is meant"));
  EXPECT_THAT(told(", accept: inertia").err, Not(HasSubstr("body.inertia")));
  const Output other = told(", accept: mass");
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("error[field.choice]: rod.accept: wanted inertia"));
  const TemporaryFile real(
      "kardan: 1\nbodies: {rod: {mass: 1, inertia: [1, 1, 1], accept: inertia}}\n");
  EXPECT_THAT(run_kardan({"check", real.path()}).err, HasSubstr("warning[body.accept]"));
}

TEST(ShippedModels, WarnAboutNothing) {
  for (const auto& file : std::filesystem::directory_iterator(models_folder())) {
    if (file.path().extension() != ".yaml") continue;
    const Output o = run_kardan({"check", file.path().string(), "--quiet"});
    EXPECT_EQ(o.exit_code, 0) << file.path();
    EXPECT_EQ(o.err, "") << file.path();
  }
}

}  // namespace
}  // namespace kardan::test
