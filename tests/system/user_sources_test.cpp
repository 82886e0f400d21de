/// The same equations written in different ways: as a template, as an `equations:` section, as
/// callbacks with and without derivatives; and velocities other than the rates of the positions.

#include <gtest/gtest.h>

#include <cmath>

#include "kardan/io/model_reader.h"
#include "kardan/run/prepare.h"
#include "kardan/system/callback_equations.h"
#include "support/difference_check.h"
#include "support/general_problems.h"
#include "support/models.h"

namespace kardan::test {
namespace {

/// Everything a workspace holds after a whole evaluation, in a row.
Vector contents(const System& system, const DerivativePoint& at) {
  const auto ws = system.make_workspace();
  EXPECT_EQ(system.evaluate(at.state, Request::all(), *ws), Eval::ok);
  EXPECT_EQ(system.differentiate(at.state, at.a, at.lambda, *ws), Eval::ok);
  EXPECT_EQ(system.invariants(at.state, *ws), Eval::ok);
  Vector out;
  for (const Vector* x : {&ws->g, &ws->rate, &ws->g_t, &ws->gamma, &ws->f, &ws->b, &ws->d,
                          &ws->accel, &ws->rate_t, &ws->accel_t, &ws->f_t, &ws->b_t, &ws->d_t})
    out.insert(out.end(), x->begin(), x->end());
  for (const SparseMatrix* A : {&ws->G, &ws->M, &ws->rate_p, &ws->accel_p, &ws->accel_v, &ws->f_p,
                                &ws->f_v, &ws->aux_p, &ws->aux_v, &ws->aux_aux, &ws->force_aux,
                                &ws->force_lambda, &ws->aux_lambda, &ws->e_p, &ws->e_v})
    out.insert(out.end(), A->values.begin(), A->values.end());
  return out;
}

void expect_same(const System& one, const System& other, double tolerance) {
  for (const unsigned seed : {1u, 2u}) {
    const DerivativePoint at = random_point(one, seed, 0.05);
    const Vector a = contents(one, at), b = contents(other, at);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_NEAR(a[i], b[i], tolerance * (1 + std::abs(a[i]))) << i;
  }
}

TEST(EquationsSection, IsTheSameAsATemplate) {
  const std::pair<const char*, const char*> pairs[] = {{"pendulum", "pendulum_equations"},
                                                       {"sleigh_turning", "sleigh_equations"},
                                                       {"disc", "disc_equations"},
                                                       {"andrews", "andrews_minimal"}};
  for (const auto& [problem, file] : pairs) {
    SCOPED_TRACE(problem);
    expect_same(*general_problem(problem).system, *compiled_shipped(file), 1e-11);
  }
}

std::unique_ptr<System> made(CallbackEquations callbacks) {
  Diagnostics diagnostics;
  auto system = make_system(std::move(callbacks), diagnostics);
  EXPECT_TRUE(system) << format(diagnostics);
  return system;
}

TEST(CallbackEquationsTest, WithoutDerivativesAreNearTheTemplateAndSaySo) {
  const auto system = made(pendulum_callbacks());
  EXPECT_FALSE(system->exact_derivatives());
  expect_same(*general_problem("pendulum").system, *system, 1e-8);
}

TEST(CallbackEquationsTest, WithDerivativesAndHiddenConstraintsAreExact) {
  CallbackEquations e = pendulum_callbacks();
  using Point = Variables<double>;
  using Out = std::span<double>;
  e.force.by_p = e.force.by_v = e.force.by_t = independent;
  e.holonomic.by_p = [](const Point& x, Out G) { G[0] = 2 * x.p[0], G[1] = 2 * x.p[1]; };
  e.holonomic.by_t = independent;
  e.rate.value = [](const Point& x, Out r) { r[0] = 2 * (x.p[0] * x.v[0] + x.p[1] * x.v[1]); };
  e.rate.by_p = [](const Point& x, Out J) { J[0] = 2 * x.v[0], J[1] = 2 * x.v[1]; };
  e.rate.by_v = e.holonomic.by_p;
  e.rate.by_t = independent;
  e.bias.value = [](const Point& x, Out b) { b[0] = -2 * (x.v[0] * x.v[0] + x.v[1] * x.v[1]); };
  e.bias.by_v = [](const Point& x, Out J) { J[0] = -4 * x.v[0], J[1] = -4 * x.v[1]; };
  e.bias.by_p = e.bias.by_t = independent;
  e.invariant.by_p = [](const Point&, Out J) { J[1] = 13.75; };
  e.invariant.by_v = [](const Point& x, Out J) { J[0] = x.v[0], J[1] = x.v[1]; };
  e.invariant.by_t = independent;
  const auto system = made(e);
  EXPECT_TRUE(system->exact_derivatives());
  expect_same(*general_problem("pendulum").system, *system, 1e-14);
}

std::unique_ptr<System> from_text(const std::string& text) {
  Diagnostics diagnostics;
  const auto model = read_model_text(text, "model.yaml", {}, diagnostics);
  auto system = model ? compile_model(*model, {}, diagnostics) : nullptr;
  EXPECT_TRUE(system) << format(diagnostics);
  return system;
}

/// The sleigh with velocities along and across itself: ahead, aside.
constexpr const char* turned_sleigh = R"(kardan: 1
parameters: {m: 1, I: 0.4, a: 0.25, V: 0.3}
equations:
  positions: {x: 0.1, y: -0.2, phi: 0.4}
  velocities: {ahead: 0.7, aside: 0.1, omega: 2}
  kinematics: {x: ahead*cos(phi) - aside*sin(phi), y: ahead*sin(phi) + aside*cos(phi), phi: omega}
  mass: {ahead: m, aside: m, omega: I}
  forces: {ahead: m*omega*aside, aside: -m*omega*ahead}
  nonholonomic: {blade: aside + V*sin(phi) - a*omega}
)";

TEST(Kinematics, OfTheUserGiveTheSameMotion) {
  const auto turned = from_text(turned_sleigh);
  const GeneralProblem plain = general_problem("sleigh_turning");
  const DerivativeReport report = check_derivatives(*turned, random_point(*turned, 1, 0.05));
  EXPECT_LE(report.worst, 1e-6) << report.where;
  // The state holds rates of positions in both.
  const DerivativePoint at = random_point(*turned, 3, 0.1);
  const auto ws = turned->make_workspace(), other = plain.system->make_workspace();
  ASSERT_EQ(turned->evaluate(at.state, Request::all(), *ws), Eval::ok);
  ASSERT_EQ(plain.system->evaluate(at.state, Request::all(), *other), Eval::ok);
  EXPECT_LT(largest_difference(ws->G.values, other->G.values), 1e-14);
  EXPECT_LT(largest_difference(ws->gamma, other->gamma), 1e-13);
  EXPECT_LT(largest_difference(ws->M.values, other->M.values), 1e-14);
  EXPECT_LT(largest_difference(ws->f, other->f), 1e-13);
  EXPECT_LT(largest_difference(ws->rate, other->rate), 1e-14);
}

TEST(Kinematics, VelocitiesAreShownAsTheUserCountsThem) {
  const auto turned = from_text(turned_sleigh);
  const State start = turned->start();
  EXPECT_NEAR(value_of(*turned, start, "ahead"), 0.7, 1e-15);
  EXPECT_NEAR(value_of(*turned, start, "aside"), 0.1, 1e-15);
  EXPECT_NEAR(start.v[0], 0.7 * std::cos(0.4) - 0.1 * std::sin(0.4), 1e-15);
  EXPECT_EQ(turned->velocity_name(0), "x'");
}

TEST(CoordinateEquations, DependenceOnMultipliersIsFoundOut) {
  for (const std::string& name : general_problem_names())
    EXPECT_EQ(general_problem(name).system->sizes().multiplier_forces, name == "disc") << name;
}

}  // namespace
}  // namespace kardan::test
