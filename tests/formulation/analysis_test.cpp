/// Rank, degrees of freedom, redundant sets by name, singular positions, uniqueness of reactions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numbers>
#include <set>

#include "kardan/model/resolve.h"
#include "support/models.h"

namespace kardan::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ConstraintAnalysis analysed(const System& system, const State& state) {
  const auto ws = system.make_workspace();
  return analyse(system, state, *ws);
}
ConstraintAnalysis analysed(const System& system) {
  return analysed(system, assembled(system).state);
}

struct Count {
  int bodies, constraints, redundant, freedom;
};

TEST(Analysis, CountsTheDegreesOfFreedomOfEveryShippedModel) {
  // bodies, constraint equations, redundant ones, free velocities; from the models' sources
  const std::map<std::string, Count> table{
      {"andrews", {7, 20, 0, 1}},
      {"andrews_minimal", {7, 6, 0, 1}},  // of equations: a coordinate counts as a body
      {"ball_column", {10, 0, 0, 20}},
      {"bouncing_balls", {2, 0, 0, 4}},
      {"bricard", {5, 30, 1, 1}},
      {"chain", {10, 30, 0, 30}},
      {"disc_equations", {3, 2, 0, 1}},
      {"double_pendulum", {2, 4, 0, 2}},
      {"double_pendulum_gil", {2, 4, 0, 2}},
      {"double_pendulum_haug", {2, 4, 0, 2}},
      {"double_pendulum_welch", {2, 4, 0, 2}},
      {"hmmwv", {14, 66, 0, 18}},
      {"n_four_bar", {5, 14, 0, 1}},
      {"n_four_bar_spatial", {5, 35, 6, 1}},
      {"newtons_cradle", {5, 10, 0, 5}},
      {"pendulum", {1, 1, 0, 1}},
      {"pendulum_equations", {2, 1, 0, 1}},
      {"rolling_disc", {1, 3, 0, 3}},
      {"sleigh_belt", {1, 1, 0, 2}},
      {"sleigh_equations", {3, 1, 0, 2}},
      {"slider_crank_haug", {2, 4, 0, 2}},
      {"slider_crank_haug_guided", {2, 5, 0, 1}},
      {"slider_crank_welch", {2, 5, 0, 1}},
      {"three_link", {3, 11, 0, 7}},
      {"truck", {5, 6, 0, 7}},
  };
  for (const std::string& name : shipped_names()) {
    const auto row = table.find(name);
    if (row == table.end()) {
      ADD_FAILURE() << name << " is not in the table: add it";
      continue;
    }
    const auto system = compiled_shipped(name);
    const ConstraintAnalysis analysis = analysed(*system);
    EXPECT_EQ(static_cast<int>(system->bodies().size()) - 1, row->second.bodies) << name;
    EXPECT_EQ(system->sizes().constraints(), row->second.constraints) << name;
    EXPECT_EQ(static_cast<int>(analysis.redundant.size()), row->second.redundant) << name;
    EXPECT_EQ(analysis.degrees_of_freedom, row->second.freedom) << name;
    EXPECT_EQ(analysis.rank, row->second.constraints - row->second.redundant) << name;
    EXPECT_THAT(analysis.notes, IsEmpty()) << name;
    EXPECT_THAT(analysis.massless, IsEmpty()) << name;
    EXPECT_THAT(analysis.unused, IsEmpty()) << name;
  }
}

/// Every redundant row is the combination of the others it says it is.
double combination_error(const System& system, const State& state,
                         const ConstraintAnalysis& analysis) {
  const auto ws = system.make_workspace();
  EXPECT_EQ(system.evaluate(state, {.velocity = true}, *ws), Eval::ok);
  const Matrix G = ws->G.to_dense();
  double worst = 0;
  for (const RedundantSet& set : analysis.redundant)
    for (int j = 0; j < G.cols(); ++j) {
      double sum = -G(set.row, j);
      for (const auto& [row, c] : set.others) sum += c * G(row, j);
      worst = std::fmax(worst, std::abs(sum));
    }
  return worst;
}

