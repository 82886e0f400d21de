#pragma once
/// A relative coordinate of two frames, chosen by name: displacement along an axis of A, distance,
/// or the continuous angle about A's z axis. Drivers, locks and sensors share it.

#include "kardan/elements/catalog.h"

namespace kardan {

inline const std::vector<std::string>& coordinate_names() {
  static const std::vector<std::string> names{"x", "y", "z", "distance", "angle"};
  return names;
}

template <int D>
bool are_coordinates(Builder<D>& b, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (std::ranges::find(coordinate_names(), name) == coordinate_names().end()) {
      b.fail("field.choice", "'" + name + "' is no coordinate", "x, y, z, distance or angle");
      return false;
    }
  return true;
}

/// Calls use(measure, unit, label, counter) with the measure that `name` chooses.
template <int D, class Use>
void with_coordinate(Builder<D>& b, const std::string& name, int A, int B, Use&& use) {
  if (name == "angle") {
    const Angle<D> phi = b.angle(A, B);
    use(phi, RowUnit::angle, D == 3 ? "rotation about local z" : "rotation",
        b.count_turns(phi, A, B));
  } else if (name == "distance") {
    use(b.length(A, B), RowUnit::length, "distance", -1);
  } else {
    const int axis = name == "x" ? 0 : (name == "y" ? 1 : 2);
    if (axis >= D) {
      b.fail("field.choice", "coordinate 'z' does not exist in a planar model",
             "use x, y or angle");
      return;
    }
    static constexpr const char* labels[3] = {
        "translation along local x", "translation along local y", "translation along local z"};
    use(b.displacement(A, axis, B), RowUnit::length, labels[axis], -1);
  }
}

/// A coordinate chosen by name, whatever its measure.
template <int D>
struct Coordinate {
  AnyMeasure<D> measure;
  RowUnit unit = RowUnit::length;
  std::string label;
  int counter = -1;

  bool turns() const { return unit == RowUnit::angle; }
};

/// None after a fault that has been told.
template <int D>
std::optional<Coordinate<D>> chosen_coordinate(Builder<D>& b, const std::string& name, int A,
                                               int B) {
  std::optional<Coordinate<D>> out;
  with_coordinate(b, name, A, B, [&](auto y, RowUnit unit, const char* label, int counter) {
    out.emplace(Coordinate<D>{AnyMeasure<D>(y), unit, label, counter});
  });
  return out;
}

}  // namespace kardan
