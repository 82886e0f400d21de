#pragma once
/// Two spheres about the origins of markers A and B (plane: discs), with the law of contact_law.h.

#include "kardan/elements/contacts/contact_law.h"

namespace kardan {

struct SphereSphere : ContactFields {
  static constexpr std::string_view type = "sphere_sphere";
  static constexpr std::string_view summary = "Contact of two spheres (planar: discs).";
  static constexpr std::string_view equation =
      "d = r_A + r_B - |p_B - p_A|, N = k d + c d' or k d^n (1 + a d'), F_t = -mu N v_t/|v_t|_eps";
  static constexpr std::string_view example = R"(bodies:
  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 0.5], velocity: [0, 0, -1]}
contacts:
  hit: {type: sphere_sphere, between: [ground, ball], radius_a: 0.1, radius_b: 0.1, stiffness: 1e5}
)";
  static constexpr Category category = Category::contact;
  static constexpr int frames = 2;
  static constexpr Reflection reflection = Reflection::along;
  static constexpr Silhouette silhouette = Silhouette::ball;

  double radius_a = 0, radius_b = 0;  // [m]

  [[nodiscard]] double drawn_radius() const { return radius_b; }
  template <class F>
  static void fields(F& f) {
    f("radius_a", &SphereSphere::radius_a,
      {.unit = "m",
       .doc = "of the sphere at marker A",
       .check = Check::non_negative,
       .need = Need::required});
    f("radius_b", &SphereSphere::radius_b,
      {.unit = "m",
       .doc = "of the sphere at marker B",
       .check = Check::non_negative,
       .need = Need::required});
    fields_of<SphereSphere>(f);
  }
  template <int D>
  void build(Builder<D>& b) const {
    if (!(radius_a + radius_b > 0))
      return b.fail("contact.radius", "radius_a + radius_b must be positive",
                    "two points never touch");
    RelativeForce<D, ContactLaw<D, SphereShape<D>>> kernel;
    if (!properties(b, kernel.law.properties)) return;
    kernel.law.shape = {b.frame(0).s, radius_a, radius_b};
    kernel.sB = b.frame(1).s;
    b.force(kernel, 0, 1);
  }
};

}  // namespace kardan
