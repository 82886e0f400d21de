#pragma once
/// Bushing: a linear elastic and viscous connection of two markers in all directions.
///
///   q = (R_A'(p_B - p_A) - offset, log(R_A'R_B))     deflection in A's marker axes
///   (force, torque) on B = -(K q + C q'),            at the origin of B's marker, A's marker axes
///
/// The reaction on A acts at the same point. The rotation vector starts at that of at most half a
/// turn and is followed from there, over any number of turns, as the angle of the planar bushing
/// (x, y, angle) is. It has no direction where a whole number of turns is complete but none is
/// undone: there, to within `undirected`, no force is given, and a run that stays there ends.
/// Potential energy counts what is exactly
/// conservative: in space the translation block of K if it is symmetric and the rotation block if
/// it is a multiple of the identity (a rotation vector and the angular velocity are no conjugate
/// pair otherwise); in the plane the whole of a symmetric K. The rest counts as work of a force.

#include "kardan/base/rotation.h"
#include "kardan/elements/catalog.h"
#include "kardan/elements/forces/relative.h"

namespace kardan {

template <int D>
struct BushingLaw;

/// Everything in A's body axes: q = (rho - origin, log(C turn)), the logarithm lengthened by
/// `turns` full turns.
template <>
struct BushingLaw<3> {
  static constexpr int events = 0;
  double K[6][6] = {}, damping[6][6] = {};
  Vec3d origin;
  Mat3d turn;
  bool rotates = false;  // rotations meet a stiffness or damping

  /// [rad] Nearer to a full turn the axis is lost to rounding.
  static constexpr double undirected = 1e-9;

  std::optional<Mat3d> counted_frame() const {
    return rotates ? std::optional(turn) : std::nullopt;
  }
  bool wrench(double t, const RelativeMotion<3>&, int turns, Depth, RelativeWrench<3>&) const;
  Potential potential(double t, const RelativeMotion<3>&, int turns) const;
  double magnitude(double t, const RelativeMotion<3>&, int turns) const;
};

/// q = (rho - origin, angle + turn).
template <>
struct BushingLaw<2> {
  static constexpr int events = 0;
  double K[3][3] = {}, damping[3][3] = {};
  Vec2d origin;
  double turn = 0;

  bool wrench(double t, const RelativeMotion<2>&, int mode, Depth, RelativeWrench<2>&) const;
  Potential potential(double t, const RelativeMotion<2>&, int mode) const;
  double magnitude(double t, const RelativeMotion<2>&, int mode) const;
};

struct Bushing {
  static constexpr std::string_view type = "bushing";
  static constexpr std::string_view summary =
      "Elastic connection of two markers in all directions, with damping.";
  static constexpr std::string_view equation =
      "(F, T) on B = -(K q + C q'), q = (R_A'(p_B - p_A) - offset, log(R_A'R_B))";
  static constexpr std::string_view example = R"(bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1]}
forces:
  rubber:
    type: bushing
    between: [ground, rod]
    translation_stiffness: [1e5, 1e5, 2e5]
    rotation_stiffness: [100, 100, 50]
    translation_damping: [200, 200, 300]
)";
  static constexpr Category category = Category::force;
  static constexpr int frames = 2;
  static constexpr Reflection reflection = Reflection::along;
  static constexpr std::string_view one_handed = "offset stiffness damping";

  Vec3d translation_stiffness, rotation_stiffness;  // [N/m], [N m/rad]
  Vec3d translation_damping, rotation_damping;      // [N s/m], [N m s/rad]
  Vec3d offset;                                     // [m]
  std::vector<double> stiffness, damping;

  template <class F>
  static void fields(F& f) {
    f("translation_stiffness", &Bushing::translation_stiffness,
      {.unit = "N/m", .doc = "along the axes of marker A", .check = Check::non_negative});
    f("rotation_stiffness", &Bushing::rotation_stiffness,
      {.unit = "N m/rad",
       .doc = "about the axes of marker A (planar: about z)",
       .check = Check::non_negative});
    f("translation_damping", &Bushing::translation_damping,
      {.unit = "N s/m", .doc = "along the axes of marker A", .check = Check::non_negative});
    f("rotation_damping", &Bushing::rotation_damping,
      {.unit = "N m s/rad",
       .doc = "about the axes of marker A (planar: about z)",
       .check = Check::non_negative});
    f("offset", &Bushing::offset,
      {.unit = "m", .doc = "undeformed place of marker B in marker A's axes"});
    f("stiffness", &Bushing::stiffness,
      {.unit = "N/m, N, N m/rad",
       .doc = "full matrix by rows, 36 numbers (planar: 9, for x, y, angle), in place of the "
              "diagonals"});
    f("damping", &Bushing::damping,
      {.unit = "N s/m, N s, N m s/rad",
       .doc = "full matrix by rows, 36 numbers (planar: 9), in place of the diagonals"});
  }
  void build(Builder<2>&) const;
  void build(Builder<3>&) const;
};

}  // namespace kardan
