#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <random>

#include "properties/known_motion.h"

namespace kardan::test {
namespace {

/// A pulse of height 1 between two times, as text and as a function.
struct Pulse {
  double begin, end;
  std::string text;
  std::function<double(double)> at;
};

double smooth(double t, double from, double to) {
  const double s = t <= from ? 0 : t >= to ? 1 : (t - from) / (to - from);
  return s * s * s * (10 - 15 * s + 6 * s * s);
}

/// `twice`: with continuous second derivatives, so that it can be followed by a driver.
Pulse pulse(int kind, double begin, double width, bool twice) {
  const double end = begin + width;
  if (twice || kind == 0)
    return {begin, end,
            fmt::format("step(t, {0}, 0, {1}, 1) - step(t, {1}, 0, {2}, 1)", begin,
                        begin + 0.5 * width, end),
            [=](double t) {
              return smooth(t, begin, begin + 0.5 * width) - smooth(t, begin + 0.5 * width, end);
            }};
  if (kind == 1)
    return {begin, end,
            fmt::format("max(0, 1 - abs((t - {})/{}))", begin + 0.5 * width, 0.5 * width),
            [=](double t) { return std::max(0.0, 1 - std::abs((t - begin) / (0.5 * width) - 1)); }};
  if (kind == 2)
    return {
        begin, end,
        fmt::format("(t >= {} and t < {}) ? sin(pi*(t - {})/{})^2 : 0", begin, end, begin, width),
        [=](double t) {
          const double s = std::sin(M_PI * (t - begin) / width);
          return t >= begin && t < end ? s * s : 0.0;
        }};
  return {begin, end, fmt::format("(t >= {} and t < {}) ? 1 : 0", begin, end),
          [=](double t) { return t >= begin && t < end ? 1.0 : 0.0; }};
}

/// The integral of f over [a, b], by Gauss of order 6 on many parts.
double integral(const std::function<double(double)>& f, double a, double b) {
  constexpr int parts = 400;
  const double h = (b - a) / parts, off = 0.5 * std::sqrt(0.6) * h;
  double sum = 0;
  for (int k = 0; k < parts; ++k) {
    const double middle = a + (k + 0.5) * h;
    sum += h / 18 * (5 * f(middle - off) + 8 * f(middle) + 5 * f(middle + off));
  }
  return sum;
}

}  // namespace

/// A mass on a spring, at rest until a pulse comes: a force on it, or a motion of the spring's
/// other end. Afterwards, by Duhamel, m w x = integral of f(s) sin(w (t - s)) ds.
KnownMotion pulsed_oscillator(unsigned seed) {
  std::mt19937 engine(seed);
  const auto between = [&](double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(engine);
  };
  const auto log_between = [&](double a, double b) {
    return std::exp(between(std::log(a), std::log(b)));
  };
  KnownMotion out;
  out.t_end = log_between(0.1, 100);
  const double mass = log_between(0.1, 10), w = log_between(0.1, 30) / out.t_end;
  const double stiffness = mass * w * w, width = out.t_end * log_between(1e-6, 0.1);
  const bool driven = engine() % 3 == 0;
  const Pulse p =
      pulse(static_cast<int>(engine() % 4), between(0.05, 0.8) * out.t_end, width, driven);
  // A blow of 1 m/s and more; or a base that is moved aside and back.
  const double size = driven ? between(0.1, 1) : mass * log_between(1, 10) / width;
  const double over = driven ? stiffness * size : size;  // of the force
  const double S =
      over * integral([&](double t) { return p.at(t) * std::cos(w * t); }, p.begin, p.end);
  const double C =
      over * integral([&](double t) { return p.at(t) * std::sin(w * t); }, p.begin, p.end);
  out.text = fmt::format(
      "kardan: 1\ndimension: 2\nbodies:\n  cart: {{mass: {0}, inertia: 1}}\n"
      "  base: {{mass: 1, inertia: 1}}\n"
      "joints:\n  rail: {{type: prismatic, between: [ground, cart]}}\n"
      "  bed: {{type: prismatic, between: [ground, base]}}\n"
      // No length but those of the motion: a spring that never passes the length zero would be far
      // longer, and tolerances with it.
      "forces:\n  spring: {{type: bushing, between: [base, cart], translation_stiffness: [{1}, "
      "0]}}\n",
      mass, stiffness);
  if (!driven)
    out.text += fmt::format("  blow: {{type: force, on: cart, fx: \"{}*({})\"}}\n", size, p.text);
  out.text += fmt::format(
      "drivers:\n  move: {{type: driver, between: [ground, base], coordinate: x, motion: "
      "\"{}\"}}\n",
      driven ? fmt::format("{}*({})", size, p.text) : "0");
  const double begin = p.begin, end = p.end;
  const double speed = std::max(std::hypot(S, C) / mass, 1.0);
  out.truths["cart.vx"] = {[=](double t) {
                             return t < begin ? 0
                                    : t > end ? (S * std::cos(w * t) + C * std::sin(w * t)) / mass
                                              : std::nan("");
                           },
                           speed};
  return out;
}

}  // namespace kardan::test
