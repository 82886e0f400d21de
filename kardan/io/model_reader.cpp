#include "kardan/io/model_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "kardan/base/text.h"
#include "kardan/io/expander.h"
#include "kardan/io/inputs_outputs.h"
#include "kardan/io/units.h"
#include "kardan/io/yaml_document.h"
#include "kardan/model/names.h"
#include "kardan/model/parameters.h"

namespace kardan {
namespace {

constexpr double format_version = 1;

const std::vector<std::string>& top_level_keys() {
  static const std::vector<std::string> keys{
      "kardan",   "include",    "parts",     "inputs",      "name",    "dimension",
      "gravity",  "parameters", "functions", "colors",      "shapes",  "ground",
      "defaults", "bodies",     "elements",  "joints",      "drivers", "forces",
      "contacts", "sensors",    "assemble",  "equilibrium", "start",   "invariants",
      "when",     "outputs",    "simulate",  "equations",   "friction"};
  return keys;
}

bool holds_elements(const std::string& section) {
  return section == "elements" || section == "joints" || section == "drivers" ||
         section == "forces" || section == "contacts" || section == "sensors";
}

bool is_well_formed_word(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto allowed = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && letter(name.front()) && std::all_of(name.begin(), name.end(), allowed);
}

class ModelReader {
 public:
  ModelReader(const YamlDocument& document, const ParameterValues& overrides,
              Diagnostics& diagnostics, const ExpansionLimits& limits)
      : document_(document), overrides_(overrides), diagnostics_(diagnostics), limits_(limits) {}

  Model read() {
    const YamlNode& root = document_.root;
    model_.where = place(root);
    if (root.kind == YamlNode::Kind::null && document_.complete) {
      diagnostics_.error("model.empty", "the file is empty", {document_.files[0], 0, 0},
                         "a model starts with 'kardan: 1'");
      return std::move(model_);
    }
    if (root.kind == YamlNode::Kind::null || !is(root, YamlNode::Kind::mapping, "the file"))
      return std::move(model_);
    unknown_keys(root);
    version(root);
    header(root);
    parts(root.find("parts"));
    parameters(root.find("parameters"));
    sections(root);
    convert_to_si(model_, diagnostics_);
    return std::move(model_);
  }

 private:
  template <class Node>
  SourceLocation place(const Node& node) const {
    return document_.place(node);
  }

  /// A word, or one of a part: what stands before its last dot is the part's name.
  bool is_well_formed(std::string_view name) const {
    const auto dot = name.rfind('.');
    if (dot == std::string_view::npos) return is_well_formed_word(name);
    return parts_.contains(std::string(name.substr(0, dot))) &&
           is_well_formed_word(name.substr(dot + 1));
  }

  /// Names of parts that have been put in their places.
  void parts(const YamlNode* list) {
    if (!list) return;
    for (const YamlNode& name : list->items) parts_.insert(name.text);
  }

  /// Reports a node of another shape than wanted.
  bool is(const YamlNode& node, YamlNode::Kind wanted, const std::string& what,
          const std::string& hint = "") {
    if (node.kind == wanted) return true;
    // Where the reading ended, it is not known what would have stood there.
    const YamlNode& root = document_.root;
    if (!document_.complete && !root.items.empty() && &node == &root.items.back()) return false;
    const char* name = wanted == YamlNode::Kind::mapping ? "a mapping" : "a list";
    diagnostics_.error("model.shape",
                       fmt::format("{}: got {}; wanted {}", what, describe(node), name),
                       place(node), hint);
    return false;
  }

  bool is_scalar(const YamlNode& node, const std::string& what, const std::string& wanted) {
    if (node.is_scalar()) return true;
    diagnostics_.error("model.shape",
                       fmt::format("{}: got {}; wanted {}", what, describe(node), wanted),
                       place(node));
    return false;
  }

  void unknown_keys(const YamlNode& root) {
    FieldMap keys;
    for (const YamlKey& key : root.keys) {
      keys.emplace_back(key.text, FieldValue());
      keys.back().second.where = place(key);
    }
    report_unknown_keys(keys, top_level_keys(), "model", diagnostics_);
  }

  void version(const YamlNode& root) {
    const YamlNode* node = root.find("kardan");
    if (!node) {
      // The key may stand behind the error that ended the reading.
      if (document_.complete)
        diagnostics_.error("model.version", "the version of the format is missing", place(root),
                           "begin the file with 'kardan: 1'");
      return;
    }
    const auto number = node->is_scalar() ? plain_number(node->text) : std::nullopt;
    if (number && *number == format_version) return;
    diagnostics_.error("model.version", fmt::format("kardan: got {}; wanted 1", describe(*node)),
                       place(*node), "this program reads version 1 of the format");
  }

