/// More machines of models/everyday: those that are loaded with their parts, balanced or linearized.

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "kardan/run/linearize.h"
#include "kardan/run/simulation.h"
#include "support/models.h"

namespace kardan {
namespace {

std::unique_ptr<Simulation> simulation_of(const std::string& name, const std::string& method,
                                          double tolerance, double t_end) {
  Diagnostics told;
  SimulateOptions options;
  options.method = method;
  options.driver.tolerance = tolerance;
  options.t_end = t_end;
  auto out = Simulation::make(test::shipped("everyday/" + name), {}, options, told);
  EXPECT_TRUE(out) << format(told);
  return out;
}

double now(Simulation& s, const std::string& column) {
  const auto place = s.find(column);
  EXPECT_TRUE(place) << column;
  return place ? s.get(*place) : NAN;
}

TEST(EverydayParts, TheStewartPlatformGoesWhereItsLegsSendIt) {
  const auto s = simulation_of("stewart", "rn4", 1e-8, 4);
  ASSERT_TRUE(s);
  for (const double t : {0.4, 1.3, 2.0}) {
    ASSERT_EQ(s->step_to(t), "");
    EXPECT_NEAR(now(*s, "platform.x"), 0.1 * std::sin(2 * t), 1e-9);
    EXPECT_NEAR(now(*s, "platform.y"), 0.08 * std::sin(3 * t), 1e-9);
    EXPECT_NEAR(now(*s, "platform.z"), 1.2 + 0.1 * std::sin(t), 1e-9);
    EXPECT_NEAR(now(*s, "platform.qz"), std::sin(0.1 * std::sin(1.5 * t)), 1e-9);
  }
}

TEST(EverydayParts, TheBoxComesToRestOnFourOfItsSpheres) {
  const auto s = simulation_of("box", "rodasp", 1e-6, 3);
  ASSERT_TRUE(s);
  ASSERT_EQ(s->step_to(3), "");
  EXPECT_NEAR(now(*s, "box.z"), 0.05 + 1e-3 - 800 * 0.3 * 0.2 * 0.1 * 9.81 / (4 * 1e5), 1e-8);
}

/// L.a with a from the centre of mass to the contact: constant but for the depth of the contact, which
/// is below 1e-4 of the radius.
TEST(EverydayParts, TheTippeTopInvertsAndKeepsJellettsConstant) {
  const auto s = simulation_of("tippe_top", "dop853", 1e-7, 8);
  ASSERT_TRUE(s);
  const double R = 0.02, e = 0.006, m = 0.006, A = 0.393 * m * R * R, C = 0.4 * m * R * R;
  const auto jellett = [&] {
    const double w = now(*s, "top.qw"), x = now(*s, "top.qx"), y = now(*s, "top.qy"),
                 z = now(*s, "top.qz");
    // The body's axes in the world, and the angular momentum.
    const Mat3d Q = rotation_matrix(Quaternion{w, x, y, z});
    const Vec3d L = Q * Vec3d{A * now(*s, "top.wx"), A * now(*s, "top.wy"), C * now(*s, "top.wz")};
    const Vec3d a = e * Q.column(2) - Vec3d{0, 0, R};
    return dot(L, a);
  };
  const double start = jellett();
  double tilt = 0;
  for (int i = 1; i <= 40; ++i) {
    ASSERT_EQ(s->step_to(0.1 * i), "");
    tilt = std::max(tilt, now(*s, "tilt"));
    EXPECT_NEAR(jellett() / start, 1, 2e-3) << s->time();
  }
  EXPECT_GT(tilt, 170) << "it stands on its stem";
}

/// The quarter car in its own plane, from the chassis up: heave z and the angle q of the lower arm.
class PlanarCar {
 public:
  struct Place {
    double lower_z, upper_z, upright_y, upright_z, wheel_y, wheel_z, strut, lean, upper;
    double lower_y, upper_y;
  };
  static Place at(double z, double q) {
    Place p{};
    const double lx = 0.25 + 0.45 * std::cos(q), lz = -0.4 + 0.45 * std::sin(q);
    // The upper ball: 0.33 from its pivot, and as far from the lower one as at the start.
    const double length = std::hypot(0.02, 0.3);
    double r = 0;
    for (int i = 0; i < 50; ++i) {
      const double ux = 0.35 + 0.33 * std::cos(r), uz = -0.1 + 0.33 * std::sin(r);
      const double f = std::hypot(ux - lx, uz - lz) - length;
      const double d = (-(ux - lx) * 0.33 * std::sin(r) + (uz - lz) * 0.33 * std::cos(r)) /
                       std::hypot(ux - lx, uz - lz);
      r -= f / d;
    }
    const double ux = 0.35 + 0.33 * std::cos(r), uz = -0.1 + 0.33 * std::sin(r);
    p.upper = r;
    p.lean = std::atan2(uz - lz, ux - lx) - std::atan2(0.3, -0.02);
    const double c = std::cos(p.lean), s = std::sin(p.lean);
    const auto on_upright = [&](double y, double h, double& Y, double& Z) {
      Y = lx + c * y - s * h;
      Z = z + lz + s * y + c * h;
    };
    on_upright(0, 0.15, p.upright_y, p.upright_z);
    on_upright(0.1, 0.1, p.wheel_y, p.wheel_z);
    p.lower_y = 0.25 + 0.2 * std::cos(q);
    p.lower_z = z - 0.4 + 0.2 * std::sin(q);
    p.upper_y = 0.35 + 0.15 * std::cos(r);
    p.upper_z = z - 0.1 + 0.15 * std::sin(r);
    const double sy = 0.25 + 0.3 * std::cos(q) - 0.03 * std::sin(q) - 0.45;
    const double sz = -0.4 + 0.3 * std::sin(q) + 0.03 * std::cos(q) - 0.1;
    p.strut = std::hypot(sy, sz);
    return p;
  }

