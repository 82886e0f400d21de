#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/cli/command.h"
#include "apps/cli/print.h"
#include "kardan/base/text.h"
#include "kardan/elements/catalog.h"
#include "kardan/io/simulate_options.h"
#include "kardan/model/body.h"
#include "kardan/model/functions.h"
#include "kardan/model/observation.h"
#include "kardan/model/shape.h"

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
  out["example"] = t.example;
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
  fmt::print("{}\n", t.frames == 0            ? "no markers"
                     : t.frames == any_frames ? "between: [MARKERS]   or   joints: [JOINTS]"
                     : t.frames == 1
                         ? "on: MARKER"
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
  if (t.example.empty()) return;
  fmt::print("\nkardan: 1\n{}", t.example);
}

constexpr Category categories[] = {Category::joint, Category::driver,  Category::nonholonomic,
                                   Category::force, Category::contact, Category::sensor};

const char* heading(Category c) {
  switch (c) {
    case Category::joint:
      return "Joints";
    case Category::driver:
      return "Drivers";
    case Category::nonholonomic:
      return "Nonholonomic constraints";
    case Category::force:
      return "Forces";
    case Category::contact:
      return "Contacts";
    case Category::sensor:
      break;
  }
  return "Sensors";
}

/// A cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

void print_field_table(const std::vector<FieldDoc>& fields) {
  fmt::print("| key | value | unit | default | meaning |\n|---|---|---|---|---|\n");
  for (const FieldDoc& f : fields) {
    std::string doc = f.info.doc;
    if (!f.info.choices.empty())
      doc += fmt::format("{}one of {}", doc.empty() ? "" : ": ", fmt::join(f.info.choices, ", "));
    if (!f.info.variables.empty())
      doc += fmt::format("; may use {}", fmt::join(f.info.variables, ", "));
    fmt::print("| `{}` | {} | {} | {} | {} |\n", f.key, cell(f.kind), cell(f.info.unit),
               f.info.need == Need::required ? "required" : cell(f.default_text), cell(doc));
  }
}

void print_type_markdown(const ElementType& t) {
  fmt::print("\n### {}\n\n{} {}; {}.\n\n```text\n{}\n```\n", t.name, t.summary,
             t.build_planar && t.build_spatial ? "Planar and spatial"
             : t.build_planar                  ? "Planar"
                                               : "Spatial",
             t.frames == 0            ? "no markers"
             : t.frames == any_frames ? "`between` two or more markers, or `joints`"
             : t.frames == 1          ? "`on` one marker"
                                      : fmt::format("`between` {} markers", t.frames),
             t.equation);
  if (!t.fields.empty()) {
    fmt::print("\n");
    print_field_table(t.fields);
  }
  if (!t.example.empty()) fmt::print("\n```yaml\n{}```\n", t.example);
}

void print_function_markdown() {
  fmt::print(
      "\n## Functions\n\n"
      "Entries of the section `functions`; besides these an expression of `t` or a table "
      "`[[t, y], ...]`.\nThey are called in expressions as `NAME(t)`.\n");
  for (const FunctionDoc& f : function_docs()) {
    fmt::print("\n### {}\n\n{}\n\n```text\n{}\n```\n\n", f.type, f.summary, f.equation);
    print_field_table(f.fields);
  }
  fmt::print(
      "\n## Inputs\n\nEntries of the section `inputs`: set from outside while a simulation goes on "
      "step by step; elsewhere an input\nstays at its start. They are called in expressions as "
      "`NAME(t)`.\n\n```text\ny = the polynomial of degree 0, 1 or 3 through the values set "
      "last\n```\n\n");
  print_field_table(input_field_docs());
}

