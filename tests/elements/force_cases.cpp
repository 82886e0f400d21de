#include "elements/derivative_cases.h"
#include "elements/formulas.h"
#include "kardan/elements/contacts/sphere_plane.h"
#include "kardan/elements/contacts/sphere_sphere.h"
#include "kardan/elements/contacts/tyre.h"
#include "kardan/elements/forces/applied_force.h"
#include "kardan/elements/forces/applied_torque.h"
#include "kardan/elements/forces/bushing.h"
#include "kardan/elements/forces/drag.h"
#include "kardan/elements/forces/pivot_bushing.h"

namespace kardan::test {
namespace {

TimeFunction function(const char* text) {
  return TimeFunction::make(Expression::parse(text).value()).value();
}
Table hills() {
  return Table::make({-3, -1, 0, 1, 3}, {0, 0.3, -0.2, 0.4, 0.1}, Interpolation::cubic_spline)
      .value();
}

template <int D, class K>
void add_force_formula(Builder<D>& b, K kernel, int frame_A = A, int frame_B = B) {
  b.force(AutomaticForce<D, K>{kernel}, frame_A, frame_B);
}

/// n x n numbers, none of them special.
std::vector<double> full_matrix(int n, double phase) {
  std::vector<double> m;
  for (int i = 0; i < n * n; ++i) m.push_back(std::sin(3.7 * i + phase) + (i % (n + 1) ? 0 : 4));
  return m;
}

template <int D>
Bushing bushing(bool full) {
  Bushing e;
  e.offset = {0.1, -0.2, D == 3 ? 0.3 : 0.0};
  if (full) {
    e.stiffness = full_matrix(dofs<D>, 0.3);
    e.damping = full_matrix(dofs<D>, 1.1);
  } else if (D == 3) {
    e.translation_stiffness = {4, 2, 3};
    e.rotation_stiffness = {1, 2, 0.5};
    e.translation_damping = {0.3, 0.1, 0.2};
    e.rotation_damping = {0.2, 0.4, 0.1};
  } else {
    e.translation_stiffness = {4, 2, 0};
    e.rotation_stiffness = {0, 0, 0.5};
    e.translation_damping = {0.3, 0.1, 0};
    e.rotation_damping = {0, 0, 0.1};
  }
  return e;
}

template <int n>
void put(const std::vector<double>& full, const double (&diagonal)[n], double (&M)[n][n]) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      M[i][j] = full.empty() ? (i == j ? diagonal[i] : 0) : full[i * n + j];
}

void add_bushing_formula(Builder<3>& b, const Bushing& e, int turns) {
  BushingFormula3 f{b.frame(A).s, b.frame(B).s, e.offset, b.frame(A).R,
                    b.frame(B).R, {},           {},       turns};
  const Vec3d &k = e.translation_stiffness, &kr = e.rotation_stiffness;
  const Vec3d &c = e.translation_damping, &cr = e.rotation_damping;
  put<6>(e.stiffness, {k.x, k.y, k.z, kr.x, kr.y, kr.z}, f.K);
  put<6>(e.damping, {c.x, c.y, c.z, cr.x, cr.y, cr.z}, f.C);
  add_force_formula(b, f);
}
void add_bushing_formula(Builder<2>& b, const Bushing& e, int) {
  const Rot2d &RA = b.frame(A).R, &RB = b.frame(B).R;
  BushingFormula2 f{b.frame(A).s,
                    b.frame(B).s,
                    {e.offset.x, e.offset.y},
                    std::atan2(RA.s, RA.c),
                    std::atan2(RB.s, RB.c),
                    {},
                    {}};
  put<3>(e.stiffness,
         {e.translation_stiffness.x, e.translation_stiffness.y, e.rotation_stiffness.z}, f.K);
  put<3>(e.damping, {e.translation_damping.x, e.translation_damping.y, e.rotation_damping.z}, f.C);
  add_force_formula(b, f);
}

template <int D>
AppliedForce load(bool body) {
  AppliedForce e;
  e.fx = function("sin(t)");
  e.fy = function("1 + t");
  if (D == 3) e.fz = function("cos(2*t)");
  e.axes = body ? "body" : "world";
  return e;
}
template <int D>
LoadFormula<D> load_formula(const Builder<D>& b, bool body) {
  LoadFormula<D> f{b.frame(0).s, {}, body};
  for (int k = 0; k < D; ++k) f.axes[k] = b.axis(0, k);
  return f;
}
AppliedTorque torque(int dimension, bool body) {
  AppliedTorque e;
  if (dimension == 3) {
    e.tx = function("sin(t)");
    e.ty = function("1 + t");
  }
  e.tz = function("cos(2*t)");
  e.axes = body ? "body" : "world";
  return e;
}

template <class E>
E contact(bool hunt_crossley) {
  E e;
  e.law = hunt_crossley ? "hunt_crossley" : "linear";
  e.stiffness = 3;
  (hunt_crossley ? e.dissipation : e.damping) = 0.3;
  e.friction = 0.4;
  e.friction_speed = 0.2;
  return e;
}
/// Radii so large that the bodies overlap in every scene.
constexpr double radius_A = 4, radius_B = 6;

template <int D>
void add_contact_formula(Builder<D>& b, bool plane, bool hunt_crossley, int mode) {
  add_force_formula(
      b, ContactFormula<D>{b.frame(A).s, b.frame(B).s, b.axis(A, D - 1), plane ? -1.0 : radius_A,
                           radius_B, hunt_crossley, 3, 0.3, 1.5, 0.4, 0.2, mode});
}

template <int D>
std::vector<Case<D>> contact_cases() {
  std::vector<Case<D>> cases;
  for (const bool hertz : {false, true}) {
    const std::string law = hertz ? "_hunt_crossley" : "_linear";
    cases.push_back({"sphere_plane" + law,
                     {1, 2},
                     [=](Builder<D>& b) {
                       auto e = contact<SpherePlane>(hertz);
                       e.radius = radius_B;
                       e.build(b);
                     },
                     [=](Builder<D>& b, int mode) { add_contact_formula(b, true, hertz, mode); },
                     {0, 1}});
    cases.push_back({"sphere_sphere" + law,
                     {1, 2},
                     [=](Builder<D>& b) {
                       auto e = contact<SphereSphere>(hertz);
                       e.radius_a = radius_A;
                       e.radius_b = radius_B;
                       e.build(b);
                     },
                     [=](Builder<D>& b, int mode) { add_contact_formula(b, false, hertz, mode); },
                     {0, 1}});
  }
  return cases;
}

template <int D>
std::vector<Case<D>> tyre_cases() {
  using Formula = TyreFormula<D>;
  std::vector<Case<D>> cases;
  for (const std::string road : {"flat", "bump", "table"}) {
    Tyre e;
    e.radius = 4;
    e.stiffness = 5;
    e.damping = 0.7;
    e.road = road;
    if (road == "bump") {
      e.bump_radius = 0.5;
      e.bump_center = 0.3;
    }
    if (road == "table") e.table = hills();
    cases.push_back({"tyre_" + road,
                     {2},
                     [=](Builder<D>& b) { e.build(b); },
                     [=](Builder<D>& b, int mode) {
                       const auto shape = road == "flat"   ? Formula::flat
                                          : road == "bump" ? Formula::bump
                                                           : Formula::table;
                       add_force_formula(
                           b, Formula{b.frame(0).s, 4, 5, 0.7, shape, 0.5, 0.3, hills(), mode},
                           b.ground, 0);
                     },
                     road == "bump" ? std::vector<int>{0, 1, 2, 3} : std::vector<int>{0, 1}});
  }
  return cases;
}

template <int D>
std::vector<Case<D>> load_cases() {
  std::vector<Case<D>> cases;
  for (const bool body : {false, true}) {
    const std::string in = body ? "_in_body_axes" : "_in_world_axes";
    cases.push_back(
        {"force" + in,
         {2},
         [=](Builder<D>& b) { load<D>(body).build(b); },
         [=](Builder<D>& b, int) { add_force_formula(b, load_formula<D>(b, body), b.ground, 0); }});
    cases.push_back({"torque" + in,
                     {2},
                     [=](Builder<D>& b) { torque(D, body).build(b); },
                     [=](Builder<D>& b, int) {
                       if constexpr (D == 3) {
                         add_force_formula(b, TorqueFormula3{load_formula<3>(b, body)}, b.ground,
                                           0);
                       } else {
                         add_force_formula(b, TorqueFormula2{}, b.ground, 0);
                       }
                     }});
  }
  return cases;
}

}  // namespace

