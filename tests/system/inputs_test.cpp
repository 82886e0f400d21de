/// Whatever varies with time by itself must be told to the step control.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kardan/elements/catalog.h"
#include "support/models.h"

namespace kardan::test {
namespace {

std::size_t inputs_of(const Model& model) {
  const auto system = compiled(model);
  if (!system) return 0;
  return system->at(system->start()).time_inputs().size();
}

/// The first element of the type, with a field set.
Model with_field(Model model, std::string_view type, const std::string& key,
                 const std::string& value) {
  for (NamedFields& element : model.elements) {
    const FieldValue* own = element.find("type");
    if (!own || std::get<std::string>(own->data) != type) continue;
    std::erase_if(element.fields, [&](const auto& field) { return field.first == key; });
    element.fields.emplace_back(key, FieldValue(value));
    return model;
  }
  ADD_FAILURE() << "no element of type " << type;
  return model;
}

TEST(Inputs, AreToldByEveryElementForEveryFunctionOfTime) {
  int seen = 0;
  for (const ElementType& type : Catalog::builtin().types()) {
    if (type.category == Category::sensor) continue;
    for (const FieldDoc& field : type.fields) {
      const bool law = field.kind == "expression" &&
                       std::ranges::find(field.info.variables, "t") != field.info.variables.end();
      if (field.kind != "function of t" && field.kind != "formula of t and quantities" && !law)
        continue;
      ASSERT_FALSE(type.example.empty()) << type.name;
      const Model model = model_of("kardan: 1\n" + std::string(type.example));
      const Model constant = with_field(model, type.name, field.key, "2");
      const Model varying = with_field(model, type.name, field.key, "2 + sin(t)");
      // Some go with others only, which the example has, or are functions of something else.
      Diagnostics refused;
      if (!compile_model(constant, {}, refused) || !compile_model(varying, {}, refused)) continue;
      EXPECT_GT(inputs_of(varying), inputs_of(constant))
          << type.name << "." << field.key << " varies with time and is not told";
      ++seen;
    }
  }
  EXPECT_GE(seen, 10);
}

TEST(Inputs, AreMeasuredOnTheBodyTheyPush) {
  const auto system = compiled(model_of(R"yaml(kardan: 1
bodies: {a: {mass: 4, inertia: [1, 2, 5], markers: {m: {at: [0.5, 0, 0]}}}}
forces: {push: {type: force, on: a.m, fx: 8*t}}
)yaml"));
  const State start = system->start();
  const std::vector<InputEffect>& effects = system->at(start).time_inputs();
  ASSERT_EQ(effects.size(), 1U);
  ASSERT_EQ(effects[0].velocities.size(), 6U);
  EXPECT_DOUBLE_EQ(effects[0].velocities[0].factor, 0.25);
  // No torque of 0.5 m times 1 N turns it up faster than about its lightest axis.
  EXPECT_GE(effects[0].velocities[3].factor, 0.5);
  EXPECT_LE(effects[0].velocities[3].factor, 1.0);
  InputBounds bounds[1];
  const auto ws = system->make_workspace();
  system->at(start, *ws).enclose_time_inputs(start, 1, 3, 4, bounds, *ws);
  EXPECT_NEAR(bounds[0].value.lo, 8, 1e-12);
  EXPECT_NEAR(bounds[0].value.hi, 24, 1e-12);
  EXPECT_NEAR(bounds[0].size[1], 8, 1e-12);
  EXPECT_EQ(bounds[0].size[2], 0);
}

TEST(Inputs, OfDriversAreAccelerations) {
  const auto system = compiled(model_of(R"yaml(kardan: 1
dimension: 2
bodies: {a: {kind: point, mass: 4}}
drivers: {d: {type: driver, between: [ground, a], coordinate: x, motion: "0.5*t^3"}}
)yaml"));
  InputBounds bounds[1];
  const auto ws = system->make_workspace();
  const State start = system->start();
  ASSERT_EQ(system->at(start).time_inputs().size(), 1U);
  EXPECT_DOUBLE_EQ(system->at(start).time_inputs()[0].velocities[0].factor, 1);
  system->at(start, *ws).enclose_time_inputs(start, 1, 3, 4, bounds, *ws);
  EXPECT_NEAR(bounds[0].value.lo, -9, 1e-12);
  EXPECT_NEAR(bounds[0].value.hi, -3, 1e-12);
  EXPECT_NEAR(bounds[0].size[1], 3, 1e-12);
}

TEST(Inputs, OfUsersEquationsAreThoseThatDependOnTime) {
  const auto system = compiled(model_of(R"yaml(kardan: 1
equations:
  positions: {x: 0, y: 0}
  velocities: {vx: 1, vy: 0}
  dynamic: {r: {start: 0, rate: "exp(-t) - r"}}
  definitions: {pull: "cos(t)"}
  mass: {vx: 5, vy: 1}
  forces: {vx: "10*pull*x", vy: "-y"}
)yaml"));
  ASSERT_TRUE(system);
  const std::vector<InputEffect>& effects = system->at(system->start()).time_inputs();
  ASSERT_EQ(effects.size(), 2U);
  ASSERT_EQ(effects[0].velocities.size(), 1U);
  EXPECT_DOUBLE_EQ(effects[0].velocities[0].factor, 0.2);
  ASSERT_EQ(effects[1].dynamic.size(), 1U);
}

}  // namespace
}  // namespace kardan::test
