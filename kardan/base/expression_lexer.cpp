#include "kardan/base/expression_lexer.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <system_error>
#include <utility>

namespace kardan::detail {
namespace {

// Not <cctype>: that depends on the locale and is undefined for negative chars.
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool is_printable(char c) {
  return c >= ' ' && c <= '~';
}

struct Spelling {
  std::string_view written;
  std::string_view symbol;
};

// Longer ones first: the first that fits is taken.
constexpr std::array<Spelling, 22> spellings{{
    {"**", "^"},  {"<=", "<="}, {">=", ">="}, {"==", "=="}, {"!=", "!="}, {"&&", "&&"},
    {"||", "||"}, {"+", "+"},   {"-", "-"},   {"*", "*"},   {"/", "/"},   {"^", "^"},
    {"<", "<"},   {">", ">"},   {"!", "!"},   {"?", "?"},   {":", ":"},   {"(", "("},
    {")", ")"},   {",", ","},   {"[", "["},   {"]", "]"},
}};

constexpr std::array<Spelling, 3> words{{{"and", "&&"}, {"or", "||"}, {"not", "not"}}};

std::string single_character_hint(char c) {
  if (c == '=') return "write '==' to compare";
  if (c == '&') return "write 'and'";
  if (c == '|') return "write 'or'";
  if (c == '%') return "write mod(a, b)";
  return {};
}

}  // namespace

char Lexer::peek(std::size_t ahead) const {
  return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
}

Token Lexer::finish(Token::Kind kind, std::size_t length) {
  Token token;
  token.kind = kind;
  token.text = text_.substr(position_, length);
  token.offset = static_cast<int>(position_);
  position_ += length;
  return token;
}

Token Lexer::invalid(std::size_t at, std::string problem, std::string hint) {
  Token token;
  token.kind = Token::Kind::invalid;
  token.text = text_.substr(at, 1);
  token.offset = static_cast<int>(at);
  token.problem = std::move(problem);
  token.hint = std::move(hint);
  return token;
}

Token Lexer::next() {
  while (position_ < text_.size() && is_space(text_[position_])) ++position_;
  if (position_ == text_.size()) return finish(Token::Kind::end, 0);
  if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return number();
  if (is_letter(peek())) return name();
  return symbol();
}

Token Lexer::number() {
  std::size_t length = 0;
  while (is_digit(peek(length))) ++length;
  if (peek(length) == '.') ++length;
  while (is_digit(peek(length))) ++length;
  if (peek(length) == 'e' || peek(length) == 'E') {
    // "2e" and "2e+" are the number 2 and something else.
    const std::size_t sign = peek(length + 1) == '+' || peek(length + 1) == '-' ? 1 : 0;
    if (is_digit(peek(length + 1 + sign))) {
      length += 1 + sign;
      while (is_digit(peek(length))) ++length;
    }
  }
  const char* const begin = text_.data() + position_;
  double value = 0.0;
  const auto [end, status] = std::from_chars(begin, begin + length, value);
  if (status != std::errc() || end != begin + length) {
    return invalid(position_, "number out of the range of double",
                   "magnitudes from 4.9e-324 to 1.8e308 can be written");
  }
  Token token = finish(Token::Kind::number, length);
  token.number = value;
  return token;
}

Token Lexer::name() {
  std::size_t length = 0;
  while (true) {
    while (is_letter(peek(length)) || is_digit(peek(length))) ++length;
    while (peek(length) == '[') {
      std::size_t digits = 0;
      while (is_digit(peek(length + 1 + digits))) ++digits;
      if (digits == 0 || peek(length + 1 + digits) != ']') {
        return invalid(position_ + length, "expected a whole number in brackets, as in name[0]",
                       "indices are written out and count from 0");
      }
      length += digits + 2;
    }
    if (peek(length) != '.' || !is_letter(peek(length + 1))) break;
    ++length;
  }
  for (const Spelling& word : words) {
    if (text_.substr(position_, length) == word.written) {
      Token token = finish(Token::Kind::symbol, length);
      token.symbol = word.symbol;
      return token;
    }
  }
  return finish(Token::Kind::name, length);
}

Token Lexer::symbol() {
  for (const Spelling& spelling : spellings) {
    if (text_.substr(position_).starts_with(spelling.written)) {
      Token token = finish(Token::Kind::symbol, spelling.written.size());
      token.symbol = spelling.symbol;
      return token;
    }
  }
  const char c = peek();
  const std::string shown = is_printable(c)
                                ? fmt::format("character '{}'", c)
                                : fmt::format("byte 0x{:02X}", static_cast<unsigned char>(c));
  return invalid(position_, fmt::format("unexpected {}", shown), single_character_hint(c));
}

std::string describe(const Token& token) {
  constexpr std::size_t longest = 40;
  if (token.kind == Token::Kind::end) return "the end";
  if (token.text.size() <= longest) return fmt::format("'{}'", token.text);
  return fmt::format("'{}...'", token.text.substr(0, longest));
}

}  // namespace kardan::detail
