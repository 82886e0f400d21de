/// A tolerance means the same on every formulation and for every method, wherever a model stands,
/// however it is turned, whatever common velocity it has and however its parts are named and
/// ordered.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <numbers>
#include <numeric>

#include "kardan/base/rotation.h"
#include "kardan/formulation/accelerations.h"
#include "kardan/formulation/catalog.h"
#include "kardan/formulation/error_units.h"
#include "kardan/formulation/state_space.h"
#include "kardan/run/simulate.h"
#include "kardan/system/mechanisms.h"
#include "support/models.h"

namespace kardan::test {
namespace {

// ---- the scale itself

/// Free bodies, so that all formulations have the same coordinates.
const char* const free_in_plane = R"(
kardan: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {mass: 3, inertia: 0.2, position: [1, 2], angle: 0.3, velocity: [4, 1], angular_velocity: 2}
  b: {mass: 1, inertia: 0.1, position: [3, 2], velocity: [-1, 1]}
forces:
  spring: {type: spring_damper, between: [{body: a, at: [0.1, 0.2]}, b], stiffness: 20, free_length: 1}
)";
const char* const free_in_space = R"(
kardan: 1
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 3, inertia: [0.2, 0.3, 0.4], position: [1, 2, 3], velocity: [4, 1, 0], angular_velocity: [1, 2, 3]}
  b: {kind: point, mass: 1, position: [3, 2, 1]}
forces:
  spring: {type: spring_damper, between: [{body: a, at: [0.1, 0.2, 0]}, b], stiffness: 20, free_length: 1}
)";
/// A dynamic variable of size 1 beside a mass of any size.
std::string heavy(const std::string& mass) {
  return R"(
kardan: 1
equations:
  positions: {x: 0}
  velocities: {v: 1}
  mass: {v: )" +
         mass + R"(}
  forces: {v: 0}
  dynamic: {r: {start: 1, rate: "50*cos(50*t)*r"}}
)";
}

TEST(Scales, AreTheSameOnAllFormulations) {
  for (const std::string& text :
       {std::string(free_in_plane), std::string(free_in_space), heavy("1e6")}) {
    const auto system = compiled(text);
    const ErrorScale wanted = ErrorUnits(*system).default_scale(1e-6);
    Random random(7);
    const Sizes& n = system->sizes();
    const Local e{random.vector(n.v, 1e-6), random.vector(n.v, 1e-6), random.vector(n.r, 1e-6)};
    double norm = -1;
    for (const Formulation& formulation : formulations()) {
      const auto problem =
          formulation.make(*system, complete_options(formulation.options, OptionValues{}));
      const ErrorScale scale = problem->default_scale(1e-6);
      EXPECT_EQ(scale.position, wanted.position) << formulation.name;
      EXPECT_EQ(scale.velocity, wanted.velocity) << formulation.name;
      EXPECT_EQ(scale.first, wanted.first) << formulation.name;
      const State start = system->start();
      ASSERT_EQ(problem->rebase(start), Eval::ok) << formulation.name;
      ASSERT_EQ(problem->second_order(), n.v) << formulation.name;
      // Some have coordinates of their own: all of them are free here.
      Local own = e;
      if (const auto* reduced = dynamic_cast<const StateSpace*>(problem.get())) {
        reduced->parametrization().x_of.multiply(e.x, own.x);
        reduced->parametrization().x_of.multiply(e.u, own.u);
      }
      const double here = problem->error_norm(own, start, scale);
      if (norm < 0) norm = here;
      EXPECT_NEAR(here, norm, 1e-12 * norm) << formulation.name;
    }
    EXPECT_GT(norm, 0);
  }
}

