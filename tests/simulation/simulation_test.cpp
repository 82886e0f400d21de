/// A motion step by step.

#include "kardan/run/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kardan/run/simulate.h"
#include "support/count_allocations.h"
#include "support/models.h"
#include "support/same_bits.h"

namespace kardan {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// A cart on a spring that an input pushes: x'' = (push - k x - c x') / m with m = 2, k = 8, c = 1.
const char* const cart = R"(kardan: 1
dimension: 2
gravity: [0, 0]
inputs: {push: {unit: N, start: 1}}
bodies: {cart: {mass: 2, inertia: 1, position: [0, 0]}}
ground: {markers: {wall: {at: [-10, 0]}}}
joints: {rail: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}}
forces:
  motor: {type: force, on: cart, fx: push(t)}
  spring: {type: spring_damper, between: [ground.wall, cart], stiffness: 8, damping: 1, free_length: 10}
simulate: {t_end: 4}
)";

/// The same without a model: x and x' a time t after (x, v) with a constant push.
struct Known {
  double x = 0, v = 0;
  void move(double push, double t) {
    const double m = 2, k = 8, c = 1, d = c / (2 * m), w = std::sqrt(k / m - d * d);
    const double rest = push / k, a = x - rest, b = (v + d * a) / w, e = std::exp(-d * t);
    const double s = std::sin(w * t), o = std::cos(w * t);
    x = rest + e * (a * o + b * s);
    v = e * ((b * w - d * a) * o - (a * w + d * b) * s);
  }
};

SimulateOptions options_of(const std::string& method, double t_end, double tolerance) {
  SimulateOptions o;
  o.method = method;
  o.t_end = t_end;
  o.driver.tolerance = tolerance;
  return o;
}

std::unique_ptr<Simulation> simulation(const Model& model, const SimulateOptions& options) {
  Diagnostics diagnostics;
  auto out = Simulation::make(model, {}, options, diagnostics);
  EXPECT_TRUE(out) << format(diagnostics);
  return out;
}

std::vector<double> values_of(const State& s) {
  std::vector<double> all{s.t};
  for (const auto* part : {&s.p, &s.v, &s.r, &s.w, &s.s})
    all.insert(all.end(), part->begin(), part->end());
  return all;
}

class SimulationOfEveryMethod : public testing::TestWithParam<std::string> {};

TEST_P(SimulationOfEveryMethod, HasTheBitsOfOneRunWhileInputsRest) {
  // Stops that bounce and come to rest, loops with a redundant row, a plane mechanism.
  for (const char* name : {"bouncing_balls", "bricard", "pendulum"}) {
    const Model model = test::shipped(name);
    Diagnostics diagnostics;
    Prepared prepared = prepare(model, {}, diagnostics);
    const SimulateOptions options = options_of(GetParam(), 0.8, 1e-4);
    const RunReport run = simulate(prepared, options, {}, {}, diagnostics);
    const std::string said = format(diagnostics);
    auto steps = Simulation::make(model, {}, options, diagnostics);
    if (!steps) {  // what a run refuses is refused here
      EXPECT_TRUE(!said.empty() || run.driver.reason == Reason::refused)
          << name << format(diagnostics);
      continue;
    }
    std::string why;
    for (int k = 1; k <= 80 && why.empty(); ++k) why = steps->step_to(k < 80 ? 0.01 * k : 0.8);
    const RunReport r = steps->report();
    if (run.driver.reason != Reason::finished) {
      EXPECT_THAT(why, HasSubstr(run.driver.message.substr(0, 20))) << name;
      continue;
    }
    EXPECT_THAT(why, IsEmpty()) << name;
    EXPECT_TRUE(test::same_bits(values_of(*steps->seen().state), values_of(prepared.start.state)))
        << name << " after " << r.driver.counters.steps << " and " << run.driver.counters.steps;
    EXPECT_EQ(r.driver.counters.steps, run.driver.counters.steps) << name;
    ASSERT_EQ(steps->events().size(), run.driver.events.size()) << name;
    for (std::size_t i = 0; i < run.driver.events.size(); ++i)
      EXPECT_EQ(steps->events()[i].t, run.driver.events[i].t) << name;
  }
}

