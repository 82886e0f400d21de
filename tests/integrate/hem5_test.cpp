/// The half-explicit method: order conditions of its coefficients, its order, its errors.

#include "kardan/integrate/hem5.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "integrate/runs.h"

namespace kardan {
namespace {

using namespace test;

TEST(Hem5Tableau, SatisfiesTheOrderConditions) {
  const Hem5Tableau& t = hem5_tableau();
  constexpr int stages = Hem5Tableau::stages;
  for (int i = 1; i < stages; ++i) {
    // Stages: sum_j a_ij c_j^(k-1) = c_i^k / k, of order 2 from the third on.
    for (int k = 1; k <= (i == 1 ? 1 : 2); ++k) {
      double sum = 0;
      for (int j = 0; j < i; ++j) sum += t.a[i][j] * std::pow(t.a_node[j], k - 1);
      EXPECT_NEAR(sum, std::pow(t.a_node[i], k) / k, 1e-14) << i << ' ' << k;
    }
    // Points of the constraints: of order 3; the last one is a quadrature of order 5.
    for (int k = 1; k <= (i == stages - 1 ? 5 : 3); ++k) {
      double sum = 0;
      for (int j = 0; j <= i; ++j) sum += t.b[i][j] * std::pow(t.a_node[j], k - 1);
      EXPECT_NEAR(sum, std::pow(t.b_node[i], k) / k, 1e-14) << i << ' ' << k;
    }
    // A stage has multipliers only if its constraints see its acceleration.
    EXPECT_NE(t.b[i][i], 0) << i;
  }
  // sum b_i a_ij c_j^(k-1) = 1 / ((k + 1) k) for the end: trees of order 3 and 4.
  for (int k = 2; k <= 3; ++k) {
    double sum = 0;
    for (int i = 0; i < stages; ++i)
      for (int j = 0; j < i; ++j)
        sum += t.b[stages - 1][i] * t.a[i][j] * std::pow(t.a_node[j], k - 1);
    EXPECT_NEAR(sum, 1.0 / (k * (k + 1)), 1e-14) << k;
  }
  double sum = 0;
  for (const double e : t.error) sum += e;
  EXPECT_NEAR(sum, 0, 1e-15);
}

class Hem5Order : public testing::TestWithParam<const char*> {};

TEST_P(Hem5Order, IsFive) {
  const Prepared model = model_file(GetParam());
  const double t_end = 0.5;
  DriverOptions tight;
  tight.tolerance = 1e-13;
  const State exact = run(model, *find_method("dopri5"), t_end, tight).state;
  for (const char* projection : {"none", "each_step"}) {
    const OrderStudy study = measure_order({20, 40, 80, 160}, [&](int steps) {
      DriverOptions options;
      options.fixed_step = t_end / steps;
      const Ended end = run_on(model, *find_method("hem5"), "all_coordinates", t_end, options,
                               {{"projection", projection}});
      EXPECT_EQ(end.report.reason, Reason::finished) << end.report.message;
      return difference(end.state, exact);
    });
    fmt::print("{} {}: order {:.2f}\n", GetParam(), projection, study.order());
    EXPECT_GE(study.order(), 4.7) << projection << '\n' << study;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Hem5Order,
                         testing::Values("double_pendulum_welch.yaml", "three_link.yaml",
                                         "slider_crank_welch.yaml", "rolling_disc.yaml"));

TEST(Hem5, HoldsVelocityConstraintsAndFollowsTheTolerance) {
  const Prepared model = model_file("andrews.yaml");
  const auto ws = model.system->make_workspace();
  DriverOptions tight;
  tight.tolerance = 1e-13;
  const State exact = run(model, *find_method("dopri5"), 0.03, tight).state;
  for (double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    DriverOptions options;
    options.tolerance = tolerance;
    double rate = 0;
    const Ended end =
        run_on(model, *find_method("hem5"), "all_coordinates", 0.03, options, {},
               [&](const StepView& step) {
                 EXPECT_EQ(model.system->evaluate(*step.state, {.velocity = true}, *ws), Eval::ok);
                 rate = std::max(rate, norm_max(ws->rate));
                 return std::string();
               });
    const Reached e = reached({end.state}, {exact});
    fmt::print("hem5 {:.0e}: position {:.1e} velocity {:.1e} rate {:.1e} m/s, {} steps\n",
               tolerance, e.position, e.velocity, rate, end.report.counters.steps);
    EXPECT_LE(e.position, 10 * tolerance);
    EXPECT_GE(std::max(e.position, e.velocity), tolerance / 10);
    EXPECT_LE(rate, 1e-12);  // of velocities up to 50 m/s
  }
}

}  // namespace
}  // namespace kardan
