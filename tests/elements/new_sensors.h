#pragma once
/// Sensors of kinds that the library does not have: one of a new measure, one that is no measure
/// of positions at all. Each is what a user would write: a type, and its line in a catalog.

#include <algorithm>
#include <cmath>

#include "kardan/elements/catalog.h"

namespace kardan::test {

/// The product of two displacements of B seen from A, which no primitive of the library measures.
template <int D>
struct Area {
  Dot2<D> x, y;
  void evaluate(const Pair<D>& bodies, Depth depth, Measure<D>& out) const {
    Measure<D> first, second;
    x.evaluate(bodies, depth, first);
    y.evaluate(bodies, depth, second);
    const double a = first.value, b = second.value;
    compose({a * b, {b, a}, {0, 1, 0}, {0, 0, 0, 0}}, first, second, depth, out);
  }
};

struct AreaSensor {
  static constexpr std::string_view type = "area";
  static constexpr std::string_view summary = "The product of x and y of B seen from A: NAME.";
  static constexpr std::string_view equation = "x y and its rate";
  static constexpr Category category = Category::sensor;
  static constexpr int frames = 2;

  template <class F>
  static void fields(F&) {}

  template <int D>
  void build(Builder<D>& b) const {
    const Area<D> area{b.displacement(0, 0, 1), b.displacement(0, 1, 1)};
    b.sensor("", "m^2", area, SensorQuantity::value, 0, 1);
    b.sensor("rate", "m^2/s", area, SensorQuantity::rate, 0, 1);
  }
};

/// |v| of the centre of mass of a body.
template <int D>
class SpeedReading final : public SensorReading<D> {
 public:
  explicit SpeedReading(const BodyColumns& body) : body_(body) {}

  double value(const Context<D>& at, double factor, std::span<double>,
               std::span<double> by_v) const override {
    const VecOf<D>& v = at.bodies[body_.body].v;
    const double speed = std::sqrt(dot(v, v));
    for (int k = 0; k < std::min(D, body_.count) && !by_v.empty(); ++k)
      by_v[body_.first + k] += factor * v[k] / speed;
    return speed;
  }
  std::vector<int> columns() const override {
    std::vector<int> out;
    for (int k = 0; k < std::min(D, body_.count); ++k) out.push_back(body_.first + k);
    return out;
  }
  bool of_velocities() const override { return true; }

 private:
  BodyColumns body_;
};

struct SpeedSensor {
  static constexpr std::string_view type = "speed";
  static constexpr std::string_view summary = "How fast a body moves: NAME.";
  static constexpr std::string_view equation = "|v|";
  static constexpr Category category = Category::sensor;
  static constexpr int frames = 1;

  template <class F>
  static void fields(F&) {}

  template <int D>
  void build(Builder<D>& b) const {
    b.reading("", "m/s", SpeedReading<D>(b.frame(0).body));
  }
};

}  // namespace kardan::test