  void header(const YamlNode& root) {
    if (const YamlNode* name = root.find("name"); name && is_scalar(*name, "name", "a text"))
      model_.name = name->text;
    if (const YamlNode* dimension = root.find("dimension")) {
      const auto number = dimension->is_scalar() ? plain_number(dimension->text) : std::nullopt;
      if (number && (*number == 2 || *number == 3))
        model_.dimension = static_cast<int>(*number);
      else
        diagnostics_.error("model.dimension",
                           fmt::format("dimension: got {}; wanted 2 or 3", describe(*dimension)),
                           place(*dimension), "2: plane (x, y, angle); 3: space");
    }
    if (const YamlNode* start = root.find("start")) choose_start(*start);
  }

  void choose_start(const YamlNode& node) {
    static const std::vector<std::string> choices{"assembled", "as_given", "equilibrium"};
    if (!is_scalar(node, "start", "assembled, as_given or equilibrium")) return;
    if (std::find(choices.begin(), choices.end(), node.text) != choices.end()) {
      model_.start = node.text;
      return;
    }
    const std::string near = did_you_mean(node.text, choices);
    diagnostics_.error(
        "field.choice",
        fmt::format("start: got {}; wanted assembled, as_given or equilibrium", describe(node)),
        place(node), near.empty() ? "" : "did you mean '" + near + "'?");
  }

  void parameters(const YamlNode* node) {
    if (node && node->kind != YamlNode::Kind::null &&
        is(*node, YamlNode::Kind::mapping, "parameters", "write name: value")) {
      YamlNode repeated = *node;
      repeated.keys.clear();
      repeated.items.clear();
      for (std::size_t i = 0; i < node->items.size(); ++i) {
        if (node->items[i].kind != YamlNode::Kind::mapping || !node->items[i].find("repeat")) {
          parameter(node->keys[i], node->items[i]);
          continue;
        }
        repeated.keys.push_back(node->keys[i]);
        repeated.items.push_back(node->items[i]);
      }
      if (!repeated.items.empty()) repeat(repeated);
    }
    scope_.values = resolve_parameters(model_.parameters, overrides_, diagnostics_);
    for (const auto& [name, value] : model_.parameters)
      if (!scope_.values.find(name)) scope_.failed.insert(name);
  }

  /// Copies are made with the parameters that stand for themselves; what these lack is reported later.
  void repeat(const YamlNode& mapping) {
    Diagnostics later;
    scope_.values = resolve_parameters(model_.parameters, overrides_, later);
    Expander expander(scope_, document_.files, diagnostics_, limits_);
    expander.named_things(mapping, "parameters",
                          [&](std::string name, const SourceLocation& key, FieldMap fields) {
                            FieldValue value(std::move(fields));
                            value.where = key;
                            if (!is_well_formed(name)) return bad_name(name, key);
                            define_parameter(name, std::move(value), key);
                          });
  }

  /// A parameter, or the components of one that is a vector.
  void define_parameter(const std::string& name, FieldValue value, const SourceLocation& key) {
    const bool is_new = parameter_names_.insert(name).second;
    if (!is_new)
      diagnostics_.error("name.duplicate", fmt::format("the parameter '{}' is given twice", name),
                         key, "rename one of them");
    convert_to_si(value, diagnostics_);
    auto* map = std::get_if<FieldMap>(&value.data);
    FieldValue* inner = &value;
    const FieldValue* unit = nullptr;
    if (map)
      for (auto& [part, item] : *map) {
        if (part == "value") inner = &item;
        if (part == "unit") unit = &item;
      }
    const auto* list = std::get_if<FieldValue::List>(&inner->data);
    if (!list) {
      model_.parameters.emplace_back(name, std::move(value));
      return;
    }
    constexpr const char* components[] = {".x", ".y", ".z"};
    if (list->size() != 2 && list->size() != 3)
      diagnostics_.error(
          "field.type",
          fmt::format("parameters.{}: got a list of {}; wanted [x, y, z] (plane: [x, y])", name,
                      list->size()),
          value.where, "a parameter is a number or a vector");
    for (std::size_t i = 0; i < std::min<std::size_t>(list->size(), 3); ++i) {
      FieldValue component = (*list)[i];
      if (unit) {
        component = FieldValue(FieldMap{{"value", (*list)[i]}, {"unit", *unit}});
        component.where = (*list)[i].where;
      }
      model_.parameters.emplace_back(name + components[i], std::move(component));
    }
  }

  /// hub.x: a component, as vectors are written anew.
  static bool is_component(std::string_view name) {
    return name.ends_with(".x") || name.ends_with(".y") || name.ends_with(".z");
  }

