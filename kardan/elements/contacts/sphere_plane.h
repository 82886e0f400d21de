#pragma once
/// A sphere about marker B against the x-y plane of marker A, whose z axis is the normal (plane: a
/// disc against the line along x, normal y). The plane may move. The law is that of contact_law.h;
/// the contact point is the point of the sphere deepest in the plane.

#include "kardan/elements/contacts/contact_law.h"

namespace kardan {

struct SpherePlane : ContactFields {
  static constexpr std::string_view type = "sphere_plane";
  static constexpr std::string_view summary =
      "Contact of a sphere (marker B) with a plane (marker A, normal z; planar: normal y).";
  static constexpr std::string_view equation =
      "d = radius - n.(p_B - p_A), N = k d + c d' or k d^n (1 + a d'), F_t = -mu N v_t/|v_t|_eps";
  static constexpr std::string_view example = R"(gravity: [0, 0, -9.81]
bodies:
  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 0.5]}
contacts:
  floor: {type: sphere_plane, between: [ground, ball], radius: 0.1, stiffness: 1e5, damping: 50, friction: 0.3}
)";
  static constexpr Category category = Category::contact;
  static constexpr int frames = 2;
  static constexpr Reflection reflection = Reflection::along;
  static constexpr bool touches_plane = true;
  static constexpr Silhouette silhouette = Silhouette::ball;

  double radius = 0;  // [m]

  [[nodiscard]] double drawn_radius() const { return radius; }
  template <class F>
  static void fields(F& f) {
    f("radius", &SpherePlane::radius,
      {.unit = "m", .doc = "of the sphere", .check = Check::non_negative, .need = Need::required});
    fields_of<SpherePlane>(f);
  }
  template <int D>
  void build(Builder<D>& b) const {
    RelativeForce<D, ContactLaw<D, PlaneShape<D>>> kernel;
    if (!properties(b, kernel.law.properties)) return;
    kernel.law.shape = {b.frame(0).s, b.axis(0, D - 1), radius};
    kernel.sB = b.frame(1).s;
    b.force(kernel, 0, 1);
  }
};

}  // namespace kardan