TEST(Analysis, NamesTheRedundantEquationOfBricard) {
  const auto system = compiled_shipped("bricard");
  const State state = assembled(*system).state;
  const ConstraintAnalysis analysis = analysed(*system, state);
  ASSERT_EQ(analysis.redundant.size(), 1u);
  // Which row is called redundant is a choice; the set is the whole loop.
  const std::string& text = analysis.redundant[0].text;
  for (const char* hinge : {"hinge_1", "hinge_2", "hinge_3", "hinge_4", "hinge_5", "hinge_6"})
    EXPECT_THAT(text, HasSubstr(hinge));
  EXPECT_THAT(text, HasSubstr("about local")) << "names the direction";
  EXPECT_LE(combination_error(*system, state, analysis), 1e-12);
}

TEST(Analysis, NamesThreeRedundantEquationsPerSpatialFourBar) {
  for (const int n : {1, 2, 5}) {
    const auto system = compiled_shipped("n_four_bar_spatial", {{"N", double(n)}});
    const State state = assembled(*system).state;
    const ConstraintAnalysis analysis = analysed(*system, state);
    EXPECT_EQ(analysis.redundant.size(), 3u * n);
    EXPECT_EQ(analysis.degrees_of_freedom, 1);
    EXPECT_LE(combination_error(*system, state, analysis), 1e-12) << n;
    if (n > 2) continue;  // in longer rows a set may reach over several loops
    // Sets stay within one loop: foot_(i-1), foot_i, left_i, right_i.
    for (const RedundantSet& set : analysis.redundant) {
      std::set<std::string> members{system->element_of_row(set.row)};
      for (const auto& [row, c] : set.others) members.insert(system->element_of_row(row));
      bool one_loop = false;
      for (int i = 1; i <= n && !one_loop; ++i) {
        const std::set<std::string> loop{"foot_" + std::to_string(i - 1),
                                         "foot_" + std::to_string(i), "left_" + std::to_string(i),
                                         "right_" + std::to_string(i)};
        one_loop = std::includes(loop.begin(), loop.end(), members.begin(), members.end());
      }
      EXPECT_TRUE(one_loop) << n << ": " << set.text;
    }
  }
}

/// The joints of a model in millimetres and tonnes.
std::unique_ptr<System> in_millimetres(const std::string& name) {
  Diagnostics diagnostics;
  Blueprint b = resolve(shipped(name), Catalog::builtin(), {}, diagnostics);
  const double length = 1e3, mass = 1e-3;
  b.gravity = length * b.gravity;
  for (BodyData& body : b.bodies) {
    body.mass *= mass;
    body.inertia = (mass * length * length) * body.inertia;
    body.position = length * body.position;
    body.velocity = length * body.velocity;
  }
  // Forces have units of their own and nothing to say about constraints.
  std::erase_if(b.elements, [](const ElementData& e) {
    return e.type->category == Category::force || e.type->category == Category::contact;
  });
  for (ElementData& e : b.elements)
    for (FrameData& f : e.frames) f.s = length * f.s;
  return compile(std::move(b), diagnostics);
}

TEST(Analysis, GivesTheSameVerdictInMillimetresAndTonnes) {
  for (const char* name : {"hmmwv", "bricard", "n_four_bar_spatial", "andrews", "chain"}) {
    const auto metres = compiled_shipped(name);
    const auto millimetres = in_millimetres(name);
    ASSERT_TRUE(millimetres) << name;
    const ConstraintAnalysis a = analysed(*metres, metres->start());
    const ConstraintAnalysis b = analysed(*millimetres, millimetres->start());
    EXPECT_EQ(a.rank, b.rank) << name;
    EXPECT_EQ(a.generic_rank, b.generic_rank) << name;
    EXPECT_EQ(a.degrees_of_freedom, b.degrees_of_freedom) << name;
    EXPECT_NEAR(a.condition, b.condition, 1e-6 * a.condition) << name;
    EXPECT_EQ(a.notes, b.notes) << name;
    ASSERT_EQ(a.redundant.size(), b.redundant.size()) << name;
    for (std::size_t i = 0; i < a.redundant.size(); ++i)
      EXPECT_EQ(a.redundant[i].text, b.redundant[i].text) << name;
  }
}

