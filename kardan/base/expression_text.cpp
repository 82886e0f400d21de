/// Expressions from text, and back: what numbers are bound to stands in the text.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "kardan/base/expression.h"
#include "kardan/base/expression_lexer.h"
#include "kardan/base/expression_parser.h"
#include "kardan/base/text.h"

namespace kardan {
namespace {

/// As the grammar can read it back in any place: signed numbers in parentheses, which the parser
/// does not count as nesting.
std::string literal(double value) {
  if (std::isnan(value)) return "(0/0)";
  if (std::isinf(value)) return value > 0.0 ? "(1/0)" : "(-1/0)";
  return std::signbit(value) ? fmt::format("({})", format_number(value)) : format_number(value);
}

}  // namespace

Expected<Expression, ExpressionError> Expression::parse(std::string_view text,
                                                        const FunctionScope& functions) {
  if (text.size() > max_text) {
    return ExpressionError{
        fmt::format("expression of {} bytes; at most {} are allowed", text.size(), max_text),
        max_text, "split it into several"};
  }
  Expected<detail::Program, ExpressionError> program = detail::parse_program(text, functions);
  if (!program) return std::move(program).error();
  return Expression(std::move(program).value());
}

Expression Expression::constant(double value) {
  const bool plain = std::isfinite(value);
  return Expression(detail::Program{
      plain ? format_number(value) : literal(value), {}, {}, {{detail::Op::number, 0, value}}});
}

bool Expression::is_reserved(std::string_view word) {
  return detail::is_reserved_word(word);
}

Expression Expression::bind(const std::function<const double*(std::string_view)>& lookup) const {
  std::unordered_map<std::string_view, std::string> literals;
  for (const std::string& name : names()) {
    if (const double* const value = lookup(name)) literals.emplace(name, literal(*value));
  }
  if (literals.empty()) return *this;

  // On the text, so that text() parses to this very program by construction.
  const std::string& source = program_->text;
  std::string text;
  std::size_t copied = 0;
  detail::Lexer lexer(source);
  for (detail::Token token = lexer.next(); token.kind != detail::Token::Kind::end;
       token = lexer.next()) {
    const auto found = literals.find(token.text);
    if (token.kind != detail::Token::Kind::name || found == literals.end()) continue;
    text.append(source, copied, token.offset - copied);
    text += found->second;
    copied = token.offset + token.text.size();
  }
  text.append(source, copied);
  const FunctionScope functions = [&](std::string_view name) {
    const auto found = std::find_if(program_->functions.begin(), program_->functions.end(),
                                    [&](const auto& f) { return f.first == name; });
    return found == program_->functions.end() ? nullptr : found->second;
  };
  Expression bound(detail::parse_program(text, functions).value());
  return bound.is_constant() ? constant(bound.evaluate({})) : bound;
}

}  // namespace kardan
