#include "kardan/io/expander.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "kardan/base/text.h"

namespace kardan::io {
namespace {

// Largest whole number that every double below it can be told from: beyond it counting stops.
constexpr double largest_whole = 9007199254740992.0;  // 2^53

bool is_whole(double x) {
  return std::abs(x) <= largest_whole && x == std::floor(x);
}

std::string print(double x) {
  if (!is_whole(x)) return format_number(x);
  return std::to_string(static_cast<long long>(x));
}

bool is_name(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty() || !letter(text.front())) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || digit(c); });
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  const std::size_t digit = text.find_first_of("0123456789");
  // A sign, a point or both may stand before the first digit: this leaves out inf and nan.
  const std::string_view before = text.substr(0, std::min(digit, text.size()));
  if (digit == std::string_view::npos || !(before.empty() || before == "." || before == "-" ||
                                           before == "-." || before == "+" || before == "+."))
    return {};
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

/// A text split at ${}: literal, expression, literal, ...
struct Expander::Text {
  struct Piece {
    std::string literal;
    Expression expression;  // after the literal, when `slots` are set
    bool has_expression = false;
    std::vector<int> slots;  // index in scope of each of its names
  };
  std::vector<Piece> pieces;
  bool is_number = false;  // plain text that is one expression and nothing else
  SourceLocation where;

  [[nodiscard]] bool varies() const {
    return std::any_of(pieces.begin(), pieces.end(),
                       [](const Piece& p) { return p.has_expression; });
  }
};

struct Expander::Range {
  std::string name;
  Expression first, last;
  std::vector<int> first_slots, last_slots;
  SourceLocation where;
};

struct Expander::Template {
  FieldValue constant;     // the value if it does not vary; its place in any case
  std::size_t values = 1;  // how many values the constant has
  bool varies = false;
  YamlNode::Kind kind = YamlNode::Kind::null;
  Text text;                    // of a scalar
  std::vector<Template> items;  // of a list
  std::vector<Entry> entries;   // of a mapping
};

struct Expander::Entry {
  Text key;
  SourceLocation where;  // of the key
  std::vector<Range> ranges;
  bool broken = false;  // a range could not be understood
  Template value;
};

/// Compiles nodes; `scope_` holds the names of the indices that may be used.
class Expander::Compiler {
 public:
  explicit Compiler(Expander& owner) : owner_(owner) {}

  /// `Repeat::done`: the mapping's own key `repeat` has been dealt with.
  enum class Repeat { field, done };
  Template compile(const YamlNode& node, const std::string& what, Repeat repeat = Repeat::field) {
    Template t;
    t.kind = node.kind;
    t.constant.where = place(node.line, node.column);
    switch (node.kind) {
      case YamlNode::Kind::null:
        owner_.diagnostics_.error("field.empty", fmt::format("{} has no value", what),
                                  t.constant.where, "give one, or remove the key");
        break;
      case YamlNode::Kind::plain:
      case YamlNode::Kind::quoted:
        scalar(node, what, t);
        break;
      case YamlNode::Kind::list:
        list(node, what, t);
        break;
      case YamlNode::Kind::mapping:
        mapping(node, what, repeat, t);
        break;
    }
    return t;
  }

  Entry entry(const YamlKey& key, const YamlNode& node, const std::string& owner) {
    Entry e;
    e.where = place(key.line, key.column);
    const std::size_t outer = scope_.size();
    const bool outer_lenient = lenient_;
    const YamlNode* repeat = node.kind == YamlNode::Kind::mapping ? node.find("repeat") : nullptr;
    if (repeat) ranges(*repeat, owner + key.text, e);
    lenient_ |= e.broken;
    YamlNode name;
    name.kind = YamlNode::Kind::quoted;
    name.text = key.text;
    name.line = key.line;
    name.column = key.column;
    e.key = text(name, owner + key.text);
    if (!e.broken) check_key(e, key.text, outer);
    e.value = compile(node, owner + key.text, repeat ? Repeat::done : Repeat::field);
    scope_.resize(outer);
    lenient_ = outer_lenient;
    return e;
  }

 private:
  SourceLocation place(int line, int column) const { return {owner_.file_, line, column}; }

