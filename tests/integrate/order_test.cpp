/// Every method shows its order at fixed steps, on problems with known solutions.

#include <gtest/gtest.h>

#include <random>

#include "integrate/problems.h"
#include "integrate/runs.h"
#include "integrate/wrapped_problem.h"

namespace kardan {
namespace {

using namespace test;

/// Measured orders come from finite steps.
constexpr double slack = 0.3;

class Order : public testing::TestWithParam<Method> {
 protected:
  /// Steps that put the errors of a method of this order between 1e-3 and round-off on problems
  /// whose motion takes about a second.
  std::vector<int> steps() const {
    const int first = coarsest(GetParam(), 10, 40, 200);
    return {first, 2 * first, 4 * first, 8 * first};
  }
  OrderStudy study(const Prepared& model, double t_end, const State& reference) const {
    return measure_order(steps(), [&](int n) {
      const Ended end = run_fixed(model, GetParam(), t_end, n);
      EXPECT_EQ(end.report.reason, Reason::finished) << end.report.message;
      EXPECT_EQ(end.report.counters.steps, n);
      return difference(end.state, reference);
    });
  }
  void expect_order(const OrderStudy& s) const {
    test::expect_order(GetParam(), s, slack, 2);
    RecordProperty("order", std::to_string(s.order()));
  }
};

/// From a method without a Jacobian, in steps so small that its error is at round-off.
State tight_end(const Prepared& model, double t_end) {
  return run_fixed(model, *find_method("dopri5"), t_end, 4000).state;
}

TEST_P(Order, OnAFreeProblem) {
  const Prepared model = model_text(kepler);
  expect_order(study(model, 2.0, kepler_state(2.0)));
}

/// 20 digits, computed for Kardan by extrapolation in 30-digit arithmetic, from the model of S. W.
/// J. Welch (2007), Eqs. (66), (67): x1, y1, -theta1, x2, y2, -theta2 and their rates at t = 1.
State welch_at_one() {
  State s;
  s.t = 1;
  s.p = {2.0932666614804068565, 1.3668338172340746435, -0.9923382473348355456,
         4.8756281994200919074, 5.1368214479469228763, -0.27925329905462267893};
  s.v = {1.7989370900144274691, -2.7550203902973073184, -1.3161344615066352022,
         8.3433451744844003897, -6.8707858691213070064, -1.9746846697199396385};
  return s;
}

TEST_P(Order, OnAPlanarConstrainedProblem) {
  expect_order(study(model_file("double_pendulum_welch.yaml"), 1, welch_at_one()));
}

TEST_P(Order, OnASymmetricTop) {
  expect_order(study(model_text(symmetric_top), 2, symmetric_top_state(2)));
}

TEST_P(Order, OnASpatialConstrainedProblem) {
  const Prepared model = model_file("three_link.yaml");
  expect_order(study(model, 0.6, tight_end(model, 0.6)));
}

TEST_P(Order, OnADrivenMechanism) {
  expect_order(study(model_text(bead_on_turning_rod), 1, bead_state(1)));
}

TEST_P(Order, OnASpatialMechanismDrivenUnevenly) {
  const Prepared model = model_text(shaken_pendulum);
  expect_order(study(model, 1, tight_end(model, 1)));
}

TEST_P(Order, WithAController) {
  const OrderStudy s = study(model_text(controlled_mass), 1, controlled_mass_state(1));
  if (GetParam().name != "llm") return expect_order(s);
  for (double error : s.errors) EXPECT_LE(error, 1e-12) << "the problem is linear" << s;
}

TEST_P(Order, WithDynamicAndAuxiliaryVariables) {
  const Prepared model = model_text(steered_pendulum);
  expect_order(study(model, 1, tight_end(model, 1)));
}

INSTANTIATE_TEST_SUITE_P(Methods, Order, testing::ValuesIn(one_step_methods()),
                         [](const auto& of) { return std::string(of.param.name); });

/// The problem with another matrix in place of its Jacobian.
enum class Stand { zero, random };
class OtherJacobian final : public WrappedProblem {
 public:
  OtherJacobian(ChartProblem& inner, Stand stand)
      : WrappedProblem(inner), stand_(stand), random_(7) {}
  Eval jacobian(LocalJacobian& out) override {
    if (Eval e = WrappedProblem::jacobian(out); e != Eval::ok) return e;
    for (Matrix* A : {&out.A_x, &out.A_u, &out.A_z, &out.B_x, &out.B_u, &out.B_z}) fill(*A);
    std::fill(out.A_t.begin(), out.A_t.end(), 0.0);
    std::fill(out.B_t.begin(), out.B_t.end(), 0.0);
    return Eval::ok;
  }

 private:
  void fill(Matrix& A) {
    std::uniform_real_distribution<double> entry(-1, 1);
    for (std::size_t i = 0; i < A.size(); ++i)
      A.data()[i] = stand_ == Stand::zero ? 0 : entry(random_);
  }
  Stand stand_;
  std::mt19937 random_;
};

double order_with(Stand stand, std::string_view name) {
  const Prepared model = model_file("double_pendulum_welch.yaml");
  const OrderStudy s = measure_order({200, 400, 800, 1600}, [&](int n) {
    StateSpace inner(*model.system);
    OtherJacobian problem(inner, stand);
    State state = model.start.state;
    DriverOptions options;
    options.fixed_step = 1.0 / n;
    const DriverReport r = integrate(problem, *find_method(name), state, 1, options, {});
    EXPECT_EQ(r.reason, Reason::finished);
    return difference(state, welch_at_one());
  });
  return s.order();
}

TEST(WMethod, KeepsOrderTwoWithoutAJacobian) {
  EXPECT_NEAR(order_with(Stand::zero, "ros2w"), 2, 0.1);
}

TEST(WMethod, KeepsOrderTwoWithARandomJacobian) {
  EXPECT_NEAR(order_with(Stand::random, "ros2w"), 2, 0.1);
}

TEST(WMethod, IsNeededForIt) {
  // Rosenbrock methods of higher order fall to order 1: an exact Jacobian is part of them.
  EXPECT_LT(order_with(Stand::random, "rn4"), 1.5);
  EXPECT_LT(order_with(Stand::random, "rodasp"), 1.5);
}

TEST(FullyDrivenMechanism, FollowsItsDriver) {
  const Prepared model = model_text(R"(
kardan: 1
name: crank
dimension: 2
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, inertia: 0.3, position: [0.5, 0], markers: {root: {at: [-0.5, 0]}}}
joints:
  pivot: {type: revolute, between: [ground, crank.root]}
drivers:
  turn: {type: driver, between: [ground, crank], motion: sin(t)}
)");
  for (const Method& method : one_step_methods()) {
    const Ended end = run(model, method, 2, {});
    ASSERT_EQ(end.report.reason, Reason::finished) << method.name << ": " << end.report.message;
    EXPECT_NEAR(value(*model.system, end.state, "crank.angle"), std::sin(2.0), 1e-13);
    EXPECT_NEAR(value(*model.system, end.state, "crank.omega"), std::cos(2.0), 1e-12);
  }
}

}  // namespace
}  // namespace kardan
