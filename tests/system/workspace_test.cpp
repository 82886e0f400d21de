/// The workspace is scratch: evaluations allocate nothing, depend on nothing left in it and give
/// the same bits every time. Counts every allocation of this test program.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <limits>

#include "support/count_allocations.h"
#include "support/difference_check.h"
#include "support/general_problems.h"
#include "support/models.h"
#include "support/same_bits.h"
#include "support/variants.h"

namespace kardan::test {
namespace {

/// Shipped models, one with every element type of a dimension, and user equations.
std::vector<std::unique_ptr<System>> systems() {
  std::vector<std::unique_ptr<System>> all;
  for (const std::string& name : shipped_names()) all.push_back(compiled_shipped(name));
  for (const int dimension : {2, 3}) {
    Model model = two_bodies(dimension);
    int count = 0;
    for (const ElementType& type : Catalog::builtin().types())
      if (exists_in(type, dimension))
        for (const Variant& v : variants(type, dimension))
          model.add("element_" + std::to_string(count++), std::string(type.name), v.markers,
                    v.fields);
    all.push_back(compiled(model));
  }
  for (const std::string& name : general_problem_names())
    all.push_back(general_problem(name).system);
  Diagnostics diagnostics;
  all.push_back(make_system(pendulum_callbacks(), diagnostics));
  return all;
}

/// Everything an evaluation and a differentiation leave in the workspace, as one list.
std::vector<double> contents(const Workspace& ws) {
  std::vector<double> all;
  for (const Vector* x : {&ws.g, &ws.rate, &ws.g_t, &ws.gamma, &ws.f, &ws.b, &ws.d, &ws.accel,
                          &ws.rate_t, &ws.accel_t, &ws.f_t, &ws.b_t, &ws.d_t})
    all.insert(all.end(), x->begin(), x->end());
  for (const SparseMatrix* A : {&ws.G, &ws.M, &ws.rate_p, &ws.accel_p, &ws.accel_v, &ws.f_p,
                                &ws.f_v, &ws.aux_p, &ws.aux_v, &ws.aux_aux, &ws.force_aux})
    all.insert(all.end(), A->values.begin(), A->values.end());
  return all;
}

void fill_with_nan(Workspace& ws) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (Vector* x : {&ws.g, &ws.rate, &ws.g_t, &ws.gamma, &ws.f, &ws.b, &ws.d, &ws.accel, &ws.rate_t,
                    &ws.accel_t, &ws.f_t, &ws.b_t, &ws.d_t})
    std::fill(x->begin(), x->end(), nan);
  // M is constant: it is written when the workspace is made.
  for (SparseMatrix* A : {&ws.G, &ws.rate_p, &ws.accel_p, &ws.accel_v, &ws.f_p, &ws.f_v, &ws.aux_p,
                          &ws.aux_v, &ws.aux_aux, &ws.force_aux})
    std::fill(A->values.begin(), A->values.end(), nan);
}

void evaluate_all(const System& system, const DerivativePoint& at, Workspace& ws) {
  EXPECT_EQ(system.evaluate(at.state, Request::all(), ws), Eval::ok);
  EXPECT_EQ(system.differentiate(at.state, at.a, at.lambda, ws), Eval::ok);
}

TEST(Workspace, AllocatesNothingInEvaluationsAndDerivativesAfterTheFirst) {
  if (!KARDAN_COUNTS_ALLOCATIONS) GTEST_SKIP() << "malloc cannot be replaced in this build";
  const long start = allocations;
  delete new Vector(10);
  ASSERT_GT(allocations, start) << "allocations are not counted";
  for (const auto& system : systems()) {
    const DerivativePoint at = random_point(*system, 1, 0.02);
    const auto ws = system->make_workspace();
    State moved = at.state;
    Vector events(system->sizes().events), forces(system->blueprint().elements.size());
    // Room for derivatives is made when they are first asked for.
    evaluate_all(*system, at, *ws);
    const long before = allocations;
    Eval ok = system->evaluate(at.state, Request::all(), *ws);
    if (ok == Eval::ok) ok = system->differentiate(at.state, at.a, at.lambda, *ws);
    system->retract(at.state.p, at.state.v, moved.p);
    system->events(at.state, events, *ws);
    system->choose_modes(moved, *ws);
    system->follow_turns(at.state, at.state.v, moved, *ws);
    system->energy(at.state, *ws);
    if (const BodyEquations* bodies = system->bodies_at(at.state, *ws)) {
      bodies->momentum(at.state, *ws);
      bodies->element_forces(at.state, forces, *ws);
    }
    EXPECT_EQ(allocations, before) << system->blueprint().name;
    EXPECT_EQ(ok, Eval::ok) << system->blueprint().name;
  }
}

TEST(Workspace, FilledWithNanChangesNoBit) {
  for (const auto& system : systems()) {
    const DerivativePoint at = random_point(*system, 2, 0.02);
    const auto fresh = system->make_workspace(), spoilt = system->make_workspace();
    evaluate_all(*system, at, *fresh);
    fill_with_nan(*spoilt);
    evaluate_all(*system, at, *spoilt);
    EXPECT_TRUE(same_bits(contents(*fresh), contents(*spoilt))) << system->blueprint().name;
  }
}

TEST(Workspace, UsedForOtherStatesChangesNoBit) {
  for (const auto& system : systems()) {
    const DerivativePoint at = random_point(*system, 3, 0.02);
    const auto fresh = system->make_workspace(), used = system->make_workspace();
    evaluate_all(*system, at, *fresh);
    evaluate_all(*system, random_point(*system, 4, 0.02), *used);
    system->energy(random_point(*system, 5, 0.02).state, *used);
    evaluate_all(*system, at, *used);
    EXPECT_TRUE(same_bits(contents(*fresh), contents(*used))) << system->blueprint().name;
    evaluate_all(*system, at, *used);
    EXPECT_TRUE(same_bits(contents(*fresh), contents(*used))) << system->blueprint().name;
  }
}

TEST(Workspace, PartsAskedForAloneAreTheSameBits) {
  for (const auto& system : systems()) {
    const State state = random_point(*system, 6, 0.02).state;
    const auto all = system->make_workspace(), part = system->make_workspace();
    ASSERT_EQ(system->evaluate(state, Request::all(), *all), Eval::ok);
    fill_with_nan(*part);
    ASSERT_EQ(system->evaluate(state, {.position = true}, *part), Eval::ok);
    EXPECT_TRUE(same_bits(part->g, all->g)) << system->blueprint().name;
    fill_with_nan(*part);
    ASSERT_EQ(system->evaluate(state, {.velocity = true}, *part), Eval::ok);
    EXPECT_TRUE(same_bits(part->rate, all->rate)) << system->blueprint().name;
    EXPECT_TRUE(same_bits(part->g_t, all->g_t)) << system->blueprint().name;
    EXPECT_TRUE(same_bits(part->G.values, all->G.values)) << system->blueprint().name;
    fill_with_nan(*part);
    ASSERT_EQ(system->evaluate(state, {.acceleration = true}, *part), Eval::ok);
    EXPECT_TRUE(same_bits(part->gamma, all->gamma)) << system->blueprint().name;
    fill_with_nan(*part);
    ASSERT_EQ(system->evaluate(state, {.force = true}, *part), Eval::ok);
    EXPECT_TRUE(same_bits(part->f, all->f)) << system->blueprint().name;
  }
}

/// Every element type by itself: those next to others that do not split are evaluated whole.
std::vector<std::unique_ptr<System>> single_elements() {
  std::vector<std::unique_ptr<System>> all;
  for (const int dimension : {2, 3})
    for (const ElementType& type : Catalog::builtin().types())
      if (exists_in(type, dimension))
        for (const Variant& v : variants(type, dimension)) {
          Model model = two_bodies(dimension);
          model.add(std::string(type.name), std::string(type.name), v.markers, v.fields);
          all.push_back(compiled(model));
        }
  return all;
}

TEST(Workspace, WhatPositionsTellMayBeEvaluatedBeforeWhatVelocitiesDo) {
  auto list = systems();
  std::ranges::move(single_elements(), std::back_inserter(list));
  for (const auto& system : list) {
    const State state = random_point(*system, 7, 0.02).state;
    State elsewhere = state;
    for (double& v : elsewhere.v) v = 2 * v + 1;
    const auto all = system->make_workspace(), parts = system->make_workspace();
    ASSERT_EQ(system->evaluate(state, Request::all(), *all), Eval::ok);
    fill_with_nan(*parts);
    ASSERT_EQ(system->evaluate(elsewhere, {.velocity = true, .rates = false}, *parts), Eval::ok);
    Request rest = Request::all();
    rest.gradient = false;
    ASSERT_EQ(system->evaluate(state, rest, *parts), Eval::ok);
    for (Vector Workspace::*x :
         {&Workspace::g, &Workspace::rate, &Workspace::gamma, &Workspace::g_t, &Workspace::f})
      EXPECT_TRUE(same_bits((*all).*x, (*parts).*x)) << system->blueprint().name;
    EXPECT_TRUE(same_bits(all->G.values, parts->G.values)) << system->blueprint().name;
  }
}

}  // namespace
}  // namespace kardan::test