TEST_P(SimulationOfEveryMethod, FollowsInputsThatJump) {
  const double tolerance = 1e-5;
  auto steps = simulation(test::model_of(cart), options_of(GetParam(), 4, tolerance));
  ASSERT_TRUE(steps);
  const int push = *steps->find_input("push"), x = *steps->find("cart.x"),
            v = *steps->find("cart.vx");
  Known known;
  const auto method = find_method(GetParam());
  // Of order 1, and of multistep methods that begin anew at every jump, more is left.
  const double bound = (method->order == 1 ? 3000 : 60) * tolerance;
  for (int k = 0; k < 20; ++k) {
    const double value = k % 4 < 2 ? 1.0 : -2.0;  // changes, rests, changes
    EXPECT_THAT(steps->set(push, value), IsEmpty());
    ASSERT_THAT(steps->step_to(0.2 * (k + 1)), IsEmpty()) << k;
    known.move(value, 0.2);
    EXPECT_NEAR(steps->get(x), known.x, bound) << "at " << steps->time();
    EXPECT_NEAR(steps->get(v), known.v, bound) << "at " << steps->time();
  }
}

TEST_P(SimulationOfEveryMethod, GoesOnFromWhatWasSavedWithTheSameBits) {
  const SimulateOptions options = options_of(GetParam(), 4, 1e-5);
  auto steps = simulation(test::model_of(cart), options);
  ASSERT_TRUE(steps);
  EXPECT_THAT(steps->set(0, 3), IsEmpty());
  ASSERT_THAT(steps->step_to(0.7), IsEmpty());
  SavedSimulation saved;
  ASSERT_THAT(steps->save(saved), IsEmpty());
  const auto rest = [](Simulation& s) {
    EXPECT_THAT(s.step_to(1.1), IsEmpty());
    EXPECT_THAT(s.set(0, -1), IsEmpty());
    EXPECT_THAT(s.step_to(2), IsEmpty());
    return values_of(*s.seen().state);
  };
  const std::vector<double> first = rest(*steps);
  ASSERT_THAT(steps->restore(saved), IsEmpty());
  EXPECT_EQ(steps->time(), 0.7);
  EXPECT_TRUE(test::same_bits(first, rest(*steps)));
  auto other = simulation(test::model_of(cart), options);
  ASSERT_THAT(other->restore(saved), IsEmpty());
  EXPECT_TRUE(test::same_bits(first, rest(*other)));
}

