#include "kardan/io/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

#include "kardan/base/text.h"
#include "kardan/base/unit_factors.h"
#include "kardan/io/expander_template.h"

namespace kardan {
namespace {

struct Name {
  std::string_view text;
  Unit unit;
};

/// Units that take prefixes. Of the kilogram the gram does.
constexpr std::array<Name, 10> with_prefixes{{{"m", {{1, 0, 0}}},
                                              {"g", {{0, 1, 0}, 1, 1e3}},
                                              {"s", {{0, 0, 1}}},
                                              {"rad", {{0, 0, 0}}},
                                              {"Hz", {{0, 0, -1}}},
                                              {"N", {{1, 1, -2}}},
                                              {"Nm", {{2, 1, -2}}},
                                              {"J", {{2, 1, -2}}},
                                              {"W", {{2, 1, -3}}},
                                              {"Pa", {{-1, 1, -2}}}}};

struct Prefix {
  std::string_view text;
  double numerator, denominator;
};
constexpr std::array<Prefix, 8> prefixes{{{"", 1, 1},
                                          {"n", 1, 1e9},
                                          {"u", 1, 1e6},
                                          {"m", 1, 1e3},
                                          {"c", 1, 1e2},
                                          {"k", 1e3, 1},
                                          {"M", 1e6, 1},
                                          {"G", 1e9, 1}}};

constexpr double pi = std::numbers::pi;

/// Units by themselves. bar, rpm and what counts turns: International System of Units (BIPM, 9th
/// edition), tables 8 and 4; rev/min as in ISO 80000-3.
constexpr std::array<Name, 9> others{{{"1", {{0, 0, 0}}},
                                      {"deg", {{0, 0, 0}, pi, 180}},
                                      {"rev", {{0, 0, 0}, 2 * pi, 1}},
                                      {"rpm", {{0, 0, -1}, 2 * pi, 60}},
                                      {"min", {{0, 0, 1}, 60, 1}},
                                      {"h", {{0, 0, 1}, 3600, 1}},
                                      {"t", {{0, 1, 0}, 1e3, 1}},
                                      {"bar", {{-1, 1, -2}, 1e5, 1}},
                                      {"Nmm", {{2, 1, -2}, 1, 1e3}}}};

std::optional<Unit> named(std::string_view name) {
  for (const Name& other : others)
    if (name == other.text) return other.unit;
  for (const Prefix& prefix : prefixes) {
    if (!name.starts_with(prefix.text)) continue;
    const std::string_view rest = name.substr(prefix.text.size());
    for (const Name& base : with_prefixes) {
      if (rest != base.text) continue;
      return Unit{base.unit.dimension, prefix.numerator * base.unit.numerator,
                  prefix.denominator * base.unit.denominator};
    }
  }
  return std::nullopt;
}

void multiply(Unit& into, const Unit& by, int power) {
  Dimension& d = into.dimension;
  d = {d.m + power * by.dimension.m, d.kg + power * by.dimension.kg, d.s + power * by.dimension.s};
  for (int i = 0; i < std::abs(power); ++i) {
    into.numerator *= power > 0 ? by.numerator : by.denominator;
    into.denominator *= power > 0 ? by.denominator : by.numerator;
  }
}

/// One factor of a unit: "mm", "mm^2".
bool multiply_factor(std::string_view text, int sign, Unit& into) {
  constexpr int largest_power = 9;
  const std::size_t hat = text.find('^');
  int power = 1;
  if (hat != std::string_view::npos) {
    const std::string_view digits = text.substr(hat + 1);
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), power);
    if (status != std::errc() || end != digits.data() + digits.size() ||
        std::abs(power) > largest_power)
      return false;
  }
  const auto unit = named(text.substr(0, hat));
  if (!unit) return false;
  multiply(into, *unit, sign * power);
  return true;
}

const FieldValue* find(const FieldMap& map, std::string_view key) {
  for (const auto& [name, value] : map)
    if (name == key) return &value;
  return nullptr;
}

