/// What a step of every method on every formulation leaves behind: nothing of attempts that were
/// rejected, nothing allocated, and everything a restart needs.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "conformance/pairs.h"
#include "kardan/formulation/catalog.h"
#include "kardan/formulation/system_inputs.h"
#include "kardan/integrate/driver.h"
#include "kardan/run/choice.h"
#include "support/count_allocations.h"
#include "support/models.h"
#include "support/same_bits.h"

namespace kardan::test {
namespace {

/// A loop with a spring and a motor's torque: free, dependent and dynamic variables together.
constexpr const char* loop = R"yaml(kardan: 1
dimension: 2
gravity: [0, -9.81]
ground: {markers: {D: {at: [0.9, 0]}}}
bodies:
  crank: {mass: 1, inertia: 0.0075, position: [0, 0.15], angle: pi/2, markers: {A: {at: [-0.15, 0]}, B: {at: [0.15, 0]}}}
  coupler: {mass: 2, inertia: 0.1, position: [0.4, 0.5], markers: {B: {at: [-0.4, 0]}, C: {at: [0.4, 0]}}}
  rocker: {mass: 2, inertia: 0.08, position: [0.9, 0.3], angle: pi/2, markers: {D: {at: [-0.35, 0]}, C: {at: [0.35, 0]}}}
joints:
  A: {type: revolute, between: [ground, crank.A]}
  B: {type: revolute, between: [crank.B, coupler.B]}
  C: {type: revolute, between: [coupler.C, rocker.C]}
  D: {type: revolute, between: [ground.D, rocker.D]}
forces:
  spring: {type: spring_damper, between: [ground, rocker], stiffness: 200, damping: 3, free_length: 0.5}
)yaml";

bool same(const State& a, const State& b) {
  return a.t == b.t && same_bits(a.p, b.p) && same_bits(a.v, b.v) && same_bits(a.r, b.r) &&
         same_bits(a.w, b.w) && same_bits(a.s, b.s) && a.turns == b.turns && a.modes == b.modes;
}

class EveryPair : public testing::TestWithParam<std::string> {
 protected:
  Diagnostics diagnostics;
  Prepared prepared() {
    Prepared out = prepare(model_of(loop), {}, diagnostics);
    EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
    return out;
  }
  static SimulateOptions options() {
    SimulateOptions out;
    out.method = GetParam();
    out.t_end = 0.3;
    out.driver.tolerance = 1e-4;
    return out;
  }
};

/// The first accepted step and its end.
struct FirstStep {
  double h = 0;
  long rejected = 0;
  State end;
};

TEST_P(EveryPair, LeavesNoTraceOfRejectedAttempts) {
  const Choice choice = choose_method(GetParam(), diagnostics);
  if (choice.method->integrate) return;  // a loop of its own, which chooses its first steps itself
  const auto first = [&](double h) {
    FirstStep out;
    Prepared p = prepared();
    SimulateOptions asked = options();
    asked.t_end = 10;
    asked.driver.first_step = h;
    (void)simulate(
        p, asked, {},
        [&](const StepView& step) {
          out = {step.h, step.counters->rejected + step.counters->failed, *step.state};
          return std::string("one step");
        },
        diagnostics);
    return out;
  };
  const FirstStep with = first(3);
  ASSERT_GT(with.h, 0) << "no step was taken";
  const FirstStep without = first(with.h);
  EXPECT_GT(with.rejected, 0) << "the first step was meant to be far too long";
  EXPECT_EQ(without.rejected, 0);
  EXPECT_TRUE(same(with.end, without.end));
}

TEST_P(EveryPair, GoesOnFromARestartPointBitByBit) {
  SimulateOptions asked = options();
  asked.checkpoint_every = 0.02;
  std::vector<RunMemory> memories;
  Watchers watchers;
  watchers.checkpoint = [&](const RunMemory& memory) { memories.push_back(memory); };
  Prepared whole = prepared();
  const RunReport report = simulate(whole, asked, watchers, diagnostics);
  if (report.driver.reason == Reason::refused) {
    EXPECT_FALSE(report.driver.message.empty()) << "a refusal without a word";
    return;
  }
  ASSERT_EQ(report.driver.reason, Reason::finished) << report.driver.message;
  ASSERT_GE(memories.size(), 2u);
  const std::vector<RunMemory> from = memories;
  for (const RunMemory& memory : from) {
    Prepared rest = prepared();
    const RunReport again = simulate(rest, asked, watchers, diagnostics, &memory);
    EXPECT_EQ(again.driver.counters.steps, report.driver.counters.steps);
    EXPECT_TRUE(same(rest.start.state, whole.start.state)) << "from t = " << memory.state.t;
  }
}

TEST_P(EveryPair, AllocatesNothingInAStep) {
  if (!KARDAN_COUNTS_ALLOCATIONS) GTEST_SKIP() << "malloc cannot be replaced in this build";
  const Choice choice = choose_method(GetParam(), diagnostics);
  if (choice.method->integrate) return;  // SUNDIALS allocates where its order changes
  const Prepared p = prepared();
  const auto problem =
      choice.formulation->make(*p.system, complete_options(choice.formulation->options, {}));
  State state = p.start.state;
  DriverOptions driver;
  driver.fixed_step = 1e-3;
  long count = 0, before = 0;
  int step = 0, partitions = 0;
  const DriverReport report =
      integrate(*problem, *choice.method, state, 0.1, driver, [&](const StepView&) {
        if (step > 5 && partitions == problem->partitions()) count += allocations - before;
        ++step;
        partitions = problem->partitions();
        before = allocations;
        return std::string();
      });
  EXPECT_EQ(report.reason, Reason::finished) << report.message;
  EXPECT_EQ(count, 0);
}

INSTANTIATE_TEST_SUITE_P(All, EveryPair, testing::ValuesIn(pairs()),
                         [](const auto& of) { return test_name(of.param); });

TEST(EverySystem, EnclosesItsInputsWithoutAllocating) {
  if (!KARDAN_COUNTS_ALLOCATIONS) GTEST_SKIP() << "malloc cannot be replaced in this build";
  constexpr const char* bodies = R"yaml(kardan: 1
dimension: 2
bodies:
  ball: {kind: point, mass: 2}
forces:
  push: {type: force, on: ball, fx: "sin(3*t)*exp(-t)"}
)yaml";
  constexpr const char* written = R"yaml(kardan: 1
equations:
  positions: {x: 0}
  velocities: {u: 0}
  mass: {u: 2}
  definitions: {damped: exp(-t)}
  forces: {u: "sin(3*t)*damped"}
)yaml";
  for (const char* text : {bodies, written}) {
    Diagnostics diagnostics;
    const Prepared p = prepare(model_of(text), {}, diagnostics);
    ASSERT_TRUE(p.system) << format(diagnostics);
    SystemInputs source(*p.system);
    std::vector<InputBounds> out(source.of_time(p.start.state).size());
    ASSERT_EQ(out.size(), 1u);
    source.enclose(p.start.state, 0, 0.1, 4, out);
    const long before = allocations;
    for (double t = 0; t < 1; t += 0.1) source.enclose(p.start.state, t, t + 0.1, 4, out);
    EXPECT_EQ(allocations, before) << text;
  }
}

// ---- refusals

TEST(EveryFormulation, RefusesByNameWhatItCannotTreat) {
  // Forces that depend on multipliers (the disc) and nonholonomic rows (the sleigh): a formulation
  // treats them or says which of them it does not.
  for (const char* model : {"disc_equations", "sleigh_belt", "rolling_disc"}) {
    Diagnostics unused;
    const Prepared p = prepare(shipped(model), {}, unused);
    for (const Formulation& formulation : formulations()) {
      if (!formulation.refuse) continue;
      Diagnostics said;
      formulation.refuse(*p.system, said);
      if (!said.has_errors()) continue;
      EXPECT_GT(format(said).size(), 20u) << formulation.name << " refuses " << model;
    }
  }
}

}  // namespace
}  // namespace kardan::test
