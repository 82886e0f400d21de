#pragma once
/// A point seen from frame A (give ground for the world).

#include "kardan/elements/catalog.h"

namespace kardan {

struct PointSensor {
  static constexpr std::string_view type = "point";
  static constexpr std::string_view summary =
      "Position and velocity of the origin of B in the axes of A (ground: the world): NAME.x .y .z "
      "and NAME.vx .vy .vz.";
  static constexpr std::string_view equation = "R_A' (p_WB - p_WA) and its rate";
  static constexpr std::string_view example = R"(bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], markers: {tip: {at: [1, 0, 0]}}}
sensors:
  tip: {type: point, between: [ground, rod.tip]}
)";
  static constexpr Category category = Category::sensor;
  static constexpr int frames = 2;
  static constexpr Reflection reflection = Reflection::along;
  static constexpr bool traced = true;

  template <class F>
  static void fields(F&) {}

  template <int D>
  void build(Builder<D>& b) const {
    static constexpr const char* names[3] = {"x", "y", "z"};
    static constexpr const char* rates[3] = {"vx", "vy", "vz"};
    for (int k = 0; k < D; ++k) {
      b.sensor(names[k], "m", b.displacement(0, k, 1), SensorQuantity::value, 0, 1);
      b.sensor(rates[k], "m/s", b.displacement(0, k, 1), SensorQuantity::rate, 0, 1);
    }
  }
};

}  // namespace kardan