  void scalar(const YamlNode& node, const std::string& what, Template& t) {
    if (node.kind == YamlNode::Kind::plain) {
      if (const auto number = parse_number(node.text)) {
        t.constant.data = *number;
        return;
      }
    }
    if (node.text.find("${") == std::string::npos) {
      t.constant.data = node.text;
      return;
    }
    t.text = text(node, what);
    t.varies = true;
  }

  void list(const YamlNode& node, const std::string& what, Template& t) {
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      t.items.push_back(compile(node.items[i], fmt::format("{}[{}]", what, i)));
      t.varies |= t.items.back().varies;
      t.values += t.items.back().values;
    }
    if (t.varies) return;
    FieldValue::List constant;
    for (Template& item : t.items) constant.push_back(std::move(item.constant));
    t.constant.data = std::move(constant);
    t.items.clear();
  }

  void mapping(const YamlNode& node, const std::string& what, Repeat repeat, Template& t) {
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      if (repeat == Repeat::done && node.keys[i].text == "repeat") continue;
      t.entries.push_back(entry(node.keys[i], node.items[i], what + "."));
      const Entry& e = t.entries.back();
      t.varies |= e.value.varies || e.key.varies() || !e.ranges.empty();
      t.values += e.value.values;
    }
    if (t.varies) return;
    FieldMap constant;
    for (Entry& e : t.entries) {
      std::string key = e.key.pieces.empty() ? std::string() : std::move(e.key.pieces[0].literal);
      constant.emplace_back(std::move(key), std::move(e.value.constant));
    }
    t.constant.data = std::move(constant);
    t.entries.clear();
  }

  void ranges(const YamlNode& node, const std::string& what, Entry& e) {
    const SourceLocation where = place(node.line, node.column);
    if (node.kind != YamlNode::Kind::mapping || node.items.empty()) {
      owner_.diagnostics_.error(
          "model.shape",
          fmt::format("{}.repeat: got {}; wanted {{index: [first, last]}}", what, describe(node)),
          where);
      e.broken = true;
      return;
    }
    for (std::size_t i = 0; i < node.items.size(); ++i)
      range(node.keys[i], node.items[i], what + ".repeat." + node.keys[i].text, e);
  }

  void range(const YamlKey& key, const YamlNode& node, const std::string& what, Entry& e) {
    Range r;
    r.name = key.text;
    r.where = place(key.line, key.column);
    const bool known = owner_.parameters_.values.find(key.text) ||
                       owner_.parameters_.failed.contains(key.text) ||
                       std::find(scope_.begin(), scope_.end(), key.text) != scope_.end();
    if (!is_name(key.text) || Expression::is_reserved(key.text) || known) {
      owner_.diagnostics_.error("repeat.index", fmt::format("'{}' cannot name an index", key.text),
                                r.where,
                                known ? "a parameter or another index has this name; choose another"
                                      : "use letters, digits and '_', and no word of expressions");
      e.broken = true;
    }
    if (node.kind != YamlNode::Kind::list || node.items.size() != 2 || !node.items[0].is_scalar() ||
        !node.items[1].is_scalar()) {
      owner_.diagnostics_.error(
          "model.shape", fmt::format("{}: got {}; wanted [first, last]", what, describe(node)),
          place(node.line, node.column));
      e.broken = true;
    } else {
      bool ok = expression(node.items[0].text, node.items[0], 0, what, r.first, r.first_slots);
      ok &= expression(node.items[1].text, node.items[1], 0, what, r.last, r.last_slots);
      e.broken |= !ok;
    }
    scope_.push_back(key.text);
    e.ranges.push_back(std::move(r));
  }

  /// Every index must be in the name, or copies would share it.
  void check_key(const Entry& e, const std::string& key, std::size_t outer) {
    for (std::size_t i = 0; i < e.ranges.size(); ++i) {
      const int slot = static_cast<int>(outer + i);
      const bool used = std::any_of(e.key.pieces.begin(), e.key.pieces.end(), [&](const auto& p) {
        return std::find(p.slots.begin(), p.slots.end(), slot) != p.slots.end();
      });
      if (used) continue;
      const std::string& index = e.ranges[i].name;
      owner_.diagnostics_.error(
          "repeat.key", fmt::format("the name '{}' does not contain the index '{}'", key, index),
          e.where, fmt::format("copies must differ in name: write '{}_${{{}}}'", key, index));
    }
  }

  Text text(const YamlNode& node, const std::string& what) {
    Text result;
    result.where = place(node.line, node.column);
    const std::string& s = node.text;
    for (std::size_t begin = 0; begin <= s.size();) {
      Text::Piece piece;
      const std::size_t open = s.find("${", begin);
      piece.literal = s.substr(begin, open - begin);
      if (open == std::string::npos) {
        if (!piece.literal.empty() || result.pieces.empty())
          result.pieces.push_back(std::move(piece));
        break;
      }
      const std::size_t close = s.find('}', open);
      if (close == std::string::npos) {
        owner_.diagnostics_.error("repeat.unclosed",
                                  fmt::format("{}: '${{' without '}}' in '{}'", what, s),
                                  place(node.line, node.column + static_cast<int>(open)));
        break;
      }
      const std::string inner = s.substr(open + 2, close - open - 2);
      piece.has_expression =
          expression(inner, node, static_cast<int>(open) + 2, what, piece.expression, piece.slots);
      result.pieces.push_back(std::move(piece));
      begin = close + 1;
    }
    result.is_number = node.kind == YamlNode::Kind::plain && result.pieces.size() == 1 &&
                       result.pieces[0].literal.empty() && result.pieces[0].has_expression;
    return result;
  }

  bool expression(const std::string& source, const YamlNode& node, int offset,
                  const std::string& what, Expression& out, std::vector<int>& slots) {
    auto parsed = Expression::parse(source);
    if (!parsed) {
      owner_.diagnostics_.error(
          "expression.syntax", fmt::format("{}: {}", what, parsed.error().message),
          place(node.line, node.column + offset + parsed.error().offset), parsed.error().hint);
      return false;
    }
    bool ok = true;
    for (std::size_t i = 0; i < parsed->names().size(); ++i) {
      const std::string& name = parsed->names()[i];
      if (owner_.parameters_.values.find(name)) continue;
      if (std::find(scope_.begin(), scope_.end(), name) != scope_.end()) continue;
      ok = false;
      // Reported with the parameter, or with the repeat whose index it may be.
      if (lenient_ || owner_.parameters_.failed.contains(name)) continue;
      std::vector<std::string> known = scope_;
      for (const auto& [key, value] : owner_.parameters_.values.all()) known.push_back(key);
      const std::string near = did_you_mean(name, known);
      owner_.diagnostics_.error("expression.unknown_name",
                                fmt::format("{}: unknown name '{}' in '{}'", what, name, source),
                                place(node.line, node.column + offset + parsed->name_offset(i)),
                                near.empty() ? "known here: parameters and the indices of 'repeat'"
                                             : "did you mean '" + near + "'?");
    }
    if (!ok) return false;
    out = parsed->bind([&](std::string_view name) -> const double* {
      if (std::find(scope_.begin(), scope_.end(), name) != scope_.end()) return nullptr;
      return owner_.parameters_.values.find(name);
    });
    for (const std::string& name : out.names()) {
      const auto found = std::find(scope_.begin(), scope_.end(), name);
      slots.push_back(static_cast<int>(found - scope_.begin()));
    }
    return true;
  }

  Expander& owner_;
  std::vector<std::string> scope_;
  bool lenient_ = false;  // inside a repeat that is not understood
};

