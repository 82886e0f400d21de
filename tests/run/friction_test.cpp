/// Contacts with friction: impacts, corners, what has no unique motion.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "run/event_runs.h"

namespace kardan {
namespace {

using test::Ran;

constexpr double earth = 9.81;

Ran run_friction(const std::string& text, double t_end, const std::string& method = "rn4",
              double tolerance = 1e-9) {
  Ran out = test::run_model(text, method, t_end, tolerance);
  EXPECT_EQ(out.report.driver.reason, Reason::finished) << out.report.driver.message;
  EXPECT_LE(out.report.energy.balance_error, 1e4 * tolerance);
  return out;
}

std::string box(double b, double h, const std::string& start, double restitution, double mu) {
  return fmt::format(R"yaml(kardan: 1
dimension: 2
gravity: [0, -9.81]
parameters: {{b: {0}, h: {1}}}
bodies: {{box: {{mass: 2, inertia: 2*(b^2+h^2)/3, {2}}}}}
sensors:
  lx: {{type: expression, value: box.x - b*cos(box.angle) + h*sin(box.angle)}}
  ly: {{type: expression, value: box.y - b*sin(box.angle) - h*cos(box.angle)}}
  rx: {{type: expression, value: box.x + b*cos(box.angle) + h*sin(box.angle)}}
  ry: {{type: expression, value: box.y + b*sin(box.angle) - h*cos(box.angle)}}
when:
  l: {{expression: ly, direction: falling, action: {{impulse: {{restitution: {3}}}}}}}
  r: {{expression: ry, direction: falling, action: {{impulse: {{restitution: {3}}}}}}}
friction:
  fl: {{along: lx, kinetic: {4}, stop: l}}
  fr: {{along: rx, kinetic: {4}, stop: r}}
)yaml",
                     b, h, start, restitution, mu);
}

/// A rocking block (Housner, Bull. Seism. Soc. Am. 53, 1963): quarter periods
/// acosh(1/(1 - angle/alpha))/p for small angles; each impact keeps 1 - 3/2 sin^2 alpha of the
/// speed. Here exactly: the energy about the corner is conserved between impacts.
TEST(RockingBlock, KeepsAtEveryImpactWhatHousnerSays) {
  const double b = 0.2, h = 1, tilt = -0.1;
  const double x = -(b * std::cos(tilt) + h * std::sin(tilt));
  const double y = -(b * std::sin(tilt) - h * std::cos(tilt));
  const Ran r = run_friction(
      box(b, h, fmt::format("position: [{:.17g}, {:.17g}], angle: {}", x, y, tilt), 0, 2), 2.5);
  const double kept = 1 - 1.5 * b * b / (b * b + h * h);
  double potential = 2 * earth * (y - h);  // above the upright block; all of it is speed at an impact
  const auto left = r.times("l", -1), right = r.times("r", -1);
  ASSERT_EQ(left.size(), 2u);
  ASSERT_EQ(right.size(), 1u);
  double work = 0;
  for (int i = 0; i < 3; ++i) {
    work -= (1 - kept * kept) * potential;
    potential *= kept * kept;
  }
  EXPECT_NEAR(r.report.energy.work, work, 1e-8);
  EXPECT_EQ(r.times("fl.stick", 1).size(), 2u) << "the new corner sticks";
  EXPECT_EQ(r.times("fl.stick", -1).size(), 1u) << "the old one is lifted";
}

/// A box falls on a corner, with an impulse (P_n, P_t) there. It sticks where mu lets it: both
/// components of the corner's velocity vanish, from momentum.
TEST(FallingBox, HasTheMomentumOfItsImpact) {
  const double b = 0.5, h = 0.3, angle = 0.4, m = 2, J = m * (b * b + h * h) / 3;
  const double rx = -b * std::cos(angle) + h * std::sin(angle);
  const double ry = -b * std::sin(angle) - h * std::cos(angle);  // corner l from the centre
  for (const double mu : {0.1, 2.0}) {
    const double fall = 1.5 + ry, v = std::sqrt(2 * earth * fall), t = v / earth;
    const Ran r =
        run_friction(box(b, h, "position: [0, 1.5], angle: 0.4, velocity: [0.3, 0]", 0, mu), t + 1e-6);
    ASSERT_FALSE(r.times("l", -1).empty());
    EXPECT_NEAR(r.times("l", -1)[0], t, 1e-9);
    // The corner's mobility.
    const double nn = 1 / m + rx * rx / J, tt = 1 / m + ry * ry / J, nt = -rx * ry / J;
    // Stick: nn P_n + nt P_t = v, nt P_n + tt P_t = -0.3.
    const double det = nn * tt - nt * nt;
    double n = (v * tt + 0.3 * nt) / det, f = (-0.3 * nn - v * nt) / det;
    if (std::abs(f) > mu * n) {
      // It slips where it would be pushed.
      const double d = f > 0 ? 1 : -1;
      n = v / (nn + d * mu * nt);
      f = d * mu * n;
    }
    EXPECT_NEAR(r.end().v[0], 0.3 + f / m, 5e-4) << mu;
    EXPECT_NEAR(r.end().v[1], -v + n / m, 5e-4) << mu;
    EXPECT_NEAR(r.end().v[2], (rx * n - ry * f) / J, 5e-4) << mu;
  }
}

/// A ball with backspin on a lane, e = 0.5: P_n = (1 + e) v m, and it slips through both phases.
TEST(Bounce, TakesSpinByFriction) {
  const double m = 2, radius = 0.1, J = 0.4 * m * radius * radius, e = 0.5, mu = 0.1, spin = 60;
  const Ran r = run_friction(
      "kardan: 1\ndimension: 2\ngravity: [0, -9.81]\n"
      "bodies: {ball: {mass: 2, inertia: 0.008, position: [0, 1.1], angular_velocity: 60}}\n"
      "when: {lane: {expression: ball.y - 0.1, direction: falling, action: {impulse: {restitution: "
      "0.5}}}}\n"
      "friction: {rub: {along: ball.x + 0.1*ball.angle, kinetic: 0.1, stop: lane}}\n",
      0.6);
  const double v = std::sqrt(2 * earth), P = m * (1 + e) * v;
  EXPECT_NEAR(r.end().v[0], -mu * P / m, 1e-9);
  EXPECT_NEAR(r.end().v[2], spin - mu * P * radius / J, 1e-7);
  EXPECT_NEAR(r.end().v[1], e * v - earth * (0.6 - v / earth), 1e-9);
}

/// Kane's double pendulum (Kane & Levinson, Dynamics, 1985, 5.9), for which Newton's law of
/// restitution gains energy at some angles: here no impact does.
TEST(DoublePendulum, GainsNoEnergyInImpacts) {
  int impacts = 0;
  for (const double a : {-1.0, -0.35, 0.35, 0.9})
    for (const double b : {-0.9, 0.1, 0.55, 1.2})
      for (const double e : {0.0, 0.5, 0.9})
        for (const double mu : {0.1, 0.5}) {
          const double wa = a > 0 ? -0.1 : 0.4, wb = b > 0 ? -0.6 : 0.5;
          const double depth = std::cos(a) + std::cos(b) + 1e-3;
          const Ran r = test::run_model(fmt::format(R"yaml(kardan: 1
dimension: 2
parameters: {{a: {}, b: {}}}
bodies:
  A: {{mass: 1, inertia: 1/12, position: [0.5*sin(a), -0.5*cos(a)], angle: a, angular_velocity: {}, markers: {{top: {{at: [0, 0.5]}}, low: {{at: [0, -0.5]}}}}}}
  B: {{mass: 1, inertia: 1/12, position: [sin(a) + 0.5*sin(b), -cos(a) - 0.5*cos(b)], angle: b, angular_velocity: {}, markers: {{top: {{at: [0, 0.5]}}}}}}
joints:
  p: {{type: revolute, between: [ground, A.top]}}
  q: {{type: revolute, between: [A.low, B.top]}}
sensors:
  tx: {{type: expression, value: B.x + 0.5*sin(B.angle)}}
  ty: {{type: expression, value: B.y - 0.5*cos(B.angle)}}
when: {{floor: {{expression: ty + {}, direction: falling, action: {{impulse: {{restitution: {}}}}}}}}}
friction: {{tip: {{along: tx, kinetic: {}, stop: floor}}}}
)yaml",
                                                    a, b, wa, wb, depth, e, mu),
                                        "rn4", 0.5, 1e-8);
          SCOPED_TRACE(fmt::format("{} {} {} {}", a, b, e, mu));
          ASSERT_EQ(r.report.driver.reason, Reason::finished) << r.report.driver.message;
          impacts += static_cast<int>(r.times("floor", -1).size());
          EXPECT_LE(r.report.energy.work, 1e-9);
          EXPECT_LE(r.report.energy.balance_error, 1e-6);
        }
  EXPECT_GT(impacts, 20);
}

