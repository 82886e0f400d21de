/// The schema accepts every model that the program accepts, and marks what it refuses.

#include "kardan/io/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kardan/io/yaml_writer.h"
#include "support/models.h"
#include "support/places.h"

namespace kardan {
namespace {

using SchemaJson = nlohmann::json;

/// The keywords of JSON Schema that the schema uses; another one is a fault of the test.
class Validator {
 public:
  explicit Validator(const SchemaJson& schema) : schema_(schema) {}

  /// Where and why `value` does not fit; empty if it does.
  std::string check(const SchemaJson& value) const { return check(value, schema_, "model"); }

 private:
  static bool has_type(const SchemaJson& value, const std::string& type) {
    return type == "object"    ? value.is_object()
           : type == "array"   ? value.is_array()
           : type == "string"  ? value.is_string()
           : type == "number"  ? value.is_number()
           : type == "boolean" ? value.is_boolean()
                               : type == "null" && value.is_null();
  }

  std::string check(const SchemaJson& value, const SchemaJson& schema,
                    const std::string& at) const {
    std::string fault;
    for (const auto& [keyword, rule] : schema.items()) {
      if (keyword == "$ref")
        fault = check(value, schema_["$defs"].at(rule.get<std::string>().substr(8)), at);
      else if (keyword == "type")
        fault = type(value, rule, at);
      else if (keyword == "const")
        fault = value == rule ? "" : at + ": wanted " + rule.dump();
      else if (keyword == "enum")
        fault = std::find(rule.begin(), rule.end(), value) != rule.end() ? "" : at + ": choices";
      else if (keyword == "minItems" || keyword == "maxItems")
        fault = size(value, keyword, rule, at);
      else if (keyword == "items")
        fault = items(value, rule, at);
      else if (keyword == "properties" || keyword == "additionalProperties")
        fault = keyword == "properties" ? members(value, schema, at) : fault;
      else if (keyword == "required")
        fault = required(value, rule, at);
      else if (keyword == "anyOf")
        fault = any(value, rule, at);
      else if (keyword == "allOf")
        fault = all(value, rule, at);
      else if (keyword == "if")
        fault = check(value, rule, at).empty() ? check(value, schema["then"], at) : "";
      else if (keyword != "then" && keyword != "description" && keyword != "title" &&
               keyword != "$schema" && keyword != "$defs")
        fault = "unknown keyword " + keyword;
      if (!fault.empty()) return fault;
    }
    return schema.contains("additionalProperties") && !schema.contains("properties")
               ? members(value, schema, at)
               : "";
  }

  static std::string type(const SchemaJson& value, const SchemaJson& rule, const std::string& at) {
    const SchemaJson types = rule.is_array() ? rule : SchemaJson::array({rule});
    for (const SchemaJson& t : types)
      if (has_type(value, t)) return "";
    return at + ": wanted " + rule.dump();
  }
  static std::string size(const SchemaJson& value, const std::string& keyword,
                          const SchemaJson& rule, const std::string& at) {
    if (!value.is_array()) return "";
    const auto count = value.size(), limit = rule.get<std::size_t>();
    return (keyword == "minItems" ? count >= limit : count <= limit) ? "" : at + ": count";
  }
  std::string items(const SchemaJson& value, const SchemaJson& rule, const std::string& at) const {
    if (!value.is_array()) return "";
    for (const SchemaJson& item : value)
      if (std::string fault = check(item, rule, at + "[]"); !fault.empty()) return fault;
    return "";
  }
  std::string members(const SchemaJson& value, const SchemaJson& schema,
                      const std::string& at) const {
    if (!value.is_object()) return "";
    const SchemaJson none = SchemaJson::object();
    const SchemaJson& known = schema.contains("properties") ? schema["properties"] : none;
    for (const auto& [key, item] : value.items()) {
      std::string fault;
      if (known.contains(key))
        fault = check(item, known[key], at + "." + key);
      else if (schema.contains("additionalProperties"))
        fault = schema["additionalProperties"] == false
                    ? at + ": unknown key " + key
                    : check(item, schema["additionalProperties"], at + "." + key);
      if (!fault.empty()) return fault;
    }
    return "";
  }
  static std::string required(const SchemaJson& value, const SchemaJson& rule,
                              const std::string& at) {
    if (value.is_object())
      for (const SchemaJson& key : rule)
        if (!value.contains(key.get<std::string>())) return at + ": no " + key.dump();
    return "";
  }
  std::string any(const SchemaJson& value, const SchemaJson& rule, const std::string& at) const {
    std::string faults;
    for (const SchemaJson& choice : rule) {
      const std::string fault = check(value, choice, at);
      if (fault.empty()) return "";
      faults += "\n  " + fault;
    }
    return at + ": none fits" + faults;
  }
  std::string all(const SchemaJson& value, const SchemaJson& rule, const std::string& at) const {
    for (const SchemaJson& part : rule)
      if (std::string fault = check(value, part, at); !fault.empty()) return fault;
    return "";
  }