  void parameter(const YamlKey& key, const YamlNode& node) {
    const std::string_view whole = key.text;
    const bool component = is_component(whole);
    if (!is_well_formed(component ? whole.substr(0, whole.size() - 2) : whole)) {
      bad_name(key.text, place(key));
      return;
    }
    const std::string what = "parameters." + key.text;
    FieldValue value;
    value.where = place(node);
    bool ok = true;
    if (node.kind == YamlNode::Kind::mapping) {
      FieldMap parts;
      for (std::size_t i = 0; i < node.items.size(); ++i) {
        const bool list =
            node.keys[i].text == "value" && node.items[i].kind == YamlNode::Kind::list;
        ok &= list ? is_list_of_scalars(node.items[i], what)
                   : is_scalar(node.items[i], what + "." + node.keys[i].text, "a number or a text");
        parts.emplace_back(node.keys[i].text,
                           list ? list_of(node.items[i]) : scalar(node.items[i]));
      }
      value.data = std::move(parts);
    } else if (node.kind == YamlNode::Kind::list) {
      ok = is_list_of_scalars(node, what);
      if (ok) value = list_of(node);
    } else {
      ok = is_scalar(node, what, "a number, an expression, [x, y, z] or {value: ..., unit: ...}");
      if (ok) value = scalar(node);
    }
    if (ok)
      define_parameter(key.text, std::move(value), place(key));
    else
      scope_.failed.insert(key.text);
  }

  bool is_list_of_scalars(const YamlNode& node, const std::string& what) {
    return std::all_of(node.items.begin(), node.items.end(), [&](const YamlNode& item) {
      return is_scalar(item, what, "numbers or expressions in a list");
    });
  }

  FieldValue list_of(const YamlNode& node) const {
    FieldValue::List list;
    for (const YamlNode& item : node.items) list.push_back(scalar(item));
    FieldValue value(std::move(list));
    value.where = place(node);
    return value;
  }

  FieldValue scalar(const YamlNode& node) const {
    FieldValue value(node.text);
    value.where = place(node);
    if (node.kind == YamlNode::Kind::plain)
      if (const auto number = plain_number(node.text)) value.data = *number;
    return value;
  }

  /// Everything that may use parameters, in the order of the file.
  void sections(const YamlNode& root) {
    Expander expander(scope_, document_.files, diagnostics_, limits_);
    for (std::size_t i = 0; i < root.items.size(); ++i) {
      const std::string& section = root.keys[i].text;
      const YamlNode& node = root.items[i];
      if (section == "gravity") {
        model_.gravity = expander.value(node, section);
      } else if (node.kind == YamlNode::Kind::null) {
        continue;  // a section left empty
      } else if (section == "bodies") {
        named(expander, node, section, model_.bodies);
      } else if (holds_elements(section)) {
        named(expander, node, section, model_.elements);
      } else if (section == "when") {
        named(expander, node, section, model_.events);
      } else if (section == "friction") {
        named(expander, node, section, model_.frictions);
      } else if (section == "invariants" ||
                 (section == "outputs" && node.kind != YamlNode::Kind::mapping)) {
        list(expander, node, section, section == "outputs" ? model_.outputs : model_.invariants);
      } else if (section == "inputs") {
        inputs(expander, node);
      } else if (section == "outputs" && node.kind == YamlNode::Kind::mapping) {
        named_outputs(expander, node);
      } else if (FieldMap* const names = definitions(section)) {
        define(expander, node, section, *names);
        if (section == "functions") refuse_inputs(*names, diagnostics_);
      } else if (section == "assemble") {
        wishes(expander, node);
      } else if (section == "ground" || section == "equilibrium" || section == "simulate" ||
                 section == "equations") {
        NamedFields& target = section == "ground"        ? model_.ground
                              : section == "equations"   ? model_.equations
                              : section == "equilibrium" ? model_.equilibrium
                                                         : model_.simulate;
        target.where = place(root.keys[i]);
        if (is(node, YamlNode::Kind::mapping, section))
          target.fields = std::get<FieldMap>(expander.value(node, section).data);
      }
    }
  }

  FieldMap* definitions(const std::string& section) {
    return section == "functions"  ? &model_.functions
           : section == "colors"   ? &model_.colors
           : section == "shapes"   ? &model_.shapes
           : section == "defaults" ? &model_.defaults
                                   : nullptr;
  }

  void define(Expander& expander, const YamlNode& node, const std::string& section, FieldMap& out) {
    if (!is(node, YamlNode::Kind::mapping, section, "write name: value")) return;
    FieldValue all = expander.value(node, section);
    for (auto& item : std::get<FieldMap>(all.data)) {
      if (is_well_formed(item.first))
        out.push_back(std::move(item));
      else
        bad_name(item.first, item.second.where);
    }
  }

  void inputs(Expander& expander, const YamlNode& node) {
    FieldMap found;
    define(expander, node, "inputs", found);
    add_inputs(std::move(found), model_, diagnostics_);
  }