/// A rod that slides on its tip: there is no motion where mu sin cos > (1 + 3 cos^2)/3.
std::string rod(double mu, double v, double angle) {
  return fmt::format(R"yaml(kardan: 1
dimension: 2
gravity: [0, -9.81]
parameters: {{l: 1, angle: {2}}}
bodies: {{rod: {{mass: 1, inertia: l^2/3, position: [l*cos(angle), l*sin(angle)], angle: angle, velocity: [{1}, 0]}}}}
sensors:
  tx: {{type: expression, value: rod.x - l*cos(rod.angle)}}
  ty: {{type: expression, value: rod.y - l*sin(rod.angle)}}
when: {{floor: {{expression: ty, direction: falling, action: {{impulse: {{restitution: 0}}}}}}}}
friction: {{tip: {{along: tx, kinetic: {0}, stop: floor}}}}
)yaml",
                     mu, v, angle);
}

TEST(PainlevesRod, IsRefusedWhereItHasNoMotion) {
  const double angle = 1.1, c = std::cos(angle), s = std::sin(angle);
  const double limit = (1 + 3 * c * c) / (3 * s * c);
  for (const double mu : {0.99 * limit, 1.01 * limit}) {
    const Ran r = test::run_model(rod(mu, -2, angle), "rn4", 0.02, 1e-9);
    EXPECT_EQ(r.report.driver.reason == Reason::finished, mu < limit) << mu;
    if (mu < limit) continue;
    EXPECT_NE(r.report.driver.message.find("no motion"), std::string::npos)
        << r.report.driver.message;
    EXPECT_NE(r.report.driver.message.find("'tip'"), std::string::npos);
  }
  EXPECT_EQ(test::run_model(rod(2 * limit, 2, angle), "rn4", 0.02, 1e-9).report.driver.reason,
            Reason::finished)
      << "drawn, it slides";
}