std::vector<std::string> all_methods() {
  std::vector<std::string> names;
  for (const Method& m : methods()) names.emplace_back(m.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Methods, SimulationOfEveryMethod, testing::ValuesIn(all_methods()),
                         [](const auto& of) { return of.param; });

TEST(Simulation, FollowsRampsWithoutShortSteps) {
  // x'' + x'/2 + 4 x = t/2: its own motion is x = t/8 - 1/64 with x' = 1/8 from the right start.
  std::string text = cart;
  text.replace(text.find("start: 1"), 8, "between: ramp");
  text.replace(text.find("position: [0, 0]"), 16, "position: [-0.015625, 0], velocity: [0.125, 0]");
  const double tolerance = 1e-8;
  auto steps = simulation(test::model_of(text), options_of("dopri5", 4, tolerance));
  ASSERT_TRUE(steps);
  const int x = *steps->find("cart.x");
  EXPECT_THAT(steps->set(0, 0, 1.0), IsEmpty());
  for (int k = 1; k <= 400; ++k) {
    ASSERT_THAT(steps->step_to(0.01 * k), IsEmpty());
    EXPECT_THAT(steps->set(0, 0.01 * k), IsEmpty());  // on the line
    EXPECT_NEAR(steps->get(x), 0.01 * k / 8 - 1.0 / 64, 100 * tolerance);
  }
  EXPECT_LT(steps->report().driver.counters.steps, 60);
}

TEST(Simulation, FollowsACubicThroughTheLastValues) {
  std::string text = cart;
  text.replace(text.find("start: 1"), 8, "between: polynomial");
  auto steps = simulation(test::model_of(text), options_of("dop853", 4, 1e-9));
  ASSERT_TRUE(steps);
  const auto cubic = [](double t) { return 1 + t * (2 - t * (3 - 0.5 * t)); };
  for (int k = 0; k < 30; ++k) {
    EXPECT_THAT(steps->set(0, cubic(steps->time())), IsEmpty());
    if (k > 4) {
      EXPECT_NEAR(steps->input(0), cubic(steps->time()), 1e-12);
    }
    const double jump = cubic(steps->time() + 0.1);
    ASSERT_THAT(steps->step_to(0.1 * (k + 1)), IsEmpty());
    if (k > 4) {
      EXPECT_NEAR(steps->input(0), jump, 1e-10) << k;
    }
  }
}

TEST(Simulation, TakesBackWhatHasRunAhead) {
  auto steps = simulation(test::model_of(cart), options_of("dopri5", 4, 1e-9));
  ASSERT_TRUE(steps);
  // Long steps beyond the times that are asked for, then another input in the middle of one.
  ASSERT_THAT(steps->step_to(1e-3), IsEmpty());
  for (int k = 2; k <= 333; ++k) ASSERT_THAT(steps->step_to(1e-3 * k), IsEmpty());
  EXPECT_LT(steps->report().driver.counters.steps, 40);
  EXPECT_THAT(steps->set(0, -5), IsEmpty());
  ASSERT_THAT(steps->step_to(1), IsEmpty());
  Known known;
  known.move(1, 0.333);
  known.move(-5, 0.667);
  EXPECT_NEAR(steps->get(*steps->find("cart.x")), known.x, 1e-7);
}

TEST(Simulation, GoesOnBeyondTheEndItWasMadeFor) {
  auto steps = simulation(test::model_of(cart), options_of("rn4", 0.5, 1e-7));
  ASSERT_TRUE(steps);
  ASSERT_THAT(steps->step_to(3), IsEmpty());
  Known known;
  known.move(1, 3);
  EXPECT_NEAR(steps->get(*steps->find("cart.x")), known.x, 1e-5);
}

TEST(Simulation, LeavesNoSliverBeforeTheEndItWasMadeFor) {
  auto steps = simulation(test::model_of(cart), options_of("dopri5", 0.5, 1e-7));
  ASSERT_TRUE(steps);
  Known known;
  // Sums of 0.001 come to next to nothing before 0.5, and 1.5.
  for (int k = 0; k < 2000; ++k) {
    EXPECT_THAT(steps->set(0, k % 2), IsEmpty());
    ASSERT_THAT(steps->step_to(steps->time() + 0.001), IsEmpty()) << k;
    known.move(k % 2, 0.001);
  }
  EXPECT_NEAR(steps->get(*steps->find("cart.x")), known.x, 1e-5);
}

TEST(Simulation, ChangesParametersOnTheWay) {
  std::string text = cart;
  text.replace(text.find("bodies:"), 7, "parameters: {k: 8}\nbodies:");
  text.replace(text.find("stiffness: 8"), 12, "stiffness: k");
  auto steps = simulation(test::model_of(text), options_of("rn4", 4, 1e-8));
  ASSERT_TRUE(steps);
  ASSERT_THAT(steps->step_to(1), IsEmpty());
  EXPECT_THAT(steps->change({{"k", 0}}), IsEmpty());
  ASSERT_THAT(steps->step_to(1.5), IsEmpty());
  Known known;
  known.move(1, 1);
  // x'' = (1 - x') / 2
  const double e = std::exp(-0.25);
  EXPECT_NEAR(steps->get(*steps->find("cart.vx")), 1 + (known.v - 1) * e, 1e-6);
  EXPECT_NEAR(steps->get(*steps->find("cart.x")), known.x + 0.5 + 2 * (known.v - 1) * (1 - e),
              1e-6);
  EXPECT_THAT(steps->change({{"kk", 0}}), HasSubstr("kk"));
  ASSERT_THAT(steps->step_to(1.6), IsEmpty());
}

TEST(Simulation, RefusesParametersThatOpenJoints) {
  const Model model = test::model_of(R"(kardan: 1
dimension: 2
gravity: [0, -9.81]
parameters: {length: 1}
bodies: {bob: {kind: point, mass: 1, position: [length, 0]}}
joints: {rod: {type: distance, between: [ground, bob], length: length}}
)");
  auto steps = simulation(model, options_of("rn4", 1, 1e-6));
  ASSERT_TRUE(steps);
  ASSERT_THAT(steps->step_to(0.3), IsEmpty());
  EXPECT_THAT(steps->change({{"length", 1.1}}), HasSubstr("constraints do not hold"));
  ASSERT_THAT(steps->step_to(0.4), IsEmpty());
}

TEST(Simulation, ResetsToTheSameBits) {
  auto steps = simulation(test::model_of(cart), options_of("rodasp", 4, 1e-6));
  ASSERT_TRUE(steps);
  const auto course = [&] {
    EXPECT_THAT(steps->step_to(0.5), IsEmpty());
    EXPECT_THAT(steps->set(0, 2), IsEmpty());
    EXPECT_THAT(steps->step_to(1), IsEmpty());
    return values_of(*steps->seen().state);
  };
  const std::vector<double> first = course();
  ASSERT_THAT(steps->reset(), IsEmpty());
  EXPECT_EQ(steps->time(), 0);
  EXPECT_TRUE(test::same_bits(first, course()));
}

TEST(Simulation, EndsWhereTheModelSays) {
  auto steps = simulation(
      test::model_of(std::string(cart) + "when: {far: {expression: cart.x - 0.1, action: stop}}\n"),
      options_of("rn4", 4, 1e-7));
  ASSERT_TRUE(steps);
  EXPECT_THAT(steps->step_to(4), HasSubstr("event 'far'"));
  EXPECT_NEAR(steps->get(*steps->find("cart.x")), 0.1, 1e-9);
  ASSERT_EQ(steps->events().size(), 1u);
  EXPECT_EQ(steps->events()[0].name, "far");
  EXPECT_THAT(steps->step_to(5), HasSubstr("has ended"));
}

TEST(Simulation, RefusesWhatNoMotionCanFollow) {
  const Model driven = test::model_of(R"(kardan: 1
dimension: 2
gravity: [0, 0]
inputs: {place: {}}
bodies: {cart: {mass: 1, inertia: 1}}
joints: {rail: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}}
drivers: {motor: {type: driver, between: [ground, cart], coordinate: x, motion: place(t)}}
)");
  auto steps = simulation(driven, options_of("rn4", 1, 1e-6));
  ASSERT_TRUE(steps);
  ASSERT_THAT(steps->step_to(0.1), IsEmpty());
  EXPECT_THAT(steps->set(0, 1), IsEmpty());
  EXPECT_THAT(steps->step_to(0.2), HasSubstr("jumps"));
  EXPECT_EQ(steps->time(), 0.1);
  ASSERT_THAT(steps->step_to(0.2), IsEmpty());  // as if nothing had been set
  EXPECT_NEAR(steps->get(*steps->find("cart.x")), 0, 1e-12);
}

