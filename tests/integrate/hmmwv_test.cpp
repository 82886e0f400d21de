/// The vehicle over the bump against its reference: two independent formulations (18 exact
/// coordinates; 84 velocities with 66 multipliers), Radau with event location at 1e-8 and 1e-10,
/// computed for Kardan, good to about 9 digits.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "integrate/runs.h"

namespace kardan {
namespace {

using namespace test;

struct Row {
  double t, height, pitch;  // height of the chassis' centre; pitch positive nose down
};
constexpr Row table[] = {{0.5, 0.6818056234769938, 0.00037324806603685856},
                         {0.6, 0.7111508439668615, -0.019795940771869164},
                         {0.8, 0.661649901462845, 0.008183875530604753},
                         {1.0, 0.6952281066331044, 0.0018174440137357212},
                         {1.3, 0.701718928069071, 0.013245552099431703},
                         {1.5, 0.6747468136092701, -0.007781051679975217},
                         {2, 0.6874172022337466, -0.0010794214716580283},
                         {3, 0.6816781340121753, 0.0003780337980054253},
                         {4, 0.6817908861447142, 0.0003740284926756237},
                         {5, 0.681807165496278, 0.00037318646286009776}};
/// Bump on, lift-off, bump off, landing: front, then rear; each for two wheels.
constexpr double event_times[] = {0.5,
                                  0.570626200513854,
                                  0.5981622413651307,
                                  0.7259305489087815,
                                  1.238760937313931,
                                  1.3065346682546017,
                                  1.3384333791153622,
                                  1.4557294656033648};

double pitch(const System& system, const State& s) {
  auto q = [&](const char* c) { return value(system, s, std::string("chassis.") + c); };
  return std::asin(2 * (q("qw") * q("qy") - q("qz") * q("qx")));
}

class Hmmwv : public testing::Test {
 protected:
  static void SetUpTestSuite() { model_ = new Prepared(model_file("hmmwv.yaml")); }
  static void TearDownTestSuite() { delete model_; }
  static Prepared* model_;

  struct Run {
    std::vector<State> table;
    Ended end;
  };
  static Run run_to(double t_end, double tolerance, const char* method = "rn4") {
    Run r;
    DriverOptions options;
    options.tolerance = tolerance;
    std::size_t next = 0;
    ChartPoint point;
    r.end = run(*model_, *find_method(method), t_end, options, [&](const StepView& step) {
      for (; next < std::size(table) && table[next].t <= step.t + 1e-12; ++next) {
        step.dense->at((table[next].t - (step.t - step.h)) / step.h, point);
        State s;
        if (step.problem->state_at(point, ChartProblem::Consistency::projected, s) != Eval::ok)
          return std::string("projection failed");
        r.table.push_back(std::move(s));
      }
      return std::string();
    });
    EXPECT_EQ(r.end.report.reason, Reason::finished) << r.end.report.message;
    return r;
  }
};
Prepared* Hmmwv::model_ = nullptr;

TEST_F(Hmmwv, HeightPitchAndEventsTrackTheTolerance) {
  for (const double tolerance : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
    const Run r = run_to(5, tolerance);
    ASSERT_EQ(r.table.size(), std::size(table));
    double height = 0, nose = 0;
    for (std::size_t i = 0; i < std::size(table); ++i) {
      const double z = value(*model_->system, r.table[i], "chassis.z");
      height = std::max(height, std::abs(z - table[i].height) / (1 + table[i].height));
      nose = std::max(nose, std::abs(pitch(*model_->system, r.table[i]) - table[i].pitch));
    }
    double events = 0;
    ASSERT_EQ(r.end.report.events.size(), 2 * std::size(event_times)) << "at " << tolerance;
    for (std::size_t i = 0; i < r.end.report.events.size(); ++i)
      events = std::max(events, std::abs(r.end.report.events[i].t - event_times[i / 2]));
    const Counters& c = r.end.report.counters;
    fmt::print(
        "hmmwv rn4 {:.0e}: height {:.1e}  pitch {:.1e}  events {:.1e} s  {} steps, {} "
        "rejected, {} failed\n",
        tolerance, height, nose, events, c.steps, c.rejected, c.failed);
    EXPECT_LE(height, 10 * tolerance);
    EXPECT_LE(nose, 10 * tolerance);
    EXPECT_LE(events, 10 * tolerance);
  }
}

TEST_F(Hmmwv, NeverStepsOverTheBump) {
  for (const double t_end : {1.0, 2.0, 5.0}) {
    const std::size_t expected = t_end < 1.2 ? 8 : 16;
    for (const double tolerance : {1e-2, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7}) {
      // The long tail at tight tolerances is the same run as the shorter one.
      if (t_end > 2 && tolerance < 1e-6) continue;
      const Run r = run_to(t_end, tolerance);
      EXPECT_EQ(r.end.report.events.size(), expected) << t_end << " s at " << tolerance;
    }
  }
}

TEST_F(Hmmwv, TakesNoMoreStepsThanItDid) {
  // 55, 122, 294 were measured, with one rejection; 5 % more. Errors after its events are foreseen.
  for (const auto& [tolerance, steps] : {std::pair{1e-2, 58}, {1e-3, 128}, {1e-4, 309}}) {
    const Counters c = run_to(5, tolerance).end.report.counters;
    EXPECT_LE(c.steps, steps) << tolerance;
    EXPECT_LE(c.rejected + c.failed, 3) << tolerance;
  }
}

}  // namespace
}  // namespace kardan
