/// The machines of models/everyday against closed forms, independent integrations, or the same machine
/// in other words.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <regex>
#include <sstream>

#include "run/event_runs.h"

namespace kardan {
namespace {

std::string text_of(const std::string& name) {
  std::ifstream file(models_folder() + "/everyday/" + name + ".yaml");
  EXPECT_TRUE(file) << name;
  std::stringstream out;
  out << file.rdbuf();
  return out.str();
}

double at_end(const test::Ran& r, const std::string& name) {
  EXPECT_EQ(r.report.driver.reason, Reason::finished) << r.report.driver.message;
  const auto q = r.prepared.system->find_quantity(name);
  EXPECT_TRUE(q) << name;
  const auto ws = r.prepared.system->make_workspace();
  return q ? r.prepared.system->quantity(*q, r.end(), 0, {}, {}, *ws) : NAN;
}

TEST(Everyday, TheScotchYokeIsACosine) {
  const test::Ran r = test::run_model(text_of("scotch"), "rn4", 10);
  EXPECT_NEAR(at_end(r, "yoke.x"), 0.1 * std::cos(100.0), 1e-9);
}

TEST(Everyday, TheCamsFollowerKeepsItsDistance) {
  const test::Ran r = test::run_model(text_of("cam"), "rn4", 0.333);
  const double phi = 30 * 0.333;
  EXPECT_NEAR(at_end(r, "shaft.angle"), phi, 1e-8);
  EXPECT_NEAR(std::hypot(0.02 * std::sin(phi), at_end(r, "follower.y") - 0.02 * std::cos(phi)),
              0.06, 1e-9);
}

/// The input's angle counts from where the pin on it (x) lies in the plane of the shafts.
TEST(Everyday, TheCardanShaftTurnsUnevenly) {
  const double beta = std::acos(-1.0) / 6;
  for (const double t : {0.3, 1.1}) {
    const test::Ran r = test::run_model(text_of("cardan"), "rn4", t);
    const double theta = 10 * t, s = std::sin(beta) * std::cos(theta);
    const double even = std::cos(beta) / (1 - s * s),
                 odd = std::cos(beta) / (1 - std::pow(std::sin(beta) * std::sin(theta), 2));
    const double ratio = at_end(r, "out.rate") / at_end(r, "in.rate");
    EXPECT_LT(std::min(std::abs(ratio - even), std::abs(ratio - odd)), 1e-9) << ratio;
  }
}

TEST(Everyday, ThePlanetaryGearObeysWillis) {
  const test::Ran r = test::run_model(text_of("planetary"), "rn4", 1);
  const double rs = 0.03, rr = 0.07;
  EXPECT_GT(at_end(r, "sun_axle.rate"), 1);
  EXPECT_NEAR(at_end(r, "carrier_axle.rate") / at_end(r, "sun_axle.rate"), rs / (rs + rr), 1e-10);
}

/// A quintic from 0 to `way` between two times: value, rate and acceleration.
std::array<double, 3> rise(double t, double from, double to, double way) {
  if (t <= from) return {0, 0, 0};
  if (t >= to) return {way, 0, 0};
  const double h = to - from, s = (t - from) / h;
  return {way * s * s * s * (10 + s * (-15 + 6 * s)), way * 30 * s * s * (1 - s) * (1 - s) / h,
          way * 60 * s * (1 - s) * (1 - 2 * s) / (h * h)};
}

/// r'' = g - P'' + s r with s such that r.r'' + r'.r' = l'^2 + l l'', by Runge and Kutta's method with
/// 30 000 steps.
TEST(Everyday, TheCranesLoadSwingsAsAPendulumOfVaryingLength) {
  using V = std::array<double, 6>;
  const auto rate = [](double t, const V& y) {
    const auto [P, P1, P2] = rise(t, 0, 6, 8);
    const auto [d, d1, d2] = rise(t, 1, 5, 4);
    const double l = 8 - d, l1 = -d1, l2 = -d2;
    const double c[3] = {-P2, 0, -9.81};
    double rc = 0, vv = 0, rr = 0;
    for (int k = 0; k < 3; ++k) {
      rc += y[k] * c[k];
      vv += y[3 + k] * y[3 + k];
      rr += y[k] * y[k];
    }
    const double s = (l1 * l1 + l * l2 - vv - rc) / rr;
    return V{y[3], y[4], y[5], c[0] + s * y[0], c[1] + s * y[1], c[2] + s * y[2]};
  };
  const test::Ran r = test::run_model(text_of("crane"), "rn4", 15, 1e-9);
  Diagnostics diagnostics;  // assembly has moved the load a little
  const State start = prepare(test::model_of(text_of("crane")), {}, diagnostics).start.state;
  V y{};
  for (int k = 0; k < 3; ++k) {
    y[k] = start.p[7 + k] - start.p[k];
    y[3 + k] = start.v[6 + k] - start.v[k];
  }
  constexpr int steps = 30000;
  const double h = 15.0 / steps;
  const auto moved = [](const V& a, double by, const V& b) {
    V out;
    for (int k = 0; k < 6; ++k) out[k] = a[k] + by * b[k];
    return out;
  };
  for (int i = 0; i < steps; ++i) {
    const double t = i * h;
    const V a = rate(t, y), b = rate(t + h / 2, moved(y, h / 2, a)),
            c = rate(t + h / 2, moved(y, h / 2, b)), d = rate(t + h, moved(y, h, c));
    for (int k = 0; k < 6; ++k) y[k] += h / 6 * (a[k] + 2 * b[k] + 2 * c[k] + d[k]);
  }
  EXPECT_NEAR(at_end(r, "sway.x"), y[0], 1e-6);
  EXPECT_NEAR(at_end(r, "sway.y"), y[1], 1e-6);
  EXPECT_NEAR(at_end(r, "rope.length"), 4, 1e-9);
}

TEST(Everyday, TheArmsMotorsAreControllersWithoutState) {
  const std::string motors = text_of("six_axis_arm");
  const std::string controllers =
      std::regex_replace(std::regex_replace(motors, std::regex("type: motor"), "type: controller"),
                         std::regex(" angle: \"step"), " reference: \"step");
  const test::Ran a = test::run_model(motors, "rodasp", 1, 1e-8);
  const test::Ran b = test::run_model(controllers, "rodasp", 1, 1e-8);
  EXPECT_EQ(a.prepared.system->sizes().r + a.prepared.system->sizes().w, 0);
  for (const char* joint : {"j1", "j2", "j3", "j4", "j5", "j6"})
    EXPECT_NEAR(at_end(a, std::string(joint) + ".angle"), at_end(b, std::string(joint) + ".angle"),
                1e-6);
  EXPECT_NEAR(at_end(a, "m2.power"), at_end(a, "m2.torque") * at_end(a, "j2.rate"), 1e-9);
}

/// The strut's fields and formula, and the law over a length with everything in it.
TEST(Everyday, TheLandingGearsStrutIsOneLaw) {
  const std::string fields = text_of("landing_gear");
  std::string law = std::regex_replace(fields, std::regex(", limits:[^}]*"), "");
  law = std::regex_replace(
      law, std::regex("drivers:\n  oleo:[^\n]*\n"),
      "forces:\n  oleo: {type: spring_damper, between: [airframe, piston], law: "
      "\"p0*A*(V0/(V0 - A*max(1 - length, 0)))^n - Cd*rate*abs(rate) - "
      "Ff*tanh(rate/0.01) - (length > 1.001 ? max(0, 2e7*(length - 1.001) + 2e4*rate) : 0)\"}\n");
  const test::Ran a = test::run_model(fields, "radau5", 1, 1e-8);
  const test::Ran b = test::run_model(law, "radau5", 1, 1e-8);
  EXPECT_NEAR(at_end(a, "airframe.z"), at_end(b, "airframe.z"), 1e-6);
  EXPECT_NEAR(at_end(a, "strut.position"), at_end(b, "piston.z") * -1 + at_end(b, "airframe.z") - 1,
              1e-6);
}

/// Friction takes its torque times the angle; then the stop gives way by less than a hundredth.
TEST(Everyday, ThePendulumLosesWhatFrictionTakesAndIsStopped) {
  const test::Ran r = test::run_model(text_of("limit"), "radau5", 0.4, 1e-9);
  const double angle = at_end(r, "pin.angle"), rate = at_end(r, "pin.rate");
  ASSERT_GT(angle, -2);
  const double energy = 2 * 9.81 * 0.5 * std::sin(angle) + 0.5 * (2.0 / 3) * rate * rate;
  EXPECT_NEAR(energy, -0.5 * std::abs(angle), 1e-3);
  const test::Ran stopped = test::run_model(text_of("limit"), "radau5", 1, 1e-8);
  double least = 0;
  for (const State& s : stopped.states) least = std::min(least, s.p[2]);
  EXPECT_LT(least, -2);
  EXPECT_GT(least, -2.03);
  EXPECT_EQ(stopped.report.remarks.size(), 2u);
}

TEST(Everyday, TheExcavatorsCylindersMoveByTheirStrokes) {
  Diagnostics diagnostics;
  const std::string text = text_of("excavator");
  const Prepared start = prepare(test::model_of(text), {}, diagnostics);
  ASSERT_TRUE(start.system) << format(diagnostics);
  const auto ws = start.system->make_workspace();
  const test::Ran r = test::run_model(text, "rn4", 7, 1e-6);
  const std::pair<const char*, double> strokes[] = {
      {"boom_cyl.position", 0.25}, {"stick_cyl.position", -0.25}, {"bucket_cyl.position", 0.2}};
  for (const auto& [name, stroke] : strokes) {
    const double before = start.system->quantity(*start.system->find_quantity(name),
                                                 start.start.state, 0, {}, {}, *ws);
    EXPECT_NEAR(at_end(r, name) - before, stroke, 1e-9) << name;
  }
  EXPECT_NEAR(at_end(r, "slew.angle"), 1.5, 1e-9);
}

}  // namespace
}  // namespace kardan