void print_markdown(const Catalog& catalog) {
  fmt::print(
      "# Elements\n\n"
      "Every field of bodies, markers, shapes, functions, events and runs, and every element type "
      "with\nits equation and an example. Made by `kardan elements --markdown`: do not edit. How "
      "fields are written is in\n"
      "[model-files.md](model-files.md). In the equations A, B, ... are the markers in the order "
      "given, d is\nthe vector from A to B, x_A is the x axis of A in the world.\n");
  fmt::print("\n## Bodies\n\n");
  auto body = body_field_docs();
  const auto more = [&](const char* key, const char* kind, const char* doc) {
    body.push_back({key, kind, "none", {.doc = doc}});
  };
  more("markers", "{name: marker, ...}", "frames on the body");
  more("shapes", "[shape, ...]", "for drawing, and for the mass where there is a density");
  more("hold", "[coordinate, ...]", "coordinates and velocities that `assemble` keeps");
  print_field_table(body);
  fmt::print("\n## Markers\n\n");
  print_field_table(marker_field_docs());
  fmt::print("\n## Shapes\n\n");
  auto shape = shape_field_docs();
  shape.push_back(
      {"use", "word", "none", {.doc = "name of a shape; the other keys replace its own"}});
  print_field_table(shape);
  fmt::print("\nColours with a name: {}.\n", fmt::join(builtin_colors(), ", "));
  print_function_markdown();
  fmt::print("\n## Events\n\nEntries of the section `when`.\n\n");
  print_field_table(event_field_docs());
  fmt::print("\n## Runs\n\nKeys of the section `simulate`.\n\n");
  auto run = simulate_field_docs();
  run.push_back({"options",
                 "{name: value, ...}",
                 "none",
                 {.doc = "of the driver, the method and the formulation: `kardan methods`"}});
  run.push_back({"tolerance_of",
                 "{name: number, ...}",
                 "none",
                 {.doc = "tolerances of variables or bodies of their own"}});
  print_field_table(run);
  for (const Category c : categories) {
    fmt::print("\n## {}\n", heading(c));
    for (const ElementType& t : catalog.types())
      if (t.category == c) print_type_markdown(t);
  }
}

}  // namespace

enum class Listing { text, json, markdown };

static int elements(const std::string& name, Listing listing) {
  const Catalog& catalog = Catalog::builtin();
  if (!name.empty()) {
    const ElementType* type = catalog.find(name);
    if (!type) {
      const std::string near = did_you_mean(name, catalog.names());
      fmt::print(stderr, "kardan: no element type '{}'{}\n", name,
                 near.empty() ? "" : "; did you mean '" + near + "'?");
      return bad_input;
    }
    if (listing == Listing::json)
      print_json(type_json(*type));
    else if (listing == Listing::markdown)
      print_type_markdown(*type);
    else
      print_type(*type);
    return finished;
  }
  if (listing == Listing::markdown) {
    print_markdown(catalog);
    return finished;
  }
  if (listing == Listing::json) {
    auto all = nlohmann::ordered_json::array();
    for (const ElementType& t : catalog.types()) all.push_back(type_json(t));
    print_json(all);
    return finished;
  }
  for (const Category c : categories) {
    fmt::print("{}\n", to_string(c));
    for (const ElementType& t : catalog.types())
      if (t.category == c) fmt::print("  {:<26}{:<17}{}\n", t.name, dimensions(t), t.summary);
  }
  fmt::print("\n`kardan elements NAME` shows one in full.\n");
  return finished;
}

Verb elements_verb() {
  struct Options {
    std::string type;
    bool json = false, markdown = false;
  };
  auto o = std::make_shared<Options>();
  return {"elements",
          "the element types, with fields and units",
          {{"NAME", "one type in full", &o->type},
           {"--json", "print one JSON document", &o->json},
           {.name = "--markdown",
            .doc = "print the reference of docs/look-up/elements.md",
            .to = &o->markdown,
            .excludes = "--json"}},
          [o] {
            return elements(o->type, o->json       ? Listing::json
                                     : o->markdown ? Listing::markdown
                                                   : Listing::text);
          }};
}

}  // namespace kardan::cli
