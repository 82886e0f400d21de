#include "properties/known_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace kardan::test {
namespace {

constexpr double pi = std::numbers::pi;

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  double between(double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(engine_);
  }
  double log_between(double a, double b) { return std::exp(between(std::log(a), std::log(b))); }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }
  double sign() { return below(2) ? 1 : -1; }

 private:
  std::mt19937 engine_;
};

/// Turns in a run: most are few, one run in eight has up to a hundred.
double turns(Dice& dice, double fewest) {
  return dice.below(8) ? dice.log_between(fewest, 10) : dice.log_between(10, 100);
}

/// A rigid body in the plane, or in space with the same motion: its place at the start.
std::string body(const std::string& name, int dimension, double x, double y, double angle,
                 double length, const std::string& markers) {
  const double inertia = length * length / 12;
  if (dimension == 2)
    return fmt::format(
        "  {}: {{mass: 1, inertia: {}, position: [{}, {}], angle: {}, markers: {{{}}}}}\n", name,
        inertia, x, y, angle, markers);
  return fmt::format(
      "  {}: {{mass: 1, inertia: [{}, {}, {}], position: [{}, {}, 0], rotation: [0, 0, {}], "
      "markers: "
      "{{{}}}}}\n",
      name, 0.6 * inertia, 0.7 * inertia, inertia, x, y, angle, markers);
}

std::string marker(const std::string& name, int dimension, double x) {
  return dimension == 2 ? fmt::format("{}: {{at: [{}, 0]}}", name, x)
                        : fmt::format("{}: {{at: [{}, 0, 0]}}", name, x);
}

/// phi0 + w t + A sin(nu t), as text and as a function.
struct Turning {
  double start, rate, swing, frequency;
  double at(double t) const { return start + rate * t + swing * std::sin(frequency * t); }
  std::string text() const {
    return fmt::format("{} + {}*t + {}*sin({}*t)", start, rate, swing, frequency);
  }
};

Turning turning(Dice& dice, double t_end) {
  Turning out{};
  out.start = dice.between(0, 2 * pi);
  out.rate = dice.sign() * turns(dice, 0.3) * 2 * pi / t_end;
  if (dice.below(2)) {
    out.frequency = dice.log_between(1, 30) / t_end;
    out.swing = dice.between(0, 1) * std::abs(out.rate) / out.frequency;
  }
  return out;
}

KnownMotion four_bar(Dice& dice, int dimension, double length, double t_end) {
  KnownMotion out;
  // Grashof: the crank turns round, and no position is singular.
  double ground = 0, coupler = 0, rocker = 0, most = 0;
  while (most < 0.1 * length) {
    for (double* side : {&ground, &coupler, &rocker}) *side = length * dice.between(0.6, 1.2);
    most = std::min({coupler + rocker - ground, ground + rocker - coupler,
                     ground + coupler - rocker, ground, coupler, rocker});
  }
  const double crank = dice.between(0.2, 0.85) * most;
  const double side = dice.sign();
  const Turning turn = turning(dice, t_end);
  const auto coupler_angle = [=](double t) {
    const double phi = turn.at(t), x = ground - crank * std::cos(phi), y = -crank * std::sin(phi);
    const double l = std::hypot(x, y);
    return std::atan2(y, x) +
           side * std::acos((coupler * coupler + l * l - rocker * rocker) / (2 * coupler * l));
  };
  const auto joint = [=](double t) {
    const double phi = turn.at(t), psi = coupler_angle(t);
    return std::pair{crank * std::cos(phi) + coupler * std::cos(psi),
                     crank * std::sin(phi) + coupler * std::sin(psi)};
  };
  const double phi = turn.at(0), psi = coupler_angle(0);
  const auto [cx, cy] = joint(0);
  const double rho = std::atan2(cy, cx - ground);
  out.text = fmt::format(
      "kardan: 1\ndimension: {}\nground: {{markers: {{D: {{at: [{}, 0{}]}}}}}}\nbodies:\n",
      dimension, ground, dimension == 3 ? ", 0" : "");
  out.text += body("crank", dimension, 0, 0, phi, crank, marker("B", dimension, crank));
  out.text +=
      body("coupler", dimension, crank * std::cos(phi) + coupler / 2 * std::cos(psi),
           crank * std::sin(phi) + coupler / 2 * std::sin(psi), psi, coupler,
           marker("B", dimension, -coupler / 2) + ", " + marker("C", dimension, coupler / 2));
  out.text += body("rocker", dimension, ground, 0, rho, rocker, marker("C", dimension, rocker));
  out.text += fmt::format(
      "joints:\n  A: {{type: revolute, between: [ground, crank]}}\n"
      "  B: {{type: revolute, between: [crank.B, coupler.B]}}\n"
      "  C: {{type: revolute, between: [coupler.C, rocker.C]}}\n"
      "  D: {{type: revolute, between: [ground.D, rocker]}}\n"
      "drivers:\n  motor: {{type: driver, between: [ground, crank], coordinate: angle, motion: "
      "\"{}\"}}\n"
      "sensors:\n  turn: {{type: coordinate, coordinate: angle, between: [ground, crank]}}\n",
      turn.text());
  out.truths["turn"] = {[=](double t) { return turn.at(t); }, 1};
  out.truths["coupler.x"] = {[=](double t) {
                               return crank * std::cos(turn.at(t)) +
                                      coupler / 2 * std::cos(coupler_angle(t));
                             },
                             length};
  out.truths["coupler.y"] = {[=](double t) {
                               return crank * std::sin(turn.at(t)) +
                                      coupler / 2 * std::sin(coupler_angle(t));
                             },
                             length};
  return out;
}