/// Multiplies what is written by the unit's size: numbers at once, expressions as text.
void scale(FieldValue& value, const Unit& unit) {
  if (auto* number = std::get_if<double>(&value.data)) {
    *number = unit.to_si(*number);
  } else if (auto* text = std::get_if<std::string>(&value.data)) {
    *text = fmt::format("({})*{}/{}", *text, format_number(unit.numerator),
                        format_number(unit.denominator));
  } else if (auto* list = std::get_if<FieldValue::List>(&value.data)) {
    for (FieldValue& item : *list) scale(item, unit);
  }
}

/// The second number of each point of a table.
void scale_points(FieldValue& points, const Unit& unit) {
  auto* list = std::get_if<FieldValue::List>(&points.data);
  if (!list) return;
  for (FieldValue& point : *list)
    if (auto* pair = std::get_if<FieldValue::List>(&point.data); pair && pair->size() == 2)
      scale((*pair)[1], unit);
}

/// What of a function's fields is in its unit, with the values they have by themselves.
struct FunctionValues {
  std::string_view type;
  std::array<std::pair<std::string_view, double>, 2> fields;
};
constexpr std::array<FunctionValues, 3> function_values{
    {{"step", {{{"from", 0}, {"to", 1}}}},
     {"ramp", {{{"from", 0}, {"to", 1}}}},
     {"harmonic", {{{"amplitude", 1}, {"offset", 0}}}}}};

void scale_function(FieldMap& map, const std::string& type, const Unit& unit) {
  for (const FunctionValues& function : function_values) {
    if (type != function.type) continue;
    for (const auto& [key, otherwise] : function.fields) {
      const auto given = std::find_if(map.begin(), map.end(),
                                      [&key = key](const auto& item) { return item.first == key; });
      if (given != map.end())
        scale(given->second, unit);
      else
        map.emplace_back(std::string(key), unit.to_si(otherwise));
    }
  }
}

/// Whether a text is an expression of numbers and t alone. What has names or calls functions is in
/// units of the SI already, as they are.
bool is_of_numbers(const std::string& text) {
  const auto parsed = Expression::parse(text);
  return parsed && std::all_of(parsed->names().begin(), parsed->names().end(),
                               [](const std::string& name) { return name == "t"; });
}

bool is_of_numbers(const FieldValue& value) {
  if (const auto* text = std::get_if<std::string>(&value.data)) return is_of_numbers(*text);
  if (const auto* list = std::get_if<FieldValue::List>(&value.data))
    return std::all_of(list->begin(), list->end(),
                       [](const FieldValue& item) { return is_of_numbers(item); });
  return true;
}

/// Whether the unit of a mapping is that of this key.
bool is_in_unit(std::string_view key) {
  if (key == "value" || key == "points") return true;
  return std::any_of(function_values.begin(), function_values.end(), [&](const auto& function) {
    return function.fields[0].first == key || function.fields[1].first == key;
  });
}

/// {value: ..., unit: mm}, {points: ..., unit: mm}, {type: step, ..., unit: mm}. A unit that is not
/// known is left for the reader of the field, who reports it.
void convert_mapping(FieldMap& map, Diagnostics& diagnostics) {
  const FieldValue* const unit_value = find(map, "unit");
  const auto* text = unit_value ? std::get_if<std::string>(&unit_value->data) : nullptr;
  const auto unit = text ? parse_any_unit(*text) : std::nullopt;
  if (!unit || parse_unit(*text)) return;
  for (const auto& [key, value] : map) {
    if (!is_in_unit(key) || is_of_numbers(value)) continue;
    diagnostics.error("unit.expression",
                      fmt::format("an expression of names cannot be in {}: they are in units of "
                                  "the SI",
                                  *text),
                      value.where,
                      fmt::format("leave 'unit: {}' out, or give the names by numbers", *text));
    return;
  }
  for (auto& [key, value] : map) {
    if (key == "value") scale(value, *unit);
    if (key == "points") scale_points(value, *unit);
    if (key == "unit") value.data = to_string(unit->dimension);
  }
  if (const FieldValue* type = find(map, "type"))
    if (const auto* name = std::get_if<std::string>(&type->data))
      scale_function(map, std::string(*name), *unit);
}

