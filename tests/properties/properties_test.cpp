/// What must hold for every mechanism, over random ones. KARDAN_MECHANISMS says how many
/// (tools/properties runs thousands); a failure names the seed, and KARDAN_FIRST_SEED starts there.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "kardan/formulation/accelerations.h"
#include "kardan/formulation/analysis.h"
#include "kardan/run/simulate.h"
#include "properties/from_environment.h"
#include "properties/mechanism.h"
#include "support/models.h"

namespace kardan::test {
namespace {

/// Runs the check on every mechanism; the first failure tells its seed and model.
void for_all(unsigned share, const std::function<void(const Mechanism&)>& check) {
  const unsigned first = from_environment("KARDAN_FIRST_SEED", 1);
  const unsigned count = std::max(1u, from_environment("KARDAN_MECHANISMS", 300) / share);
  for (unsigned seed = first; seed < first + count; ++seed) {
    const Mechanism m = random_mechanism(seed);
    check(m);
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "KARDAN_FIRST_SEED=" << seed << "\n" << to_yaml(m);
      return;
    }
  }
  fmt::print("{} mechanisms\n", count);
}

Prepared prepared(const Mechanism& m) {
  Diagnostics diagnostics;
  Prepared out = prepare(model_of(to_yaml(m)), {}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
  EXPECT_EQ(out.start.report.status, Eval::ok) << out.start.report.message;
  return out;
}

int degrees_of_freedom(const Prepared& p) {
  return analyse(*p.system, p.start.state, *p.system->make_workspace()).degrees_of_freedom;
}

// ---- degrees of freedom

using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

/// Constraint matrix with displacements in the model's length and rows of unit length.
Wide scaled_constraints(const System& system, const State& state) {
  const auto ws = system.make_workspace();
  EXPECT_EQ(system.evaluate(state, {.velocity = true}, *ws), Eval::ok);
  const SparsePattern& p = *ws->G.pattern;
  Wide out = Wide::Zero(p.rows, p.cols);
  for (int i = 0; i < p.rows; ++i) {
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k)
      out(i, p.column[k]) =
          static_cast<long double>(ws->G.values[k]) *
          (system.is_rotation(p.column[k]) ? 1.0L
                                           : static_cast<long double>(system.scales().length));
    const long double norm = out.row(i).norm();
    if (norm > 0) out.row(i) /= norm;
  }
  return out;
}

TEST(Mechanisms, HaveTheDegreesOfFreedomOfAnSvdInHigherPrecision) {
  int undecided = 0;
  for_all(1, [&](const Mechanism& m) {
    const Prepared p = prepared(m);
    const Wide G = scaled_constraints(*p.system, p.start.state);
    int rank = 0;
    bool clear = true;
    if (G.rows() > 0) {
      const Eigen::JacobiSVD<Wide> svd(G);
      for (const long double s : svd.singularValues()) {
        rank += s > 1e-8L;
        clear = clear && !(s > 1e-11L && s < 1e-6L);
      }
    }
    undecided += !clear;
    if (clear) {
      EXPECT_EQ(degrees_of_freedom(p), static_cast<int>(G.cols()) - rank);
    }
  });
  fmt::print("{} with singular values between 1e-11 and 1e-6\n", undecided);
}

// ---- assembly

TEST(Mechanisms, AreAssembledFromDisturbedStarts) {
  for_all(1, [](const Mechanism& m) {
    const Prepared p = prepared(m);
    State away = shaken(*p.system, p.start.state, 0.02);
    const ConsistentStart again = assemble(*p.system, away, {});
    EXPECT_EQ(again.report.status, Eval::ok) << again.report.message;
    EXPECT_LE(again.report.reached.position, 1e-9);
    EXPECT_LE(again.report.reached.velocity, 1e-9);
    EXPECT_LE(again.report.moved, 0.5 * m.length)
        << "a small disturbance asks for a small way back";
  });
}

// ---- runs

/// Pose and velocity of a body in the world.
struct BodyState {
  Vector3 position, velocity, spin;
  Eigen::Matrix3d turn;
};

std::vector<BodyState> bodies_of(const Mechanism& m, const System& system, const State& state) {
  std::vector<BodyState> out;
  for (const Mechanism::Body& b : m.bodies) {
    const auto value = [&](const char* what) {
      const auto ws = system.make_workspace();
      const auto q = system.find_quantity(b.name + "." + what);
      return q ? system.quantity(*q, state, 0, {}, {}, *ws) : 0.0;
    };
    BodyState s;
    s.position = {value("x"), value("y"), value("z")};
    s.velocity = {value("vx"), value("vy"), value("vz")};
    if (m.dimension == 2) {
      s.spin = {0, 0, value("omega")};
      s.turn = Eigen::AngleAxisd(value("angle"), Vector3::UnitZ()).toRotationMatrix();
    } else {
      s.spin = {value("wx"), value("wy"), value("wz")};
      s.turn =
          Eigen::Quaterniond(value("qw"), value("qx"), value("qy"), value("qz")).toRotationMatrix();
    }
    out.push_back(s);
  }
  return out;
}

/// Largest difference in the mechanism's own units; `a` is seen after `turn` and `shift`.
double apart(const Mechanism& m, const std::vector<BodyState>& a, const std::vector<BodyState>& b,
             const Eigen::Quaterniond& turn = Eigen::Quaterniond::Identity(),
             const Vector3& shift = Vector3::Zero()) {
  double worst = 0;
  const double speed = m.length / m.time;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double errors[] = {
        (turn * a[k].position + shift - b[k].position).norm() / m.length,
        (turn * a[k].velocity - b[k].velocity).norm() / speed,
        (a[k].spin - b[k].spin).norm() * m.time,
        (turn.toRotationMatrix() * a[k].turn - b[k].turn).norm(),
    };
    for (const double e : errors)
      if (!(e <= worst)) worst = e;
  }
  return worst;
}

