#include "kardan/elements/field.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "kardan/base/text.h"

namespace kardan {
namespace {

std::string describe_value(const FieldValue& v) {
  if (const auto* number = std::get_if<double>(&v.data)) return format_number(*number);
  if (const auto* text = std::get_if<std::string>(&v.data)) return "'" + *text + "'";
  if (const auto* list = std::get_if<FieldValue::List>(&v.data))
    return fmt::format("a list of {}", list->size());
  return "a mapping";
}

const char* rule(Check check) {
  switch (check) {
    case Check::positive:
      return "> 0";
    case Check::non_negative:
      return ">= 0";
    case Check::non_zero:
      return "not 0";
    case Check::unit_interval:
      return "between 0 and 1";
    case Check::any:
      break;
  }
  return "finite";
}

bool holds(Check check, double x) {
  switch (check) {
    case Check::positive:
      return x > 0;
    case Check::non_negative:
      return x >= 0;
    case Check::non_zero:
      return x != 0;
    case Check::unit_interval:
      return x >= 0 && x <= 1;
    case Check::any:
      break;
  }
  return true;
}

constexpr std::array<std::pair<std::string_view, Interpolation>, 4> interpolations{
    {{"pchip", Interpolation::pchip},
     {"linear", Interpolation::linear},
     {"akima", Interpolation::akima},
     {"cubic", Interpolation::cubic_spline}}};
constexpr std::array<std::pair<std::string_view, Outside>, 4> ways_outside{
    {{"hold", Outside::hold},
     {"extend", Outside::extend},
     {"repeat", Outside::repeat},
     {"error", Outside::error}}};

template <class Names>
std::vector<std::string> names_of(const Names& names) {
  std::vector<std::string> out;
  for (const auto& [name, meaning] : names) out.emplace_back(name);
  return out;
}

/// Of a name that has been checked.
template <class Names>
auto by_name(const Names& names, std::string_view wanted) {
  return std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.first == wanted; })
      ->second;
}

/// What a field means, as a hint. A doc of one word is the name again or a symbol ("mass", "k"): it
/// helps nobody.
std::string meaning(const FieldInfo& info) {
  return info.doc.find(' ') == std::string::npos ? "" : info.doc;
}

/// The components of a parameter that is a vector, where its name stands alone.
std::optional<FieldValue> vector_parameter(const FieldValue& v, const Environment& parameters) {
  const auto* name = std::get_if<std::string>(&v.data);
  if (!name || !parameters.find(*name + ".x")) return std::nullopt;
  FieldValue::List list;
  for (const char* component : {".x", ".y", ".z"})
    if (parameters.find(*name + component)) {
      list.emplace_back(*name + component);
      list.back().where = v.where;
    }
  FieldValue out(std::move(list));
  out.where = v.where;
  return out;
}

/// A plain number that is more than a turn in radians may be degrees.
void remark_angle(double value, const FieldValue& v, const std::string& what,
                  Diagnostics& diagnostics) {
  if (!(std::abs(value) > 2 * std::numbers::pi)) return;
  diagnostics.warning(
      "unit.angle", fmt::format("{} = {} rad, more than a turn", what, format_number(value)),
      v.where,
      fmt::format("write {0} deg for degrees, {0} rad if radians are meant", format_number(value)));
}

}  // namespace

bool ValueReader::fail(const std::string& code, const std::string& message, const FieldValue& v,
                       const std::string& hint) const {
  diagnostics_.error(code, message, v.where, hint);
  return false;
}

bool ValueReader::check(double value, const FieldValue& v, const std::string& what,
                        const FieldInfo& info) const {
  if (std::isfinite(value) && holds(info.check, value)) return true;
  return fail("field.range",
              fmt::format("{} = {}; wanted a number {}{}", what, format_number(value),
                          rule(info.check), info.unit.empty() ? "" : " [" + info.unit + "]"),
              v, meaning(info));
}

/// {value: ..., unit: ...}; a table keeps its unit among its own keys.
const FieldValue* ValueReader::without_unit(const FieldValue& v, const std::string& what,
                                            const FieldInfo& info) const {
  const auto* map = std::get_if<FieldValue::Mapping>(&v.data);
  if (!map) return &v;
  const FieldValue* value = nullptr;
  const FieldValue* unit = nullptr;
  for (const auto& [key, item] : *map) {
    if (key == "value") value = &item;
    if (key == "unit") unit = &item;
  }
  if (unit) {
    const auto* text = std::get_if<std::string>(&unit->data);
    const auto dimension = parse_unit(text ? *text : describe_value(*unit));
    if (!dimension) {
      fail("unit.unknown", fmt::format("{}: unknown unit {}", what, describe_value(*unit)), *unit,
           std::string(unit_hint));
      return nullptr;
    }
    if (!fits(*dimension, info, *unit, what)) return nullptr;
  }
  if (!value) return &v;
  report_unknown_keys(*map, {"value", "unit"}, what, diagnostics_);
  return value;
}