TEST(Simulation, TellsWhatIsWrongWithItsArguments) {
  auto steps = simulation(test::model_of(cart), options_of("rn4", 1, 1e-6));
  ASSERT_TRUE(steps);
  EXPECT_FALSE(steps->find_input("pull"));
  EXPECT_FALSE(steps->find("cart.q"));
  EXPECT_THAT(steps->set(3, 1), HasSubstr("there is no input 3"));
  EXPECT_THAT(steps->set(0, std::nan("")), HasSubstr("finite"));
  ASSERT_THAT(steps->step_to(0.2), IsEmpty());
  EXPECT_THAT(steps->step_to(0.1), HasSubstr("not before"));
  EXPECT_THAT(steps->step_to(std::nan("")), HasSubstr("not before"));
  for (const auto& options : {options_of("rn5", 1, 1e-6), options_of("rn4", 1, -1)}) {
    Diagnostics diagnostics;
    EXPECT_FALSE(Simulation::make(test::model_of(cart), {}, options, diagnostics));
    EXPECT_EQ(diagnostics.error_count(), 1u) << format(diagnostics);
  }
}

TEST(Simulation, LinearizesWhereItIs) {
  auto steps = simulation(test::model_of(cart), options_of("rn4", 4, 1e-8));
  ASSERT_TRUE(steps);
  ASSERT_THAT(steps->step_to(1), IsEmpty());
  const Linearization l = steps->linearize(ModeShapes::leave, ModesOf::frozen);
  ASSERT_EQ(l.status, Eval::ok) << l.message;
  ASSERT_EQ(l.modes.modes.size(), 2u);
  // s^2 + s/2 + 4 = 0
  EXPECT_NEAR(l.modes.modes[0].value.real(), -0.25, 1e-10);
  EXPECT_NEAR(std::abs(l.modes.modes[0].value.imag()), std::sqrt(4 - 0.0625), 1e-10);
}

/// Of calls after the first steps behind the first change of the input, which make room for more.
long allocations_of(const char* method, int changes_at) {
  auto steps = simulation(test::model_of(cart), options_of(method, 4, 1e-6));
  long count = 0;
  for (int k = 1; k <= 400; ++k) {
    if (k % changes_at == 0) {
      EXPECT_THAT(steps->set(0, k), IsEmpty());
    }
    const long before = allocations;
    const bool there = steps->step_to(0.01 * k).empty();
    if (k > 130) count += allocations - before;
    EXPECT_TRUE(there) << method;
  }
  return count;
}

TEST(Simulation, AllocatesNothingInLaterCalls) {
  if (!KARDAN_COUNTS_ALLOCATIONS) GTEST_SKIP() << "malloc cannot be replaced in this build";
  for (const char* method : {"rn4", "dopri5", "rodasp"})
    EXPECT_EQ(allocations_of(method, 100), 0) << method;
  // Where an input jumps, it chooses pivots anew.
  EXPECT_EQ(allocations_of("radau5", 1000), 0);
}

}  // namespace
}  // namespace kardan