struct Ended {
  std::vector<BodyState> bodies;
  RunReport report;
  Momentum before, after;
};

Ended run(const Mechanism& m, const std::string& method, double tolerance) {
  Prepared p = prepared(m);
  Ended out;
  const auto ws = p.system->make_workspace();
  out.before = p.system->bodies_at(p.start.state, *ws)->momentum(p.start.state, *ws);
  SimulateOptions options;
  options.method = method;
  options.t_end = m.time;
  options.driver.tolerance = tolerance;
  Diagnostics diagnostics;
  out.report = simulate(p, options, {}, {}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
  EXPECT_EQ(out.report.driver.reason, Reason::finished)
      << method << ": " << out.report.driver.message << "\n"
      << out.report.driver.advice;
  out.bodies = bodies_of(m, *p.system, p.start.state);
  out.after = p.system->bodies_at(p.start.state, *ws)->momentum(p.start.state, *ws);
  return out;
}

/// What a method promises of constraints: round-off at all levels, or less.
enum class Holds { round_off, tolerance };
struct Claim {
  const char* method;
  Holds holds;
  double tracks;  ///< reached error in tolerances, at most
};
constexpr Claim claims[] = {
    {"rn4", Holds::round_off, 100},
    {"rodasp", Holds::round_off, 100},
    {"ros2w", Holds::round_off, 300},
    {"sdirk4", Holds::round_off, 100},
    {"dopri5", Holds::round_off, 100},
    {"adams", Holds::round_off, 300},
    {"bdf", Holds::round_off, 300},
    {"radau5", Holds::round_off, 100},
    {"radau9", Holds::round_off, 100},
    {"hem5", Holds::tolerance, 100},
    {"newmark", Holds::round_off, 300},
    {"rn4@tangent_space", Holds::round_off, 100},
    {"dopri5@tangent_space", Holds::round_off, 100},
    {"dop853", Holds::round_off, 100},
    {"dop853@projected_ode", Holds::round_off, 100},
    {"newmark_fv", Holds::round_off, 300},
    {"abm2", Holds::round_off, 300},
    {"llm", Holds::round_off, 300},
    {"rodasp@tangent_space", Holds::round_off, 100},
    {"radau5@index_1", Holds::tolerance, 100},
    {"welch2", Holds::tolerance, 300},
    {"baumgarte_rk2", Holds::tolerance, 300},
    {"generalized_alpha", Holds::tolerance, 300},
    {"hht", Holds::tolerance, 300},
    {"ida", Holds::tolerance, 300},
};

double kinetic_scale(const Mechanism& m) {
  double mass = 0;
  for (const auto& b : m.bodies) mass += b.mass;
  return mass * std::pow(m.length / m.time, 2);
}

TEST(Mechanisms, MoveAlikeByAllMethodsWithTheirInvariantsKept) {
  constexpr double tolerance = 1e-5;
  double worst = 0;
  int runs = 0;
  for_all(3, [&](const Mechanism& m) {
    if (degrees_of_freedom(prepared(m)) == 0) return;
    const Ended exact = run(m, "rodasp", 1e-9);
    if (testing::Test::HasFailure()) return;
    const double energy = kinetic_scale(m);
    for (unsigned k = 0; k < 3; ++k) {
      const Claim& claim = claims[(m.seed * 3 + k) % std::size(claims)];
      const Ended end = run(m, claim.method, tolerance);
      const double error = apart(m, end.bodies, exact.bodies) / tolerance;
      worst = std::max(worst, error);
      ++runs;
      EXPECT_LE(error, claim.tracks) << claim.method;
      const RunReport& r = end.report;
      const double held = claim.holds == Holds::round_off ? 1e-9 : 10 * tolerance;
      EXPECT_LE(r.residuals.position, held) << claim.method;
      EXPECT_LE(r.residuals.velocity, held) << claim.method;
      EXPECT_LE(r.energy.balance_error, 100 * tolerance * energy) << claim.method;
      if (m.conservative) {
        EXPECT_LE(std::abs(r.energy.final - r.energy.initial), 100 * tolerance * energy)
            << claim.method;
      }
      if (!m.floating) continue;
      const auto change = [](const Vec3d& a, const Vec3d& b) {
        return std::sqrt(dot(a - b, a - b));
      };
      const double momentum = energy / (m.length / m.time);
      EXPECT_LE(change(end.before.linear, end.after.linear), 100 * tolerance * momentum)
          << claim.method;
      EXPECT_LE(change(end.before.angular, end.after.angular),
                300 * tolerance * momentum * m.length)
          << claim.method;
    }
  });
  fmt::print("{} runs; largest error {:.1f} tolerances\n", runs, worst);
}

// ---- what must not matter

/// Accelerations of the bodies in the world at the start.
std::vector<Vector3> accelerations(const Mechanism& m) {
  const Prepared p = prepared(m);
  const System& system = *p.system;
  std::vector<Vector3> out;
  for (const Mechanism::Body& b : m.bodies)
    for (std::size_t k = 1; k < system.bodies().size(); ++k) {
      if (system.blueprint().bodies[k].name != b.name) continue;
      const double* a = p.start.a.data() + system.bodies()[k].v;
      out.emplace_back(a[0], a[1], m.dimension == 2 ? 0.0 : a[2]);
    }
  return out;
}

double acceleration_apart(const Mechanism& m, const std::vector<Vector3>& a,
                          const std::vector<Vector3>& b, const Eigen::Quaterniond& turn) {
  double size = m.length / (m.time * m.time), worst = 0;
  for (const Vector3& x : a) size = std::max(size, x.norm());
  for (std::size_t k = 0; k < a.size(); ++k) worst = std::max(worst, (turn * a[k] - b[k]).norm());
  return worst / size;
}

TEST(Mechanisms, MoveAlikeWhereverTheyStand) {
  constexpr double tolerance = 1e-7;
  for_all(3, [&](const Mechanism& m) {
    Eigen::Quaterniond turn(0.3, 0.5, -0.7, 0.2);
    Vector3 shift(3, -2, 1.5);
    if (m.dimension == 2) turn = Eigen::AngleAxisd(0.8, Vector3::UnitZ()), shift[2] = 0;
    turn.normalize();
    shift *= m.length;
    const Mechanism there = moved(m, turn, shift);
    EXPECT_EQ(degrees_of_freedom(prepared(m)), degrees_of_freedom(prepared(there)));
    EXPECT_LE(acceleration_apart(m, accelerations(m), accelerations(there), turn), 1e-9);
    if (degrees_of_freedom(prepared(m)) == 0) return;
    const Ended a = run(m, "rodasp", tolerance), b = run(there, "rodasp", tolerance);
    EXPECT_LE(apart(m, a.bodies, b.bodies, turn, shift), 100 * tolerance);
  });
}

TEST(Mechanisms, MoveTheSameBitsUnderOtherNames) {
  for_all(6, [](const Mechanism& m) {
    if (degrees_of_freedom(prepared(m)) == 0) return;
    const Mechanism other = renamed(m);
    EXPECT_EQ(apart(m, run(m, "rn4", 1e-4).bodies, run(other, "rn4", 1e-4).bodies), 0);
  });
}

TEST(Mechanisms, MoveAlikeInWhateverOrderTheyAreWritten) {
  constexpr double tolerance = 1e-7;
  for_all(3, [&](const Mechanism& m) {
    const Mechanism other = reordered(m);
    const auto as_is = Eigen::Quaterniond::Identity();
    EXPECT_EQ(degrees_of_freedom(prepared(m)), degrees_of_freedom(prepared(other)));
    EXPECT_LE(acceleration_apart(m, accelerations(m), accelerations(other), as_is), 1e-9);
    if (degrees_of_freedom(prepared(m)) == 0) return;
    const Ended a = run(m, "rodasp", tolerance), b = run(other, "rodasp", tolerance);
    EXPECT_LE(apart(m, a.bodies, b.bodies), 100 * tolerance);
  });
}

}  // namespace
}  // namespace kardan::test
