/// Every kind of system makes the same promises: bodies in the plane and in space, equations of a
/// user, variants of a model, and systems with events held at rest.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <set>

#include "kardan/run/recorder.h"
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
  std::unique_ptr<System> alone = nullptr;  // of variants: one of them
};

using Make = std::function<std::unique_ptr<System>()>;

std::unique_ptr<System> variants_of(const Make& make) {
  std::vector<std::unique_ptr<System>> variants;
  variants.push_back(make());
  variants.push_back(make());
  const auto events = variants.front()->event_names().size();
  return std::make_unique<System>(std::move(variants), Successors(2, std::vector<int>(events, 1)));
}

std::unique_ptr<System> held(const System& system) {
  return system.holds() && !system.impulses().empty() ? system.holds()->hold({0}) : nullptr;
}

/// All kinds, alone, as variants, held, and as variants that are held.
std::vector<NamedSystem> all_systems() {
  std::vector<NamedSystem> out;
  const auto add = [&](const std::string& name, const Make& make) {
    auto alone = make(), variants = variants_of(make);
    if (auto rests = held(*alone)) {
      out.push_back({name + ", variants, held", held(*variants), held(*alone)});
      out.push_back({name + ", held", std::move(rests)});
    }
    out.push_back({name + ", variants", std::move(variants), make()});
    out.push_back({name, std::move(alone)});
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
    const BodyEquations* bodies = system.bodies_at(state, *ws);
    ASSERT_EQ(bodies != nullptr, system.has_bodies()) << s.name;
    if (!bodies) continue;
    bodies->element_forces(state, forces, *ws);
    bodies->force_vectors(state, vectors, *ws);
    for (std::size_t i = 0; i < elements.size(); ++i)
      if (elements[i].type->name == "spring_damper" || elements[i].type->name == "force") {
        EXPECT_NEAR(norm(vectors[i]), std::abs(forces[i]), 1e-9 * (1 + std::abs(forces[i])))
            << s.name << " " << elements[i].name;
      }
  }
}

/// What only bodies say at a state.
void expect_same_bodies(const std::string& label, const BodyEquations& one,
                        const BodyEquations& other, const State& a, const State& b,
                        const System& system, Workspace& ws, Workspace& other_ws) {
  const auto elements = system.blueprint().elements.size();
  Vector f(elements), g(elements);
  one.element_forces(a, f, ws);
  other.element_forces(b, g, other_ws);
  EXPECT_EQ(f, g) << label;
  std::vector<Vec3d> u(elements), v(elements);
  one.force_vectors(a, u, ws);
  other.force_vectors(b, v, other_ws);
  for (std::size_t i = 0; i < elements; ++i)
    for (int k = 0; k < 3; ++k) EXPECT_EQ(u[i][k], v[i][k]) << label;
  const Vec3d p = one.momentum(a, ws).linear, q = other.momentum(b, other_ws).linear;
  for (int k = 0; k < 3; ++k) EXPECT_EQ(p[k], q[k]) << label;
  const auto events = static_cast<std::size_t>(system.sizes().events);
  const Vector speed(system.sizes().v, 1.0);
  Vector guard(events), rate(events), other_guard(events), other_rate(events);
  one.event_guards(a, speed, guard, rate, ws);
  other.event_guards(b, speed, other_guard, other_rate, other_ws);
  EXPECT_EQ(guard, other_guard) << label;
  EXPECT_EQ(rate, other_rate) << label;
}

/// Variants say what one of them says alone, whichever holds.
void expect_same(const std::string& label, const System& alone, const System& variants,
                 int variant) {
  ASSERT_EQ(alone.quantity_names(), variants.quantity_names()) << label;
  State a = alone.start(), b = variants.start();
  b.modes.back() = variant;
  const auto ws = alone.make_workspace(), other = variants.make_workspace();
  for (const std::string& name : alone.quantity_names()) {
    const Quantity q = *alone.find_quantity(name), r = *variants.find_quantity(name);
    EXPECT_EQ(alone.quantity_unit(q), variants.quantity_unit(r)) << label << " " << name;
    EXPECT_EQ(alone.quantity_columns(q), variants.quantity_columns(r)) << label << " " << name;
    EXPECT_EQ(alone.is_velocity(q), variants.is_velocity(r)) << label << " " << name;
    const double value = alone.quantity(q, a, 0, {}, {}, *ws);
    if (std::isfinite(value)) {
      EXPECT_EQ(value, variants.quantity(r, b, 0, {}, {}, *other)) << label << " " << name;
    }
  }
  EXPECT_EQ(alone.sizes().modes + 1, variants.sizes().modes) << label;
  EXPECT_EQ(alone.event_names(), variants.event_names()) << label;
  const BodyEquations* bodies = alone.bodies_at(a, *ws);
  const BodyEquations* same = variants.bodies_at(b, *other);
  ASSERT_EQ(bodies == nullptr, same == nullptr) << label;
  if (bodies) expect_same_bodies(label, *bodies, *same, a, b, alone, *ws, *other);
  const Energy e = alone.energy(a, *ws), d = variants.energy(b, *other);
  EXPECT_EQ(e.known, d.known) << label;
  if (e.known) {
    EXPECT_EQ(e.kinetic, d.kinetic) << label;
  }
  ASSERT_EQ(alone.evaluate(a, Request::all(), *ws), variants.evaluate(b, Request::all(), *other));
  EXPECT_EQ(ws->f, other->f) << label;
  EXPECT_EQ(ws->gamma, other->gamma) << label;
  EXPECT_EQ(ws->M.values, other->M.values) << label;
  ASSERT_EQ(alone.invariants(a, *ws), variants.invariants(b, *other));
  EXPECT_EQ(ws->e, other->e) << label;
  Vector z(alone.sizes().events), y(alone.sizes().events);
  alone.events(a, z, *ws);
  variants.events(b, y, *other);
  EXPECT_EQ(z, y) << label;
}

TEST(Variants, SayWhatOneOfThemSaysAlone) {
  for (const NamedSystem& s : all_systems())
    for (int k = 0; s.alone && k < s.system->variants(); ++k)
      expect_same(s.name, *s.alone, *s.system, k);
}

/// Constants of equations stand in the workspace: those of the variant that holds.
TEST(Variants, HaveTheirOwnMassInOneWorkspace) {
  const auto ball = [](double mass) {
    return compiled("kardan: 1\nbodies: {ball: {kind: point, mass: " + std::to_string(mass) +
                    "}}\nwhen: {later: {expression: t - 1}}\n");
  };
  std::vector<std::unique_ptr<System>> variants;
  for (const double mass : {2.0, 5.0}) variants.push_back(ball(mass));
  const System system(std::move(variants), Successors(2, std::vector<int>(1, 1)));
  State state = system.start();
  const auto ws = system.make_workspace();
  for (const int mode : {0, 1, 0}) {
    state.modes.back() = mode;
    ASSERT_EQ(system.evaluate(state, {.force = true}, *ws), Eval::ok);
    EXPECT_EQ(ws->M.values.front(), mode == 0 ? 2 : 5);
    EXPECT_EQ(ws->constants_of, &system.at(state));
  }
}

/// What cannot be held has nothing to hold with.
TEST(Systems, HoldOnlyEventsThatAreFormulas) {
  EXPECT_TRUE(compiled(balls(3))->holds());
  EXPECT_FALSE(compiled_shipped("double_pendulum")->holds());
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
