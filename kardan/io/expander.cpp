#include "kardan/io/expander.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kardan/base/stop.h"
#include "kardan/base/text.h"

namespace kardan {
namespace {

// Largest whole number that every double below it differs from: beyond it counting stops.
constexpr double largest_whole = 9007199254740992.0;  // 2^53

bool is_whole(double x) {
  return std::abs(x) <= largest_whole && x == std::floor(x);
}

std::string print(double x) {
  if (!is_whole(x)) return format_number(x);
  return std::to_string(static_cast<long long>(x));
}

}  // namespace

Expander::Expander(const ParameterScope& parameters, const std::vector<SharedText>& files,
                   Diagnostics& diagnostics, const ExpansionLimits& limits)
    : parameters_(parameters), files_(files), diagnostics_(diagnostics), limits_(limits) {}

FieldValue Expander::value(const YamlNode& node, const std::string& what) {
  return make(TemplateCompiler(parameters_, files_, diagnostics_).compile(node, what));
}

void Expander::named_things(const YamlNode& mapping, const std::string& what, const Use& use) {
  TemplateCompiler compiler(parameters_, files_, diagnostics_);
  for (std::size_t i = 0; i < mapping.items.size(); ++i) {
    const YamlNode& node = mapping.items[i];
    const YamlKey& key = mapping.keys[i];
    if (node.kind != YamlNode::Kind::mapping) {
      diagnostics_.error(
          "model.shape",
          fmt::format("{}.{}: got {}; wanted a mapping", what, key.text, describe(node)),
          {files_[static_cast<std::size_t>(node.file)], node.line, node.column},
          fmt::format("write {}: {{key: value, ...}}", key.text));
      continue;
    }
    const EntryTemplate entry = compiler.entry(key, node, "");
    if (entry.broken) continue;
    run(entry, 0, [&] { use(expand(entry.key), entry.where, make_mapping(entry.value)); });
  }
}

double Expander::number(const Expression& expression, const std::vector<int>& slots) {
  arguments_.clear();
  for (const int slot : slots) arguments_.push_back(indices_[static_cast<std::size_t>(slot)]);
  return expression.evaluate(std::span<const double>(arguments_));
}

double Expander::substitute(const TextTemplate& text, std::size_t piece) {
  const Expression& expression = text.pieces[piece].expression;
  const double result = number(expression, text.pieces[piece].slots);
  if (!std::isfinite(result) && report_once(text.where))
    diagnostics_.error("repeat.value",
                       fmt::format("${{{}}} is {}", expression.text(), format_number(result)),
                       text.where, "a number was wanted");
  return result;
}

std::string Expander::expand(const TextTemplate& text) {
  std::string result;
  for (std::size_t i = 0; i < text.pieces.size(); ++i) {
    result += text.pieces[i].literal;
    if (text.pieces[i].has_expression) result += print(substitute(text, i));
  }
  (void)count(text.where, 0, weight(result));
  return result;
}

FieldValue Expander::make(const ValueTemplate& t) {
  if (!t.varies) {
    (void)count(t.constant.where, 0, t.values);
    return t.constant;
  }
  FieldValue value;
  value.where = t.constant.where;
  if (t.kind == YamlNode::Kind::mapping) {
    value.data = make_mapping(t);
  } else if (t.kind == YamlNode::Kind::list) {
    FieldValue::List list;
    list.reserve(t.items.size());
    for (const ValueTemplate& item : t.items) list.push_back(make(item));
    value.data = std::move(list);
  } else if (t.text.is_number) {
    value.data = substitute(t.text, 0);
  } else {
    std::string text = expand(t.text);
    const auto number =
        t.kind == YamlNode::Kind::plain ? plain_number(text) : std::optional<double>();
    if (number)
      value.data = *number;
    else
      value.data = std::move(text);
  }
  (void)count(value.where, 0, 1);
  return value;
}

FieldMap Expander::make_mapping(const ValueTemplate& t) {
  if (!t.varies) {
    (void)count(t.constant.where, 0, t.values);
    const auto* constant = std::get_if<FieldMap>(&t.constant.data);
    return constant ? *constant : FieldMap{};
  }
  FieldMap map;
  map.reserve(t.entries.size());
  std::unordered_set<std::string> names;
  for (const EntryTemplate& entry : t.entries) {
    if (entry.broken) continue;
    run(entry, 0, [&] {
      std::string key = expand(entry.key);
      if (!names.insert(key).second) {
        if (report_once(entry.where))
          diagnostics_.error("name.duplicate", fmt::format("the name '{}' is made twice", key),
                             entry.where, "copies must differ in name");
        return;
      }
      map.emplace_back(std::move(key), make(entry.value));
    });
  }
  return map;
}

void Expander::run(const EntryTemplate& entry, std::size_t depth,
                   const std::function<void()>& each) {
  if (exhausted_) return;
  if (depth == entry.ranges.size()) {
    if (count(entry.where, depth > 0 ? 1 : 0, 0)) each();
    return;
  }
  const IndexRange& range = entry.ranges[depth];
  const double first = number(range.first, range.first_slots);
  const double last = number(range.last, range.last_slots);
  if (!whole_bounds(range, first, last)) return;
  if (depth == 0 && !fits(entry)) return;
  indices_.push_back(first);
  for (double i = first; i <= last && count(range.where, 0, 0); ++i) {
    indices_.back() = i;
    ++steps_;
    stop_point();
    run(entry, depth + 1, each);
  }
  indices_.pop_back();
}

bool Expander::fits(const EntryTemplate& entry) {
  double copies = 1;
  for (const IndexRange& range : entry.ranges) {
    const auto inner = [&](int slot) { return slot >= static_cast<int>(indices_.size()); };
    if (std::any_of(range.first_slots.begin(), range.first_slots.end(), inner) ||
        std::any_of(range.last_slots.begin(), range.last_slots.end(), inner))
      break;
    const double size =
        number(range.last, range.last_slots) - number(range.first, range.first_slots) + 1;
    copies *= std::max(0.0, size);
  }
  if (copies > static_cast<double>(limits_.entries - entries_)) entries_ = limits_.entries + 1;
  return count(entry.where, 0, 0) && copies > 0;
}

bool Expander::whole_bounds(const IndexRange& range, double first, double last) {
  if (is_whole(first) && is_whole(last)) return true;
  if (report_once(range.where))
    diagnostics_.error("repeat.bounds",
                       fmt::format("repeat: {} runs from {} to {}; wanted whole numbers",
                                   range.name, format_number(first), format_number(last)),
                       range.where, "use floor, ceil or round");
  return false;
}

bool Expander::report_once(const SourceLocation& where) {
  return reported_.insert({where.file, where.line, where.column}).second;
}

bool Expander::count(const SourceLocation& where, std::size_t entries, std::size_t values) {
  entries_ += entries;
  values_ += values;
  if (exhausted_) return false;
  // Steps that make nothing, as in {i: [1, 1e6], j: [1, 1e6], k: [j + 1, j]}, come to an end too.
  constexpr std::size_t steps_per_entry = 10;
  if (steps_ > steps_per_entry * limits_.entries) entries_ = limits_.entries + 1;
  if (entries_ <= limits_.entries && values_ <= limits_.values) return true;
  exhausted_ = true;
  diagnostics_.error("repeat.too_many",
                     entries_ > limits_.entries
                         ? fmt::format("'repeat' makes more than {} things", limits_.entries)
                         : fmt::format("the model has more than {} values", limits_.values),
                     where, "check the bounds of the repeats");
  return false;
}

}  // namespace kardan
