/// Forces of stops and frictions that answer all conditions at once.

#include "kardan/formulation/contact_forces.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/models.h"

namespace kardan {
namespace {

using Verdict = ContactAnswer::Verdict;

/// Stops with a friction each, on a matrix A A'.
ContactProblem random_problem(test::Random& random, int stops, int dimension) {
  ContactProblem p;
  const int n = 2 * stops;
  Matrix A(n, dimension);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < dimension; ++j) A(i, j) = random();
  p.W = Matrix(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < dimension; ++k) p.W(i, j) += A(i, k) * A(j, k);
  p.b = random.vector(n, 2);
  p.unit.assign(n, 1.0);
  for (int i = 0; i < stops; ++i) {
    p.stops.push_back({.side = 1});
    FrictionContact f{.stick = 0.3, .slip = 0.3, .load = {.stop = i}};
    p.frictions.push_back(f);
  }
  return p;
}

/// Independent of how they were found: x = b + W phi, signs, cones.
void expect_answers(const ContactProblem& p, const ContactAnswer& a) {
  const int stops = static_cast<int>(p.stops.size());
  for (int i = 0; i < p.rows(); ++i) {
    double x = p.b[i];
    for (int j = 0; j < p.rows(); ++j) x += p.W(i, j) * a.force[j];
    EXPECT_NEAR(x, a.x[i], 1e-9);
    if (i < stops) {
      EXPECT_GE(a.force[i], -1e-9);
      EXPECT_GE(x, -1e-9);
      EXPECT_NEAR(x * a.force[i], 0, 1e-8);
      continue;
    }
    const double most = 0.3 * a.force[i - stops];
    EXPECT_LE(std::abs(a.force[i]), most + 1e-9);
    if (std::abs(x) > 1e-9) {
      EXPECT_NEAR(a.force[i], x > 0 ? -most : most, 1e-8);
    }
  }
}

TEST(ContactForces, AnswerAllConditions) {
  test::Random random(7);
  int found = 0;
  for (int trial = 0; trial < 300; ++trial) {
    // More rows than coordinates: forces of what is held are then not unique.
    const ContactProblem p = random_problem(random, 1 + trial % 3, trial % 2 == 0 ? 6 : 3);
    const ContactAnswer a = solve_contacts(p);
    if (a.verdict != Verdict::found) continue;
    ++found;
    expect_answers(p, a);
  }
  EXPECT_GT(found, 280) << "with small coefficients there is mostly an answer";
}

/// Two feet on a slope: the friction of each is not unique, their sum is. It holds to tan = mu.
TEST(ContactForces, HoldWhatAnyForcesHold) {
  for (const double load : {0.29, 0.31}) {
    ContactProblem p;
    // x, y, angle of unit masses; feet at -1 and 1, height 0.
    const double G[4][3] = {{0, 1, -1}, {0, 1, 1}, {1, 0, 0}, {1, 0, 0}};
    const double f[3] = {load, -1, 0};
    p.W = Matrix(4, 4);
    p.b.assign(4, 0.0);
    p.unit.assign(4, 1.0);
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < 3; ++k) {
        p.b[i] += G[i][k] * f[k];
        for (int j = 0; j < 4; ++j) p.W(i, j) += G[i][k] * G[j][k];
      }
    for (int i = 0; i < 2; ++i) {
      p.stops.push_back({.side = 1});
      FrictionContact rub{.stick = 0.3, .slip = 0.3, .load = {.stop = i}};
      p.frictions.push_back(rub);
    }
    const ContactAnswer a = solve_contacts(p);
    ASSERT_EQ(a.verdict, Verdict::found);
    expect_answers(p, a);
    const bool holds = load < 0.3;
    EXPECT_EQ(a.modes[2] == 0, holds);
    if (holds) {
      EXPECT_NEAR(a.margin[2], 0.5 * (0.3 - load), 1e-9) << "the largest for both";
    } else {
      EXPECT_NEAR(a.x[2], load - 0.3, 1e-9);
    }
  }
}

/// One contact that slips: its normal acceleration changes by p = W_nn - mu W_nt (or +) a unit of
/// force. For p < 0 there is no force for an approach, and two motions for a departure (Painleve).
TEST(ContactForces, SayWhereThereIsNoUniqueMotion) {
  ContactProblem p;
  p.W = Matrix(2, 2);
  p.W(0, 0) = 1;
  p.W(1, 1) = 1;
  p.W(0, 1) = p.W(1, 0) = 0.8;
  p.unit.assign(2, 1.0);
  p.stops.push_back({.side = 1});
  FrictionContact rub{.stick = 1.5, .slip = 1.5, .moves = 1, .load = {.stop = 0}};
  p.frictions.push_back(rub);
  p.b = {-1, 0};
  EXPECT_EQ(solve_contacts(p).verdict, Verdict::none);
  p.b = {1, 0};
  EXPECT_EQ(solve_contacts(p).verdict, Verdict::several);
  p.frictions[0].moves = -1;
  EXPECT_EQ(solve_contacts(p).verdict, Verdict::found);
  p.b = {-1, 0};
  const ContactAnswer a = solve_contacts(p);
  ASSERT_EQ(a.verdict, Verdict::found);
  EXPECT_NEAR(a.force[0], 1 / (1 + 1.5 * 0.8), 1e-12);
}

/// A load that is the length of a vector: |offset + phi C|.
TEST(ContactForces, FollowTheLoadsOfJoints) {
  ContactProblem p;
  p.W = Matrix(1, 1);
  p.W(0, 0) = 2;
  p.b = {3};
  p.unit.assign(1, 1.0);
  FrictionContact rub{.stick = 0.4, .slip = 0.4, .load = {}};
  rub.load.offset = {1, 2};
  rub.load.by_force = Matrix(2, 1);
  rub.load.by_force(0, 0) = 0.5;
  p.frictions.push_back(rub);
  const ContactAnswer a = solve_contacts(p);
  ASSERT_EQ(a.verdict, Verdict::found);
  EXPECT_EQ(a.modes[0], 1);
  EXPECT_NEAR(a.force[0], -0.4 * std::hypot(1 + 0.5 * a.force[0], 2), 1e-12);
  EXPECT_NEAR(a.x[0], 3 + 2 * a.force[0], 1e-12);
}

}  // namespace
}  // namespace kardan
