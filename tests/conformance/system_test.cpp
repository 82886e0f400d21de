/// Every kind of system makes the same promises: bodies in the plane and in space, equations of a
/// user, variants of a model, and systems with events held at rest.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <set>

#include "kardan/run/recorder.h"
#include "kardan/system/variant_system.h"
#include "support/models.h"

namespace kardan::test {
namespace {

/// Balls with a spring and a wind, a stop under one of them.
std::string balls(int dimension) {
  const std::string at = dimension == 3 ? "[0, 0, 1]" : "[0, 1]";
  const std::string beside = dimension == 3 ? "[0.5, 0, 1]" : "[0.5, 1]";
  const std::string height = dimension == 3 ? "ball.z" : "ball.y";
  return R"(
kardan: 1
name: balls
dimension: )" +
         std::to_string(dimension) +
         "\ngravity: " + (dimension == 3 ? "[0, 0, -9.81]" : "[0, -9.81]") +
         R"(
parameters: {wind: 1}
bodies:
  ball: {kind: point, mass: 1, position: )" +
         at + R"(}
  other: {kind: point, mass: 2, position: )" +
         beside + R"(}
forces:
  air: {type: force, on: ball, fx: wind}
  spring: {type: spring_damper, between: [ball, other], stiffness: 100, free_length: 0.4}
when:
  floor: {expression: )" +
         height + R"( - 0.2, direction: falling, action: {impulse: {restitution: 0.5}}}
)";
}

struct NamedSystem {
  std::string name;
  std::unique_ptr<System> system;
};

std::unique_ptr<System> variants_of(const std::function<std::unique_ptr<System>()>& make) {
  std::vector<std::unique_ptr<System>> variants;
  variants.push_back(make());
  variants.push_back(make());
  const auto events = variants.front()->blueprint().events.size();
  return std::make_unique<VariantSystem>(
      std::move(variants), std::vector<std::vector<int>>(2, std::vector<int>(events, 1)));
}

/// All kinds, alone, as variants, held, and as variants that are held.
std::vector<NamedSystem> all_systems() {
  std::vector<NamedSystem> out;
  const auto add = [&](const std::string& name, const auto& make) {
    out.push_back({name, make()});
    out.push_back({name + ", variants", variants_of(make)});
    if (out.back().system->blueprint().impulses.empty()) return;
    for (std::size_t i : {out.size() - 2, out.size() - 1})
      if (auto held = out[i].system->hold({0}))
        out.push_back({out[i].name + ", held", std::move(held)});
  };
  add("plane", [] { return compiled(balls(2)); });
  add("space", [] { return compiled(balls(3)); });
  add("equations", [] { return compiled_shipped("disc_equations"); });
  for (const std::string& name : shipped_names())
    add(name, [&name] { return compiled_shipped(name); });
  return out;
}

TEST(Systems, OfAllKindsAreThere) {
  std::set<std::string> names;
  for (const NamedSystem& s : all_systems()) {
    ASSERT_TRUE(s.system) << s.name;
    names.insert(s.name);
  }
  for (const char* name : {"plane", "space", "equations", "plane, held", "space, variants",
                           "space, variants, held", "equations, variants"})
    EXPECT_TRUE(names.count(name)) << name;
}

TEST(Systems, KnowTheUnitsOfEveryCoordinate) {
  for (const NamedSystem& s : all_systems()) {
    if (!s.system->has_bodies()) continue;
    for (const std::string& name : s.system->quantity_names()) {
      const auto q = s.system->find_quantity(name);
      ASSERT_TRUE(q) << s.name << " " << name;
      using Kind = Quantity::Kind;
      if (q->kind == Kind::position || q->kind == Kind::velocity || q->kind == Kind::time) {
        EXPECT_FALSE(s.system->quantity_unit(*q).empty()) << s.name << " " << name;
      }
    }
  }
}

TEST(Systems, HavePositiveScales) {
  for (const NamedSystem& s : all_systems()) {
    const System& system = *s.system;
    for (int j = 0; j < system.sizes().v; ++j) EXPECT_GT(system.coordinate_scale(j), 0) << s.name;
    for (int i = 0; i < system.sizes().constraints(); ++i)
      EXPECT_GT(system.row_scale(i), 0) << s.name;
    for (int i = 0; i < system.sizes().r; ++i) EXPECT_GT(system.state_scale(i), 0) << s.name;
  }
}

/// Forces with two places act along the vector they show: its length is the scalar.
TEST(Systems, ShowForceVectorsThatFitTheirForces) {
  for (const NamedSystem& s : all_systems()) {
    const System& system = *s.system;
    const auto& elements = system.blueprint().elements;
    const auto ws = system.make_workspace();
    Vector forces(elements.size());
    std::vector<Vec3d> vectors(elements.size());
    const State state = system.start();
    system.element_forces(state, forces, *ws);
    system.force_vectors(state, vectors, *ws);
    for (std::size_t i = 0; i < elements.size(); ++i)
      if (elements[i].type->name == "spring_damper" || elements[i].type->name == "force") {
        EXPECT_NEAR(norm(vectors[i]), std::abs(forces[i]), 1e-9 * (1 + std::abs(forces[i])))
            << s.name << " " << elements[i].name;
      }
  }
}