/// The field's unit may name several: "m or rad". One that cannot be parsed is ignored.
bool ValueReader::fits(const Dimension& got, const FieldInfo& info, const FieldValue& v,
                       const std::string& what) const {
  const std::string_view all = info.unit;
  for (std::size_t begin = 0; begin <= all.size();) {
    const std::size_t end = std::min(all.find(" or ", begin), all.size());
    const auto wanted = parse_unit(all.substr(begin, end - begin));
    if (!wanted || *wanted == got) return true;
    begin = end + 4;
  }
  return fail("unit.dimension",
              fmt::format("{}: got {}; wanted {}", what, to_string(got), info.unit), v,
              meaning(info));
}

bool ValueReader::check_dimension(const Expression& e, const FieldInfo& info, const FieldValue& v,
                                  const std::string& what) const {
  const auto found =
      find_dimension(e, [&](std::string_view name) { return parameters_.dimension(name); });
  if (!found)
    return fail("unit.dimension",
                fmt::format("{}: '{}' contains {}", what, e.text(), found.error()), v,
                "check the units the parameters are declared with");
  return !found.value() || fits(*found.value(), info, v, what);
}

bool ValueReader::expression(const FieldValue& v, const std::string& what,
                             const std::vector<std::string>& variables, Expression& out) const {
  return expression(v, what, {}, variables, out);
}

bool ValueReader::expression(const FieldValue& v, const std::string& what, const FieldInfo& info,
                             const std::vector<std::string>& variables, Expression& out) const {
  if (const auto* number = std::get_if<double>(&v.data)) {
    out = Expression::constant(*number);
    return true;
  }
  const auto* text = std::get_if<std::string>(&v.data);
  if (!text)
    return fail(
        "field.type",
        fmt::format("{}: got {}; wanted a number or an expression", what, describe_value(v)), v);
  bool ok = true;
  auto parsed =
      Expression::parse(*text, [&](std::string_view name) -> std::shared_ptr<const NamedFunction> {
        if (!parameters_.failed(name)) return parameters_.function(name);
        ok = false;  // reported elsewhere
        return std::make_shared<const TimeFunction>();
      });
  if (!parsed) {
    FieldValue at = v;
    if (at.where.column > 0) at.where.column += parsed.error().offset;
    return fail("expression.syntax", fmt::format("{}: {}", what, parsed.error().message), at,
                parsed.error().hint);
  }
  for (std::size_t i = 0; i < parsed.value().names().size(); ++i) {
    const std::string& name = parsed.value().names()[i];
    if (parameters_.find(name)) continue;
    if (std::find(variables.begin(), variables.end(), name) != variables.end()) continue;
    if (std::find(variables.begin(), variables.end(), any_quantity) != variables.end()) continue;
    ok = false;
    if (parameters_.failed(name)) continue;
    std::vector<std::string> known = variables;
    for (const auto& [key, value] : parameters_.all()) known.push_back(key);
    const std::string near = did_you_mean(name, known);
    FieldValue at = v;
    if (at.where.column > 0) at.where.column += parsed.value().name_offset(i);
    std::string hint;
    if (name.find('.') != std::string::npos && !variables.empty())
      hint = fmt::format(
          "known here: parameters and {}; a force that depends on the motion is the law of a "
          "spring_damper, or of another element that takes one",
          fmt::join(variables, ", "));
    else if (parameters_.function(name))
      hint = fmt::format("it is a function: write {}(t)", name);
    else if (!near.empty())
      hint = "did you mean '" + near + "'?";
    else if (!variables.empty())
      hint = fmt::format("known here: parameters and {}", fmt::join(variables, ", "));
    else
      hint = "declare it under 'parameters'";
    fail("expression.unknown_name", fmt::format("{}: unknown name '{}' in '{}'", what, name, *text),
         at, hint);
  }
  if (!ok || !check_dimension(parsed.value(), info, v, what)) return false;
  out = parsed.value().bind([&](std::string_view name) { return parameters_.find(name); });
  return true;
}

bool ValueReader::read(const FieldValue& v, const std::string& what, const FieldInfo& info,
                       double& out) const {
  const FieldValue* const given = without_unit(v, what, info);
  if (!given) return false;
  if (const auto* number = std::get_if<double>(&given->data)) {
    out = *number;
    if (given == &v && info.unit == "rad") remark_angle(out, v, what, diagnostics_);
    return check(out, *given, what, info);
  }
  Expression e;
  if (!expression(*given, what, info, {}, e)) return false;
  out = e.evaluate(std::span<const double>{});
  return check(out, v, what, info);
}