/// A ladder of length 2 slides down a wall, mu = 0.1 at both ends, until it leaves the wall. With
/// the angle q from the wall: an equation of its own, integrated here by classical Runge-Kutta.
TEST(Ladder, LeavesTheWallWhereItNoLongerPresses) {
  const double L = 2, m = 3, mu = 0.1, J = m * L * L / 12, l = L / 2;
  // x = l sin q, y = l cos q.  m x'' = W - mu F,  m y'' = F + mu W - m g,
  // J q'' = F l (sin q - ...) as moments about the centre.
  struct Rates {
    double alpha, wall;
  };
  const auto rates = [&](double q, double w) {
    const double s = std::sin(q), c = std::cos(q);
    // Unknowns alpha, W (wall, +x), F (floor, +y); friction: floor -mu F in x, wall +mu W in y.
    // x'' = l (c a - s w^2), y'' = -l (s a + c w^2); counterclockwise = q grows.
    double A[3][4] = {{m * l * c, -1, mu, m * l * s * w * w},
                      {-m * l * s, -mu, -1, -m * earth + m * l * c * w * w},
                      {J, 0, 0, 0}};
    // Foot at (l s, -l c), top at (-l s, l c) from the centre: moments r x f.
    A[2][2] = -(l * s - l * c * mu);   // foot: l s F - (-l c)(-mu F)
    A[2][1] = -(-l * s * mu - l * c);  // top: -l s mu W - l c W
    for (int k = 0; k < 3; ++k) {
      int pivot = k;
      for (int i = k; i < 3; ++i)
        if (std::abs(A[i][k]) > std::abs(A[pivot][k])) pivot = i;
      std::swap(A[k], A[pivot]);
      for (int i = 0; i < 3; ++i) {
        const double factor = i == k ? 0 : A[i][k] / A[k][k];
        for (int j = k; j < 4; ++j) A[i][j] -= factor * A[k][j];
      }
    }
    return Rates{A[0][3] / A[0][0], A[1][3] / A[1][1]};
  };
  double q = 0.4, w = 0, t = 0, h = 1e-4;
  while (rates(q, w).wall > 0 && t < 2) {
    const double k1 = rates(q, w).alpha, k2 = rates(q + h / 2 * w, w + h / 2 * k1).alpha;
    const double k3 = rates(q + h / 2 * (w + h / 2 * k1), w + h / 2 * k2).alpha;
    const double k4 = rates(q + h * (w + h / 2 * k2), w + h * k3).alpha;
    q += h * w + h * h / 6 * (k1 + k2 + k3);
    w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    t += h;
  }
  const std::string text = R"yaml(kardan: 1
dimension: 2
gravity: [0, -9.81]
parameters: {L: 2, a: 0.4}
bodies: {ladder: {mass: 3, inertia: 1, position: [sin(a), cos(a)], angle: a}}
sensors:
  bx: {type: expression, value: ladder.x + L/2*sin(ladder.angle)}
  by: {type: expression, value: ladder.y - L/2*cos(ladder.angle)}
  tx: {type: expression, value: ladder.x - L/2*sin(ladder.angle)}
  ty: {type: expression, value: ladder.y + L/2*cos(ladder.angle)}
when:
  floor: {expression: by, direction: falling, action: {impulse: {restitution: 0}}}
  wall: {expression: tx, direction: falling, action: {impulse: {restitution: 0}}}
friction:
  foot: {along: bx, kinetic: 0.1, stop: floor}
  top: {along: ty, kinetic: 0.1, stop: wall}
)yaml";
  for (const char* method : {"rn4", "radau5", "dopri5"}) {
    const Ran r = run_friction(text, 0.8, method, 1e-8);
    ASSERT_EQ(r.times("wall.rest", -1).size(), 1u) << method;
    EXPECT_NEAR(r.times("wall.rest", -1)[0], t, 1e-4) << method << ": a step of the reference";
  }
}