  void named_outputs(Expander& expander, const YamlNode& node) {
    const FieldValue all = expander.value(node, "outputs");
    for (NamedFields& sensor : output_sensors(std::get<FieldMap>(all.data)))
      if (check_name(sensor.name, sensor.where, "sensors")) add_output(std::move(sensor), model_);
  }

  void list(Expander& expander, const YamlNode& node, const std::string& section,
            FieldValue::List& out) {
    if (!is(node, YamlNode::Kind::list, section, "write [a, b, ...]")) return;
    out = std::get<FieldValue::List>(expander.value(node, section).data);
  }

  void named(Expander& expander, const YamlNode& node, const std::string& section,
             std::vector<NamedFields>& things) {
    if (!is(node, YamlNode::Kind::mapping, section, "write name: {key: value, ...}")) return;
    expander.named_things(node, section,
                          [&](std::string name, const SourceLocation& key, FieldMap fields) {
                            if (check_name(name, key, section))
                              things.push_back({std::move(name), std::move(fields), key, section});
                          });
    things.shrink_to_fit();
  }

  void bad_name(const std::string& name, const SourceLocation& where) {
    if (reported_.insert({where.file, where.line, where.column}).second)
      diagnostics_.error("name.bad", fmt::format("'{}' cannot be a name", name), where,
                         "a name is a letter or '_', then letters, digits and '_'");
  }

  bool check_name(const std::string& name, const SourceLocation& where,
                  const std::string& section) {
    if (!is_well_formed(name)) {
      bad_name(name, where);
      return false;
    }
    // Copies made by one `repeat` share their place: one report is enough.
    const auto once = [&] {
      return reported_.insert({where.file, where.line, where.column}).second;
    };
    if (is_taken(name, section == "sensors" ? NameOf::value : NameOf::thing)) {
      if (once())
        diagnostics_.error("name.reserved",
                           fmt::format("the name '{}' has a meaning already", name), where,
                           "choose another name");
      return false;
    }
    if (scope_.values.find(name + ".x")) {
      if (once())
        diagnostics_.error(
            "name.duplicate",
            fmt::format("the name '{0}' is that of a vector too: what is {0}.x?", name), where,
            "rename the parameter, or this");
      return false;
    }
    if (parts_.contains(name)) {
      if (once())
        diagnostics_.error("name.duplicate",
                           fmt::format("'{}' is a part and something else too", name), where,
                           "the dots of a name stand behind parts: rename one of the two");
      return false;
    }
    const auto [first, is_new] = names_.emplace(name, where);
    if (!is_new && once())
      diagnostics_.error(
          "name.duplicate",
          fmt::format("the name '{}' is used twice; first at {}:{}:{}", name,
                      first->second.file.str(), first->second.line, first->second.column),
          where, "bodies, elements and events share their names: rename one");
    return is_new;
  }

  void wishes(Expander& expander, const YamlNode& node) {
    if (!is(node, YamlNode::Kind::list, "assemble", "write - {want: ..., equals: ...}")) return;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const std::string what = fmt::format("assemble[{}]", i);
      if (!is(node.items[i], YamlNode::Kind::mapping, what, "write {want: ..., equals: ...}"))
        continue;
      NamedFields wish;
      wish.where = place(node.items[i]);
      wish.fields = std::get<FieldMap>(expander.value(node.items[i], what).data);
      model_.wishes.push_back(std::move(wish));
    }
  }

  const YamlDocument& document_;
  const ParameterValues& overrides_;
  Diagnostics& diagnostics_;
  const ExpansionLimits& limits_;
  Model model_;
  ParameterScope scope_;
  std::set<std::string> parameter_names_;
  std::unordered_map<std::string, SourceLocation> names_;  // of bodies, elements and events
  std::set<std::string> parts_;                            // what stands before dots of names
  std::set<std::tuple<std::string, int, int>> reported_;
};

}  // namespace

Model read_model_draft(const YamlDocument& document, const ParameterValues& overrides,
                       Diagnostics& diagnostics, const ExpansionLimits& limits) {
  return ModelReader(document, overrides, diagnostics, limits).read();
}

std::optional<Model> read_model_text(std::string_view text, const std::string& file,
                                     const ParameterValues& overrides, Diagnostics& diagnostics,
                                     IncludeFrom from) {
  const std::size_t errors = diagnostics.error_count();
  const YamlDocument document = parse_with_includes(text, file, from, diagnostics);
  Model model = read_model_draft(document, overrides, diagnostics);
  if (diagnostics.error_count() > errors) return {};
  return model;
}

std::optional<Model> read_model_file(const std::string& path, const ParameterValues& overrides,
                                     Diagnostics& diagnostics, IncludeFrom from) {
  const auto text = read_text(path, FileKind::regular_or_pipe, {path, 0, 0}, diagnostics);
  if (!text) return {};
  return read_model_text(*text, path, overrides, diagnostics, from);
}

}  // namespace kardan