  /// Balanced with the arms as they are drawn.
  PlanarCar() {
    const double g = 9.81, height = 0.31 - 443 * g / 200e3;
    z_ = height - at(0, 0).wheel_z;
    // k (l0 - l) dl/dq = d(weights)/dq - (tyre) dwheel/dq
    const double weights = g * (8 * slope(&Place::lower_z) + 5 * slope(&Place::upper_z) +
                                12 * slope(&Place::upright_z) + 18 * slope(&Place::wheel_z));
    const double load = 443 * g * slope(&Place::wheel_z);
    free_ = at(z_, q_).strut + (weights - load) / (90e3 * slope(&Place::strut));
  }

  double free() const { return free_; }
  double strut() const { return at(z_, q_).strut; }

  /// det(s^2 M + s C + K), in heave and angle, for a damper of this slope at rest.
  std::complex<double> pencil(std::complex<double> s, double damper) const {
    double M[2][2] = {{400 + 43, 0}, {0, 0}};
    const double lz = slope(&Place::lower_z), uz = slope(&Place::upper_z),
                 pz = slope(&Place::upright_z), wz = slope(&Place::wheel_z);
    M[0][1] = M[1][0] = 8 * lz + 5 * uz + 12 * pz + 18 * wz;
    const auto square = [](double x) { return x * x; };
    M[1][1] = 8 * (square(lz) + square(slope(&Place::lower_y))) + 0.1 +
              5 * (square(uz) + square(slope(&Place::upper_y))) +
              0.05 * square(slope(&Place::upper)) +
              12 * (square(pz) + square(slope(&Place::upright_y))) +
              18 * (square(wz) + square(slope(&Place::wheel_y))) +
              (0.3 + 0.6) * square(slope(&Place::lean));
    const double l = slope(&Place::strut),
                 C[2][2] = {{300, 300 * wz}, {300 * wz, 300 * wz * wz + damper * l * l}};
    const double k = 200e3, press = 443 * 9.81;
    const double strut_force = 90e3 * (free_ - strut());
    const double bend = 9.81 * (8 * curve(&Place::lower_z) + 5 * curve(&Place::upper_z) +
                                12 * curve(&Place::upright_z) + 18 * curve(&Place::wheel_z)) -
                        strut_force * curve(&Place::strut) - press * curve(&Place::wheel_z);
    const double K[2][2] = {{k, k * wz}, {k * wz, k * wz * wz + 90e3 * l * l + bend}};
    const auto P = [&](int i, int j) { return s * s * M[i][j] + s * C[i][j] + K[i][j]; };
    return P(0, 0) * P(1, 1) - P(0, 1) * P(1, 0);
  }

 private:
  double slope(double Place::*of) const {
    constexpr double h = 1e-4;
    return (8 * (at(z_, q_ + h).*of - at(z_, q_ - h).*of) -
            (at(z_, q_ + 2 * h).*of - at(z_, q_ - 2 * h).*of)) /
           (12 * h);
  }
  double curve(double Place::*of) const {
    constexpr double h = 1e-3;
    const auto f = [&](double q) { return at(z_, q).*of; };
    return (-f(q_ + 2 * h) + 16 * f(q_ + h) - 30 * f(q_) + 16 * f(q_ - h) - f(q_ - 2 * h)) /
           (12 * h * h);
  }
  double z_ = 0.6, q_ = 0, free_ = 0;
};

TEST(EverydayParts, TheQuarterCarStandsAndSwingsAsItsPlanarModel) {
  Diagnostics told;
  const Model model = test::shipped("everyday/quarter_car");
  const Prepared p = prepare(model, {}, told);
  ASSERT_EQ(p.start.report.status, Eval::ok);
  const PlanarCar planar;
  ASSERT_EQ(p.solved.size(), 1u);
  EXPECT_NEAR(p.solved[0].second, planar.free(), 1e-9);
  const Linearization l = linearize(p, ModeShapes::leave, ModesOf::motion, model.functions);
  ASSERT_EQ(l.status, Eval::ok) << l.message;
  EXPECT_EQ(l.zero, 2) << "the wheel turns";
  ASSERT_FALSE(l.remarks.empty());
  EXPECT_NE(l.remarks[0].find("kink"), std::string::npos) << "of the damper's table at rest";
  int checked = 0;
  for (const Mode& m : l.modes.modes) {
    if (m.zero) continue;
    ++checked;
    // The distance to the next root, by Newton: of the slope to one side of the kink.
    double apart = 1;
    for (const double damper : {3000.0, 5000.0}) {
      const std::complex<double> d(1e-4, 0),
          f = planar.pencil(m.value, damper),
          f_s =
              (planar.pencil(m.value + d, damper) - planar.pencil(m.value - d, damper)) / (2.0 * d);
      apart = std::min(apart, std::abs(f / f_s));
    }
    EXPECT_LT(apart, 1e-5) << m.value;
  }
  EXPECT_EQ(checked, 4);
}

}  // namespace
}  // namespace kardan