/// Two blocks, one on the other, pushed at the lower one by a force that grows: first all sticks,
/// then the lower one slides with the other on it, then both slide.
TEST(Stack, SlidesWhereItHoldsLeast) {
  const std::string text = R"yaml(kardan: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  low: {kind: point, mass: 2, position: [0, 0]}
  high: {kind: point, mass: 1, position: [0, 0.1]}
forces: {push: {type: force, on: low, fx: 10*t}}
when:
  floor: {expression: low.y, direction: falling, action: {impulse: {restitution: 0}}}
  pair: {expression: high.y - low.y - 0.1, direction: falling, action: {impulse: {restitution: 0}}}
friction:
  under: {along: low.x, kinetic: 0.2, stop: floor}
  between: {along: high.x - low.x, kinetic: 0.4, stop: pair}
)yaml";
  const Ran r = run_friction(text, 2.5);
  ASSERT_EQ(r.times("under.stick", -1).size(), 1u);
  ASSERT_EQ(r.times("between.stick", -1).size(), 1u);
  const double first = 0.2 * 3 * earth / 10;
  EXPECT_NEAR(r.times("under.stick", -1)[0], first, 1e-9);
  // Together a = (10 t - 0.2*3 g)/3 until it is 0.4 g.
  const double second = (3 * 0.4 * earth + 0.2 * 3 * earth) / 10;
  EXPECT_NEAR(r.times("between.stick", -1)[0], second, 1e-9);
  const double v = 5.0 / 3 * (second - first) * (second - first);
  EXPECT_NEAR(r.end().v[2], v + 0.4 * earth * (2.5 - second), 1e-8);
}

