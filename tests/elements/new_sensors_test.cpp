/// What a new kind of sensor takes: its own file (new_sensors.h) and a line in a catalog. Results,
/// wishes, expressions and events then know it.

#include "elements/new_sensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kardan/run/result.h"
#include "support/difference_check.h"
#include "support/models.h"

namespace kardan::test {
namespace {

const Catalog& with_new_sensors() {
  static const Catalog catalog = [] {
    Catalog out = Catalog::builtin();
    out.add(describe<AreaSensor>());
    out.add(describe<SpeedSensor>());
    return out;
  }();
  return catalog;
}

std::string model(int dimension, const std::string& event) {
  const bool space = dimension == 3;
  return "kardan: 1\ndimension: " + std::to_string(dimension) +
         "\nbodies:\n"
         "  frame: {mass: 3, inertia: " +
         (space ? "[1, 2, 2.5], position: [0.1, 0.2, 0.3], angular_velocity: [0.3, -0.2, 0.5]"
                : "2, position: [0.1, 0.2], angular_velocity: 0.4") +
         "}\n  ball: {kind: point, mass: 2, position: " + (space ? "[1, 2, 0.5]" : "[1, 2]") +
         ", velocity: " + (space ? "[2, 3, 6]" : "[3, 4]") +
         "}\nsensors:\n"
         "  area: {type: area, between: [frame, ball]}\n"
         "  fast: {type: speed, on: ball}\n"
         "  twice: {type: expression, value: \"2*fast + area\"}\n"
         "when:\n  touch: {expression: \"" +
         event + "\", direction: falling, action: {impulse: {restitution: 0.5}}}\n";
}

std::unique_ptr<System> compiled_with(const std::string& text, Diagnostics& diagnostics) {
  return compile_model(model_of(text), {}, diagnostics, with_new_sensors());
}

std::unique_ptr<System> compiled_with(int dimension) {
  Diagnostics diagnostics;
  auto system = compiled_with(model(dimension, "area - 0.5"), diagnostics);
  EXPECT_TRUE(system) << format(diagnostics);
  return system;
}

double value(const System& system, const std::string& name, const State& state, Workspace& ws) {
  return system.quantity(*system.find_quantity(name), state, 0, {}, {}, ws);
}

TEST(NewSensors, TellTheirValuesByName) {
  for (const int dimension : {2, 3}) {
    const auto system = compiled_with(dimension);
    ASSERT_TRUE(system);
    const auto ws = system->make_workspace();
    const State start = system->start();
    const double speed = dimension == 2 ? 5 : 7, area = 0.9 * 1.8;
    EXPECT_NEAR(value(*system, "fast", start, *ws), speed, 1e-14);
    EXPECT_NEAR(value(*system, "area", start, *ws), area, 1e-14);
    EXPECT_NEAR(value(*system, "twice", start, *ws), 2 * speed + area, 1e-13);
    EXPECT_EQ(system->quantity_unit(*system->find_quantity("area")), "m^2");
    EXPECT_EQ(system->quantity_unit(*system->find_quantity("area.rate")), "m^2/s");
    EXPECT_TRUE(system->is_velocity(*system->find_quantity("fast")));
    EXPECT_FALSE(system->is_velocity(*system->find_quantity("area")));
    const std::vector<std::string> columns = ResultColumns(*system).names();
    for (const char* name : {"area", "area.rate", "fast", "twice"})
      EXPECT_THAT(columns, testing::Contains(name));
  }
}

/// Against central differences along every column, which are those that are told.
TEST(NewSensors, HaveTheirGradients) {
  constexpr double h = 1e-5;
  for (const int dimension : {2, 3}) {
    const auto system = compiled_with(dimension);
    ASSERT_TRUE(system);
    const auto ws = system->make_workspace();
    const State start = system->start();
    const auto n = static_cast<std::size_t>(system->sizes().v);
    for (const char* name : {"area", "area.rate", "fast", "twice"}) {
      const Quantity q = *system->find_quantity(name);
      const std::vector<int> told = system->quantity_columns(q);
      Vector by_p(n, 0.0), by_v(n, 0.0);
      system->quantity(q, start, 1, by_p, by_v, *ws);
      for (std::size_t j = 0; j < n; ++j) {
        double ends_p[2], ends_v[2];
        for (const int side : {0, 1}) {
          Vector delta(n, 0.0);
          delta[j] = side == 0 ? -h : h;
          State moved = start, faster = start;
          system->retract(start.p, delta, moved.p);
          faster.v[j] += delta[j];
          ends_p[side] = value(*system, name, moved, *ws);
          ends_v[side] = value(*system, name, faster, *ws);
        }
        EXPECT_NEAR(by_p[j], (ends_p[1] - ends_p[0]) / (2 * h), 1e-8) << name << " " << j;
        EXPECT_NEAR(by_v[j], (ends_v[1] - ends_v[0]) / (2 * h), 1e-8) << name << " " << j;
        if (by_p[j] != 0 || by_v[j] != 0) {
          EXPECT_THAT(told, testing::Contains(static_cast<int>(j))) << name;
        }
      }
    }
  }
}

/// A measure is followed to second order, so that a stop can be held on it.
TEST(NewSensors, CanBeHeldWhereTheyAreMeasures) {
  const auto system = compiled_with(3);
  ASSERT_TRUE(system);
  ASSERT_TRUE(system->holds());
  const auto held = system->holds()->hold({0});
  ASSERT_TRUE(held);
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const DerivativeReport report = check_derivatives(*held, random_point(*held, seed, 0.1));
    EXPECT_LE(report.worst, 1e-6) << report.where;
  }
  Diagnostics diagnostics;
  EXPECT_FALSE(compiled_with(model(3, "fast - 1"), diagnostics));
  EXPECT_THAT(format(diagnostics), testing::HasSubstr("an impulse needs a function of positions"));
}

}  // namespace
}  // namespace kardan::test