Expander::Expander(const ParameterScope& parameters, std::string file, Diagnostics& diagnostics,
                   const ExpansionLimits& limits)
    : parameters_(parameters), file_(std::move(file)), diagnostics_(diagnostics), limits_(limits) {}

Expander::~Expander() = default;

FieldValue Expander::value(const YamlNode& node, const std::string& what) {
  return make(Compiler(*this).compile(node, what));
}

void Expander::named_things(const YamlNode& mapping, const std::string& what, const Use& use) {
  Compiler compiler(*this);
  for (std::size_t i = 0; i < mapping.items.size(); ++i) {
    const YamlNode& node = mapping.items[i];
    const YamlKey& key = mapping.keys[i];
    if (node.kind != YamlNode::Kind::mapping) {
      diagnostics_.error(
          "model.shape",
          fmt::format("{}.{}: got {}; wanted a mapping", what, key.text, describe(node)),
          {file_, node.line, node.column}, fmt::format("write {}: {{key: value, ...}}", key.text));
      continue;
    }
    const Entry entry = compiler.entry(key, node, "");
    if (entry.broken) continue;
    run(entry, 0, [&] { use(expand(entry.key), entry.where, make_mapping(entry.value)); });
  }
}

double Expander::number(const Expression& expression, const std::vector<int>& slots) {
  arguments_.clear();
  for (const int slot : slots) arguments_.push_back(indices_[static_cast<std::size_t>(slot)]);
  return expression.evaluate(std::span<const double>(arguments_));
}

