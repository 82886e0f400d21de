/// A rejected attempt leaves no trace, and the same input gives the same bits.

#include <gtest/gtest.h>

#include <cstring>

#include "integrate/problems.h"
#include "integrate/runs.h"
#include "support/same_bits.h"

namespace kardan {
namespace {

using namespace test;
using test::same_bits;

bool same_bits(const State& a, const State& b) {
  return a.t == b.t && same_bits(a.p, b.p) && same_bits(a.v, b.v) && same_bits(a.r, b.r) &&
         same_bits(a.w, b.w) && a.turns == b.turns && a.modes == b.modes;
}

/// Attempts from one base, as the driver makes them.
class Attempts {
 public:
  Attempts(const Prepared& model, const Method& method)
      : problem_(*model.system),
        stepper_(method.make(complete_options(method.options, {}))),
        state_(model.start.state),
        scale_(problem_.default_scale(1e-6)),
        t_(model.start.state.t) {
    EXPECT_EQ(problem_.rebase(model.start.state), Eval::ok);
    if (method.needs_jacobian) {
      EXPECT_EQ(problem_.jacobian(jacobian_), Eval::ok);
    }
  }
  struct Result {
    Eval eval = Eval::ok;
    Trial trial;
    State end;
    ChartPoint point;
  };
  Result attempt(double h) {
    Result r;
    Counters counters;
    const StepStart start{t_,         &problem_.base(), &problem_.base_rate(),
                          &jacobian_, &state_,          &scale_};
    r.eval = stepper_->attempt(problem_, start, h, r.trial, counters);
    if (r.eval == Eval::ok) r.eval = problem_.finish(t_ + h, r.trial.y, r.end, r.point);
    return r;
  }

 private:
  StateSpace problem_;
  std::unique_ptr<Stepper> stepper_;
  LocalJacobian jacobian_;
  State state_;
  ErrorScale scale_;
  double t_;
};

void expect_same(const Attempts::Result& a, const Attempts::Result& b, std::string_view what) {
  ASSERT_EQ(a.eval, b.eval) << what;
  EXPECT_TRUE(same_bits(a.trial.y.x, b.trial.y.x)) << what;
  EXPECT_TRUE(same_bits(a.trial.y.u, b.trial.y.u)) << what;
  EXPECT_TRUE(same_bits(a.trial.y.z, b.trial.y.z)) << what;
  EXPECT_TRUE(same_bits(a.trial.error.x, b.trial.error.x)) << what;
  EXPECT_TRUE(same_bits(a.trial.error.u, b.trial.error.u)) << what;
  EXPECT_TRUE(same_bits(a.end, b.end)) << what;
  EXPECT_TRUE(same_bits(a.point.ddq, b.point.ddq)) << what;
}

struct TracedCase {
  std::string name;
  Prepared model;
  double good, huge;  // steps [s]
};

std::vector<TracedCase> traced_cases() {
  std::vector<TracedCase> c;
  c.push_back({"andrews", model_file("andrews.yaml"), 1e-4, 0.05});
  c.push_back({"three links", model_file("three_link.yaml"), 1e-2, 3});
  c.push_back({"steered pendulum", model_text(steered_pendulum), 1e-2, 2});
  c.push_back({"shaken pendulum", model_text(shaken_pendulum), 1e-2, 2});
  c.push_back({"chain", model_file("chain.yaml"), 1e-3, 0.3});
  return c;
}

TEST(RejectedAttempt, LeavesNoTrace) {
  for (const TracedCase& c : traced_cases())
    for (const Method& method : one_step_methods()) {
      const std::string what = c.name + " with " + std::string(method.name);
      Attempts fresh(c.model, method), used(c.model, method);
      // Failed, recoverable or merely wrong: whatever the huge step did must be forgotten.
      (void)used.attempt(c.huge);
      (void)used.attempt(0.1 * c.huge);
      const Attempts::Result expected = fresh.attempt(c.good);
      ASSERT_EQ(expected.eval, Eval::ok) << what;
      expect_same(used.attempt(c.good), expected, what);
      expect_same(used.attempt(c.good), expected, what + ", repeated");
    }
}

TEST(RejectedAttempt, GivesTheStepThatWouldHaveBeenTakenAtOnce) {
  const Prepared model = model_file("andrews.yaml");
  for (const Method& method : one_step_methods()) {
    DriverOptions options;
    options.first_step = 0.01;
    double accepted = 0;
    auto after_one = [&](const StepView& step) {
      accepted = step.h;
      return std::string("one step");
    };
    const Ended with = run(model, method, 0.03, options, after_one);
    ASSERT_GT(with.report.counters.rejected + with.report.counters.failed, 0) << method.name;
    options.first_step = accepted;
    const Ended without = run(model, method, 0.03, options, after_one);
    EXPECT_EQ(without.report.counters.rejected + without.report.counters.failed, 0) << method.name;
    EXPECT_TRUE(same_bits(with.state, without.state)) << method.name;
  }
}

TEST(Runs, GiveTheSameBitsWhenRepeated) {
  const struct {
    const char* file;
    double t_end;
  } models[] = {{"andrews.yaml", 0.02}, {"hmmwv.yaml", 0.8}, {"chain.yaml", 0.2}};
  for (const auto& m : models)
    for (const char* method : {"rn4", "rodasp", "ros2w"}) {
      DriverOptions options;
      options.tolerance = 1e-3;
      const Ended a = run(model_file(m.file), *find_method(method), m.t_end, options);
      const Ended b = run(model_file(m.file), *find_method(method), m.t_end, options);
      EXPECT_TRUE(same_bits(a.state, b.state)) << m.file << ' ' << method;
      EXPECT_EQ(a.report.counters.steps, b.report.counters.steps);
      EXPECT_EQ(a.report.counters.evaluations, b.report.counters.evaluations);
    }
}

}  // namespace
}  // namespace kardan
