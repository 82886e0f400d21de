/// Constraints in one pass along the motion (base/motion_jet.h) give what separate passes of dual numbers
/// do.

#include <gtest/gtest.h>

#include "kardan/system/automatic_equations.h"

namespace kardan {
namespace {

/// The same functions without numbers that follow a motion.
template <class Function>
class WithoutPaths final : public UserFunctions {
 public:
  std::unique_ptr<Workspace::Scratch> make_memory() const override { return nullptr; }
  bool exact() const override { return true; }
  const FollowedFunctions* followed() const override { return nullptr; }
  void call(const Variables<double>& x, Terms<double>& y) const override { function_(x, y); }
  void call(const Variables<Seeded>& x, Terms<Seeded>& y) const override { function_(x, y); }
  void call(const Variables<Along>& x, Terms<Along>& y) const override { function_(x, y); }
  void call(const Variables<SeededAlong>& x, Terms<SeededAlong>& y) const override {
    function_(x, y);
  }
  void call(const Variables<Twice>& x, Terms<Twice>& y) const override { function_(x, y); }

 private:
  Function function_;
};

/// Two loops with a variable in common, one of them driven; the last row is constant.
struct Loops {
  template <class T>
  void operator()(const Variables<T>& x, Terms<T>& y) const {
    const auto& q = x.p;
    for (int i = 0; i < 5; ++i) {
      y.M(i, i) = 1.0 + 0.1 * cos(q[i]);
      y.f[i] = x.v[i] * q[(i + 1) % 5];
    }
    y.g[0] = sin(q[0]) * q[1] + exp(0.3 * q[0]) / (2.0 + q[1] * q[1]) - 0.4 * sin(3.0 * x.t);
    y.g[1] = sqrt(1.0 + q[1] * q[1] + q[2] * q[2]) - atan2(q[3], 2.0 + q[2]);
    y.g[2] = hypot(q[3], q[4]) * pow(1.5 + q[4], 2.5) - x.t * x.t * q[3];
    y.g[3] = 0.25;
  }
};

UserDescription description() {
  UserDescription d;
  d.name = "loops";
  for (int i = 0; i < 5; ++i) {
    d.positions.push_back({"q" + std::to_string(i), 0.3 + 0.2 * i});
    d.velocities.push_back({"v" + std::to_string(i), 0.1 - 0.3 * i});
  }
  d.holonomic = {"a", "b", "c", "d"};
  return d;
}

void expect_same(std::span<const double> got, std::span<const double> wanted, const char* what) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], wanted[i], 2e-14 * (1 + std::abs(wanted[i]))) << what << ' ' << i;
}

TEST(AutomaticPaths, GiveTheLevelsOfConstraintsAndTheirDerivatives) {
  Diagnostics diagnostics;
  const auto fast = make_system(description(), Loops{}, diagnostics);
  const auto plain = make_system(
      automatic_equations(description(), std::make_unique<WithoutPaths<Loops>>()), diagnostics);
  ASSERT_TRUE(fast && plain) << format(diagnostics);
  const auto a_ws = fast->make_workspace(), b_ws = plain->make_workspace();
  State state = fast->start();
  const Vector a{0.4, -1.2, 0.7, 2.0, -0.3}, lambda{1.5, -0.5, 0.8, 3.0};
  for (int trial = 0; trial < 4; ++trial) {
    state.t = 0.3 * trial;
    for (int i = 0; i < 5; ++i) {
      state.p[i] += 0.1 * trial * (i - 1.5);
      state.v[i] -= 0.2 * trial;
    }
    for (const Request request : {Request{.velocity = true}, Request::all()}) {
      ASSERT_EQ(fast->evaluate(state, request, *a_ws), Eval::ok);
      ASSERT_EQ(plain->evaluate(state, request, *b_ws), Eval::ok);
      expect_same(a_ws->g, b_ws->g, "g");
      expect_same(a_ws->rate, b_ws->rate, "rate");
      expect_same(a_ws->g_t, b_ws->g_t, "g_t");
      expect_same(a_ws->G.values, b_ws->G.values, "G");
      expect_same(a_ws->gamma, b_ws->gamma, "gamma");
    }
    for (const bool forces : {false, true}) {
      const std::span<const double> multipliers =
          forces ? std::span<const double>(lambda) : std::span<const double>();
      ASSERT_EQ(fast->differentiate(state, a, multipliers, *a_ws), Eval::ok);
      ASSERT_EQ(plain->differentiate(state, a, multipliers, *b_ws), Eval::ok);
      expect_same(a_ws->accel, b_ws->accel, "accel");
      expect_same(a_ws->rate_p.values, b_ws->rate_p.values, "rate_p");
      expect_same(a_ws->rate_t, b_ws->rate_t, "rate_t");
      expect_same(a_ws->accel_p.values, b_ws->accel_p.values, "accel_p");
      expect_same(a_ws->accel_t, b_ws->accel_t, "accel_t");
      expect_same(a_ws->accel_v.values, b_ws->accel_v.values, "accel_v");
      expect_same(a_ws->f_p.values, b_ws->f_p.values, "f_p");
      expect_same(a_ws->f_v.values, b_ws->f_v.values, "f_v");
      expect_same(a_ws->f_t, b_ws->f_t, "f_t");
    }
  }
}

TEST(AutomaticPaths, AnswerWhatIsNotFinite) {
  Diagnostics diagnostics;
  const auto system = make_system(description(), Loops{}, diagnostics);
  ASSERT_TRUE(system) << format(diagnostics);
  const auto ws = system->make_workspace();
  State state = system->start();
  state.p[4] = -2;  // a power of a negative number
  EXPECT_EQ(system->evaluate(state, {.velocity = true}, *ws), Eval::recoverable);
  EXPECT_EQ(system->evaluate(state, Request::all(), *ws), Eval::recoverable);
  EXPECT_EQ(system->evaluate(system->start(), Request::all(), *ws), Eval::ok);
}

}  // namespace
}  // namespace kardan
