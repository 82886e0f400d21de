/// Options of radau5 and its formulation: other decompositions, selectors, controllers and starting
/// values lead to the same motion; what is special is said.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "integrate/problems.h"
#include "integrate/runs.h"
#include "kardan/formulation/assembly.h"
#include "kardan/formulation/catalog.h"
#include "support/general_problems.h"
#include "support/places.h"

namespace kardan {
namespace {

using namespace test;
using testing::HasSubstr;

struct Result {
  State state;
  DriverReport report;
  ProblemCounts counts;
  std::vector<std::string> remarks;
  std::vector<PartitionRecord> history;
};

Result run_with(const System& system, const State& start, double t_end, const OptionValues& options,
                const DriverOptions& driver = {}) {
  const Formulation& f = *find_formulation("strangeness_free");
  const Method& method = *find_method("radau5");
  OptionValues of_method, of_formulation;
  for (const auto& [name, value] : options) {
    const auto has = [&](const std::vector<OptionInfo>& list) {
      return std::any_of(list.begin(), list.end(),
                         [&](const OptionInfo& o) { return o.name == name; });
    };
    EXPECT_TRUE(has(method.options) || has(f.options)) << name;
    (has(method.options) ? of_method : of_formulation)[name] = value;
  }
  const auto problem = f.make(system, complete_options(f.options, of_formulation));
  Result out{start, {}, {}, {}, {}};
  DriverOptions all = driver;
  all.method_options = complete_options(method.options, of_method);
  out.report = integrate(*problem, method, out.state, t_end, all, {});
  EXPECT_EQ(out.report.reason, Reason::finished) << out.report.message;
  out.counts = problem->counts();
  out.remarks = problem->remarks();
  out.history.assign(problem->partition_history().begin(), problem->partition_history().end());
  return out;
}

class RadauOptions : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(RadauOptions, LeadToTheSameMotion) {
  const auto [name, value] = GetParam();
  DriverOptions tight;
  tight.tolerance = 1e-9;
  for (const char* file : {"andrews.yaml", "bricard.yaml", "rolling_disc.yaml"}) {
    const Prepared model = model_file(file);
    const double t_end = file == std::string("andrews.yaml") ? 0.03 : 1;
    const State usual = run_with(*model.system, model.start.state, t_end, {}, tight).state;
    const Result other = run_with(*model.system, model.start.state, t_end, {{name, value}}, tight);
    const Reached e = reached({other.state}, {usual});
    fmt::print("{} {}={}: position {:.1e} velocity {:.1e}, {} steps, {} failed\n", file, name,
               value, e.position, e.velocity, other.report.counters.steps,
               other.report.counters.failed);
    EXPECT_LE(e.position, 1e-8) << file;
    EXPECT_LE(e.velocity, 1e-7) << file;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, RadauOptions,
    testing::Values(std::pair{"algebraic", "lu"}, std::pair{"algebraic", "qr"},
                    std::pair{"algebraic", "svd"}, std::pair{"differential", "qr"},
                    std::pair{"selectors", "unit_rows"}, std::pair{"start_values", "constant"},
                    std::pair{"jacobian_at", "start"}, std::pair{"jacobian_at", "stage_2"},
                    std::pair{"newton_updates", "0"}, std::pair{"jacobian_reuse", "0.1"}),
    [](const auto& of) {
      return std::string(of.param.first) + "_" +
             (std::string(of.param.second) == "0.1" ? "often" : of.param.second);
    });

TEST(RadauControllers, ReachTheSameAccuracy) {
  const Prepared model = model_file("andrews.yaml");
  DriverOptions options;
  options.tolerance = 1e-7;
  const State usual = run_with(*model.system, model.start.state, 0.03, {}, options).state;
  for (const StepControl control : {StepControl::predictive, StepControl::pi}) {
    options.control = control;
    const Result other = run_with(*model.system, model.start.state, 0.03, {}, options);
    const Reached e = reached({other.state}, {usual});
    fmt::print("{}: position {:.1e}, {} steps, {} rejected\n", to_string(control), e.position,
               other.report.counters.steps, other.report.counters.rejected);
    EXPECT_LE(e.position, 1e-7);
  }
}

TEST(RadauRank, LossUnderLuIsDecidedByQrAndSaid) {
  const Prepared model = model_file("n_four_bar.yaml", {{"N", 2}});
  DriverOptions options;
  options.tolerance = 1e-8;
  const Result lu = run_with(*model.system, model.start.state, 2, {{"algebraic", "lu"}}, options);
  const Result qr = run_with(*model.system, model.start.state, 2, {{"algebraic", "qr"}}, options);
  ASSERT_EQ(lu.remarks.size(), 1U);
  EXPECT_THAT(lu.remarks[0], HasSubstr("QR with pivoting"));
  EXPECT_TRUE(qr.remarks.empty());
  EXPECT_LT(lu.counts.rank_decisions, qr.counts.rank_decisions);
  EXPECT_LE(reached({lu.state}, {qr.state}).position, 1e-6);
}

TEST(RadauRank, SingularPositionsThatArePassedAreRecordedWithTheirJoints) {
  const Prepared model = model_file("n_four_bar.yaml", {{"N", 2}});
  DriverOptions options;
  options.tolerance = 1e-8;
  const Result run = run_with(*model.system, model.start.state, 2, {}, options);
  // The cranks lie flat twice within 2 s.
  int passed = 0;
  for (const PartitionRecord& record : run.history) {
    fmt::print("t = {:.6f} rank {}: {}\n", record.t, record.rank, record.why);
    if (!record.why.starts_with("passed")) continue;
    ++passed;
    EXPECT_TRUE(record.why.find("left_") != std::string::npos ||
                record.why.find("right_") != std::string::npos ||
                record.why.find("foot_") != std::string::npos)
        << record.why;
  }
  EXPECT_EQ(passed, 2);
}

TEST(RadauCounts, HaveThePapersMeaning) {
  const GeneralProblem problem = general_problem("andrews");
  const ConsistentStart start = assemble(*problem.system, problem.system->start(), {});
  const Result run = run_with(*problem.system, start.state, 0.03, {});
  const Counters& c = run.report.counters;
  // One predecomposition and one choice of selectors with every Jacobian, one solve with every
  // iteration; the mass matrix belongs to every evaluation, but the first of an iteration may be the
  // one that its Jacobian has left.
  EXPECT_EQ(run.counts.predecompositions, c.jacobians);
  EXPECT_EQ(run.counts.selectors, c.jacobians);
  EXPECT_EQ(c.solves, c.iterations);
  EXPECT_GE(run.counts.mass_evaluations + c.jacobians, c.evaluations);
  // That of bodies is constant: it is made once.
  const Prepared bodies = model_file("three_link.yaml");
  EXPECT_EQ(run_with(*bodies.system, bodies.start.state, 0.1, {}).counts.mass_evaluations, 1);
  // Unit rows stay the same for many Jacobians.
  const Result unit = run_with(*problem.system, start.state, 0.03, {{"selectors", "unit_rows"}});
  EXPECT_LT(unit.counts.selectors, unit.counts.predecompositions);
}

TEST(Diagnoses, AreNamedOnceAndExplained) {
  std::ifstream file(source_folder() + "/docs/look-up/diagnoses.md");
  ASSERT_TRUE(file);
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<std::string_view> names;
  for (const DiagnosisInfo& d : diagnoses()) {
    const std::string_view advice = d.advice.empty() ? "-" : d.advice;
    EXPECT_THAT(page, HasSubstr(fmt::format("| {} | {} | {} | {} |\n", d.name, d.meaning, advice,
                                            d.geoms)));
    EXPECT_EQ(to_string(d.diagnosis), d.name);
    EXPECT_EQ(std::count(names.begin(), names.end(), d.name), 0) << d.name;
    EXPECT_FALSE(d.meaning.empty()) << d.name;
    names.push_back(d.name);
  }
  EXPECT_EQ(to_string(Diagnosis::none), "");
}

Diagnosis how_it_ends(std::string_view yaml, double t_end, DriverOptions options = {}) {
  const Prepared model = model_text(yaml);
  const Ended end = run_on(model, *find_method("radau5"), "strangeness_free", t_end, options);
  EXPECT_NE(end.report.reason, Reason::finished);
  return end.report.diagnosis;
}

constexpr std::string_view force_ends = R"(
kardan: 1
dimension: 2
bodies: {bob: {kind: point, mass: 1, position: [1, 0]}}
joints: {rod: {type: distance, between: [ground, bob], length: 1}}
forces: {broken: {type: spring_damper, between: [{body: ground, at: [2, 2]}, bob], law: sqrt(0.5 - t)}}
)";

TEST(Diagnoses, OfRadau5SayWhatEndedTheRun) {
  EXPECT_EQ(how_it_ends(force_ends, 2), Diagnosis::not_finite);
  DriverOptions few;
  few.max_steps = 3;
  EXPECT_EQ(how_it_ends(force_ends, 0.4, few), Diagnosis::too_many_steps);
  EXPECT_EQ(how_it_ends(force_ends, -1), Diagnosis::end_before_start);
  // Two drivers that agree until t = 0.7.
  EXPECT_EQ(how_it_ends(R"(
kardan: 1
dimension: 2
bodies: {crank: {mass: 1, inertia: 0.3, position: [0.5, 0]}}
joints: {pivot: {type: revolute, between: [ground, {body: crank, at: [-0.5, 0]}]}}
drivers:
  first: {type: driver, between: [ground, crank], motion: 0.5*t^2}
  second: {type: driver, between: [ground, crank], motion: "t < 0.7 ? 0.5*t^2 : 0.5*t^2 + (t - 0.7)^3"}
)",
                        2),
            Diagnosis::contradiction);
}

TEST(Diagnoses, OfALockUpNameTheJoints) {
  const Prepared model = model_text(stretched_arm);
  const Ended end = run_on(model, *find_method("radau5"), "strangeness_free", 2, {});
  EXPECT_NE(end.report.reason, Reason::finished);
  EXPECT_NEAR(end.report.t, 0.7, 1e-3);
  // Seen from before the position, or from attempts that reach beyond it.
  EXPECT_TRUE(end.report.diagnosis == Diagnosis::singular_position ||
              end.report.diagnosis == Diagnosis::contradiction)
      << to_string(end.report.diagnosis);
  EXPECT_THAT(end.report.message, testing::AnyOf(HasSubstr("pull"), HasSubstr("shoulder"),
                                                 HasSubstr("elbow"), HasSubstr("rail")));
}

}  // namespace
}  // namespace kardan