/// Errors are lengths of vectors: those of a turned model, turned, count as much.
TEST(Scales, DoNotDependOnTheDirectionsOfAxes) {
  const Mat3d Q = rotation_exp({0.3, -0.5, 0.4});
  const auto system = compiled(free_in_space);
  const State start = system->start();
  State turned = start;
  Random random(11);
  const Sizes& n = system->sizes();
  const Local e{random.vector(n.v, 1e-6), random.vector(n.v, 1e-6), {}};
  Local turned_e = e;
  const auto turn = [&Q](Vector& x, int i) {
    const Vec3d to = Q * Vec3d{x[i], x[i + 1], x[i + 2]};
    for (int k = 0; k < 3; ++k) x[i + k] = to[k];
  };
  for (const BodyLayout& body : system->bodies()) {
    if (body.v_count == 0) continue;
    turn(turned.p, body.p);
    turn(turned.v, body.v);
    turn(turned_e.x, body.v);
    turn(turned_e.u, body.v);
    if (body.v_count == 3) continue;
    // Rotations and spins are seen in the body's own axes, which may be others, too.
    turn(turned.v, body.v + 3);
    turn(turned_e.x, body.v + 3);
    turn(turned_e.u, body.v + 3);
  }
  ErrorUnits units(*system);
  const ErrorScale scale = units.default_scale(1e-6);
  const double norm = units.norm(e, start, start.v, scale);
  EXPECT_GT(norm, 0);
  EXPECT_NEAR(units.norm(turned_e, turned, turned.v, scale), norm, 1e-12 * norm);
}

/// In the plane an angle counts by how far it has turned: it may begin anywhere.
TEST(Scales, CountAnglesFromTheStart) {
  const auto text = [](const char* angle) {
    return fmt::format(R"(
kardan: 1
dimension: 2
bodies:
  a: {{mass: 3, inertia: 0.2, angle: {}}}
)",
                       angle);
  };
  double norm[2];
  for (const int far : {0, 1}) {
    const auto system = compiled(text(far ? "40" : "0"));
    State state = system->start();
    state.p[2] += 3;
    ErrorUnits units(*system);
    const Local e{{0, 0, 1e-6}, {0, 0, 0}, {}};
    norm[far] = units.norm(e, state, state.v, units.default_scale(1e-6));
  }
  EXPECT_NEAR(norm[0], 0.25, 1e-12);
  EXPECT_NEAR(norm[1], norm[0], 1e-12);
}

/// Longer runs than this are not looked at: explicit methods on stiff models, methods of order 1.
constexpr int most_steps = 2000;

