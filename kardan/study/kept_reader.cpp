#include "kardan/study/kept_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "kardan/base/text.h"

namespace kardan {
namespace {

std::string trimmed(const std::string& text, int& offset) {
  const auto first = text.find_first_not_of(" \t\n"), last = text.find_last_not_of(" \t\n");
  if (first == std::string::npos) return {};
  offset += static_cast<int>(first);
  return text.substr(first, last - first + 1);
}

/// Nothing where the text is no single call.
std::optional<KeptReader::Call> call_in(const std::string& text) {
  KeptReader::Call out;
  std::size_t i = text.find_first_not_of(" \t\n");
  if (i == std::string::npos) return {};
  while (i < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_'))
    out.word += text[i++];
  if (out.word.empty() || i >= text.size() || text[i] != '(') return {};
  int depth = 0;
  std::size_t from = i + 1;
  for (; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == ']') --depth;
    if ((text[i] == ',' && depth == 1) || depth == 0) {
      int offset = static_cast<int>(from);
      out.arguments.push_back(trimmed(text.substr(from, i - from), offset));
      out.offsets.push_back(offset);
      from = i + 1;
    }
    if (depth == 0) break;
  }
  if (depth != 0 || text.find_first_not_of(" \t\n", i + 1) != std::string::npos) return {};
  return out;
}

bool good_name(const std::string& name) {
  const auto letter = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  return !name.empty() && letter(name.front()) && !Expression::is_reserved(name) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

KeptReader::KeptReader(const System& system, StudyPlan& plan, Diagnostics& diagnostics)
    : system_(system), plan_(plan), diagnostics_(diagnostics), columns_(system) {}

bool KeptReader::parse(const std::string& text, SourceLocation where, int offset, Expression& out) {
  const Environment& parameters = system_.blueprint().parameters;
  auto parsed =
      Expression::parse(text, [&](std::string_view name) { return parameters.function(name); });
  if (parsed) {
    out = std::move(parsed.value());
    return true;
  }
  const ExpressionError& error = parsed.error();
  if (where.column > 0) where.column += offset + error.offset;
  diagnostics_.error("expression.syntax", fmt::format("'{}': {}", text, error.message), where,
                     error.hint);
  return false;
}

void KeptReader::keep(const std::string& name, const FieldValue& written) {
  const auto* text = std::get_if<std::string>(&written.data);
  const bool taken =
      std::ranges::any_of(plan_.kept, [&](const KeptValue& k) { return k.name == name; }) ||
      system_.blueprint().parameters.find(name) != nullptr;
  if (!good_name(name) || taken) {
    diagnostics_.error("study.keep",
                       fmt::format("keep: '{}' {}", name,
                                   taken ? "is a parameter, or stands twice" : "is no name"),
                       written.where, "a name has letters, digits and _, and names nothing else");
    return;
  }
  if (!text) {
    diagnostics_.error("study.keep", fmt::format("keep.{}: wanted a text", name), written.where,
                       "as in max(abs(chassis.az))");
    return;
  }
  KeptValue out{name, *text, nullptr, {}, {}};
  const auto call = call_in(*text);
  if (call)
    for (const KeptFunction& f : kept_catalog())
      // Of several numbers max and min are functions of expressions.
      if (f.name == call->word && (call->arguments.size() == 1 || f.sight != Sight::all))
        out.function = &f;
  const bool good = out.function ? function(*call, written, out)
                                 : parse(*text, written.where, 0, out.expression) &&
                                       value_names(out.expression, written.where);
  if (good) plan_.kept.push_back(std::move(out));
}

bool KeptReader::function(const Call& call, const FieldValue& written, KeptValue& out) {
  const KeptFunction& f = *out.function;
  const std::size_t wanted = (f.sight == Sight::events ? 1U : 0U) + (f.takes_expression ? 1U : 0U);
  if (call.arguments.size() != wanted) {
    diagnostics_.error("study.keep",
                       fmt::format("keep.{}: {} got {} arguments; wanted {}", out.name, f.name,
                                   call.arguments.size(), wanted),
                       written.where, std::string(f.summary));
    return false;
  }
  if (f.sight == Sight::rows && plan_.options.every <= 0) {
    diagnostics_.error("study.every",
                       fmt::format("keep.{}: {} needs rows at equal distances", out.name, f.name),
                       written.where, "add 'every: SECONDS'");
    return false;
  }
  if (f.sight == Sight::events && !event(call.arguments.front(), written, out)) return false;
  if (!f.takes_expression) return true;
  const int offset = call.offsets.back();
  return parse(call.arguments.back(), written.where, offset, out.expression) &&
         motion_names(out, written.where, offset);
}

bool KeptReader::event(const std::string& name, const FieldValue& written, KeptValue& out) {
  out.event = name;
  const auto& events = system_.event_names();
  if (std::ranges::find(events, name) != events.end()) return true;
  const std::string near = did_you_mean(name, events);
  diagnostics_.error(
      "study.event", fmt::format("keep.{}: there is no event '{}'", out.name, name), written.where,
      near.empty() ? "events stand under 'when' in the model" : "did you mean '" + near + "'?");
  return false;
}

bool KeptReader::motion_names(const KeptValue& kept, const SourceLocation& where, int offset) {
  bool good = true;
  const Expression& e = kept.expression;
  for (std::size_t i = 0; i < e.names().size(); ++i) {
    const std::string& name = e.names()[i];
    if (system_.blueprint().parameters.find(name) || columns_.add(name)) continue;
    SourceLocation at = where;
    if (at.column > 0) at.column += offset + e.name_offset(i);
    const std::string near = did_you_mean(name, ResultColumns(system_).names());
    diagnostics_.error("study.quantity",
                       fmt::format("keep.{}: there is no quantity '{}'", kept.name, name), at,
                       near.empty() ? "a column of a result, or a parameter of the model"
                                    : "did you mean '" + near + "'?");
    good = false;
  }
  return good;
}

bool KeptReader::value_names(const Expression& e, const SourceLocation& where) {
  bool good = true;
  for (std::size_t i = 0; i < e.names().size(); ++i) {
    const std::string& name = e.names()[i];
    std::vector<std::string> known;
    for (const KeptValue& k : plan_.kept) known.push_back(k.name);
    if (std::ranges::find(known, name) != known.end() || system_.blueprint().parameters.find(name))
      continue;
    SourceLocation at = where;
    if (at.column > 0) at.column += e.name_offset(i);
    const std::string near = did_you_mean(name, known);
    diagnostics_.error("study.value", fmt::format("nothing of the name '{}' is kept before", name),
                       at,
                       near.empty() ? "of a motion, keep a function: max(...), final(...), ..."
                                    : "did you mean '" + near + "'?");
    good = false;
  }
  return good;
}

void KeptReader::require(const FieldValue& written) {
  const auto* text = std::get_if<std::string>(&written.data);
  if (!text) {
    diagnostics_.error("study.require", "require: wanted an expression", written.where,
                       "as in worst < 12");
    return;
  }
  Requirement out{*text, {}};
  if (parse(*text, written.where, 0, out.expression) && value_names(out.expression, written.where))
    plan_.requirements.push_back(std::move(out));
}

}  // namespace kardan
