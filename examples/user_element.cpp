/// A program with elements of its own: a joint made of primitives, a constraint and a force written
/// once as templates over the scalar, a model in C++, its assembly and its balance.
///
/// The model is planar: a sledge slides along a wire y = c x^2 without turning, pulled by a magnet
/// above the wire, under gravity.

#include <cmath>
#include <cstdio>

#include "kardan/elements/automatic.h"
#include "kardan/elements/catalog.h"
#include "kardan/formulation/assembly.h"
#include "kardan/formulation/equilibrium.h"
#include "kardan/model/model.h"
#include "kardan/model/resolve.h"

namespace {

using namespace kardan;

/// Both frames keep the same direction: 2 rows in space (z axes parallel), 1 in the plane.
struct Parallel {
  static constexpr std::string_view type = "parallel";
  static constexpr std::string_view summary = "The z axes stay parallel (plane: no rotation).";
  static constexpr std::string_view equation = "x_A.z_B = y_A.z_B = 0 (plane: theta_B = theta_A)";
  static constexpr Category category = Category::joint;
  static constexpr int frames = 2;

  template <class F>
  static void fields(F&) {}

  void build(Builder<3>& b) const {
    b.perpendicular(0, 0, 1, 2, "rotation about local y");
    b.perpendicular(0, 1, 1, 2, "rotation about local x");
  }
  void build(Builder<2>& b) const {
    b.measure(b.row("rotation", RowUnit::angle), b.angle(0, 1), 0, 1);
  }
};

/// g = y - c x^2, (x, y) the point of B seen from frame A. All derivatives come from dual numbers.
struct WireKernel {
  static constexpr int rows = 1;
  Vec2d a, x_axis, y_axis, b;
  double c = 0;  // [1/m]

  template <class T>
  void position(const T&, const Frame<2, T>& A, const Frame<2, T>& B, std::span<T> g) const {
    const Vec2<T> d = B.at(b) - A.at(a);
    const T x = dot(A.direction(x_axis), d), y = dot(A.direction(y_axis), d);
    g[0] = y - c * x * x;
  }
};

struct Wire {
  static constexpr std::string_view type = "wire";
  static constexpr std::string_view summary = "The origin of B stays on a parabola in frame A.";
  static constexpr std::string_view equation = "y - c x^2 = 0";
  static constexpr Category category = Category::joint;
  static constexpr int frames = 2;
  double c = 0;  // [1/m]

  template <class F>
  static void fields(F& f) {
    f("c", &Wire::c, {.unit = "1/m", .doc = "opening of the parabola", .need = Need::required});
  }
  void build(Builder<2>& b) const {
    const int row = b.row("distance from the wire", RowUnit::length);
    b.constraint_bank<AutomaticConstraint<2, WireKernel>>().items.push_back(
        {{b.frame(0).s, b.axis(0, 0), b.axis(0, 1), b.frame(1).s, c}, b.slots(row, 0, 1)});
  }
};

/// B is drawn to A by strength / (r^2 + core^2), core keeping it finite.
struct MagnetKernel {
  Vec2d a, b;
  double strength = 0, core = 0;  // [N m^2], [m]

  template <class T>
  T square(const Frame<2, T>& A, const Frame<2, T>& B) const {
    const Vec2<T> d = A.at(a) - B.at(b);
    return dot(d, d) + core * core;
  }
  template <class T>
  void force(const T&, const Frame<2, T>& A, const Frame<2, T>& B, int, Wrench<2, T>& on_A,
             Wrench<2, T>& on_B) const {
    const T r2 = square(A, B);
    const Vec2<T> F = strength / (r2 * sqrt(r2)) * (A.at(a) - B.at(b));
    on_A.add_force_at(A, A.at(a), -F);
    on_B.add_force_at(B, B.at(b), F);
  }
  /// Gives the element its share of the energy.
  template <class T>
  T potential(const T&, const Frame<2, T>& A, const Frame<2, T>& B, int) const {
    return -strength / sqrt(square(A, B));
  }
};

struct Magnet {
  static constexpr std::string_view type = "magnet";
  static constexpr std::string_view summary = "B is drawn to A by an inverse square law.";
  static constexpr std::string_view equation = "F = strength d/(d.d + core^2)^(3/2)";
  static constexpr Category category = Category::force;
  static constexpr int frames = 2;
  double strength = 0, core = 0.1;

  template <class F>
  static void fields(F& f) {
    f("strength", &Magnet::strength, {.unit = "N m^2", .doc = "of the pull"});
    f("core", &Magnet::core, {.unit = "m", .doc = "softening", .check = Check::positive});
  }
  void build(Builder<2>& b) const {
    b.force(AutomaticForce<2, MagnetKernel>{{b.frame(0).s, b.frame(1).s, strength, core}}, 0, 1);
  }
};

Model sledge_on_a_wire() {
  Model model;
  model.name = "sledge on a wire";
  model.dimension = 2;
  model.gravity = Vec3d{0, -9.81, 0};
  model.parameters = {{"c", 0.5}, {"strength", 3.0}};
  model.ground.fields = {{"markers", FieldMap{{"magnet", FieldMap{{"at", Vec3d{1, 1, 0}}}}}}};
  model.add_body("sledge", {{"mass", 1.0}, {"inertia", 0.01}, {"position", Vec3d{0.4, 0.3, 0}}});
  model.add("wire", "wire", {"ground", "sledge"}, {{"c", "c"}});
  model.add("guide", "parallel", {"ground", "sledge"});
  model.add("magnet", "magnet", {"ground.magnet", "sledge"}, {{"strength", "strength"}});
  model.add_wish("sledge.x", 0.5);
  return model;
}

int fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  return 1;
}

}  // namespace

int main() {
  // A copy of the built-in types with ours added. Systems keep pointers into it: make it complete
  // first, and let it live longer than they do.
  Catalog catalog = Catalog::builtin();
  catalog.add(describe<Parallel>());
  catalog.add(describe<Wire>());
  catalog.add(describe<Magnet>());

  const Model model = sledge_on_a_wire();
  Diagnostics diagnostics;
  const SystemFactory make_system = [&](const ParameterValues& parameters) {
    return compile(resolve(model, catalog, parameters, diagnostics), diagnostics);
  };
  const std::unique_ptr<System> system = make_system({});
  if (!system) return fail(format(diagnostics));

  const auto wishes = bind_wishes(system->blueprint().wishes, *system, diagnostics);
  const ConsistentStart start = assemble(*system, system->start(), wishes);
  if (start.report.status != Eval::ok) return fail(start.report.message);
  std::printf("assembled at (%.6f, %.6f), acceleration (%.6f, %.6f)\n", start.state.p[0],
              start.state.p[1], start.a[0], start.a[1]);
  std::printf("reaction of the wire %.6f, energy %.6f J\n", start.lambda[0],
              system->energy(start.state, *system->make_workspace()).potential);
  if (std::abs(start.state.p[0] - 0.5) > 1e-12 || std::abs(start.state.p[1] - 0.125) > 1e-12)
    return fail("the sledge is not on the wire at x = 0.5");

  const Equilibrium balance = find_equilibrium(make_system, diagnostics);
  if (balance.report.status != Eval::ok) return fail(balance.report.message);
  std::printf("in balance at (%.6f, %.6f)\n", balance.start.state.p[0], balance.start.state.p[1]);
}