  const SchemaJson& schema_;
};

const SchemaJson& schema() {
  static const SchemaJson parsed = SchemaJson::parse(model_schema(Catalog::builtin()));
  return parsed;
}

/// What the schema says of a model file.
std::string verdict(const std::string& text, const std::string& file = "m.yaml") {
  Diagnostics diagnostics;
  const YamlDocument d = parse_with_includes(text, file, IncludeFrom::model_folder, diagnostics);
  return Validator(schema()).check(SchemaJson::parse(to_json(d.root)));
}

TEST(Schema, AcceptsEveryShippedModel) {
  for (const std::string& name : test::shipped_names()) {
    const std::string path = models_folder() + "/" + name + ".yaml";
    Diagnostics diagnostics;
    EXPECT_EQ(verdict(*read_text(path, FileKind::regular, {}, diagnostics), path), "") << name;
  }
}

TEST(Schema, AcceptsEveryExampleOfTheCatalog) {
  for (const ElementType& type : Catalog::builtin().types())
    EXPECT_EQ(verdict("kardan: 1\n" + std::string(type.example)), "") << type.name;
}

TEST(Schema, AcceptsWhatTheFormatHas) {
  EXPECT_EQ(verdict(R"(kardan: 1
include: parts.yaml
name: all
parameters: {a: 1, b: {value: 2, unit: m}, c: 3 kN, hub: [1, a, 0], arm: {value: [1, 2], unit: mm},
             "x_${i}": {repeat: {i: [1, 2]}, value: "${i}", unit: mm}}
functions: {f: 2*t, g: [[0, 0], [1, 1]], h: {type: harmonic, frequency: 2},
            k: {points: [[0, 0], [1, 0]], interpolation: akima, outside: repeat, unit: mm},
            l: {file: road.csv, columns: [x, z], interpolation: cubic}}
colors: {mine: [1, 0, 0]}
shapes: {ball: {shape: sphere, radius: 1}}
defaults: {bodies: {mass: 1}, spring_damper: {stiffness: 3}}
bodies: {"a_${i}": {repeat: {i: [1, 3]}, mass: "${i}", position: hub, shapes: [ball, {use: ball, at: [1, 0]}]}}
forces: {m: {type: controller, joint: pin, kp: 1}}
when: {e: {expression: a_1.x, direction: rising, action: stop}}
invariants: [energy]
outputs: ["a_1.*"]
simulate: {t_end: 1, method: rn4, options: {safety: 0.7, gamma: 0.6}, tolerance_of: {a_1: 1e-3}}
)"),
            "");
}

TEST(Schema, MarksWhatTheProgramRefuses) {
  const std::string rod = "kardan: 1\nbodies: {rod: {mass: 1}}\n";
  EXPECT_NE(verdict("bodies: {}\n"), "") << "no version";
  EXPECT_NE(verdict("kardan: 1\nbodys: {}\n"), "");
  EXPECT_NE(verdict("kardan: 1\nbodies: {rod: {mas: 1}}\n"), "");
  EXPECT_NE(verdict("kardan: 1\nbodies: {rod: {position: 3}}\n"), "");
  EXPECT_NE(verdict("kardan: 1\nbodies: [rod]\n"), "");
  EXPECT_NE(verdict("kardan: 1\ndimension: 4\n"), "");
  EXPECT_NE(verdict(rod + "joints: {j: {type: revolut, between: [ground, rod]}}\n"), "");
  EXPECT_NE(verdict(rod + "joints: {j: {type: revolute, pitch: 3, between: [ground, rod]}}\n"), "");
  EXPECT_NE(verdict(rod + "joints: {j: {between: [ground, rod]}}\n"), "");
  EXPECT_NE(verdict(rod + "when: {e: {expression: rod.x, direction: up}}\n"), "");
  EXPECT_NE(verdict(rod + "simulate: {tend: 1}\n"), "");
}

}  // namespace
}  // namespace kardan
