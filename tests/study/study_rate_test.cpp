/// How much of a study's time is integration: the vehicle over its bump, five parameters vary, every
/// run is balanced first.
///
/// KARDAN_STUDY_RUNS=N (tools/study_rate) does N runs, and the same on one thread and on two.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <ctime>

#include "kardan/study/study.h"
#include "kardan/study/study_reader.h"
#include "support/places.h"
#include "support/process.h"

namespace kardan {
namespace {

StudyPlan vehicle(int runs) {
  Diagnostics faults;
  auto plan = read_study_text(fmt::format(R"(kardan_study: 1
model: hmmwv.yaml
vary:
  speed: {{type: normal, mean: speed, deviation: 0.2}}
  tyre_stiffness: {{type: normal, mean: tyre_stiffness, deviation: 0.05*tyre_stiffness}}
  chassis_mass: {{type: uniform, from: 0.9*chassis_mass, to: 1.1*chassis_mass}}
  spring_damping: {{type: normal, mean: spring_damping, deviation: 0.05*spring_damping}}
  bump_radius: {{type: uniform, from: 0.04, to: 0.06}}
design: {{type: sobol, runs: {}}}
keep: {{end: final(chassis.z), worst: max(abs(chassis.az))}}
)",
                                          runs),
                              models_folder() + "/study.yaml", std::nullopt, faults);
  EXPECT_TRUE(plan) << format(faults);
  return std::move(*plan);
}

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

TEST(StudyRate, IsMostlyThatOfIntegration) {
  const char* const asked = std::getenv("KARDAN_STUDY_RUNS");
  const int runs = asked ? std::atoi(asked) : 16;
  const StudyPlan plan = vehicle(runs);
  const RowShape shape(plan);
  std::vector<double> row(shape.width());
  double integration = 0, begin = 0;
  for (int i = -2; i < runs; ++i) {
    if (i == 0) {  // pages and caches are there
      begin = cpu_seconds();
      integration = 0;
    }
    WholeRun whole;
    do_run(plan, shape, static_cast<std::uint64_t>(std::max(i, 0)), row, whole);
    ASSERT_FALSE(shape.failed(row)) << whole.message;
    integration += whole.report.cpu_seconds;
  }
  const double share = integration / (cpu_seconds() - begin);
  fmt::print("{:.1f} runs a second; integration alone {:.1f}: {:.3f} of it\n",
             runs / (cpu_seconds() - begin), runs / integration, share);
  // Before what parameters touch was made anew alone, it was 0.4.
  EXPECT_GT(share, 0.7);
  if (!asked) return;
  test::TemporaryFolder folder;
  double alone = 0;
  for (const int threads : {1, 2}) {
    StudyStore::create(folder.file("rate.h5"), plan);
    Diagnostics faults;
    auto store = StudyStore::open(folder.file("rate.h5"), RunTable::Access::write, faults);
    ASSERT_TRUE(store);
    const auto from = std::chrono::steady_clock::now();
    do_runs(plan, *store, {threads});
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
    if (threads == 1) alone = seconds;
    fmt::print("{} thread{}: {:.1f} runs a second, efficiency {:.3f}\n", threads,
               threads > 1 ? "s" : "", runs / seconds, alone / seconds / threads);
  }
}

}  // namespace
}  // namespace kardan
