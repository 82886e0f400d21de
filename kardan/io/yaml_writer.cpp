#include "kardan/io/yaml_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "kardan/base/text.h"
#include "kardan/io/expander.h"
#include "kardan/io/units.h"

namespace kardan {
namespace {

constexpr std::size_t line_width = 100;

std::string in_quotes(std::string_view text) {
  std::string out(1, '"');
  for (const char c : text) {
    const std::size_t special = std::string_view("\"\\\n\t\r").find(c);
    if (special == std::string_view::npos) {
      out.push_back(c);
    } else {
      out.push_back('\\');
      out.push_back("\"\\ntr"[special]);
    }
  }
  out.push_back('"');
  return out;
}

/// Letters, digits and signs that mean nothing to YAML, wherever they stand.
bool is_plain(const std::string& text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_.+-*/^()= ").find(c) != std::string_view::npos;
  };
  const auto begins = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '(';
  };
  return !text.empty() && begins(text.front()) && text.back() != ' ' &&
         std::all_of(text.begin(), text.end(), allowed);
}

std::string yaml_scalar(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::null) return "null";
  if (node.kind == YamlNode::Kind::plain && (is_plain(node.text) || plain_number(node.text)))
    return node.text;
  return in_quotes(node.text);
}

std::string yaml_key(const std::string& key) {
  static const std::regex word("[A-Za-z_][A-Za-z0-9_]*");
  // Words that YAML takes for something else.
  static const std::regex taken("null|true|false", std::regex::icase);
  return std::regex_match(key, word) && !std::regex_match(key, taken) ? key : in_quotes(key);
}

/// One line: [a, b], {key: value}.
std::string flow(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::list) {
    std::vector<std::string> items;
    for (const YamlNode& item : node.items) items.push_back(flow(item));
    return fmt::format("[{}]", fmt::join(items, ", "));
  }
  if (node.kind == YamlNode::Kind::mapping) {
    std::vector<std::string> items;
    for (std::size_t i = 0; i < node.items.size(); ++i)
      items.push_back(fmt::format("{}: {}", yaml_key(node.keys[i].text), flow(node.items[i])));
    return fmt::format("{{{}}}", fmt::join(items, ", "));
  }
  return yaml_scalar(node);
}

/// Sections and what does not fit a line go over several.
void block(const YamlNode& node, std::size_t indent, std::string& out) {
  const std::string margin(indent, ' ');
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const YamlNode& item = node.items[i];
    const bool list = node.kind == YamlNode::Kind::list;
    const std::string lead = list ? "-" : yaml_key(node.keys[i].text) + ":";
    const std::string line = flow(item);
    const bool section = indent == 0 && item.kind == YamlNode::Kind::mapping;
    const bool fits = indent + lead.size() + 1 + line.size() <= line_width;
    if (item.items.empty() || (fits && !section)) {
      out += fmt::format("{}{} {}\n", margin, lead, line);
    } else {
      out += fmt::format("{}{}\n", margin, lead);
      block(item, indent + 2, out);
    }
  }
}

std::string json_scalar(const YamlNode& node) {
  static const std::regex number(R"(-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?)");
  if (node.kind == YamlNode::Kind::null) return "null";
  if (node.kind == YamlNode::Kind::quoted) return in_quotes(node.text);
  const auto value = plain_number(node.text);
  if (!value) return in_quotes(node.text);
  return std::regex_match(node.text, number) ? node.text : format_number(*value);
}

void json(const YamlNode& node, std::size_t indent, std::string& out) {
  if (node.kind != YamlNode::Kind::list && node.kind != YamlNode::Kind::mapping) {
    out += json_scalar(node);
    return;
  }
  const bool list = node.kind == YamlNode::Kind::list;
  const bool flat = std::none_of(node.items.begin(), node.items.end(),
                                 [](const YamlNode& n) { return !n.items.empty(); });
  const auto new_line = [&](std::size_t blanks) {
    if (!flat) out.append(1, '\n').append(blanks, ' ');
  };
  out += list ? '[' : '{';
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (i > 0) out.append(flat ? ", " : ",");
    new_line(indent + 2);
    if (!list) out.append(in_quotes(node.keys[i].text)).append(": ");
    json(node.items[i], indent + 2, out);
  }
  new_line(indent);
  out += list ? ']' : '}';
}

