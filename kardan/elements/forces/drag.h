#pragma once
/// Drag of a fluid at rest or in a steady wind, at the origin of the marker:
///
///   F = -c1 v - c2 |v| v,  v = velocity of the point minus that of the wind;   T = -cr w
///
/// |v| v has a continuous derivative at v = 0, where it vanishes.

#include "kardan/elements/catalog.h"
#include "kardan/elements/forces/point_force.h"

namespace kardan {

template <int D>
struct DragKernel {
  static constexpr int events = 0;
  VecOf<D> s{}, wind{};
  double linear = 0, quadratic = 0, rotational = 0;

  void evaluate(double t, const Pair<D>&, int mode, Depth, Force<D>&) const;
  Potential potential(double, const Pair<D>&, int) const { return {}; }
  double magnitude(double t, const Pair<D>&, int mode) const;
};

struct Drag {
  static constexpr std::string_view type = "drag";
  static constexpr std::string_view summary = "Drag of a fluid at rest or in a steady wind.";
  static constexpr std::string_view equation = "F = -c1 v - c2 |v| v, T = -cr w on B";
  static constexpr std::string_view example = R"(bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], velocity: [10, 0, 0]}
forces:
  air: {type: drag, on: rod, quadratic: 0.3, wind: [-2, 0, 0]}
)";
  static constexpr Category category = Category::force;
  static constexpr int frames = 1;

  double linear = 0;      // [N s/m]
  double quadratic = 0;   // [N s^2/m^2]
  double rotational = 0;  // [N m s/rad]
  Vec3d wind;             // [m/s]

  template <class F>
  static void fields(F& f) {
    f("linear", &Drag::linear, {.unit = "N s/m", .doc = "c1", .check = Check::non_negative});
    f("quadratic", &Drag::quadratic,
      {.unit = "N s^2/m^2", .doc = "c2", .check = Check::non_negative});
    f("rotational", &Drag::rotational,
      {.unit = "N m s/rad", .doc = "cr", .check = Check::non_negative});
    f("wind", &Drag::wind, {.unit = "m/s", .doc = "velocity of the fluid in the world"});
  }
  void build(Builder<2>&) const;
  void build(Builder<3>&) const;
};

}  // namespace kardan