/// All cranks of the planar N-four-bar at `angle` from the upright, to the right.
State leaning(const System& system, int n, double angle) {
  State state = system.start();
  const double s = std::sin(angle), c = std::cos(angle);
  const auto& bodies = system.blueprint().bodies;
  auto place = [&](const std::string& name, double x, double y, double turn) {
    for (std::size_t b = 1; b < bodies.size(); ++b)
      if (bodies[b].name == name) {
        double* p = state.p.data() + system.bodies()[b].p;
        p[0] = x, p[1] = y, p[2] = turn;
      }
  };
  for (int i = 0; i <= n; ++i) place("crank_" + std::to_string(i), i + 0.5 * s, 0.5 * c, -angle);
  for (int i = 1; i <= n; ++i) place("coupler_" + std::to_string(i), i - 0.5 + s, c, 0);
  return state;
}

TEST(Analysis, NotesTheSingularPositionOfTheFourBars) {
  for (const int n : {1, 2, 3, 4, 6}) {
    const auto system = compiled_shipped("n_four_bar", {{"N", double(n)}});
    const State flat = leaning(*system, n, std::numbers::pi / 2);
    const auto ws = system->make_workspace();
    EXPECT_LE(constraint_residuals(*system, flat, {}, *ws).position, 1e-15) << "closed";
    const ConstraintAnalysis analysis = analysed(*system, flat);
    EXPECT_EQ(analysis.degrees_of_freedom, n + 1) << "free directions in the singular position";
    EXPECT_EQ(system->sizes().v - analysis.generic_rank, 1) << "and nearby";
    ASSERT_EQ(analysis.notes.size(), 1u);
    EXPECT_THAT(analysis.notes[0], HasSubstr("singular position"));
    // Away from it nothing is noted.
    EXPECT_THAT(analysed(*system, leaning(*system, n, 1.2)).notes, IsEmpty());
  }
}

TEST(Analysis, NotesANearlySingularPositionWithItsCondition) {
  const auto system = compiled_shipped("n_four_bar", {{"N", 1.0}});
  const ConstraintAnalysis near =
      analysed(*system, leaning(*system, 1, std::numbers::pi / 2 - 3e-8));
  EXPECT_EQ(near.degrees_of_freedom, 1) << "still regular";
  EXPECT_GT(near.condition, 1e7);
  ASSERT_EQ(near.notes.size(), 1u);
  EXPECT_THAT(near.notes[0], HasSubstr("nearly singular"));
  // The condition number grows like one over the distance.
  const ConstraintAnalysis nearer =
      analysed(*system, leaning(*system, 1, std::numbers::pi / 2 - 1e-3));
  const ConstraintAnalysis far =
      analysed(*system, leaning(*system, 1, std::numbers::pi / 2 - 1e-2));
  EXPECT_NEAR(nearer.condition / far.condition, 10, 0.5);
}

TEST(Analysis, ListsMasslessAndUnusedBodies) {
  const auto system = compiled(R"(
kardan: 1
bodies:
  good: {mass: 1, inertia: [1, 1, 1]}
  thin: {mass: 1, inertia: [1, 1, 0]}
  ghost: {mass: 0, inertia: [1, 1, 1]}
  lost: {mass: 1, inertia: [1, 1, 1]}
  watched: {mass: 1, inertia: [1, 1, 1]}
joints:
  a: {type: spherical, between: [ground, good]}
  b: {type: spherical, between: [good, thin]}
  c: {type: fixed, between: [thin, ghost]}
sensors:
  eye: {type: point, between: [ground, watched]}
)");
  const ConstraintAnalysis analysis = analysed(*system, system->start());
  EXPECT_THAT(analysis.massless, ElementsAre("thin", "ghost"));
  EXPECT_THAT(analysis.unused, ElementsAre("lost", "watched")) << "a sensor holds nothing";
}