void convert_text(FieldValue& value, Diagnostics& diagnostics) {
  const auto found = parse_number_with_unit(std::get<std::string>(value.data));
  if (!found) return;
  if (!found->blank)
    diagnostics.error("unit.blank",
                      fmt::format("'{}': a blank goes between a number and its unit",
                                  std::get<std::string>(value.data)),
                      value.where,
                      fmt::format("write {0} {1}; or {0}*{1} where {1} is a name",
                                  format_number(found->number), found->text));
  FieldValue number(found->unit.to_si(found->number)), unit(to_string(found->unit.dimension));
  number.where = unit.where = value.where;
  value.data = FieldMap{{"value", std::move(number)}, {"unit", std::move(unit)}};
}

}  // namespace

std::optional<Unit> parse_any_unit(std::string_view text) {
  Unit result;
  const bool is_unit = each_unit_factor(
      text, [&](std::string_view word, int sign) { return multiply_factor(word, sign, result); });
  if (!is_unit) return std::nullopt;
  return result;
}

std::optional<NumberWithUnit> parse_number_with_unit(std::string_view text) {
  constexpr std::string_view begins = "0123456789.-+";
  if (text.empty() || begins.find(text.front()) == std::string_view::npos) return std::nullopt;
  const bool plus = text.front() == '+';
  NumberWithUnit out;
  const char* const first = text.data() + (plus ? 1 : 0);
  const auto [end, status] = std::from_chars(first, text.data() + text.size(), out.number);
  if (status != std::errc()) return std::nullopt;
  const auto digits = static_cast<std::size_t>(end - text.data());
  if (!plain_number(text.substr(0, digits))) return std::nullopt;
  const std::size_t word = text.find_first_not_of(' ', digits);
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (word == std::string_view::npos || !letter(text[word])) return std::nullopt;
  const auto unit = parse_any_unit(text.substr(word));
  if (!unit) return std::nullopt;
  out.unit = *unit;
  out.text = text.substr(word);
  out.blank = word > digits;
  return out;
}

void convert_to_si(FieldValue& value, Diagnostics& diagnostics) {
  if (std::holds_alternative<std::string>(value.data)) {
    convert_text(value, diagnostics);
  } else if (auto* list = std::get_if<FieldValue::List>(&value.data)) {
    for (FieldValue& item : *list) convert_to_si(item, diagnostics);
  } else if (auto* map = std::get_if<FieldMap>(&value.data)) {
    for (auto& [key, item] : *map) convert_to_si(item, diagnostics);
    convert_mapping(*map, diagnostics);
  }
}

void convert_to_si(Model& model, Diagnostics& diagnostics) {
  const auto all = [&](FieldMap& fields) {
    for (auto& [key, value] : fields) convert_to_si(value, diagnostics);
  };
  convert_to_si(model.gravity, diagnostics);
  for (FieldMap* fields :
       {&model.functions, &model.shapes, &model.defaults, &model.ground.fields,
        &model.equations.fields, &model.equilibrium.fields, &model.simulate.fields})
    all(*fields);
  for (auto* things : {&model.bodies, &model.elements, &model.wishes, &model.events})
    for (NamedFields& thing : *things) all(thing.fields);
}

std::optional<std::string> foreign_unit(const YamlDocument& document, std::string_view parameter) {
  const YamlNode* parameters = document.root.find("parameters");
  const YamlNode* node = parameters ? parameters->find(parameter) : nullptr;
  if (parameters && !node)  // hub.x of a vector
    node = parameters->find(parameter.substr(0, parameter.find('.')));
  if (!node) return std::nullopt;
  if (node->kind == YamlNode::Kind::mapping) {
    const YamlNode* unit = node->find("unit");
    const auto known = unit ? parse_any_unit(unit->text) : std::nullopt;
    if (known && !known->is_si()) return unit->text;
  } else if (const auto found = parse_number_with_unit(node->text); found && !found->unit.is_si()) {
    return found->text;
  }
  return std::nullopt;
}

}  // namespace kardan