YamlNode text_node(std::string text) {
  YamlNode node;
  node.kind = YamlNode::Kind::quoted;
  node.text = std::move(text);
  return node;
}

YamlNode number_node(double number) {
  YamlNode node = text_node(format_number(number));
  node.kind = YamlNode::Kind::plain;
  return node;
}

void put(YamlNode& mapping, std::string key, YamlNode value) {
  mapping.kind = YamlNode::Kind::mapping;
  mapping.keys.push_back({std::move(key), 0, 0, 0});
  mapping.items.push_back(std::move(value));
}

YamlNode tree_of(const FieldMap& map);

YamlNode tree_of(const FieldValue::List& list);

YamlNode tree_of(const FieldValue& value) {
  if (const auto* number = std::get_if<double>(&value.data)) return number_node(*number);
  if (const auto* text = std::get_if<std::string>(&value.data)) return text_node(*text);
  if (const auto* list = std::get_if<FieldValue::List>(&value.data)) return tree_of(*list);
  return tree_of(std::get<FieldMap>(value.data));
}

YamlNode tree_of(const FieldValue::List& list) {
  YamlNode node;
  node.kind = YamlNode::Kind::list;
  for (const FieldValue& item : list) node.items.push_back(tree_of(item));
  return node;
}

YamlNode tree_of(const FieldMap& map) {
  YamlNode node;
  node.kind = YamlNode::Kind::mapping;
  for (const auto& [key, value] : map) put(node, key, tree_of(value));
  return node;
}

void put_fields(YamlNode& root, const char* key, const FieldMap& fields) {
  if (!fields.empty()) put(root, key, tree_of(fields));
}

void put_things(YamlNode& root, const char* key, const std::vector<NamedFields>& things) {
  if (things.empty()) return;
  YamlNode section;
  for (const NamedFields& thing : things) put(section, thing.name, tree_of(thing.fields));
  put(root, key, std::move(section));
}

/// Section by section as they were read; all in one where that would change their order.
void put_elements(YamlNode& root, const std::vector<NamedFields>& elements) {
  std::vector<std::string> sections;
  bool sorted = true;
  for (const NamedFields& e : elements) {
    if (!sections.empty() && sections.back() == e.section) continue;
    sorted &= !e.section.empty() &&
              std::find(sections.begin(), sections.end(), e.section) == sections.end();
    sections.push_back(e.section);
  }
  if (!sorted) return put_things(root, "elements", elements);
  for (const std::string& section : sections) {
    std::vector<NamedFields> members;
    for (const NamedFields& e : elements)
      if (e.section == section) members.push_back(e);
    put_things(root, section.c_str(), members);
  }
}

/// What stands before the dots of names.
FieldValue::List parts_of(const Model& model) {
  std::vector<std::string> found;
  const auto look = [&](const std::string& name) {
    for (auto dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
      if (std::ranges::find(found, name.substr(0, dot)) == found.end())
        found.push_back(name.substr(0, dot));
  };
  for (const FieldMap* names : {&model.functions, &model.colors, &model.shapes})
    for (const auto& [name, value] : *names) look(name);
  // hub.x is a component of a vector.
  for (const auto& [name, value] : model.parameters) {
    const bool component = name.ends_with(".x") || name.ends_with(".y") || name.ends_with(".z");
    look(component ? name.substr(0, name.size() - 2) : name);
  }
  for (const auto* things : {&model.bodies, &model.elements, &model.events, &model.frictions})
    for (const NamedFields& thing : *things) look(thing.name);
  FieldValue::List out;
  for (std::string& name : found) out.emplace_back(std::move(name));
  return out;
}

}  // namespace

std::string to_yaml(const YamlNode& root) {
  std::string out;
  block(root, 0, out);
  return out;
}

std::string to_json(const YamlNode& root) {
  std::string out;
  json(root, 0, out);
  out.push_back('\n');
  return out;
}

