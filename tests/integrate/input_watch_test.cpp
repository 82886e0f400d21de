#include "kardan/integrate/input_watch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "kardan/base/time_function.h"

namespace kardan {
namespace {

/// One function of time that pushes a unit mass.
class OneForce final : public InputSource {
 public:
  explicit OneForce(const std::string& text)
      : f_(TimeFunction::make(Expression::parse(text).value()).value()) {
    effects_[0].velocities = {{0, 1}};
  }
  const std::vector<InputEffect>& of_time(const State&) const override { return effects_; }
  const std::vector<InputEffect>& of_way(const State&) const override { return none_; }
  void enclose(const State&, double a, double b, int order, std::span<InputBounds> out) override {
    ++looks;
    out[0] = InputBounds::of(f_.enclose(Taylor::time(a, b, order)), 0, 1);
  }
  void enclose(const State&, const State&, const StepError&, double, double, int,
               std::span<InputBounds>) override {}

  int looks = 0;

 private:
  TimeFunction f_;
  std::vector<InputEffect> effects_{1}, none_;
};

class InputWatchTest : public testing::Test {
 protected:
  /// At rest at t, with an absolute tolerance of 1e-6.
  InputWatch::Reach reach(const std::string& text, double t, double wish,
                          const char* method = "rn4") {
    OneForce force(text);
    ErrorScale scale;
    scale.velocity = {1e-6};
    InputWatch watch(&force, *find_method(method), scale, 10);
    State at;
    at.t = t;
    at.p = at.v = {0.0};
    const InputWatch::Reach out = watch.ahead(at, wish);
    looks_ = force.looks;
    return out;
  }
  int looks_ = 0;
};

TEST_F(InputWatchTest, LeavesStepsAloneThatAnInputCannotMove) {
  for (const char* text : {"3*t + 1", "1e-9*sin(1e4*t)", "1e-10*floor(100*t)", "t^3 - t"}) {
    EXPECT_EQ(reach(text, 0, 10).h, 10) << text;
    EXPECT_LE(looks_, 2) << text;
  }
}

TEST_F(InputWatchTest, EndsStepsAtJumps) {
  const auto expect_break = [&](const std::string& text, double t) {
    const InputWatch::Reach out = reach(text, 0.1, 10);
    EXPECT_TRUE(out.breaks) << text;
    EXPECT_TRUE(out.jumps) << text;
    EXPECT_NEAR(0.1 + out.h, t, 1e-13) << text;
    EXPECT_LT(0.1 + out.h, t) << text;
    EXPECT_GE(out.behind, t) << text;
    EXPECT_NEAR(out.behind, t, 1e-12) << text;
    EXPECT_LE(looks_, 200) << text;
    // And on from there, not back into it.
    EXPECT_GT(reach(text, out.behind, 1e-3).h, 1e-9) << text;
  };
  expect_break("t < 5 ? 0 : 1", 5);
  expect_break("floor(2*t - 1)", 0.5);
  expect_break("100*sign(t - pi)", M_PI);
  expect_break("10*mod(t, 0.25)", 0.25);
  expect_break("step(2*t - 1, 5, 0, 5, 100)", 3);
  expect_break("(t > 1.1 and t < 1.2) ? 3 : 0", 1.1);
}

/// A kink may lie inside a step as far as what is open stays below the tolerance.
TEST_F(InputWatchTest, EndsStepsNextToKinks) {
  for (const char* text : {"1e-3*abs(t - 1)", "max(0, t - 1)", "min(t, 1)", "100*abs(t - 1)"}) {
    const InputWatch::Reach out = reach(text, 0.1, 10);
    EXPECT_NEAR(0.1 + out.h, 1, 2e-3) << text;
    EXPECT_LE(looks_, 200) << text;
  }
}

TEST_F(InputWatchTest, DoesNotPassAPulseHoweverShort) {
  for (const double width : {1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
    const std::string text = fmt::format("exp(-((t - 7)/{0})^2)/{0}", width);
    double t = 0;
    int steps = 0;
    for (; t < 7 && steps < 1000; ++steps) t += reach(text, t, 10 - t).h;
    EXPECT_LT(t, 7 + 3 * width) << width;
    EXPECT_LT(steps, 200) << width;
  }
}

TEST_F(InputWatchTest, FollowsTheOrderOfTheMethod) {
  const double low = reach("sin(t)", 0, 10, "newmark").h, middle = reach("sin(t)", 0, 10).h,
               high = reach("sin(t)", 0, 10, "dop853").h;
  EXPECT_LT(2 * low, middle);
  EXPECT_LT(2 * middle, high);
  EXPECT_GT(high, 1);
}

/// What an estimate tells is not missed: a method of order 1 compares with a formula of order 2, to
/// which a straight line is nothing new, and a parabola is what it is to a method of order 2.
TEST_F(InputWatchTest, CountsTheFormulaThatTheEstimateComesFrom) {
  for (const char* method : {"welch1", "welch2_printed", "baumgarte1"}) {
    EXPECT_EQ(reach("3*t + 1", 0, 10, method).h, 10) << method;
    EXPECT_EQ(reach("sin(t)", 0.3, 10, method).h, reach("sin(t)", 0.3, 10, "newmark").h) << method;
  }
}

TEST_F(InputWatchTest, FindsBreaksOneByOne) {
  // A million of them: no more work than for one.
  const InputWatch::Reach out = reach("floor(1e5*t)", 0.3 + 1e-7, 10);
  EXPECT_TRUE(out.breaks);
  EXPECT_NEAR(out.behind, 0.3 + 1e-5, 1e-12);
  EXPECT_LE(looks_, 200);
}

}  // namespace
}  // namespace kardan
