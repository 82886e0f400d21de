/// Units in model files: values with units become the same in units of the SI.

#include "kardan/io/units.h"

#include <numbers>

#include "io/reading.h"
#include "kardan/io/load.h"
#include "kardan/model/resolve.h"

namespace kardan {
namespace {

constexpr double pi = std::numbers::pi;

struct Resolved {
  Blueprint blueprint;
  Diagnostics diagnostics;
};

Resolved resolved(const std::string& text) {
  Resolved out;
  Reading r = read("kardan: 1\n" + text);
  out.diagnostics.add(r.diagnostics);
  if (r.model) out.blueprint = resolve(*r.model, Catalog::builtin(), {}, out.diagnostics);
  return out;
}

TEST(Units, AreKnownWithPrefixesPowersAndQuotients) {
  const auto factor = [](std::string_view text) { return parse_any_unit(text)->to_si(1); };
  EXPECT_EQ(factor("mm"), 0.001);
  EXPECT_EQ(factor("kN"), 1000);
  EXPECT_EQ(factor("g"), 0.001);
  EXPECT_EQ(factor("t"), 1000);
  EXPECT_EQ(factor("kN/mm"), 1e6);
  EXPECT_EQ(factor("N/mm^2"), 1e6);
  EXPECT_EQ(factor("MPa"), 1e6);
  EXPECT_EQ(factor("mm^2"), 1e-6);
  EXPECT_EQ(factor("g/cm^3"), 1000);
  EXPECT_EQ(factor("deg"), pi / 180);
  EXPECT_EQ(factor("rev"), 2 * pi);
  EXPECT_EQ(factor("rpm"), 2 * pi / 60);
  EXPECT_EQ(factor("km/h"), 1000.0 / 3600);
  EXPECT_EQ(factor("kNm"), 1000);
  EXPECT_EQ(factor("N mm"), 0.001);
  EXPECT_EQ(factor("min"), 60);
  EXPECT_EQ(factor("bar"), 1e5);
  EXPECT_EQ(factor("ms"), 0.001);
  for (const std::string_view none : {"", "mmm", "lb", "N//m", "/s", "m^x", "kkg", "25"})
    EXPECT_FALSE(parse_any_unit(none)) << none;
}

/// Every unit that the rest of the library knows means the same here.
TEST(Units, AgreeWithThoseOfFields) {
  for (const ElementType& type : Catalog::builtin().types())
    for (const FieldDoc& field : type.fields)
      if (const auto dimension = parse_unit(field.info.unit)) {
        const auto unit = parse_any_unit(field.info.unit);
        ASSERT_TRUE(unit) << field.info.unit;
        EXPECT_EQ(unit->dimension, *dimension) << field.info.unit;
        EXPECT_TRUE(unit->is_si()) << field.info.unit;
      }
}

TEST(Units, OfSingleValuesAreReadWhereverANumberStands) {
  const Resolved got = resolved(
      "parameters: {L: 250 mm, k: {value: 2, unit: kN/mm}}\n"
      "gravity: [0, 0, -9810 mm/s^2]\n"
      "bodies:\n"
      "  rod: {mass: 2 t, inertia: {value: [1, 1, 1], unit: kg cm^2}, position: [25 mm, L, 2*L],\n"
      "        rotation: [0, 90 deg, 0], angular_velocity: [3000 rpm, 0, 0],\n"
      "        markers: {a: {at: {value: [1, 2, 3], unit: mm}}}}\n"
      "forces:\n"
      "  s: {type: spring_damper, between: [ground, rod], stiffness: k, free_length: 1e1 cm}\n"
      "assemble: [{want: rod.x, equals: -25 mm}]\n");
  ASSERT_TRUE(got.diagnostics.empty() || !got.diagnostics.has_errors()) << format(got.diagnostics);
  const Blueprint& b = got.blueprint;
  const BodyData& rod = b.bodies[1];
  EXPECT_EQ(*b.parameters.find("L"), 0.25);
  EXPECT_EQ(*b.parameters.find("k"), 2e6);
  EXPECT_EQ(b.gravity.z, -9.81);
  EXPECT_EQ(rod.mass, 2000);
  EXPECT_DOUBLE_EQ(rod.inertia[0][0], 1e-4);
  EXPECT_EQ(rod.position.x, 0.025);
  EXPECT_EQ(rod.position.y, 0.25);
  EXPECT_EQ(rod.spin.x, 3000 * 2 * pi / 60);
  EXPECT_NEAR(rod.R[0][2], 1, 1e-15);
  EXPECT_EQ(rod.markers.at("a").s.y, 0.002);
  EXPECT_EQ(b.wishes[0].equals, -0.025);
}

TEST(Units, OfTablesAndFunctionsScaleTheirValues) {
  const Resolved got = resolved(
      "functions:\n"
      "  lift: {points: [[0, 0], [1, 20]], interpolation: linear, unit: mm}\n"
      "  pull: {type: ramp, begin: 100 ms, end: 1, unit: kN}\n"
      "  swing: {type: harmonic, amplitude: 3, frequency: 2, phase: 90 deg, unit: deg}\n"
      "  half: {value: 5*t, unit: cm}\n"
      "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n");
  ASSERT_FALSE(got.diagnostics.has_errors()) << format(got.diagnostics);
  const auto value = [&](const char* name, double t) {
    return got.blueprint.parameters.function(name)->at(t).value;
  };
  EXPECT_EQ(value("lift", 0.5), 0.01);
  EXPECT_EQ(value("pull", 2), 1000) << "the value a ramp ends with, when it is not given: 1 kN";
  EXPECT_NEAR(value("pull", 0.55), 500, 1e-12) << "from 0.1 s on";
  EXPECT_NEAR(value("swing", 0), 3 * pi / 180, 1e-16);
  EXPECT_DOUBLE_EQ(value("half", 1), 0.05);
}

TEST(Units, ThatDoNotFitAreRefusedWithTheirPlace) {
  EXPECT_TRUE(has(resolved("bodies: {rod: {mass: 25 mm}}\n").diagnostics, "2:22 unit.dimension"));
  EXPECT_TRUE(has(resolved("bodies: {rod: {mass: 2 lb}}\n").diagnostics, "2:24 expression.syntax"));
  EXPECT_TRUE(has(resolved("bodies: {rod: {mass: 2kg}}\n").diagnostics, "2:22 unit.blank"));
  EXPECT_TRUE(has(resolved("parameters: {L: 25 mm}\nbodies: {rod: {mass: L}}\n").diagnostics,
                  "3:22 unit.dimension"));
  EXPECT_TRUE(has(resolved("parameters: {m: 2 kg}\n"
                           "bodies: {rod: {mass: {value: m/2, unit: g}}}\n")
                      .diagnostics,
                  "3:30 unit.expression"));
  EXPECT_TRUE(has(resolved("bodies: {rod: {mass: {value: 3, unit: furlong}}}\n").diagnostics,
                  "2:39 unit.unknown"));
}

TEST(Units, WithoutOneAnAngleBeyondATurnIsRemarked) {
  const std::string body = "dimension: 2\nbodies: {rod: {mass: 1, inertia: 1, angle: ";
  EXPECT_EQ(only(resolved(body + "90}}\n").diagnostics), "3:44 unit.angle");
  for (const char* meant : {"90 deg", "90 rad", "6.28", "30*pi"})
    EXPECT_TRUE(resolved(body + meant + "}}\n").diagnostics.empty()) << meant;
}

}  // namespace
}  // namespace kardan