template <int D>
std::vector<Case<D>> force_cases() {
  const std::vector<int> pair{1, 2};
  std::vector<Case<D>> cases = {
      {"spring", pair,
       [](auto& b) {
         b.line_force(
             b.length(A, B), A, B,
             SpringLaw{
                 .stiffness = 3, .damping = 0.4, .free = 0.6, .actuation = function("sin(t)")});
       },
       [](auto& b, int) {
         add_force_formula(b, SpringFormula<D>{b.frame(A).s, b.frame(B).s, 3, 0.4, 0.6});
       }},
      {"drag",
       {2},
       [](auto& b) {
         Drag{0.3, 0.7, 0.2, {0.4, -0.3, D == 3 ? 0.1 : 0.0}}.build(b);
       },
       [](auto& b, int) {
         VecOf<D> wind{};
         wind[0] = 0.4;
         wind[1] = -0.3;
         if (D == 3) wind[D - 1] = 0.1;
         add_force_formula(b, DragFormula<D>{b.frame(0).s, wind, 0.3, 0.7, 0.2}, b.ground, 0);
       }}};
  for (const bool full : {false, true})
    for (const std::vector<int>& bodies : {pair, {0, 2}})
      cases.push_back(
          {std::string("bushing") + (full ? "_full" : "_diagonal") +
               (bodies[0] == 0 ? "_to_ground" : ""),
           bodies, [=](Builder<D>& b) { bushing<D>(full).build(b); },
           [=](Builder<D>& b, int turns) { add_bushing_formula(b, bushing<D>(full), turns); },
           D == 3 ? std::vector<int>{0, 1, -1, 2} : std::vector<int>{0}});
  if constexpr (D == 3)
    cases.push_back(
        {"pivot_bushing", pair,
         [](Builder<3>& b) {
           PivotBushing{2, 0.6}.build(b);
         },
         [](Builder<3>& b, int) {
           add_force_formula(b, PivotBushingFormula{b.axis(A, 2), b.axis(B, 2), 2, 0.6});
         }});
  for (Case<D>& c : load_cases<D>()) cases.push_back(std::move(c));
  for (Case<D>& c : contact_cases<D>()) cases.push_back(std::move(c));
  for (Case<D>& c : tyre_cases<D>()) cases.push_back(std::move(c));
  return cases;
}

template std::vector<Case<2>> force_cases<2>();
template std::vector<Case<3>> force_cases<3>();

}  // namespace kardan::test
