#include "kardan/io/schema.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kardan/io/driver_options.h"
#include "kardan/io/simulate_options.h"
#include "kardan/model/body.h"
#include "kardan/model/equation_data.h"
#include "kardan/model/friction.h"
#include "kardan/model/functions.h"
#include "kardan/model/observation.h"
#include "kardan/model/placement.h"
#include "kardan/model/shape.h"

namespace kardan {
namespace {

using Json = nlohmann::ordered_json;

Json reference(const std::string& name) {
  return {{"$ref", "#/$defs/" + name}};
}

/// What a field's value looks like, from the kind its declaration gives it.
Json shape_of(const FieldDoc& field) {
  if (!field.info.choices.empty()) return {{"enum", field.info.choices}};
  static const std::pair<const char*, const char*> kinds[] = {
      {"number", "number"},
      {"whole number", "number"},
      {"[x, y, z]", "vector"},
      {"list of numbers", "numbers"},
      {"function of t", "time_function"},
      {"formula of t and quantities", "time_function"},
      {"expression", "expression"},
      {"table [[x, y], ...]", "table"},
      {"colour", "color"},
      {"true or false", "flag"}};
  for (const auto& [kind, name] : kinds)
    if (field.kind == kind) return reference(name);
  if (field.kind == "list of words") return {{"type", "array"}, {"items", {{"type", "string"}}}};
  return {{"type", "string"}};
}

Json property(const FieldDoc& field) {
  Json out = shape_of(field);
  std::string doc = field.info.doc;
  if (!field.info.unit.empty()) doc += fmt::format(" [{}]", field.info.unit);
  if (field.info.need == Need::required)
    doc += "; required";
  else
    doc += fmt::format("; default {}", field.default_text.empty() ? "none" : field.default_text);
  out["description"] = doc;
  return out;
}

Json object_of(const std::vector<FieldDoc>& fields) {
  Json properties = Json::object();
  for (const FieldDoc& f : fields) properties[f.key] = property(f);
  return {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
}

Json one_of(std::vector<Json> choices) {
  return {{"anyOf", choices}};
}

Json list_of(Json items) {
  return {{"type", "array"}, {"items", std::move(items)}};
}

/// Names with values of one shape; a section may be left empty.
Json names_of(Json values) {
  return {{"type", {"object", "null"}}, {"additionalProperties", std::move(values)}};
}

Json list_section(Json items) {
  return {{"type", {"array", "null"}}, {"items", std::move(items)}};
}

/// {value: ..., unit: ...}
Json with_unit(const Json& value) {
  return {{"type", "object"},
          {"properties", {{"value", value}, {"unit", {{"type", "string"}}}}},
          {"required", {"value"}},
          {"additionalProperties", false}};
}

/// Numbers, vectors, tables and functions.
void add_values(Json& defs) {
  const Json number = {{"type", "number"}}, text = {{"type", "string"}};
  defs["scalar"] = {{"type", {"number", "string"}},
                    {"description", "a number, or an expression of parameters"}};
  const Json scalar = reference("scalar");
  defs["number"] = one_of({scalar, with_unit(scalar)});
  defs["expression"] = one_of({scalar, with_unit(scalar)});
  Json repeated = with_unit(scalar);
  repeated["properties"]["repeat"] = reference("repeat");
  defs["parameter"] = one_of({reference("number"), reference("vector"), repeated});
  defs["flag"] = {{"enum", {true, false, "true", "false"}}};
  const Json components = {{"type", "array"}, {"items", scalar}, {"minItems", 2}, {"maxItems", 3}};
  const Json named = {{"type", "string"}, {"description", "name of a parameter that is a vector"}};
  defs["vector"] = one_of({components, with_unit(components), named});
  defs["numbers"] =
      one_of({scalar, list_of(scalar), with_unit(list_of(scalar)), with_unit(scalar)});
  const Json points =
      list_of({{"type", "array"}, {"items", scalar}, {"minItems", 2}, {"maxItems", 2}});
  const Json columns = {{"type", "array"}, {"items", text}, {"minItems", 2}, {"maxItems", 2}};
  Json how = {{"interpolation", {{"enum", {"pchip", "linear", "akima", "cubic"}}}},
              {"outside", {{"enum", {"hold", "extend", "repeat", "error"}}}},
              {"unit", text}};
  const auto table_of = [&](const char* source, const Json& value) {
    Json properties = how;
    properties[source] = value;
    if (std::string_view(source) == "file") properties["columns"] = columns;
    return Json{{"type", "object"},
                {"properties", properties},
                {"required", {source}},
                {"additionalProperties", false}};
  };
  defs["table"] = one_of({points, table_of("points", points), table_of("file", text)});
  defs["time_function"] = one_of({scalar, with_unit(scalar), reference("table")});
  defs["color"] =
      one_of({text, {{"type", "array"}, {"items", scalar}, {"minItems", 3}, {"maxItems", 3}}});
  defs["repeat"] =
      names_of({{"type", "array"}, {"items", scalar}, {"minItems", 2}, {"maxItems", 2}});
}

void add_functions(Json& defs) {
  std::vector<Json> kinds{reference("time_function")};
  for (const FunctionDoc& doc : function_docs()) {
    Json kind = object_of(doc.fields);
    kind["description"] = doc.summary;
    kind["properties"]["type"] = {{"const", doc.type}};
    kind["required"] = {"type"};
    kinds.push_back(std::move(kind));
  }
  defs["function"] = one_of(std::move(kinds));
}

/// Files used as parts, and what they leave at things that they place.
void add_parts(Json& defs) {
  const Json text = {{"type", "string"}};
  Json placement = object_of(placement_field_docs());
  defs["placed"] = list_of(placement);
  defs["placed"]["description"] = "where the part stands that this is of; written by parts";
  defs["part"] = placement;
  defs["part"]["properties"]["file"] = text;
  defs["part"]["properties"]["with"] = names_of(reference("parameter"));
  defs["part"]["required"] = {"file"};
}

void add_bodies(Json& defs) {
  const Json turned = {{"enum", {"x", "y", "z"}},
                       {"description", "half a turn of the frame; written by parts"}};
  defs["marker"] = object_of(marker_field_docs());
  defs["marker"]["properties"]["repeat"] = reference("repeat");
  defs["marker"]["properties"]["placed"] = reference("placed");
  Json placed = object_of(marker_field_docs());
  placed["properties"]["body"] = {{"type", "string"}};
  placed["properties"]["placed"] = reference("placed");
  placed["properties"]["turned"] = turned;
  placed["required"] = {"body"};
  const Json named = {{"type", "object"},
                      {"properties", {{"marker", {{"type", "string"}}}, {"turned", turned}}},
                      {"required", {"marker"}},
                      {"additionalProperties", false}};
  defs["place"] = one_of({{{"type", "string"}}, placed, named});
  defs["shape"] = object_of(shape_field_docs());
  defs["shape"]["properties"]["use"] = {{"type", "string"},
                                        {"description", "name of a shape; other keys replace its"}};
  const Json shapes = list_of(one_of({{{"type", "string"}}, reference("shape")}));
  const Json markers = names_of(reference("marker"));
  defs["body"] = object_of(body_field_docs());
  Json& body = defs["body"]["properties"];
  body["markers"] = markers;
  body["shapes"] = shapes;
  body["hold"] = list_of({{"type", "string"}});
  body["placed"] = reference("placed");
  body["accept"] = {{"const", "inertia"}};
  body["repeat"] = reference("repeat");
  defs["ground"] = {{"type", {"object", "null"}},
                    {"properties", {{"markers", markers}, {"shapes", shapes}}},
                    {"additionalProperties", false}};
}

std::string definition_of(const ElementType& type) {
  return fmt::format("element_{}", type.name);
}

Json element_type(const ElementType& type) {
  Json out = object_of(type.fields);
  out["description"] = fmt::format("{} {}", type.summary, type.equation);
  Json& p = out["properties"];
  p["type"] = {{"const", type.name}};
  p["between"] = list_of(reference("place"));
  p["on"] = reference("place");
  p["bodies"] = list_of({{"type", "string"}});
  if (!p.contains("joint"))
    p["joint"] = {{"type", "string"}, {"description", "of the model: it acts where that does"}};
  p["joints"] = {{"type", "array"},
                 {"items", {{"type", "string"}}},
                 {"description", "of the model: it acts on what these leave free"}};
  for (const char* key : {"at", "axis", "x_axis"})
    if (!p.contains(key)) p[key] = reference("vector");
  p["color"] = reference("color");
  p["placed"] = reference("placed");
  p["turned"] = {{"enum", {"x", "y", "z"}}};
  p["repeat"] = reference("repeat");
  return out;
}

void add_elements(const Catalog& catalog, Json& defs) {
  Json cases = Json::array();
  for (const ElementType& type : catalog.types()) {
    defs[definition_of(type)] = element_type(type);
    cases.push_back({{"if", {{"properties", {{"type", {{"const", type.name}}}}}}},
                     {"then", reference(definition_of(type))}});
  }
  defs["element"] = {{"type", "object"},
                     {"required", {"type"}},
                     {"properties", {{"type", {{"enum", catalog.names()}}}}},
                     {"allOf", cases}};
}

void add_requests(Json& defs) {
  defs["wish"] = {{"type", "object"},
                  {"properties",
                   {{"want", reference("scalar")},
                    {"equals", reference("number")},
                    {"priority", {{"enum", {"exactly", "if_possible", "free"}}}}}},
                  {"required", {"want", "equals"}},
                  {"additionalProperties", false}};
  const Json wishes = list_of(reference("wish"));
  defs["equations"] = {{"type", {"object", "null"}}, {"additionalProperties", false}};
  for (const std::string& key : equation_keys())
    defs["equations"]["properties"][key] = {{"type", {"object", "null"}}};
  defs["equilibrium"] = {{"type", {"object", "null"}},
                         {"properties",
                          {{"velocities", {{"enum", {"rest", "given"}}}},
                           {"solve", list_of({{"type", "string"}})},
                           {"wishes", wishes},
                           {"place", wishes}}},
                         {"additionalProperties", false}};
  defs["event"] = object_of(event_field_docs());
  defs["event"]["properties"]["repeat"] = reference("repeat");
  const Json impulse = {{"type", "object"},
                        {"properties", {{"restitution", reference("number")}}},
                        {"required", {"restitution"}},
                        {"additionalProperties", false}};
  defs["event"]["properties"]["action"] = {
      {"description", defs["event"]["properties"]["action"]["description"]},
      {"anyOf",
       {{{"enum", {"record", "stop"}}},
        {{"type", "object"},
         {"properties", {{"set", names_of(reference("number"))}, {"impulse", impulse}}},
         {"minProperties", 1},
         {"maxProperties", 1},
         {"additionalProperties", false}}}}};
  defs["friction"] = object_of(friction_field_docs());
  defs["simulate"] = object_of(simulate_field_docs());
  defs["simulate"]["type"] = {"object", "null"};
  Json& p = defs["simulate"]["properties"];
  p["tolerance_of"] = names_of(reference("number"));
  p["options"] = {{"type", "object"}, {"properties", Json::object()}};
  for (const FieldDoc& d : driver_option_docs()) p["options"]["properties"][d.key] = property(d);
}

Json defaults_of(const Catalog& catalog) {
  Json properties = {{"bodies", reference("body")}};
  for (const ElementType& type : catalog.types())
    properties[std::string(type.name)] = reference(definition_of(type));
  return {
      {"type", {"object", "null"}}, {"properties", properties}, {"additionalProperties", false}};
}

}  // namespace

std::string model_schema(const Catalog& catalog) {
  Json defs = Json::object();
  add_values(defs);
  add_functions(defs);
  add_parts(defs);
  add_bodies(defs);
  add_elements(catalog, defs);
  add_requests(defs);
  const Json text = {{"type", "string"}};
  Json p;
  p["kardan"] = {{"const", 1}, {"description", "version of the format"}};
  p["include"] = one_of({text, list_of(text)});
  p["name"] = {{"type", {"string", "number"}}};
  p["dimension"] = {{"enum", {2, 3}}, {"description", "2: plane; 3: space"}};
  p["parts"] = one_of({names_of(reference("part")), list_of(text)});
  p["ports"] = list_of(text);
  p["gravity"] = reference("vector");
  p["parameters"] = names_of(reference("parameter"));
  p["functions"] = names_of(reference("function"));
  p["colors"] = names_of(reference("color"));
  p["shapes"] = names_of(reference("shape"));
  p["defaults"] = defaults_of(catalog);
  p["ground"] = reference("ground");
  p["bodies"] = names_of(reference("body"));
  for (const char* section : {"elements", "joints", "drivers", "forces", "contacts", "sensors"})
    p[section] = names_of(reference("element"));
  p["assemble"] = list_section(reference("wish"));
  p["equations"] = reference("equations");
  p["equilibrium"] = reference("equilibrium");
  p["start"] = {{"enum", {"assembled", "as_given", "equilibrium"}}};
  p["invariants"] = list_section(text);
  p["when"] = names_of(reference("event"));
  p["friction"] = names_of(reference("friction"));
  p["inputs"] = names_of(object_of(input_field_docs()));
  Json output = object_of({});
  output["properties"]["value"] = reference("scalar");
  output["properties"]["unit"] = text;
  output["required"] = {"value"};
  p["outputs"] = one_of({list_section(text), names_of(one_of({reference("scalar"), output}))});
  p["simulate"] = reference("simulate");
  const Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                       {"title", "Kardan model"},
                       {"type", "object"},
                       {"properties", p},
                       {"required", {"kardan"}},
                       {"additionalProperties", false},
                       {"$defs", defs}};
  return schema.dump(2) + "\n";
}

}  // namespace kardan
