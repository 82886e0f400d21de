#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/cli/command.h"
#include "kardan/base/text.h"
#include "kardan/elements/catalog.h"

namespace kardan::cli {
namespace {

std::string dimensions(const ElementType& t) {
  if (t.build_planar && t.build_spatial) return "planar, spatial";
  return t.build_planar ? "planar" : "spatial";
}

nlohmann::ordered_json type_json(const ElementType& t) {
  nlohmann::ordered_json out;
  out["name"] = t.name;
  out["category"] = to_string(t.category);
  out["summary"] = t.summary;
  out["equation"] = t.equation;
  out["markers"] = t.frames;
  out["dimensions"] = dimensions(t);
  out["fields"] = nlohmann::ordered_json::array();
  for (const FieldDoc& f : t.fields)
    out["fields"].push_back({{"key", f.key},
                             {"kind", f.kind},
                             {"unit", f.info.unit},
                             {"default", f.default_text},
                             {"required", f.info.need == Need::required},
                             {"choices", f.info.choices},
                             {"variables", f.info.variables},
                             {"doc", f.info.doc}});
  return out;
}

void print_type(const ElementType& t) {
  fmt::print("{} ({}, {})\n\n{}\n\n  {}\n\n", t.name, to_string(t.category), dimensions(t),
             t.summary, t.equation);
  fmt::print("{}\n", t.frames == 1 ? "on: MARKER"
                                   : fmt::format("between: [{} markers]   or   bodies: [...], at: "
                                                 "[x, y, z], axis: [x, y, z]",
                                                 t.frames));
  for (const FieldDoc& f : t.fields) {
    std::string more = f.info.doc;
    if (!f.info.choices.empty()) more += fmt::format(": {}", fmt::join(f.info.choices, ", "));
    if (!f.info.variables.empty())
      more += fmt::format("; of {}", fmt::join(f.info.variables, ", "));
    fmt::print("  {:<24}{:<18}{:<14}{:<12}{}\n", f.key, f.kind,
               f.info.unit.empty() ? "" : "[" + f.info.unit + "]",
               f.info.need == Need::required ? "required" : f.default_text, more);
  }
}

}  // namespace

int elements(const std::string& name, bool json) {
  const Catalog& catalog = Catalog::builtin();
  if (!name.empty()) {
    const ElementType* type = catalog.find(name);
    if (!type) {
      const std::string near = did_you_mean(name, catalog.names());
      fmt::print(stderr, "kardan: no element type '{}'{}\n", name,
                 near.empty() ? "" : "; did you mean '" + near + "'?");
      return bad_input;
    }
    if (json)
      fmt::print("{}\n", type_json(*type).dump(2));
    else
      print_type(*type);
    return finished;
  }
  if (json) {
    auto all = nlohmann::ordered_json::array();
    for (const ElementType& t : catalog.types()) all.push_back(type_json(t));
    fmt::print("{}\n", all.dump(2));
    return finished;
  }
  for (const Category c : {Category::joint, Category::driver, Category::nonholonomic,
                           Category::force, Category::contact, Category::sensor}) {
    fmt::print("{}\n", to_string(c));
    for (const ElementType& t : catalog.types())
      if (t.category == c) fmt::print("  {:<26}{:<17}{}\n", t.name, dimensions(t), t.summary);
  }
  fmt::print("\n`kardan elements NAME` shows one in full.\n");
  return finished;
}

}  // namespace kardan::cli