KnownMotion slider_crank(Dice& dice, int dimension, double length, double t_end) {
  KnownMotion out;
  const double rod = length, crank = length * dice.between(0.1, 0.8);
  const Turning turn = turning(dice, t_end);
  const auto slope = [=](double t) { return std::asin(-crank * std::sin(turn.at(t)) / rod); };
  const auto piston = [=](double t) {
    return crank * std::cos(turn.at(t)) + rod * std::cos(slope(t));
  };
  const double phi = turn.at(0);
  out.text = fmt::format("kardan: 1\ndimension: {}\nbodies:\n", dimension);
  out.text += body("crank", dimension, 0, 0, phi, crank, marker("pin", dimension, crank));
  out.text += body("rod", dimension, crank * std::cos(phi) + rod / 2 * std::cos(slope(0)),
                   crank * std::sin(phi) + rod / 2 * std::sin(slope(0)), slope(0), rod,
                   marker("big", dimension, -rod / 2) + ", " + marker("small", dimension, rod / 2));
  out.text += body("piston", dimension, piston(0), 0, 0, 0.3 * length, "");
  // In space a prismatic joint slides along z; a rod's end on the axis does what it does in the
  // plane.
  const std::string bore =
      dimension == 2
          ? "bore: {type: prismatic, between: [ground, piston]}"
          : "bore: {type: prismatic, bodies: [ground, piston], at: [0, 0, 0], axis: [1, 0, 0]}";
  out.text += fmt::format(
      "joints:\n  main: {{type: revolute, between: [ground, crank]}}\n"
      "  big: {{type: revolute, between: [crank.pin, rod.big]}}\n"
      "  small: {{type: revolute, between: [rod.small, piston]}}\n  {}\n"
      "drivers:\n  motor: {{type: driver, between: [ground, crank], coordinate: angle, motion: "
      "\"{}\"}}\n"
      "sensors:\n  turn: {{type: coordinate, coordinate: angle, between: [ground, crank]}}\n",
      bore, turn.text());
  out.truths["turn"] = {[=](double t) { return turn.at(t); }, 1};
  out.truths["piston.x"] = {piston, length};
  return out;
}

}  // namespace

KnownMotion driven_linkage(unsigned seed) {
  Dice dice(seed);
  const double length = dice.log_between(1e-2, 10), t_end = dice.log_between(0.1, 100);
  const int dimension = 2 + dice.below(2);
  KnownMotion out = dice.below(2) ? four_bar(dice, dimension, length, t_end)
                                  : slider_crank(dice, dimension, length, t_end);
  out.length = length;
  out.t_end = t_end;
  return out;
}