YamlNode to_tree(const Model& model) {
  YamlNode root;
  put(root, "kardan", number_node(1));
  if (!model.name.empty()) put(root, "name", text_node(model.name));
  put(root, "dimension", number_node(model.dimension));
  put(root, "gravity", tree_of(model.gravity));
  if (const FieldValue::List parts = parts_of(model); !parts.empty())
    put(root, "parts", tree_of(parts));
  put_fields(root, "parameters", model.parameters);
  FieldMap inputs, functions;
  for (const auto& [name, value] : model.functions) {
    const auto* map = std::get_if<FieldMap>(&value.data);
    const auto is_type = [](const auto& field) {
      const auto* text = std::get_if<std::string>(&field.second.data);
      return text && field.first == "type" && *text == "input";
    };
    if (!map || std::none_of(map->begin(), map->end(), is_type)) {
      functions.emplace_back(name, value);
      continue;
    }
    FieldMap fields = *map;
    std::erase_if(fields, is_type);
    inputs.emplace_back(name, FieldValue(std::move(fields)));
  }
  put_fields(root, "inputs", inputs);
  put_fields(root, "functions", functions);
  put_fields(root, "colors", model.colors);
  put_fields(root, "shapes", model.shapes);
  put_fields(root, "defaults", model.defaults);
  put_fields(root, "equations", model.equations.fields);
  put_fields(root, "ground", model.ground.fields);
  put_things(root, "bodies", model.bodies);
  put_elements(root, model.elements);
  if (!model.wishes.empty()) {
    YamlNode wishes;
    wishes.kind = YamlNode::Kind::list;
    for (const NamedFields& wish : model.wishes) wishes.items.push_back(tree_of(wish.fields));
    put(root, "assemble", std::move(wishes));
  }
  put_fields(root, "equilibrium", model.equilibrium.fields);
  put(root, "start", text_node(model.start));
  if (!model.invariants.empty()) put(root, "invariants", tree_of(model.invariants));
  put_things(root, "when", model.events);
  put_things(root, "friction", model.frictions);
  if (!model.outputs.empty()) put(root, "outputs", tree_of(model.outputs));
  put_fields(root, "simulate", model.simulate.fields);
  return root;
}

namespace {

/// In the place of a number with or without its unit.
void replace_value(YamlNode& node, double value) {
  YamlNode* target = &node;
  for (std::size_t j = 0; j < node.keys.size(); ++j) {
    if (node.keys[j].text == "value") target = &node.items[j];
    if (node.keys[j].text != "unit") continue;
    if (const auto unit = parse_any_unit(node.items[j].text); unit && !unit->is_si())
      node.items[j] = text_node(to_string(unit->dimension));
  }
  *target = number_node(value);
}

/// The list of a vector, also of {value: [...], unit: ...}.
YamlNode* components(YamlNode& node) {
  if (node.kind == YamlNode::Kind::list) return &node;
  for (std::size_t j = 0; j < node.keys.size(); ++j)
    if (node.keys[j].text == "value" && node.items[j].kind == YamlNode::Kind::list)
      return &node.items[j];
  return nullptr;
}

/// hub.x of hub: [...]; its unit, if it is not the SI's, then stands at the other components.
bool replace_component(YamlNode& node, std::size_t index, double value) {
  YamlNode* const list = components(node);
  if (!list || index >= list->items.size()) return false;
  const YamlNode* const unit = node.find("unit");
  const auto known = unit ? parse_any_unit(unit->text) : std::nullopt;
  list->items[index] = number_node(known ? value * known->denominator / known->numerator : value);
  return true;
}

}  // namespace

bool set_parameter(YamlNode& root, const std::string& name, double value) {
  for (std::size_t i = 0; i < root.keys.size(); ++i) {
    if (root.keys[i].text != "parameters") continue;
    YamlNode& section = root.items[i];
    for (std::size_t k = 0; k < section.keys.size(); ++k) {
      const std::string& key = section.keys[k].text;
      if (key == name) {
        replace_value(section.items[k], value);
        return true;
      }
      const bool inside = name.size() == key.size() + 2 && name.starts_with(key + ".");
      if (inside && name.back() >= 'x' && name.back() <= 'z' &&
          replace_component(section.items[k], static_cast<std::size_t>(name.back() - 'x'), value))
        return true;
    }
  }
  return false;
}

}  // namespace kardan