bool ValueReader::read(const FieldValue& v, const std::string& what, const FieldInfo& info,
                       int& out) const {
  double x = 0;
  if (!read(v, what, info, x)) return false;
  if (x != std::floor(x) || std::abs(x) > 1e9)
    return fail("field.type", fmt::format("{} = {}; wanted a whole number", what, format_number(x)),
                v, meaning(info));
  out = static_cast<int>(x);
  return true;
}

bool ValueReader::read(const FieldValue& v, const std::string& what, const FieldInfo& info,
                       bool& out) const {
  const auto* text = std::get_if<std::string>(&v.data);
  if (!text || (*text != "true" && *text != "false"))
    return fail("field.type",
                fmt::format("{}: got {}; wanted true or false", what, describe_value(v)), v,
                meaning(info));
  out = *text == "true";
  return true;
}

bool ValueReader::read(const FieldValue& v, const std::string& what, const FieldInfo& info,
                       std::string& out) const {
  const auto* text = std::get_if<std::string>(&v.data);
  if (!text)
    return fail("field.type", fmt::format("{}: got {}; wanted a word", what, describe_value(v)), v,
                meaning(info));
  if (!info.choices.empty() &&
      std::find(info.choices.begin(), info.choices.end(), *text) == info.choices.end()) {
    const std::string near = did_you_mean(*text, info.choices);
    return fail(
        "field.choice",
        fmt::format("{}: got '{}'; wanted one of {}", what, *text, fmt::join(info.choices, ", ")),
        v, near.empty() ? meaning(info) : "did you mean '" + near + "'?");
  }
  out = *text;
  return true;
}

bool ValueReader::read(const FieldValue& v, const std::string& what, const FieldInfo& info,
                       std::vector<double>& out) const {
  const FieldValue* const given = without_unit(v, what, info);
  if (!given) return false;
  if (given != &v) return read(*given, what, info, out);
  if (const auto named = vector_parameter(v, parameters_)) return read(*named, what, info, out);
  if (std::holds_alternative<double>(v.data) || std::holds_alternative<std::string>(v.data)) {
    out.assign(1, 0.0);  // one number stands for a list of one
    return read(v, what, info, out[0]);
  }
  const auto* list = std::get_if<FieldValue::List>(&v.data);
  if (!list)
    return fail("field.type",
                fmt::format("{}: got {}; wanted a list of numbers", what, describe_value(v)), v,
                meaning(info));
  out.assign(list->size(), 0.0);
  bool ok = true;
  for (std::size_t i = 0; i < list->size(); ++i)
    ok &= read((*list)[i], fmt::format("{}[{}]", what, i), info, out[i]);
  return ok;
}

bool ValueReader::read(const FieldValue& v, const std::string& what, const FieldInfo& info,
                       Vec3d& out) const {
  const FieldValue* const given = without_unit(v, what, info);
  if (!given) return false;
  if (const auto named = vector_parameter(*given, parameters_))
    return read(*named, what, info, out);
  const auto* list = std::get_if<FieldValue::List>(&given->data);
  if (!list || (list->size() != 2 && list->size() != 3))
    return fail(
        "field.type",
        fmt::format("{}: got {}; wanted [x, y, z] (plane: [x, y])", what, describe_value(v)), v,
        meaning(info));
  out = {};
  bool ok = true;
  // A direction has components that are zero, but not all of them.
  FieldInfo each = info;
  if (info.check == Check::non_zero) each.check = Check::any;
  for (std::size_t i = 0; i < list->size(); ++i)
    ok &= read((*list)[i], fmt::format("{}[{}]", what, i), each, out[static_cast<int>(i)]);
  if (ok && info.check == Check::non_zero && norm(out) == 0)
    return fail("field.range", fmt::format("{} = [0, 0, 0]; wanted a direction", what), v,
                meaning(info));
  return ok;
}

bool ValueReader::read(const FieldValue& v, const std::string& what, const FieldInfo& info,
                       Expression& out) const {
  const FieldValue* const given = without_unit(v, what, info);
  return given && expression(*given, what, info, info.variables, out);
}

bool ValueReader::read(const FieldValue& v, const std::string& what, const FieldInfo& info,
                       TimeFunction& out) const {
  const FieldValue* const given = without_unit(v, what, info);
  if (!given) return false;
  if (!std::holds_alternative<double>(given->data) &&
      !std::holds_alternative<std::string>(given->data)) {
    std::optional<Table> table;
    if (!read(*given, what, info, table)) return false;
    out = TimeFunction(*table);
    return smooth_enough(out, *given, what, info);
  }
  Expression e;
  if (!expression(*given, what, info, {"t"}, e)) return false;
  auto made = TimeFunction::make(e);
  if (!made)
    return fail("expression.syntax", fmt::format("{}: {}", what, made.error().message), *given,
                made.error().hint);
  out = made.value();
  return smooth_enough(out, *given, what, info);
}

