/// Every type of the catalog: documented, built from what a user writes, faults located.

#include "kardan/elements/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "support/models.h"
#include "support/variants.h"

namespace kardan::test {
namespace {

using testing::HasSubstr;

TEST(Catalog, HoldsTheElementsOfTheSpecification) {
  for (const char* name : {"fixed",
                           "revolute",
                           "prismatic",
                           "cylindrical",
                           "spherical",
                           "universal",
                           "planar",
                           "point_on_line",
                           "point_on_plane",
                           "constant_velocity",
                           "distance",
                           "screw",
                           "rack_and_pinion",
                           "gear",
                           "driver",
                           "lock",
                           "knife_edge",
                           "rolling_disc",
                           "rolling_sphere",
                           "spring_damper",
                           "rotational_spring_damper",
                           "bushing",
                           "force",
                           "torque",
                           "drag",
                           "sphere_plane",
                           "sphere_sphere",
                           "tyre",
                           "actuator",
                           "controller"})
    EXPECT_NE(Catalog::builtin().find(name), nullptr) << name;
}

TEST(Catalog, HasNoNameTwice) {
  std::set<std::string> names;
  for (const std::string& name : Catalog::builtin().names())
    EXPECT_TRUE(names.insert(name).second) << name;
}

TEST(Catalog, DocumentsEveryTypeAndField) {
  for (const ElementType& type : Catalog::builtin().types()) {
    EXPECT_FALSE(type.summary.empty()) << type.name;
    EXPECT_FALSE(type.equation.empty()) << type.name;
    EXPECT_FALSE(to_string(type.category).empty()) << type.name;
    EXPECT_TRUE(exists_in(type, 2) || exists_in(type, 3)) << type.name;
    std::set<std::string> keys;
    for (const FieldDoc& f : type.fields) {
      EXPECT_TRUE(keys.insert(f.key).second) << type.name << " has '" << f.key << "' twice";
      EXPECT_FALSE(f.info.doc.empty()) << type.name << "." << f.key;
      EXPECT_FALSE(f.kind.empty()) << type.name << "." << f.key;
    }
  }
}

TEST(Catalog, BuildsEveryTypeFromItsMinimalFields) {
  for (const ElementType& type : Catalog::builtin().types())
    for (const int dimension : {2, 3}) {
      if (!exists_in(type, dimension)) continue;
      const Variant v = minimal_variant(type, dimension);
      EXPECT_TRUE(v.built) << type.name << " in " << dimension << "D";
    }
}

TEST(Catalog, UsesEveryFieldAndEveryWordInSomeModel) {
  for (const ElementType& type : Catalog::builtin().types()) {
    std::set<std::string> used;
    for (const int dimension : {2, 3}) {
      if (!exists_in(type, dimension)) continue;
      for (const Variant& v : variants(type, dimension))
        for (const auto& [key, value] : v.fields) {
          used.insert(key);
          if (const auto* word = std::get_if<std::string>(&value.data))
            used.insert(key + ": " + *word);
        }
    }
    for (const FieldDoc& f : type.fields) {
      EXPECT_TRUE(used.count(f.key)) << type.name << "." << f.key << " compiles in no model";
      for (const std::string& word : f.info.choices)
        EXPECT_TRUE(used.count(f.key + ": " + word)) << type.name << ", " << f.key << ": " << word;
    }
  }
}

/// Faults of an element written in a model, which stands on line 8.
Diagnostics faults_of(const std::string& element, int dimension = 3) {
  const bool plane = dimension == 2;
  const std::string text =
      "kardan: 1\ndimension: " + std::to_string(dimension) +
      "\nbodies:\n  one: {mass: 1, inertia: " + (plane ? "1" : "[1, 1, 1]") +
      "}\n  two: {mass: 1, position: [1, 0], inertia: " + (plane ? "1" : "[1, 1, 1]") +
      "}\n\nforces:\n  element: " + element + "\n";
  Diagnostics diagnostics;
  const auto model = read_model_text(text, "model.yaml", {}, diagnostics);
  EXPECT_TRUE(model) << format(diagnostics);
  if (model) compile_model(*model, {}, diagnostics);
  return diagnostics;
}

/// Exactly one error, with this code, on line 8, its text with this word.
void expect_fault(const Diagnostics& diagnostics, const std::string& code,
                  const std::string& word) {
  ASSERT_EQ(diagnostics.error_count(), 1u) << format(diagnostics);
  const Diagnostic& d = diagnostics.all()[0];
  EXPECT_EQ(d.code, code);
  EXPECT_EQ(d.where.file, "model.yaml");
  EXPECT_EQ(d.where.line, 8);
  EXPECT_GT(d.where.column, 0);
  EXPECT_THAT(format(d), HasSubstr(word));
}

TEST(Catalog, ReportsUnknownKeysOfEveryTypeWithTheNearest) {
  for (const ElementType& type : Catalog::builtin().types()) {
    for (const FieldDoc& field : type.fields) {
      const int dimension = exists_in(type, 3) ? 3 : 2;
      Model model = model_with(minimal_variant(type, dimension));
      model.elements.back().fields.emplace_back(field.key + "x", FieldValue(1));
      Diagnostics diagnostics;
      EXPECT_EQ(compile_model(model, {}, diagnostics), nullptr);
      ASSERT_FALSE(diagnostics.empty()) << type.name;
      EXPECT_EQ(diagnostics.all()[0].code, "key.unknown") << type.name;
      EXPECT_THAT(diagnostics.all()[0].message, HasSubstr("'" + field.key + "x'"));
      EXPECT_THAT(diagnostics.all()[0].hint, HasSubstr("did you mean '")) << field.key;
    }
  }
}

TEST(Catalog, ReportsMissingFieldsOfEveryType) {
  for (const ElementType& type : Catalog::builtin().types())
    for (const FieldDoc& field : type.fields) {
      if (field.info.need != Need::required) continue;
      Model model = model_with(minimal_variant(type, exists_in(type, 3) ? 3 : 2));
      std::erase_if(model.elements.back().fields,
                    [&](const auto& item) { return item.first == field.key; });
      Diagnostics diagnostics;
      EXPECT_EQ(compile_model(model, {}, diagnostics), nullptr);
      ASSERT_EQ(diagnostics.error_count(), 1u) << type.name << "." << field.key;
      EXPECT_EQ(diagnostics.all()[0].code, "field.missing");
      EXPECT_THAT(diagnostics.all()[0].message, HasSubstr(field.key));
    }
}

TEST(Catalog, ReportsNumbersOutOfRangeOfEveryType) {
  int checked = 0;
  for (const ElementType& type : Catalog::builtin().types())
    for (const FieldDoc& field : type.fields) {
      if (field.kind != "number" || field.info.check == Check::any) continue;
      Model model = model_with(minimal_variant(type, exists_in(type, 3) ? 3 : 2));
      FieldMap& fields = model.elements.back().fields;
      std::erase_if(fields, [&](const auto& item) { return item.first == field.key; });
      fields.emplace_back(field.key, field.info.check == Check::non_zero ? 0.0 : -1.0);
      Diagnostics diagnostics;
      EXPECT_EQ(compile_model(model, {}, diagnostics), nullptr) << type.name << "." << field.key;
      ASSERT_GE(diagnostics.error_count(), 1u) << type.name << "." << field.key;
      EXPECT_EQ(diagnostics.all()[0].code, "field.range") << type.name << "." << field.key;
      // A hint of one word would be the field's name again, or its symbol.
      const std::string& hint = diagnostics.all()[0].hint;
      EXPECT_TRUE(hint.empty() || hint.find(' ') != std::string::npos) << hint;
      ++checked;
    }
  EXPECT_GT(checked, 20);
}

TEST(Catalog, LocatesFaultsWithAHint) {
  expect_fault(faults_of("{type: spring_damper, between: [one, two], stifness: 3}"), "key.unknown",
               "did you mean 'stiffness'?");
  expect_fault(faults_of("{type: spring_damper, between: [one, two], stiffness: -3}"),
               "field.range", "wanted a number >= 0 [N/m]");
  expect_fault(faults_of("{type: spring_damper, between: [one, two], stiffness: 3*kk}"),
               "expression.unknown_name", "kk");
  expect_fault(faults_of("{type: spring_damper, between: [one, tow], stiffness: 3}"),
               "body.unknown", "did you mean 'two'?");
  expect_fault(faults_of("{type: spring_damper, between: [one, two, one]}"), "element.frames",
               "wants 2");
  expect_fault(faults_of("{type: spring_damper, between: [one, one]}"), "element.same_body",
               "joins 'one' to itself");
  expect_fault(faults_of("{type: driver, between: [one, two], motion: t, coordinate: angel}"),
               "field.choice", "did you mean 'angle'?");
  expect_fault(faults_of("{type: universal, between: [one, two]}", 2), "element.dimension",
               "does not exist in a planar model");
  expect_fault(faults_of("{type: lock, between: [one, two], coordinate: z}", 2), "field.choice",
               "planar");
}

TEST(Catalog, RefusesWhatItWouldIgnore) {
  // A value that could not matter is a mistake of the user.
  EXPECT_TRUE(
      faults_of("{type: tyre, on: one, radius: 1, stiffness: 9, bump_radius: 0.1}").has_errors());
  EXPECT_TRUE(faults_of("{type: sphere_plane, between: [ground, one], radius: 1, stiffness: 9, "
                        "dissipation: 0.1}")
                  .has_errors());
  EXPECT_TRUE(faults_of("{type: force, on: one, fz: 3}", 2).has_errors()) << "no z in the plane";
  EXPECT_TRUE(faults_of("{type: torque, on: one, tx: 3}", 2).has_errors()) << "no x in the plane";
}

}  // namespace
}  // namespace kardan::test