double Expander::substitute(const Text& text, std::size_t piece) {
  const Expression& expression = text.pieces[piece].expression;
  const double result = number(expression, text.pieces[piece].slots);
  if (!std::isfinite(result) && report_once(text.where))
    diagnostics_.error("repeat.value",
                       fmt::format("${{{}}} is {}", expression.text(), format_number(result)),
                       text.where, "a number was wanted");
  return result;
}

std::string Expander::expand(const Text& text) {
  std::string result;
  for (std::size_t i = 0; i < text.pieces.size(); ++i) {
    result += text.pieces[i].literal;
    if (text.pieces[i].has_expression) result += print(substitute(text, i));
  }
  return result;
}

FieldValue Expander::make(const Template& t) {
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
    for (const Template& item : t.items) list.push_back(make(item));
    value.data = std::move(list);
  } else if (t.text.is_number) {
    value.data = substitute(t.text, 0);
  } else {
    std::string text = expand(t.text);
    const auto plain_number =
        t.kind == YamlNode::Kind::plain ? parse_number(text) : std::optional<double>();
    if (plain_number)
      value.data = *plain_number;
    else
      value.data = std::move(text);
  }
  (void)count(value.where, 0, 1);
  return value;
}

FieldMap Expander::make_mapping(const Template& t) {
  if (!t.varies) {
    (void)count(t.constant.where, 0, t.values);
    const auto* constant = std::get_if<FieldMap>(&t.constant.data);
    return constant ? *constant : FieldMap{};
  }
  FieldMap map;
  map.reserve(t.entries.size());
  std::unordered_set<std::string> names;
  for (const Entry& entry : t.entries) {
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

void Expander::run(const Entry& entry, std::size_t depth, const std::function<void()>& each) {
  if (exhausted_) return;
  if (depth == entry.ranges.size()) {
    if (count(entry.where, depth > 0 ? 1 : 0, 0)) each();
    return;
  }
  const Range& range = entry.ranges[depth];
  const double first = number(range.first, range.first_slots);
  const double last = number(range.last, range.last_slots);
  if (!whole_bounds(range, first, last)) return;
  // Refused before the first copy is made, not after the last that fits.
  if (last - first >= static_cast<double>(limits_.entries - entries_))
    entries_ = limits_.entries + 1;
  indices_.push_back(first);
  for (double i = first; i <= last && count(range.where, 0, 0); ++i) {
    indices_.back() = i;
    ++steps_;
    run(entry, depth + 1, each);
  }
  indices_.pop_back();
}

bool Expander::whole_bounds(const Range& range, double first, double last) {
  if (is_whole(first) && is_whole(last)) return true;
  if (report_once(range.where))
    diagnostics_.error("repeat.bounds",
                       fmt::format("repeat: {} runs from {} to {}; wanted whole numbers",
                                   range.name, format_number(first), format_number(last)),
                       range.where, "use floor, ceil or round");
  return false;
}

bool Expander::report_once(const SourceLocation& where) {
  return reported_.insert({where.line, where.column}).second;
}

bool Expander::count(const SourceLocation& where, std::size_t entries, std::size_t values) {
  entries_ += entries;
  values_ += values;
  if (exhausted_) return false;
  // Steps that make nothing, as in {i: [1, 1e9], j: [1, 0]}, come to an end too.
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

}  // namespace kardan::io