bool ValueReader::smooth_enough(const TimeFunction& f, const FieldValue& v, const std::string& what,
                                const FieldInfo& info) const {
  if (f.continuous_derivatives() >= info.smoothness) return true;
  return fail("function.kink",
              fmt::format("{}: a function with kinks; wanted one with continuous velocity and "
                          "acceleration",
                          what),
              v, "write interpolation: cubic in a table, 'step' instead of 'ramp'");
}

bool ValueReader::read(const FieldValue& v, const std::string& what, const FieldInfo& info,
                       std::optional<Table>& out) const {
  // [[x, y], ...] or {points: [[x, y], ...], interpolation: ..., outside: ..., unit: ...}
  if (!without_unit(v, what, info)) return false;
  const FieldValue* points = &v;
  // A driver needs continuous accelerations, wheels feel the curvature of a road; elsewhere nothing
  // shall overshoot.
  std::string interpolation = info.smoothness > 1 ? "cubic" : "pchip", outside = "hold";
  if (const auto* map = std::get_if<FieldValue::Mapping>(&v.data)) {
    points = nullptr;
    for (const auto& [key, value] : *map) {
      if (key == "points") points = &value;
      if (key == "interpolation" && !read(value, what + ".interpolation",
                                          {.choices = names_of(interpolations)}, interpolation))
        return false;
      if (key == "outside" &&
          !read(value, what + ".outside", {.choices = names_of(ways_outside)}, outside))
        return false;
    }
    report_unknown_keys(*map, {"points", "interpolation", "outside", "unit"}, what, diagnostics_);
  }
  const auto* list = points ? std::get_if<FieldValue::List>(&points->data) : nullptr;
  if (!list)
    return fail("field.type",
                fmt::format("{}: got {}; wanted a table [[x, y], ...]", what, describe_value(v)), v,
                meaning(info));
  std::vector<double> x, y;
  for (const FieldValue& item : *list) {
    std::vector<double> pair;
    if (!read(item, what, {}, pair)) return false;
    if (pair.size() != 2)
      return fail("field.type", fmt::format("{}: got {} numbers; wanted [x, y]", what, pair.size()),
                  item, meaning(info));
    x.push_back(pair[0]);
    y.push_back(pair[1]);
  }
  auto table = Table::make(std::move(x), std::move(y), by_name(interpolations, interpolation),
                           by_name(ways_outside, outside));
  if (!table)
    return fail("field.table", fmt::format("{}: {}", what, table.error().message), v,
                table.error().hint);
  out = table.value();
  return true;
}

Expression Signal::expression() const {
  if (of_motion_) return *of_motion_;
  if (of_time_.is_constant()) return Expression::constant(of_time_(0.0));
  if (of_time_.expression()) return *of_time_.expression();
  const auto function = std::make_shared<const TimeFunction>(of_time_);
  return Expression::parse("table(t)", [&](std::string_view) { return function; }).value();
}

/// Names beside t make a formula of the motion: whether they are known is seen later.
bool ValueReader::read(const FieldValue& v, const std::string& what, const FieldInfo& info,
                       Signal& out) const {
  const FieldValue* const given = without_unit(v, what, info);
  if (!given) return false;
  if (std::holds_alternative<std::string>(given->data)) {
    Expression e;
    if (!expression(*given, what, info, {"t", any_quantity}, e)) return false;
    const auto names = e.names();
    if (std::any_of(names.begin(), names.end(), [](const auto& n) { return n != "t"; })) {
      out = Signal(std::move(e), given->where);
      return true;
    }
  }
  TimeFunction f;
  if (!read(v, what, info, f)) return false;
  out = Signal(std::move(f), given->where);
  return true;
}

bool ValueReader::read(const FieldValue& v, const std::string& what, const FieldInfo& info,
                       WordList& out) const {
  out.words.clear();
  if (!std::holds_alternative<FieldValue::List>(v.data)) {
    out.words.emplace_back();
    return read(v, what, info, out.words[0]);
  }
  bool ok = true;
  for (const FieldValue& item : std::get<FieldValue::List>(v.data)) {
    out.words.emplace_back();
    ok &= read(item, what, info, out.words.back());
  }
  return ok;
}

bool ValueReader::read(const FieldValue& v, const std::string&, const FieldInfo&,
                       ColorField& out) const {
  out.written = v;
  return true;
}

void report_unknown_keys(const FieldMap& values, const std::vector<std::string>& known,
                         const std::string& owner, Diagnostics& diagnostics) {
  for (const auto& [key, value] : values) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string near = did_you_mean(key, known);
    diagnostics.error("key.unknown", fmt::format("{}: unknown key '{}'", owner, key), value.where,
                      near.empty() ? fmt::format("known keys: {}", fmt::join(known, ", "))
                                   : "did you mean '" + near + "'?");
  }
}

}  // namespace kardan
