/// Names of a part in the model that uses it.

#include <fmt/format.h>

#include <algorithm>

#include "kardan/base/expression.h"
#include "kardan/io/part_use.h"
#include "kardan/io/units.h"

namespace kardan {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Past a number as expressions have it.
std::size_t end_of_number(const std::string& text, std::size_t i) {
  while (i < text.size() && (is_digit(text[i]) || text[i] == '.')) ++i;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t e = i + 1;
    if (e < text.size() && (text[e] == '+' || text[e] == '-')) ++e;
    if (e < text.size() && is_digit(text[e])) {
      while (e < text.size() && is_digit(text[e])) ++e;
      return e;
    }
  }
  return i;
}

/// Words of values that are no names.
bool is_word_key(const std::string& key) {
  static const std::set<std::string> keys{"unit",     "interpolation", "outside", "file",
                                          "columns",  "type",          "kind",    "shape",
                                          "priority", "direction",     "between"};
  return keys.contains(key);
}

bool is_section_of_names(const std::string& key) {
  static const std::set<std::string> keys{
      "parameters", "functions", "colors",  "shapes", "bodies",   "elements", "joints", "drivers",
      "forces",     "contacts",  "sensors", "when",   "friction", "parts",    "inputs"};
  return keys.contains(key);
}

}  // namespace

std::set<std::string> declared_names(const YamlNode& root) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < root.keys.size(); ++i) {
    if (!is_section_of_names(root.keys[i].text)) continue;
    for (const YamlKey& key : root.items[i].keys)
      names.insert(key.text.substr(0, key.text.find('.')));
  }
  return names;
}

/// Of a repeated name, `link_${i}`, what stands before its first index decides.
bool PartInstance::own(const std::string& name) const {
  if (own_.contains(name)) return true;
  return std::any_of(own_.begin(), own_.end(), [&](const std::string& known) {
    const std::size_t index = known.find("${");
    return index != std::string::npos && index > 0 && name.starts_with(known.substr(0, index));
  });
}

PartInstance::Locals PartInstance::locals_of(const YamlNode& entry) const {
  const YamlNode* repeat = entry.kind == YamlNode::Kind::mapping ? entry.find("repeat") : nullptr;
  Locals out;
  if (repeat)
    for (const YamlKey& key : repeat->keys) out.push_back(key.text);
  return out;
}

void PartInstance::rename_all(YamlNode& node, Mode mode, const Locals& locals) {
  if (node.is_scalar()) {
    node.text = renamed(node.text, mode, locals, node);
    return;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i)
    if (node.kind != YamlNode::Kind::mapping || !is_word_key(node.keys[i].text))
      rename_all(node.items[i], mode, locals);
}

std::string PartInstance::renamed(const std::string& text, Mode mode, const Locals& locals,
                                  const YamlNode& at) {
  if (parse_number_with_unit(text)) return text;
  std::string out;
  // ${expression}: over parameters and indices
  const auto slot = [&](std::size_t open) {
    const std::size_t close = std::min(text.find('}', open), text.size());
    const std::string inner = text.substr(open + 2, close - std::min(close, open + 2));
    out += "${" + renamed(inner, Mode::number, locals, at) + (close < text.size() ? "}" : "");
    return std::min(close + 1, text.size());
  };
  for (std::size_t i = 0; i < text.size();) {
    if (text.compare(i, 2, "${") == 0) {
      i = slot(i);
    } else if (is_digit(text[i]) ||
               (text[i] == '.' && i + 1 < text.size() && is_digit(text[i + 1]))) {
      const std::size_t end = std::max(i + 1, end_of_number(text, i));
      out += text.substr(i, end - i);
      i = end;
    } else if (is_letter(text[i])) {
      const std::size_t begin = i, written = out.size();
      while (i < text.size()) {
        if (text.compare(i, 2, "${") == 0) {
          i = slot(i);
        } else if (is_letter(text[i]) || is_digit(text[i])) {
          out.push_back(text[i++]);
        } else {
          break;
        }
      }
      const std::string raw = text.substr(begin, i - begin), first = out.substr(written);
      std::string rest;
      while (i + 1 < text.size() && text[i] == '.' &&
             (is_letter(text[i + 1]) || text[i + 1] == '$')) {
        std::size_t end = i + 1;
        while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]) ||
                                     text[end] == '$' || text[end] == '{' || text[end] == '}'))
          ++end;
        rest += text.substr(i, end - i);
        i = end;
      }
      out.resize(written);
      const bool local = std::find(locals.begin(), locals.end(), raw) != locals.end();
      if (local)
        out += first + rest;
      else if (own(raw) && first != raw)
        out += use_.name + "." + first + rest;
      else
        out += name_in_model(raw, rest, mode, at);
    } else {
      out.push_back(text[i++]);
    }
  }
  return out;
}

std::string PartInstance::name_in_model(const std::string& first, const std::string& rest,
                                        Mode mode, const YamlNode& at) {
  if (own(first)) {
    if (mode == Mode::formula) check_formula(first, rest, at);
    return use_.name + "." + first + rest;
  }
  if (const auto port = use_.ports.find(first); port != use_.ports.end())
    return port->second + rest;
  if (!Expression::is_reserved(first) && use_.outer.contains(first))
    fail("part.outside", fmt::format("'{}' is of the model that uses the part", first), at,
          fmt::format("declare it under 'parameters' or 'ports' of the part, and give it by "
                      "with: {{{0}: {0}}}",
                      first));
  return first + rest;
}

/// Formulas of a part that stands elsewhere may use what does not depend on where that is.
void PartInstance::check_formula(const std::string& first, const std::string& rest,
                                 const YamlNode& at) const {
  if (!placed() || rest.empty()) return;
  const std::string quantity = rest.substr(rest.rfind('.') + 1);
  if (bodies_.contains(first)) {
    fail("part.world",
          fmt::format("'{}{}' is a coordinate of the world, and the part is placed "
                      "by 'at' or 'mirror'",
                      first, rest),
          at, "use a coordinate of a joint, or a sensor between [ground, ...] of the part");
    return;
  }
  const auto element = elements_.find(first);
  const ElementType* type = element == elements_.end() ? nullptr : type_of(*element->second);
  if (!type) return;
  const bool component = quantity.size() == 2 && (quantity[0] == 'f' || quantity[0] == 't') &&
                         quantity[1] >= 'x' && quantity[1] <= 'z';
  const bool lambda = quantity.starts_with("lambda") || quantity.starts_with("mu");
  static const std::set<std::string> turning{"angle", "rate",       "torque",
                                             "power", "coordinate", "coordinate_rate"};
  static const std::set<std::string> sliding{
      "position",   "speed", "force", "power", "distance", "rate",           "length",
      "coordinate", "x",     "z",     "vx",    "vz",       "coordinate_rate"};
  const bool about = frames_of(*type, *element->second) == Reflection::about;
  const bool changes = mirrored() && !(about ? turning : sliding).contains(quantity);
  if (component || lambda || changes)
    fail("part.world",
          fmt::format("'{}{}' is another quantity in a part that is placed{}", first, rest,
                      mirrored() ? " and mirrored" : ""),
          at, "use the free coordinate of a joint, its rate, force or torque, or a distance");
}

}  // namespace kardan
