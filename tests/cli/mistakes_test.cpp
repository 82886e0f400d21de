/// Mistakes of the first day (tests/data/mistakes): what the program says of each names the place,
/// the cause and the remedy.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/endings.h"
#include "support/places.h"
#include "support/process.h"

namespace kardan::test {
namespace {

struct Mistake {
  std::string file;
  int exit_code;
  std::string place, cause, remedy;  ///< parts of what is printed
  std::vector<std::string> options = {};
};

std::vector<Mistake> mistakes() {
  return {
      {"02_missing_body", bad_input, ":8:42", "no body 'rodd'", "did you mean 'rod'?"},
      {"03_duplicate_key", bad_input, ":7:1", "'bodies' appears twice", "remove or rename"},
      {"04_tab", bad_input, ":6:1", "indented with a tab", "indent with blanks"},
      {"05_inconsistent", failed, "p translation along world x", "contradict each other",
       "correct the geometry"},
      {"06_overconstrained", finished, "h2", "cannot move", "remove a joint"},
      {"07_zero_mass", failed, "'rod'", "mass matrix is singular",
       "give mass and inertia to 'rod'"},
      {"08_no_inertia", finished, ":6:3", "'inertia' is not given", "give it, or a density"},
      {"08b_no_inertia3d_free", failed, ":5:3", "'inertia' is not given",
       "give mass and inertia to 'rod'"},
      {"09_bad_quaternion", bad_input, ":5:3", "square sum 2", "unit quaternion [w, x, y, z]"},
      {"10_negative_inertia", bad_input, ":5:27", "negative principal moment", "check the tensor"},
      {"10b_impossible_inertia", finished, ":5:27", "no rigid body has this inertia",
       "check the tensor"},
      {"11_expr_typo", bad_input, ":6:31", "unknown name 'lenght'", "declare it under"},
      {"12_expr_syntax", bad_input, ":6:33", "expected ')'", "it belongs to what begins"},
      {"13_at_local", finished, ":8:52", "5.5 m from the centre of 'rod'",
       "between: [..., {body: rod, at: [...]}]"},
      {"14_cyclic", bad_input, ":5:17", "a -> b -> a", "break the circle"},
      {"15_no_tend", finished, ":1:1", "t_end is not given: the run ends at 1 s", "--t-end"},
      {"16_deg", finished, ":6:59", "90 rad, more than a turn", "write 90 deg"},
      {"17_string_number", bad_input, ":6:15", "a blank goes between a number and its unit",
       "write 2 kg"},
      {"18_gravity_sign", bad_input, ":4:10", "got 9.81", "wanted [x, y, z] (plane: [x, y])"},
      {"20_wrong_section", bad_input, ":7:1", "unknown key 'joint'", "did you mean 'joints'?"},
      {"21_missing_version", bad_input, ":1:1", "version of the format is missing", "'kardan: 1'"},
      {"22_spring_no_stiffness", finished, ":10:3", "exerts no force", "stiffness"},
      {"23_spring_same_point", failed, ":8", "the force of 's'", "need these to be apart"},
      {"24_two_drivers", failed, "m1 driven rotation; m2 driven rotation", "contradict each other",
       "correct the drivers"},
      {"25_hinge_axis_wrong3d", finished, ":7:3", "'axis' is not given", "write axis: [x, y, z]"},
      {"26_ramp_driver",
       bad_input,
       ":10:55",
       "at t = 1 the velocity jumps from 0 to 1",
       "round it off",
       {"--t-end", "2"}},
      {"27b_acceleration_in_force", bad_input, ":10:33",
       "'rod.ax' is an acceleration, which follows from all forces", "use positions, velocities"},
      {"28_wrong_marker_kind", bad_input, ":8:43", "pin", "wanted BODY.MARKER or {body: ..., at"},
      {"29_yaml_flow_expr", bad_input, ":6:43", "a comma ends the value",
       "put it in quotes: \"hypot(3,4)\""},
      {"30_colon_missing", bad_input, ":5:7", "a colon is missing behind 'bodies'",
       "write 'bodies:'"},
      {"32_infix_and_text", bad_input, ":6:28", "unknown name 'yes'", "declare it under"},
      {"33_spherical_in_plane", bad_input, ":8:3", "does not exist in a planar model",
       "revolute is its hinge"},
      {"34_locked", finished, "weld", "cannot move", "remove a joint"},
      {"35_empty_body", bad_input, ":7:1", "bodies.rod: got nothing", "write rod: {key"},
      {"36_method", bad_input, ":9:30", "no method 'RK45'", "there are: rn4"},
      {"37_euler", bad_input, ":5:43", "unknown key 'euler'", "rotation"},
      {"38_flat_list_joint", bad_input, ":8:3", "got a list", "write name: {key: value"},
      {"40_axis_zero", bad_input, ":7:65", "[0, 0, 0]", "wanted a direction"},
      {"41_gear_two_markers", bad_input, ":9:28", "got 2 markers; 'gear' wants 4",
       "'kardan elements gear' tells which"},
      {"42_when_typo", bad_input, ":10:40", "got 'halt'", "stop: end the run there"},
      {"43_output_typo", bad_input, ":9:11", "no quantity 'rod.theta'",
       "did you mean 'rod.angle'?"},
      {"44_stiff_contact_explicit",
       finished,
       ":7:3",
       "'dopri5' is explicit",
       "take an implicit method",
       {"--t-end", "0.41"}},
      {"45_fixed_step_explicit", failed, "'c'", "force is not finite", "take a shorter one"},
      {"50_redundant_contradict", failed, "h1 translation along world z", "contradict each other",
       "correct the geometry"},
      {"51_comma_in_flow", bad_input, ":6:33", "a comma ends the value",
       "put it in quotes: \"step(t, 0, 0, 1, 5)\""},
      {"52_dist_zero", failed, ":6", "the force of 's'", "need these to be apart"},
      {"53_marker_world", finished, "'rod' by 0.5 m", "moved far from where they were given",
       "give their places"},
      {"54_hold_no", finished, "rod.vx", "cannot be kept: rod.vx from 3 to 0", "leave them out"},
      {"55_cart_load", bad_input, ":8:69", "at t = 2 the velocity jumps",
       "let it end at rest, or write outside: extend"},
  };
}

/// Not mistakes but what a user tried: they run, and mean what they say.
const std::set<std::string> fine{"01_unit_mm", "19_3vec_in_2d", "27_body_ref_in_force",
                                 "31_power_python", "39_free_fall_no_joint"};

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreToldWithPlaceCauseAndRemedy) {
  const Mistake& m = GetParam();
  std::vector<std::string> arguments{"run", test_data() + "/mistakes/" + m.file + ".yaml"};
  arguments.insert(arguments.end(), m.options.begin(), m.options.end());
  const Output got = run_kardan(arguments);
  const std::string said = got.err + got.out;
  EXPECT_EQ(got.exit_code, m.exit_code) << said;
  for (const std::string& part : {m.place, m.cause, m.remedy})
    EXPECT_THAT(said, testing::HasSubstr(part));
}

INSTANTIATE_TEST_SUITE_P(FirstDay, Mistakes, testing::ValuesIn(mistakes()),
                         [](const auto& one) { return "m" + one.param.file; });

TEST(MistakesList, HoldsEveryFile) {
  std::set<std::string> listed = fine;
  for (const Mistake& m : mistakes()) listed.insert(m.file);
  for (const auto& entry : std::filesystem::directory_iterator(test_data() + "/mistakes"))
    EXPECT_EQ(listed.count(entry.path().stem().string()), 1u) << entry.path();
  for (const std::string& name : listed)
    EXPECT_TRUE(std::filesystem::exists(test_data() + "/mistakes/" + name + ".yaml")) << name;
}

TEST(MistakesList, WhatIsNoneRunsWithoutAWordButTheEnd) {
  for (const std::string& name : fine) {
    const Output got =
        run_kardan({"run", test_data() + "/mistakes/" + name + ".yaml", "--t-end", "0.1"});
    EXPECT_EQ(got.exit_code, finished) << name;
    const bool quiet = got.err.empty() || name == "01_unit_mm";
    EXPECT_TRUE(quiet) << name << got.err;
  }
}

/// A comma in braces, a missing colon, a unit without a blank: one message, not what follows.
TEST(MistakesList, TrapsOfYamlGetOneMessage) {
  for (const std::string name : {"04_tab", "17_string_number", "29_yaml_flow_expr",
                                 "30_colon_missing", "51_comma_in_flow"}) {
    const Output got = run_kardan({"check", test_data() + "/mistakes/" + name + ".yaml"});
    EXPECT_EQ(std::count(got.err.begin(), got.err.end(), '\n'), 1) << got.err;
  }
}

}  // namespace
}  // namespace kardan::test