RunReport run_briefly(Prepared& p, const std::string& method, double t_end, double tolerance) {
  Diagnostics diagnostics;
  SimulateOptions options;
  options.method = method;
  options.t_end = t_end;
  options.driver.tolerance = tolerance;
  options.driver.max_steps = most_steps;
  RunReport report = simulate(p, options, Watchers{}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
  return report;
}

std::vector<std::string> all_methods() {
  std::vector<std::string> names{"auto"};
  for (const Method& m : methods()) names.emplace_back(m.name);
  return names;
}

/// r' = 50 cos(50 t) r beside a body that has nothing to do with it.
TEST(Scales, OfADynamicVariableDoNotDependOnMasses) {
  const double t_end = 0.3, exact = std::exp(std::sin(50 * t_end));
  for (const std::string& method : all_methods()) {
    double end[2];
    for (const bool is_heavy : {false, true}) {
      Diagnostics diagnostics;
      Prepared p = prepare(model_of(heavy(is_heavy ? "1e6" : "1")), {}, diagnostics);
      const RunReport report = run_briefly(p, method, t_end, 1e-5);
      end[is_heavy] = p.start.state.r[0];
      if (report.driver.reason == Reason::too_many_steps) continue;
      ASSERT_EQ(report.driver.reason, Reason::finished) << method << report.driver.message;
      if (const Method* m = find_method(report.method); m && m->order > 1 && m->error_order > 0) {
        EXPECT_NEAR(end[is_heavy], exact, 1e-3) << method;
      }
    }
    EXPECT_NEAR(end[0], end[1], 1e-7) << method;
  }
}

// ---- models that are moved, turned, pushed, renamed, reordered

/// Where a body is and how it moves, in the world.
struct Motion {
  Vec3d place, velocity, spin;
  Mat3d R = Mat3d::identity();
  bool turns = false;
};

std::vector<Motion> motions(const System& system, const State& state) {
  std::vector<Motion> out(system.bodies().size());
  const int D = system.dimension();
  for (std::size_t b = 1; b < out.size(); ++b) {
    const BodyLayout& body = system.bodies()[b];
    const double *p = state.p.data() + body.p, *v = state.v.data() + body.v;
    for (int k = 0; k < D; ++k) out[b].place[k] = p[k], out[b].velocity[k] = v[k];
    out[b].turns = body.v_count > D;
    if (!out[b].turns) continue;
    if (D == 2) {
      out[b].R = rotation_exp({0, 0, p[2]});
      out[b].spin = {0, 0, v[2]};
    } else {
      out[b].R = rotation_matrix(Quaternion{p[3], p[4], p[5], p[6]});
      out[b].spin = out[b].R * Vec3d{v[3], v[4], v[5]};
    }
  }
  return out;
}

/// Puts a state into the start of a blueprint.
void put(const System& system, const State& state, Blueprint& blueprint) {
  const std::vector<Motion> at = motions(system, state);
  for (std::size_t b = 1; b < at.size(); ++b) {
    BodyData& body = blueprint.bodies[b];
    const BodyLayout& layout = system.bodies()[b];
    body.position = at[b].place;
    body.velocity = at[b].velocity;
    if (layout.v_count <= system.dimension()) continue;
    body.R = at[b].R;
    body.spin = transposed(at[b].R) * at[b].spin;
    if (system.dimension() == 2) body.angle = state.p[layout.p + 2];
  }
}

/// What is done to a model, and what becomes of its motion.
struct Change {
  std::string name;
  Mat3d Q = Mat3d::identity();     // turned about the world's origin
  Vec3d shift = {};                // then moved
  Vec3d push = {};                 // and given a common velocity
  Mat3d axes = Mat3d::identity();  // of every body, seen in the old ones
  bool reversed = false;           // order of bodies and elements, with other names
};

Blueprint changed(const System& system, const State& state, const Change& c) {
  Blueprint out = system.blueprint();
  put(system, state, out);
  const int D = system.dimension();
  const Mat3d to = transposed(c.axes);
  const auto turn_frame = [&](FrameData& f) {
    if (f.body == 0) {
      f.s = c.Q * f.s + c.shift;
      f.R = c.Q * f.R;
    } else {
      f.s = to * f.s;
      f.R = to * f.R;
    }
  };
  out.gravity = c.Q * out.gravity;
  for (std::size_t b = 0; b < out.bodies.size(); ++b) {
    BodyData& body = out.bodies[b];
    for (auto& [name, marker] : body.markers) turn_frame(marker);
    if (b == 0) continue;
    body.position = c.Q * body.position + c.shift;
    body.velocity = c.Q * body.velocity + c.push;
    body.angle += rotation_log(c.Q).z - rotation_log(to).z;
    body.R = D == 2 ? rotation_exp({0, 0, body.angle}) : c.Q * body.R * c.axes;
    body.spin = to * body.spin;
    body.inertia = to * body.inertia * c.axes;
    body.com = to * body.com;
  }
  for (ElementData& e : out.elements)
    for (FrameData& f : e.frames) turn_frame(f);
  if (!c.reversed) return out;
  const int last = static_cast<int>(out.bodies.size());
  const auto new_place = [&](int b) { return b == 0 ? 0 : last - b; };
  std::reverse(out.bodies.begin() + 1, out.bodies.end());
  std::reverse(out.elements.begin(), out.elements.end());
  for (BodyData& b : out.bodies)
    for (auto& [name, marker] : b.markers) marker.body = new_place(marker.body);
  for (ElementData& e : out.elements)
    for (FrameData& f : e.frames) f.body = new_place(f.body);
  return out;
}

/// The motion of the changed model as it would be of the original one.
std::vector<Motion> undone(std::vector<Motion> at, const Change& c, double t) {
  if (c.reversed) std::reverse(at.begin() + 1, at.end());
  const Mat3d back = transposed(c.Q);
  for (std::size_t b = 1; b < at.size(); ++b) {
    at[b].place = back * (at[b].place - c.shift - t * c.push);
    at[b].velocity = back * (at[b].velocity - c.push);
    at[b].spin = back * at[b].spin;
    if (at[b].turns) at[b].R = back * at[b].R * transposed(c.axes);
  }
  return at;
}

/// The largest difference of two motions in tolerances: of places by the model's extent, of
/// velocities by its speeds.
double difference(const System& system, const std::vector<Motion>& a, const std::vector<Motion>& b,
                  double tolerance) {
  const Scales& s = system.scales();
  Vec3d middle, mean;
  const double share = 1.0 / static_cast<double>(a.size() - 1);
  for (std::size_t i = 1; i < a.size(); ++i) {
    middle += share * a[i].place;
    mean += share * a[i].velocity;
  }
  double extent = s.length, speed = s.speed, spin = s.speed / s.length, largest = 0;
  for (std::size_t i = 1; i < a.size(); ++i) {
    extent = std::max(extent, norm(a[i].place - middle) + s.length);
    speed = std::max(speed, norm(a[i].velocity - mean) + s.speed);
    spin = std::max(spin, norm(a[i].spin) + s.speed / s.length);
  }
  for (std::size_t i = 1; i < a.size(); ++i) {
    largest = std::fmax(largest, norm(a[i].place - b[i].place) / extent);
    largest = std::fmax(largest, norm(a[i].velocity - b[i].velocity) / speed);
    largest = std::fmax(largest, norm(a[i].spin - b[i].spin) / spin);
    largest = std::fmax(largest, norm(rotation_log(transposed(a[i].R) * b[i].R)));
  }
  return largest / tolerance;
}

/// Accelerations of the bodies, as a motion of no velocity.
std::vector<Motion> accelerations(const System& system, State state) {
  const auto ws = system.make_workspace();
  Vector a, lambda;
  EXPECT_EQ(solve_accelerations(system, state, a, lambda, *ws), Eval::ok);
  State rates = state;
  rates.v = a;
  return motions(system, rates);
}

/// Whether a change is one that the equations do not see: others (a road along x, a force along a
/// world's axis) are not to be compared.
bool is_symmetry(const Prepared& p, const Prepared& q, const Change& c) {
  const std::vector<Motion> a = accelerations(*p.system, p.start.state);
  std::vector<Motion> b = accelerations(*q.system, q.start.state);
  if (c.reversed) std::reverse(b.begin() + 1, b.end());
  double size = p.system->scales().acceleration, spin = size / p.system->scales().length;
  for (std::size_t i = 1; i < a.size(); ++i) {
    size = std::max(size, norm(a[i].velocity));
    spin = std::max(spin, norm(a[i].spin));
  }
  for (std::size_t i = 1; i < a.size(); ++i)
    if (!(norm(c.Q * a[i].velocity - b[i].velocity) < 1e-6 * size &&
          norm(c.Q * a[i].spin - b[i].spin) < 1e-6 * spin))
      return false;
  return true;
}

bool floats(const System& system) {
  const std::vector<Mechanism> all = find_mechanisms(system.blueprint());
  // A wheel on a road, a ball on a plane: contacts with one frame touch the world.
  for (const ElementData& e : system.blueprint().elements)
    if (e.type->category == Category::contact && e.frames.size() == 1) return false;
  return std::all_of(all.begin(), all.end(), [](const kardan::Mechanism& m) { return m.floats; });
}

/// The time in which a model moves by its length.
double own_time(const Prepared& p) {
  const Scales& s = p.system->scales();
  double fastest = s.speed * s.speed / s.length;
  for (const Motion& a : accelerations(*p.system, p.start.state))
    fastest = std::max({fastest, norm(a.velocity), s.length * norm(a.spin)});
  return std::min(s.length / s.speed, std::sqrt(2 * s.length / fastest));
}

std::vector<Change> changes(const System& system) {
  const bool plane = system.dimension() == 2;
  const double far = 1e4 * system.scales().length;
  const Mat3d Q = plane ? rotation_exp({0, 0, 0.7}) : rotation_exp({0.3, -0.5, 0.4});
  const Mat3d about_z = rotation_exp({0, 0, 0.7});
  std::vector<Change> out;
  out.push_back({.name = "moved", .shift = {far, -0.7 * far, plane ? 0 : 0.5 * far}});
  out.push_back({.name = "turned", .Q = Q});
  out.push_back({.name = "turned about z", .Q = about_z});
  out.push_back({.name = "pushed", .push = {30 * system.scales().speed, 0, 0}});
  out.push_back({.name = "other axes", .axes = Q});
  out.push_back({.name = "reordered", .reversed = true});
  return out;
}

/// Methods that are meant for coarse tolerances: of order 1 and 2, and those whose certificates or
/// documentation say so.
bool is_coarse(const std::string& name) {
  const Method* method = find_method(name);
  return method && (method->order <= 2 || name == "nystrom4");
}

/// Methods that a model meets: four always, the others in turn (KARDAN_EVERY_METHOD: all).
std::vector<std::string> methods_for(const std::string& name) {
  const std::vector<std::string> all = all_methods(), always{"rn4", "radau5", "dop853", "auto"};
  const bool every = std::getenv("KARDAN_EVERY_METHOD") != nullptr;
  constexpr std::size_t turns = 6;
  std::size_t turn = 0;  // the same on every machine
  for (const char c : name) turn += static_cast<unsigned char>(c);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (every || std::ranges::find(always, all[i]) != always.end() || (i + turn) % turns == 0)
      out.push_back(all[i]);
  return out;
}

/// Runs a model and its changed ones with its methods; results differ by less than what it states.
int compare_changes(const std::string& name, const Prepared& original, double t_end) {
  int compared = 0;
  for (const Change& c : changes(*original.system)) {
    Diagnostics diagnostics;
    const auto begin = [&] {
      return prepare(compile(changed(*original.system, original.start.state, c), diagnostics),
                     diagnostics);
    };
    const auto plain = [&] {
      return prepare(compile(changed(*original.system, original.start.state, {}), diagnostics),
                     diagnostics);
    };
    if (norm(c.push) > 0 && !floats(*original.system)) continue;  // the ground would be pushed
    Prepared first = begin(), reference = plain();
    if (!first.system || !is_symmetry(reference, first, c)) continue;
    for (const std::string& method : methods_for(name)) {
      const double tolerance = is_coarse(method) ? 1e-4 : 1e-6;
      const Method* known = find_method(method);
      // Methods of order 1 state the root of the tolerance.
      const double stated = known && known->order == 1 ? std::sqrt(tolerance) : tolerance;
      Prepared p = plain(), q = begin();
      const RunReport a = run_briefly(p, method, t_end, tolerance),
                      b = run_briefly(q, method, t_end, tolerance);
      if (a.driver.reason == Reason::too_many_steps || b.driver.reason == Reason::too_many_steps)
        continue;
      const std::string label = fmt::format("{}, {}, {}", name, c.name, method);
      EXPECT_EQ(a.driver.reason, Reason::finished) << label << ": " << a.driver.message;
      EXPECT_EQ(b.driver.reason, Reason::finished) << label << ": " << b.driver.message;
      const double off =
          difference(*p.system, motions(*p.system, p.start.state),
                     undone(motions(*q.system, q.start.state), c, q.start.state.t), stated);
      EXPECT_LT(off, 1) << label;
      fmt::print("{:<50}{:>10.3g} tolerances, {} and {} steps\n", label, off,
                 a.driver.counters.steps, b.driver.counters.steps);
      ++compared;
    }
  }
  return compared;
}

TEST(Scales, FollowTheShippedModelsWhereverTheyStand) {
  for (const std::string& name : shipped_names()) {
    Diagnostics diagnostics;
    const Prepared p = prepare(shipped(name), {}, diagnostics);
    ASSERT_TRUE(p.system) << name;
    if (!p.system->has_bodies() || !p.system->blueprint().events.empty()) continue;
    EXPECT_GT(compare_changes(name, p, own_time(p)), 0) << name;
  }
}

/// Nothing holds these: a common velocity is not seen either.
TEST(Scales, FollowWhatFloats) {
  const char* const linkage = R"(
kardan: 1
bodies:
  a: {mass: 3, inertia: [0.2, 0.3, 0.4], position: [0, 0, 0], angular_velocity: [1, 2, 3]}
  b: {mass: 1, inertia: [0.1, 0.1, 0.05], position: [1, 0, 0]}
  c: {kind: point, mass: 1, position: [2, 1, 0]}
joints:
  hinge: {type: revolute, bodies: [a, b], at: [0.5, 0, 0], axis: [0, 0, 1]}
forces:
  spring: {type: spring_damper, between: [b, c], stiffness: 50, damping: 0.1, free_length: 1}
)";
  for (const std::string& text :
       {std::string(free_in_plane), std::string(free_in_space), std::string(linkage)}) {
    Diagnostics diagnostics;
    const Prepared p = prepare(model_of(text), {}, diagnostics);
    ASSERT_TRUE(floats(*p.system));
    EXPECT_GT(compare_changes("floating", p, 5 * own_time(p)), 16);
  }
}

}  // namespace
}  // namespace kardan::test