/// With Stribeck's curve: m v' = -N (mu_k + (mu_s - mu_k) exp(-(v/v_s)^2)), by Simpson over v.
TEST(Friction, FollowsStribecksCurve) {
  const auto mu = [](double v) { return 0.2 + 0.3 * std::exp(-v * v / 0.25); };
  double t = 0;
  const int n = 2000;
  for (int i = 0; i < n; ++i) {
    const double a = 2.0 * i / n, b = 2.0 * (i + 1) / n;
    t += (b - a) / 6 * (1 / mu(a) + 4 / mu(0.5 * (a + b)) + 1 / mu(b)) * 3 / 10;
  }
  const Ran r = run_friction(
      "kardan: 1\ndimension: 2\nbodies: {a: {kind: point, mass: 3, velocity: [-2, 0]}}\n"
      "friction: {f: {along: a.x, kinetic: 0.2, static: 0.5, stribeck: 0.5, preload: 10}}\n",
      4);
  ASSERT_EQ(r.times("f.stick", 1).size(), 1u);
  EXPECT_NEAR(r.times("f.stick", 1)[0], t, 1e-8);
}

/// A switch that changes the preload lets go at once; one that takes it back holds.
TEST(Friction, FollowsParametersThatEventsSet) {
  const Ran r = run_friction(R"yaml(kardan: 1
dimension: 2
parameters: {N: 20}
bodies: {a: {kind: point, mass: 1}}
forces: {push: {type: force, on: a, fx: 3}}
friction: {f: {along: a.x, kinetic: 0.2, preload: N}}
when:
  off: {expression: t - 1, action: {set: {N: 5}}}
  on: {expression: t - 2, action: {set: {N: 40}}}
)yaml",
                          4);
  ASSERT_EQ(r.times("f.stick", -1).size(), 1u);
  EXPECT_EQ(r.times("f.stick", -1)[0], 1);
  ASSERT_EQ(r.times("f.stick", 1).size(), 2u);
  // 2 m/s^2 for a second, then 5 m/s^2 down.
  EXPECT_NEAR(r.times("f.stick", 1)[1], 2 + 2.0 / 5, 1e-9);
}

/// A block held by two parallel guides: which of them carries it is not known.
TEST(Friction, IsRefusedWhereItsLoadIsNotUnique) {
  const Ran r = test::run_model(R"yaml(kardan: 1
dimension: 2
gravity: [0, -9.81]
bodies: {a: {mass: 1, inertia: 1}}
joints:
  one: {type: prismatic, between: [ground, a]}
  two: {type: prismatic, between: [ground, a]}
friction: {f: {along: a.x, kinetic: 0.2, joint: two}}
)yaml",
                                "rn4", 1);
  EXPECT_EQ(r.report.driver.reason, Reason::evaluation_failed);
  EXPECT_NE(r.report.driver.message.find("'two' is not unique"), std::string::npos)
      << r.report.driver.message;
}

}  // namespace
}  // namespace kardan
