/// A run that goes on from a checkpoint is the run in one piece, bit by bit: every method, on
/// models with loops, redundant and nonholonomic constraints, events and impulses.

#include <gtest/gtest.h>

#include "kardan/io/checkpoint.h"
#include "kardan/io/result_writer.h"
#include "support/models.h"
#include "support/same_bits.h"

namespace kardan {
namespace {

struct Case {
  const char* model;
  double t_end, tolerance;
};
/// Driven loops in the plane and in space, redundant constraints, rolling, impulses, contacts,
/// equations.
constexpr Case cases[] = {{"andrews", 0.002, 1e-4},          {"bricard", 0.1, 1e-4},
                          {"three_link", 0.2, 1e-3},         {"sleigh_belt", 0.5, 1e-3},
                          {"bouncing_balls", 0.6, 1e-3},     {"newtons_cradle", 0.66, 1e-3},
                          {"pendulum_equations", 0.6, 1e-3}, {"resting_balls", 3.5, 1e-3}};
constexpr int restarts = 4;

/// Two balls that come to rest on each other and the floor, and are lifted at t = 2.943 s.
constexpr const char* resting_balls = R"(kardan: 1
gravity: [0, 0, -9.81]
bodies:
  low: {kind: point, mass: 2, position: [0, 0, 0.5]}
  high: {kind: point, mass: 1, position: [0, 0, 1]}
forces: {lift: {type: force, on: low, fz: 10*t}}
when:
  floor: {expression: low.z, direction: falling, action: {impulse: {restitution: 0.3}}}
  pair: {expression: high.z - low.z - 0.1, direction: falling, action: {impulse: {restitution: 0.3}}}
)";

Model model_named(const std::string& name) {
  return name == "resting_balls" ? test::model_of(resting_balls) : test::shipped(name);
}

/// What a run tells: rows and steps as numbers, and the bytes of its checkpoints.
struct Told {
  std::vector<double> numbers;
  std::vector<std::string> checkpoints;
  std::vector<std::size_t> numbers_at;  // what was told before each of them
  std::string end;                      // state and report
  Reason reason = Reason::finished;
};

std::string bytes_of(const RunMemory& memory) {
  Checkpoint c;
  c.memory = memory;
  c.memory.report.cpu_seconds = 0;
  return to_bytes(c);
}

/// Runs from the start or a checkpoint; `most_steps` > 0 interrupts it.
bool go(Prepared& prepared, const SimulateOptions& asked, const std::string* from, long most_steps,
        Told& told) {
  SimulateOptions options = asked;
  long steps = 0;
  if (most_steps > 0)
    options.driver.interrupt = [&] { return steps < most_steps ? "" : "enough for now"; };
  Recorder recorder(*prepared.system);
  Watchers watchers;
  watchers.grid = [&](const Instant& at) {
    const auto row = recorder.row(at);
    told.numbers.insert(told.numbers.end(), row.begin(), row.end());
    return std::string();
  };
  watchers.observer = [&](const StepView&) {
    ++steps;
    return std::string();
  };
  watchers.record = [&](const StepRecord& s) {
    told.numbers.insert(told.numbers.end(), {s.t, s.h, s.error, s.work, s.unbalanced});
  };
  watchers.checkpoint = [&](const RunMemory& memory) {
    told.checkpoints.push_back(bytes_of(memory));
    told.numbers_at.push_back(told.numbers.size());
  };
  RunMemory memory;
  if (from) {
    auto read = read_checkpoint(*from);
    EXPECT_TRUE(read);
    memory = read.value().memory;
    EXPECT_TRUE(fits(*prepared.system, memory));
  }
  Diagnostics diagnostics;
  RunMemory end;
  end.report = simulate(prepared, options, watchers, diagnostics, from ? &memory : nullptr);
  end.state = prepared.start.state;
  told.reason = end.report.driver.reason;
  told.end = bytes_of(end);
  return !diagnostics.has_errors() && told.reason != Reason::refused;
}

class Restart : public testing::TestWithParam<Case> {};

TEST_P(Restart, GoesOnBitByBitWithEveryMethod) {
  const Case c = GetParam();
  const Model model = model_named(c.model);
  int runs = 0, resumed = 0;
  std::vector<std::string> names{"auto", "dop853@projected_ode"};
  for (const Method& method : methods()) names.emplace_back(method.name);
  for (const std::string& name : names) {
    SimulateOptions options;
    options.method = name;
    options.t_end = c.t_end;
    options.every = c.t_end / 50;
    options.checkpoint_every = c.t_end / restarts;
    options.driver.tolerance = c.tolerance;
    options.error_estimate = 1;
    Diagnostics diagnostics;
    const auto fresh = [&] { return prepare(model, {}, diagnostics); };
    Told whole;
    Prepared first = fresh();
    if (!go(first, options, nullptr, 0, whole)) continue;
    ++runs;
    // From every checkpoint to the end.
    for (std::size_t k = 0; k < whole.checkpoints.size(); ++k) {
      Told rest;
      Prepared again = fresh();
      ASSERT_TRUE(go(again, options, &whole.checkpoints[k], 0, rest));
      ++resumed;
      EXPECT_EQ(rest.end, whole.end) << name << " from checkpoint " << k;
      EXPECT_TRUE(
          test::same_bits(rest.numbers, std::span(whole.numbers).subspan(whole.numbers_at[k])))
          << name << ": rows from checkpoint " << k;
      EXPECT_TRUE(std::equal(rest.checkpoints.begin(), rest.checkpoints.end(),
                             whole.checkpoints.begin() + static_cast<long>(k) + 1,
                             whole.checkpoints.end()))
          << name << ": checkpoints from " << k;
    }
  }
  EXPECT_GE(runs, 15);
  EXPECT_GE(resumed, 2 * runs);
}

TEST_P(Restart, InterruptedAgainAndAgainComesToTheSameEnd) {
  const Case c = GetParam();
  const Model model = model_named(c.model);
  for (const char* method : {"rn4", "radau5", "adams", "auto"}) {
    SimulateOptions options;
    options.method = method;
    options.t_end = c.t_end;
    options.every = c.t_end / 50;
    options.checkpoint_every = c.t_end / restarts;
    options.driver.tolerance = c.tolerance;
    Diagnostics diagnostics;
    Told whole, parts;
    Prepared first = prepare(model, {}, diagnostics);
    if (!go(first, options, nullptr, 0, whole)) continue;
    std::string last;
    int interrupted = 0;
    for (long most = 2;; ++most) {
      Told part;
      Prepared again = prepare(model, {}, diagnostics);
      ASSERT_TRUE(go(again, options, last.empty() ? nullptr : &last, most, part));
      if (!part.checkpoints.empty()) last = part.checkpoints.back();
      if (part.reason != Reason::interrupted) {
        EXPECT_EQ(part.end, whole.end) << method << " after " << interrupted << " interruptions";
        break;
      }
      ++interrupted;
      ASSERT_LT(interrupted, 100'000);
    }
    EXPECT_GE(interrupted, 1) << method;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Restart, testing::ValuesIn(cases),
                         [](const auto& chosen) { return std::string(chosen.param.model); });

SimulateOptions pendulum_options() {
  SimulateOptions options;
  options.t_end = 1;
  options.every = 0.02;
  options.checkpoint_every = 0.15;
  options.driver.tolerance = 1e-5;
  return options;
}

TEST(RestartLimits, ALaterEndIsThatOfARunWithIt) {
  const Model model = test::shipped("pendulum");
  for (const Method& method : methods()) {
    if (method.integrate) continue;  // SUNDIALS looks at the end when it chooses a first step
    SimulateOptions options = pendulum_options();
    options.method = method.name;
    options.driver.first_step = 1e-4;  // the automatic one may be a share of the run
    Diagnostics diagnostics;
    Told shorter, longer, rest;
    Prepared a = prepare(model, {}, diagnostics), b = prepare(model, {}, diagnostics),
             c = prepare(model, {}, diagnostics);
    ASSERT_TRUE(go(a, options, nullptr, 0, shorter)) << method.name;
    options.t_end = 1.7;
    ASSERT_TRUE(go(b, options, nullptr, 0, longer)) << method.name;
    ASSERT_TRUE(go(c, options, &shorter.checkpoints.back(), 0, rest)) << method.name;
    EXPECT_EQ(rest.end, longer.end) << method.name;
  }
}

TEST(RestartLimits, MoreStepsGoOnWhereTheyEnded) {
  const Model model = test::shipped("pendulum");
  SimulateOptions options = pendulum_options();
  options.method = "rn4";
  Diagnostics diagnostics;
  Told whole, part, rest;
  Prepared a = prepare(model, {}, diagnostics), b = prepare(model, {}, diagnostics),
           c = prepare(model, {}, diagnostics);
  ASSERT_TRUE(go(a, options, nullptr, 0, whole));
  options.driver.max_steps = 20;
  ASSERT_TRUE(go(b, options, nullptr, 0, part));
  EXPECT_EQ(part.reason, Reason::too_many_steps);
  options.driver.max_steps = 10'000;
  ASSERT_TRUE(go(c, options, &part.checkpoints.back(), 0, rest));
  EXPECT_EQ(rest.end, whole.end);
}

/// Restart points cost steps only where a method has to find its order again.
TEST(RestartLimits, TwentyCheckpointsCostOneStepMethodsNoSteps) {
  const Model model = test::shipped("three_link");
  for (const char* method : {"rn4", "rodasp", "dopri5", "sdirk4", "hem5", "radau5", "llm"}) {
    SimulateOptions options;
    options.method = method;
    options.t_end = 1;
    options.driver.tolerance = 1e-5;
    long steps[2];
    for (const bool restart : {false, true}) {
      options.checkpoint_every = restart ? options.t_end / 20 : 0;
      Diagnostics diagnostics;
      Prepared p = prepare(model, {}, diagnostics);
      steps[restart] = simulate(p, options, {}, {}, diagnostics).driver.counters.steps;
    }
    EXPECT_LE(steps[1], 1.03 * static_cast<double>(steps[0]) + 2) << method;
  }
}

Checkpoint example() {
  const Model model = test::shipped("pendulum");
  Diagnostics diagnostics;
  Prepared p = prepare(model, {}, diagnostics);
  Checkpoint out;
  Watchers watchers;
  watchers.checkpoint = [&](const RunMemory& memory) { out.memory = memory; };
  (void)simulate(p, pendulum_options(), watchers, diagnostics);
  out.options = option_texts(pendulum_options());
  out.command = {{"--tol", "1e-5"}};
  return out;
}

TEST(CheckpointBytes, EveryFlippedBitAndEveryCutIsRefused) {
  const std::string bytes = to_bytes(example());
  ASSERT_TRUE(read_checkpoint(bytes));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string other = bytes;
    other[i] = static_cast<char>(other[i] ^ (1 << (i % 8)));
    EXPECT_FALSE(read_checkpoint(other)) << "bit " << i % 8 << " of byte " << i;
    EXPECT_FALSE(read_checkpoint(std::string_view(bytes).substr(0, i))) << i << " bytes";
  }
  EXPECT_FALSE(read_checkpoint(bytes + "x"));
}

TEST(CheckpointBytes, SaysWhatIsWrong) {
  const std::string bytes = to_bytes(example());
  const auto code = [](std::string_view text) { return read_checkpoint(text).error().code; };
  EXPECT_EQ(code("kardan: 1"), "checkpoint.foreign");
  EXPECT_EQ(code(""), "checkpoint.foreign");
  const std::string title = "KARDAN CHECKPOINT ";
  ASSERT_TRUE(bytes.starts_with(title));
  std::string later = bytes;
  ++later[title.size()];
  EXPECT_EQ(code(later), "checkpoint.version");
  EXPECT_EQ(code(bytes.substr(0, bytes.size() - 1)), "checkpoint.damaged");
}

}  // namespace
}  // namespace kardan
