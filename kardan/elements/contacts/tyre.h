#pragma once
/// Vertical tyre on a road. The world's z (plane: y) points up, x forward; (x, z) is the origin of
/// the wheel's marker.
///
///   d = radius + h(x) - z,  d' = h_x vx - vz,   F = k d + c d' if d > 0 and F > 0, else 0,
///
/// purely vertical at the marker. Roads: flat, h = 0; a half-cylinder of radius r on it, met by a
/// wheel of radius R, h = sqrt((R+r)^2 - (x-xb)^2) - R where that is positive; a table h(x).
///
/// Modes: bit 0 the force acts, bit 1 the wheel is on the bump. Each mode is a smooth law; event
/// functions: "contact", d + (c/k) d' while the force acts and min(d, d + (c/k) d') while it does
/// not, so that lift-off by zero force, touch-down and the return of the force before d has become
/// negative are all sign changes; "bump", half_length^2 - (x-xb)^2, half_length^2 = (R+r)^2 - R^2.
/// An undamped tyre on a flat road has the potential k d^2/2. A damped one lets go while it is
/// still compressed, and a slope does not push forward in this law, so that none is counted there.

#include <optional>

#include "kardan/elements/catalog.h"
#include "kardan/elements/forces/point_force.h"

namespace kardan {

enum class RoadShape { flat, bump, table };

struct Road {
  RoadShape shape = RoadShape::flat;
  double wheel_radius = 0, bump_radius = 0, bump_center = 0;  // [m]
  std::optional<Table> table;

  /// Height of the wheel's path and its first two derivatives by x.
  struct Height {
    double h = 0, h_x = 0, h_xx = 0;
  };
  [[nodiscard]] Height at(double x, bool on_bump) const;
  /// Positive on the bump.
  [[nodiscard]] double bump_function(double x) const;
};

template <int D>
struct TyreKernel {
  static constexpr int events = 2;
  static constexpr int contact_bit = 1, bump_bit = 2;
  VecOf<D> s{};
  double radius = 0, stiffness = 0, damping = 0;
  Road road;

  void evaluate(double t, const Pair<D>&, int mode, Depth, Force<D>&) const;
  Potential potential(double t, const Pair<D>&, int mode) const;
  double magnitude(double t, const Pair<D>&, int mode) const;
  static std::string_view event_name(int e) { return e == 0 ? "contact" : "bump"; }
  void event_functions(double t, const Pair<D>&, int mode, double* z) const;
  int choose_mode(double t, const Pair<D>&) const;
  void event_guards(double t, const Pair<D>&, int mode, const SpeedBound<D>& A,
                    const SpeedBound<D>& B, double* guard, double* rate) const;

 private:
  struct Deflection {
    Road::Height road;
    double d, rate, x, vx;
  };
  Deflection deflection(const BodyMotion<D>&, const FixedVector<D>& arm, int mode) const;
};

struct Tyre {
  static constexpr std::string_view type = "tyre";
  static constexpr std::string_view summary = "Vertical tyre of a wheel on a road with a profile.";
  static constexpr std::string_view equation =
      "F = k d + c d' >= 0, d = radius + h(x) - z > 0, vertical on B";
  static constexpr std::string_view example = R"(gravity: [0, 0, -9.81]
bodies:
  wheel: {mass: 20, inertia: [0.5, 1, 0.5], position: [0, 0, 0.31], velocity: [10, 0, 0]}
contacts:
  tyre: {type: tyre, on: wheel, radius: 0.3, stiffness: 2e5, damping: 500}
)";
  static constexpr Category category = Category::contact;
  static constexpr int frames = 1;
  static constexpr Reflection reflection = Reflection::along;
  static constexpr Silhouette silhouette = Silhouette::wheel;
  [[nodiscard]] RoadLine road_line(double from, double to) const;
  [[nodiscard]] double drawn_radius() const { return radius; }

  double radius = 0;     // [m]
  double stiffness = 0;  // [N/m]
  double damping = 0;    // [N s/m]
  std::string road = "flat";
  double bump_radius = 0;  // [m]
  double bump_center = 0;  // [m]
  std::optional<Table> table;

  template <class F>
  static void fields(F& f) {
    f("radius", &Tyre::radius,
      {.unit = "m", .doc = "of the wheel", .check = Check::positive, .need = Need::required});
    f("stiffness", &Tyre::stiffness,
      {.unit = "N/m", .doc = "k", .check = Check::positive, .need = Need::required});
    f("damping", &Tyre::damping, {.unit = "N s/m", .doc = "c", .check = Check::non_negative});
    f("road", &Tyre::road, {.doc = "shape of the road", .choices = {"flat", "bump", "table"}});
    f("bump_radius", &Tyre::bump_radius,
      {.unit = "m", .doc = "of the half-cylinder (road: bump)", .check = Check::non_negative});
    f("bump_center", &Tyre::bump_center,
      {.unit = "m", .doc = "x of the half-cylinder's axis (road: bump)"});
    f("table", &Tyre::table,
      {.unit = "m",
       .doc = "points (x, h) of the height of the road (road: table)",
       .smoothness = 2});
  }
  template <int D>
  void build(Builder<D>&) const;
};

extern template void Tyre::build(Builder<2>&) const;
extern template void Tyre::build(Builder<3>&) const;

}  // namespace kardan