KnownMotion gear_train(unsigned seed) {
  Dice dice(seed);
  KnownMotion out;
  const int count = 2 + dice.below(3), dimension = 2 + dice.below(2);
  out.t_end = dice.log_between(0.1, 100);
  std::vector<double> radius, inertia, ratio{1};
  double x = 0, reduced = 0;
  const double rate = dice.sign() * turns(dice, 0.1) * 2 * pi / out.t_end;
  out.text = fmt::format("kardan: 1\ndimension: {}\nbodies:\n", dimension);
  std::string joints = "joints:\n", sensors = "sensors:\n";
  for (int k = 0; k < count; ++k) {
    radius.push_back(dice.log_between(0.1, 1));
    inertia.push_back(dice.log_between(0.01, 1));
    if (k > 0) {
      ratio.push_back(-ratio.back() * radius[k - 1] / radius[k]);
      x += radius[k - 1] + radius[k];
    }
    reduced += inertia[k] * ratio[k] * ratio[k];
    const double spin = rate * ratio[k];
    out.text +=
        dimension == 2
            ? fmt::format(
                  "  g{}: {{mass: 1, inertia: {}, position: [{}, 0], angular_velocity: {}}}\n", k,
                  inertia[k], x, spin)
            : fmt::format(
                  "  g{}: {{mass: 1, inertia: [{}, {}, {}], position: [{}, 0, 0], "
                  "angular_velocity: [0, 0, {}]}}\n",
                  k, 0.6 * inertia[k], 0.7 * inertia[k], inertia[k], x, spin);
    joints += dimension == 2
                  ? fmt::format(
                        "  j{0}: {{type: revolute, bodies: [ground, g{0}], at: [{1}, 0]}}\n", k, x)
                  : fmt::format(
                        "  j{0}: {{type: revolute, bodies: [ground, g{0}], at: [{1}, 0, 0], axis: "
                        "[0, 0, 1]}}\n",
                        k, x);
    sensors += fmt::format(
        "  a{0}: {{type: coordinate, coordinate: angle, between: [ground, g{0}]}}\n", k);
    if (k > 0)
      joints += fmt::format(
          "  m{0}: {{type: gear, between: [ground, g{1}, ground, g{0}], radius_1: {2}, radius_2: "
          "{3}}}\n",
          k, k - 1, radius[k - 1], radius[k]);
  }
  // A constant torque speeds the train up, or turns it back, over the run.
  const double torque = dice.between(-2, 2) * reduced * rate / out.t_end;
  out.text += joints + fmt::format("forces:\n  drive: {{type: torque, on: g0, tz: {}}}\n", torque) +
              sensors;
  const double acceleration = torque / reduced;
  for (int k = 0; k < count; ++k) {
    const double share = ratio[k];
    // Angles are known to a tolerance of the way they have gone.
    const double size =
        std::abs(share) * (std::abs(rate) + std::abs(acceleration) * out.t_end) * out.t_end;
    out.truths[fmt::format("a{}", k)] = {
        [=](double t) { return share * (rate * t + 0.5 * acceleration * t * t); },
        std::max(1.0, size)};
  }
  return out;
}

KnownMotion pulsed_mass(unsigned seed) {
  Dice dice(seed);
  KnownMotion out;
  out.t_end = dice.log_between(0.1, 100);
  const double width = out.t_end * dice.log_between(1e-6, 0.1);
  const double begin = dice.between(0.05, 0.85) * out.t_end;
  const double mass = dice.log_between(0.1, 10), speed = dice.log_between(1, 10);
  std::string functions, force;
  double impulse = 0;
  switch (const double height = mass * speed / width; dice.below(4)) {
    case 0:  // two steps with ramps
      functions = fmt::format(
          "functions:\n  on: {{type: step, begin: {0}, end: {1}, to: 1}}\n"
          "  off: {{type: step, begin: {2}, end: {3}, to: 1}}\n",
          begin, begin + 0.1 * width, begin + width, begin + 1.1 * width);
      force = fmt::format("{}*(on(t) - off(t))", height);
      impulse = height * width;
      break;
    case 1:  // the peak of a table
      functions = fmt::format(
          "functions:\n  peak: {{points: [[0, 0], [{}, 0], [{}, 1], [{}, 0], [{}, 0]], "
          "interpolation: linear}}\n",
          begin, begin + width, begin + 2 * width, out.t_end + 3 * width);
      force = fmt::format("{}*peak(t)", height);
      impulse = height * width;
      break;
    case 2:  // a bell
      force = fmt::format("{}*exp(-((t - {})/{})^2)", height, begin + 0.05 * out.t_end, width);
      impulse = height * width * std::sqrt(pi);
      if (width > 0.01 * out.t_end) impulse = std::nan("");  // its tail is cut by the run
      break;
    default:  // a condition
      force = fmt::format("t < {} ? 0 : (t < {} ? {} : 0)", begin, begin + width, height);
      impulse = height * width;
  }
  if (std::isnan(impulse)) return pulsed_mass(seed + 1'000'000);
  out.text = fmt::format(
      "kardan: 1\ndimension: 2\n{}bodies:\n  cart: {{mass: {}, inertia: 1}}\n"
      "joints:\n  rail: {{type: prismatic, between: [ground, cart]}}\n"
      "forces:\n  blow: {{type: force, on: cart, fx: \"{}\"}}\n",
      functions, mass, force);
  const double reached = impulse / mass, t_end = out.t_end;
  // Known before and after; inside the pulse nothing is asked.
  const double after = begin + 2.2 * width + (functions.empty() ? 0.05 * t_end + 7 * width : 0);
  out.truths["cart.vx"] = {[=](double t) {
                             return t < begin ? 0 : t > after ? reached : std::nan("");
                           },
                           reached};
  return out;
}

}  // namespace kardan::test