/// Everything a wrapper says is what the system inside says.
void expect_same(const std::string& label, const System& inside, const System& wrapper) {
  ASSERT_EQ(inside.quantity_names(), wrapper.quantity_names()) << label;
  State a = inside.start(), b = wrapper.start();
  const auto ws = inside.make_workspace(), other = wrapper.make_workspace();
  for (const std::string& name : inside.quantity_names()) {
    const Quantity q = *inside.find_quantity(name), r = *wrapper.find_quantity(name);
    EXPECT_EQ(inside.quantity_unit(q), wrapper.quantity_unit(r)) << label << " " << name;
    EXPECT_EQ(inside.quantity_columns(q), wrapper.quantity_columns(r)) << label << " " << name;
    EXPECT_EQ(inside.is_velocity(q), wrapper.is_velocity(r)) << label << " " << name;
    const double value = inside.quantity(q, a, 0, {}, {}, *ws);
    if (std::isfinite(value)) {
      EXPECT_EQ(value, wrapper.quantity(r, b, 0, {}, {}, *other)) << label << " " << name;
    }
  }
  EXPECT_EQ(inside.dimension(), wrapper.dimension()) << label;
  EXPECT_EQ(inside.exact_derivatives(), wrapper.exact_derivatives()) << label;
  EXPECT_EQ(inside.event_names(), wrapper.event_names()) << label;
  EXPECT_EQ(inside.row_bodies(), wrapper.row_bodies()) << label;
  for (int j = 0; j < inside.sizes().v; ++j) {
    EXPECT_EQ(inside.coordinate_name(j), wrapper.coordinate_name(j)) << label;
    EXPECT_EQ(inside.velocity_name(j), wrapper.velocity_name(j)) << label;
    EXPECT_EQ(inside.acceleration_name(j), wrapper.acceleration_name(j)) << label;
    EXPECT_EQ(inside.coordinate_scale(j), wrapper.coordinate_scale(j)) << label;
  }
  for (int i = 0; i < inside.sizes().constraints(); ++i) {
    EXPECT_EQ(inside.row_name(i), wrapper.row_name(i)) << label;
    EXPECT_EQ(inside.row_scale(i), wrapper.row_scale(i)) << label;
  }
  for (int i = 0; i < inside.sizes().r; ++i)
    EXPECT_EQ(inside.state_scale(i), wrapper.state_scale(i)) << label;
  const auto elements = inside.blueprint().elements.size();
  Vector f(elements), g(elements);
  inside.element_forces(a, f, *ws);
  wrapper.element_forces(b, g, *other);
  EXPECT_EQ(f, g) << label;
  std::vector<Vec3d> u(elements), v(elements);
  inside.force_vectors(a, u, *ws);
  wrapper.force_vectors(b, v, *other);
  for (std::size_t i = 0; i < elements; ++i)
    for (int k = 0; k < 3; ++k) EXPECT_EQ(u[i][k], v[i][k]) << label;
  const Vec3d p = inside.momentum(a, *ws).linear, q = wrapper.momentum(b, *other).linear;
  for (int k = 0; k < 3; ++k) EXPECT_EQ(p[k], q[k]) << label;
  const Energy e = inside.energy(a, *ws), d = wrapper.energy(b, *other);
  EXPECT_EQ(e.known, d.known) << label;
  if (e.known) {
    EXPECT_EQ(e.kinetic, d.kinetic) << label;
  }
  ASSERT_EQ(inside.evaluate(a, Request::all(), *ws), wrapper.evaluate(b, Request::all(), *other));
  EXPECT_EQ(ws->f, other->f) << label;
  EXPECT_EQ(ws->gamma, other->gamma) << label;
  EXPECT_EQ(ws->M.values, other->M.values) << label;
  ASSERT_EQ(inside.invariants(a, *ws), wrapper.invariants(b, *other));
  EXPECT_EQ(ws->e, other->e) << label;
  const auto events = static_cast<std::size_t>(inside.sizes().events);
  Vector z(events), y(events), speed(inside.sizes().v, 1.0), guard(events), rate(events),
      other_guard(events), other_rate(events);
  inside.events(a, z, *ws);
  wrapper.events(b, y, *other);
  EXPECT_EQ(z, y) << label;
  inside.event_guards(a, speed, guard, rate, *ws);
  wrapper.event_guards(b, speed, other_guard, other_rate, *other);
  EXPECT_EQ(guard, other_guard) << label;
  EXPECT_EQ(rate, other_rate) << label;
}

TEST(Variants, SayWhatTheSystemInsideSays) {
  std::vector<NamedSystem> all = all_systems();
  for (const NamedSystem& s : all) {
    const auto* wrapper = dynamic_cast<const VariantSystem*>(s.system.get());
    if (wrapper) expect_same(s.name, wrapper->variant(wrapper->start()), *wrapper);
  }
}

/// The layout of a result does not depend on whether an event may set a parameter.
TEST(Variants, HaveTheResultsOfTheSystemInside) {
  const auto one = compiled(balls(3));
  const auto many = variants_of([] { return compiled(balls(3)); });
  const Recorder a(*one), b(*many);
  ASSERT_EQ(a.layout().columns.size(), b.layout().columns.size());
  for (std::size_t i = 0; i < a.layout().columns.size(); ++i) {
    EXPECT_EQ(a.layout().columns[i].name, b.layout().columns[i].name);
    EXPECT_EQ(a.layout().columns[i].unit, b.layout().columns[i].unit);
  }
}

}  // namespace
}  // namespace kardan::test
