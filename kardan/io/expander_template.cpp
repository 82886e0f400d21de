#include "kardan/io/expander_template.h"

#include <fmt/format.h>

#include <charconv>

#include "kardan/base/text.h"
#include "kardan/model/names.h"

namespace kardan {
namespace {

bool is_name(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty() || !letter(text.front())) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || digit(c); });
}

}  // namespace

std::optional<double> plain_number(std::string_view text) {
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

ValueTemplate TemplateCompiler::compile(const YamlNode& node, const std::string& what,
                                        Repeat repeat) {
  ValueTemplate t;
  t.kind = node.kind;
  t.constant.where = place(node);
  switch (node.kind) {
    case YamlNode::Kind::null:
      diagnostics_.error("field.empty", fmt::format("{} has no value", what), t.constant.where,
                         "give one, or remove the key");
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

EntryTemplate TemplateCompiler::entry(const YamlKey& key, const YamlNode& node,
                                      const std::string& owner) {
  EntryTemplate e;
  e.where = place(key);
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
  name.file = key.file;
  e.key = text(name, owner + key.text);
  if (!e.broken) check_key(e, key.text, outer);
  e.value = compile(node, owner + key.text, repeat ? Repeat::done : Repeat::field);
  scope_.resize(outer);
  lenient_ = outer_lenient;
  return e;
}

void TemplateCompiler::scalar(const YamlNode& node, const std::string& what, ValueTemplate& t) {
  if (node.kind == YamlNode::Kind::plain) {
    if (const auto number = plain_number(node.text)) {
      t.constant.data = *number;
      return;
    }
  }
  if (node.text.find("${") == std::string::npos) {
    t.constant.data = node.text;
    t.values += weight(node.text);
    return;
  }
  t.text = text(node, what);
  t.varies = true;
}

void TemplateCompiler::list(const YamlNode& node, const std::string& what, ValueTemplate& t) {
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    t.items.push_back(compile(node.items[i], fmt::format("{}[{}]", what, i)));
    t.varies |= t.items.back().varies;
    t.values += t.items.back().values;
  }
  if (t.varies) return;
  FieldValue::List constant;
  for (ValueTemplate& item : t.items) constant.push_back(std::move(item.constant));
  t.constant.data = std::move(constant);
  t.items.clear();
}

void TemplateCompiler::mapping(const YamlNode& node, const std::string& what, Repeat repeat,
                               ValueTemplate& t) {
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (repeat == Repeat::done && node.keys[i].text == "repeat") continue;
    t.entries.push_back(entry(node.keys[i], node.items[i], what + "."));
    const EntryTemplate& e = t.entries.back();
    t.varies |= e.value.varies || e.key.varies() || !e.ranges.empty();
    t.values += e.value.values + weight(node.keys[i].text);
  }
  if (t.varies) return;
  FieldMap constant;
  for (EntryTemplate& e : t.entries) {
    std::string key = e.key.pieces.empty() ? std::string() : std::move(e.key.pieces[0].literal);
    constant.emplace_back(std::move(key), std::move(e.value.constant));
  }
  t.constant.data = std::move(constant);
  t.entries.clear();
}

void TemplateCompiler::ranges(const YamlNode& node, const std::string& what, EntryTemplate& e) {
  const SourceLocation where = place(node);
  if (node.kind != YamlNode::Kind::mapping || node.items.empty()) {
    diagnostics_.error(
        "model.shape",
        fmt::format("{}.repeat: got {}; wanted {{index: [first, last]}}", what, describe(node)),
        where);
    e.broken = true;
    return;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i)
    range(node.keys[i], node.items[i], what + ".repeat." + node.keys[i].text, e);
}

void TemplateCompiler::range(const YamlKey& key, const YamlNode& node, const std::string& what,
                             EntryTemplate& e) {
  IndexRange r;
  r.name = key.text;
  r.where = place(key);
  const bool known = parameters_.values.find(key.text) || parameters_.failed.contains(key.text) ||
                     std::find(scope_.begin(), scope_.end(), key.text) != scope_.end();
  if (!is_name(key.text) || is_taken(key.text, NameOf::constant) || known) {
    diagnostics_.error("repeat.index", fmt::format("'{}' cannot name an index", key.text), r.where,
                       known ? "a parameter or another index has this name; choose another"
                             : "use letters, digits and '_', and no word of expressions");
    e.broken = true;
  }
  if (node.kind != YamlNode::Kind::list || node.items.size() != 2 || !node.items[0].is_scalar() ||
      !node.items[1].is_scalar()) {
    diagnostics_.error("model.shape",
                       fmt::format("{}: got {}; wanted [first, last]", what, describe(node)),
                       place(node));
    e.broken = true;
  } else {
    bool ok = expression(node.items[0].text, node.items[0], 0, what, r.first, r.first_slots);
    ok &= expression(node.items[1].text, node.items[1], 0, what, r.last, r.last_slots);
    e.broken |= !ok;
  }
  scope_.push_back(key.text);
  e.ranges.push_back(std::move(r));
}

void TemplateCompiler::check_key(const EntryTemplate& e, const std::string& key,
                                 std::size_t outer) {
  for (std::size_t i = 0; i < e.ranges.size(); ++i) {
    const int slot = static_cast<int>(outer + i);
    const bool used = std::any_of(e.key.pieces.begin(), e.key.pieces.end(), [&](const auto& p) {
      return std::find(p.slots.begin(), p.slots.end(), slot) != p.slots.end();
    });
    if (used) continue;
    const std::string& index = e.ranges[i].name;
    diagnostics_.error(
        "repeat.key", fmt::format("the name '{}' does not contain the index '{}'", key, index),
        e.where, fmt::format("copies must differ in name: write '{}_${{{}}}'", key, index));
  }
}

TextTemplate TemplateCompiler::text(const YamlNode& node, const std::string& what) {
  TextTemplate result;
  result.where = place(node);
  const std::string& s = node.text;
  for (std::size_t begin = 0; begin <= s.size();) {
    TextTemplate::Piece piece;
    const std::size_t open = s.find("${", begin);
    piece.literal = s.substr(begin, open - begin);
    if (open == std::string::npos) {
      if (!piece.literal.empty() || result.pieces.empty())
        result.pieces.push_back(std::move(piece));
      break;
    }
    const std::size_t close = s.find('}', open);
    if (close == std::string::npos) {
      diagnostics_.error("repeat.unclosed", fmt::format("{}: '${{' without '}}' in '{}'", what, s),
                         place(node, static_cast<int>(open)));
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

bool TemplateCompiler::expression(const std::string& source, const YamlNode& node, int offset,
                                  const std::string& what, Expression& out,
                                  std::vector<int>& slots) {
  auto parsed = Expression::parse(source);
  if (!parsed) {
    diagnostics_.error("expression.syntax", fmt::format("{}: {}", what, parsed.error().message),
                       place(node, offset + parsed.error().offset), parsed.error().hint);
    return false;
  }
  bool ok = true;
  for (std::size_t i = 0; i < parsed->names().size(); ++i) {
    const std::string& name = parsed->names()[i];
    if (parameters_.values.find(name)) continue;
    if (std::find(scope_.begin(), scope_.end(), name) != scope_.end()) continue;
    ok = false;
    // Reported with the parameter, or with the repeat whose index it may be.
    if (lenient_ || parameters_.failed.contains(name)) continue;
    std::vector<std::string> known = scope_;
    for (const auto& [key, value] : parameters_.values.all()) known.push_back(key);
    const std::string near = did_you_mean(name, known);
    diagnostics_.error("expression.unknown_name",
                       fmt::format("{}: unknown name '{}' in '{}'", what, name, source),
                       place(node, offset + parsed->name_offset(i)),
                       near.empty() ? "known here: parameters and the indices of 'repeat'"
                                    : "did you mean '" + near + "'?");
  }
  if (!ok) return false;
  out = parsed->bind([&](std::string_view name) -> const double* {
    if (std::find(scope_.begin(), scope_.end(), name) != scope_.end()) return nullptr;
    return parameters_.values.find(name);
  });
  for (const std::string& name : out.names()) {
    const auto found = std::find(scope_.begin(), scope_.end(), name);
    slots.push_back(static_cast<int>(found - scope_.begin()));
  }
  return true;
}

}  // namespace kardan