TEST(Analysis, NamesADoubledJointWithItsTwin) {
  const auto system = compiled(R"(
kardan: 1
dimension: 2
bodies:
  arm: {mass: 1, inertia: 1, position: [0.5, 0], markers: {O: {at: [-0.5, 0]}}}
joints:
  foot: {type: revolute, between: [ground, arm.O]}
  again: {type: revolute, between: [ground, arm.O]}
)");
  const ConstraintAnalysis analysis = analysed(*system);
  ASSERT_EQ(analysis.redundant.size(), 2u);
  std::vector<std::string> texts{analysis.redundant[0].text, analysis.redundant[1].text};
  EXPECT_THAT(texts, Contains("again translation along world x, with foot"));
  EXPECT_THAT(texts, Contains("again translation along world y, with foot"));
}

TEST(Reactions, OfRedundantJointsAreMarkedAndOthersAreNot) {
  const auto system = compiled(R"(
kardan: 1
gravity: [0, 0, -9.81]
bodies:
  door: {mass: 10, inertia: [1, 1, 1], position: [0.5, 0, 0]}
  lamp: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, -1]}
joints:
  upper: {type: revolute, bodies: [ground, door], at: [0, 0, 0.5], axis: [0, 0, 1]}
  lower: {type: revolute, bodies: [ground, door], at: [0, 0, -0.5], axis: [0, 0, 1]}
  cable: {type: spherical, bodies: [door, lamp], at: [0.5, 0, 0]}
)");
  const ConsistentStart start = assembled(*system);
  ASSERT_EQ(start.report.status, Eval::ok);
  const auto ws = system->make_workspace();
  const ConstraintAnalysis analysis = analyse(*system, start.state, *ws);
  EXPECT_EQ(analysis.redundant.size(), 5u);
  EXPECT_EQ(analysis.degrees_of_freedom, 1 + 3);
  std::map<std::string, Reaction> all;
  for (const Reaction& r : reactions(*system, start.state, start.lambda, analysis, *ws))
    all[r.element] = r;
  EXPECT_FALSE(all["upper"].unique);
  EXPECT_FALSE(all["lower"].unique);
  EXPECT_TRUE(all["cable"].unique);
  // What is unique is right: the lamp's weight, and the sum of the hinges.
  EXPECT_NEAR(all["cable"].force.z, 9.81, 1e-12);
  EXPECT_NEAR(all["upper"].force.z + all["lower"].force.z, 11 * 9.81, 1e-10);
  const Vec3d moment = all["upper"].torque + all["lower"].torque +
                       cross(Vec3d{0, 0, 0.5}, all["upper"].force) +
                       cross(Vec3d{0, 0, -0.5}, all["lower"].force);
  EXPECT_NEAR(moment.y, -11 * 9.81 * 0.5, 1e-9) << "about the origin, against the weights";
}

TEST(Reactions, OfACantileverAreItsWeightAndMoment) {
  const auto system = compiled(R"(
kardan: 1
gravity: [0, 0, -9.81]
bodies:
  beam: {mass: 3, inertia: [1, 1, 1], position: [1, 0, 0], rotation: [0.3, 0.2, 0.1]}
joints:
  clamp: {type: fixed, bodies: [ground, beam], at: [0, 0, 0], axis: [1, 2, 3]}
forces:
  twist: {type: torque, on: beam, tx: 5}
)");
  const ConsistentStart start = assembled(*system);
  const auto ws = system->make_workspace();
  const auto all =
      reactions(*system, start.state, start.lambda, analyse(*system, start.state, *ws), *ws);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_LE(norm(all[0].force - Vec3d{0, 0, 3 * 9.81}), 1e-12);
  // Equilibrium about the clamp: torque + (1, 0, 0) x (0, 0, -3 g) + (5, 0, 0) = 0.
  EXPECT_LE(norm(all[0].torque - Vec3d{-5, -3 * 9.81, 0}), 1e-11);
  EXPECT_NEAR(norm_max(start.a), 0, 1e-12);
}

}  // namespace
}  // namespace kardan::test
