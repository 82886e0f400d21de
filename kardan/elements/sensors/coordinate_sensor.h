#pragma once
/// Distance, angle or displacement between frames, and the relative velocity along it.

#include "kardan/elements/catalog.h"
#include "kardan/elements/joints/coordinate.h"

namespace kardan {

struct CoordinateSensor {
  static constexpr std::string_view type = "coordinate";
  static constexpr std::string_view summary =
      "A relative coordinate of two frames and its rate: NAME and NAME.rate.";
  static constexpr std::string_view equation =
      "y, y'  with y = x, y, z of B in frame A, distance, or angle about z of A";
  static constexpr std::string_view example = R"(bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1]}
sensors:
  tilt: {type: coordinate, between: [ground, rod], coordinate: angle}
)";
  static constexpr Category category = Category::sensor;
  static constexpr int frames = 2;
  static constexpr Reflection reflection = Reflection::coordinate;
  std::string coordinate = "distance";

  template <class F>
  static void fields(F& f) {
    f("coordinate", &CoordinateSensor::coordinate,
      {.doc = "the shown coordinate", .choices = coordinate_names()});
  }

  template <int D>
  void build(Builder<D>& b) const {
    with_coordinate(b, coordinate, 0, 1, [&](auto y, RowUnit unit, const char*, int counter) {
      const std::string u = unit == RowUnit::angle ? "rad" : "m";
      b.sensor("", u, y, SensorQuantity::value, 0, 1, counter);
      b.sensor("rate", u + "/s", y, SensorQuantity::rate, 0, 1, counter);
    });
  }
};

}  // namespace kardan
