#pragma once
/// Splits the text of an expression into words. Any bytes are accepted: what is no word becomes an
/// `invalid` token that says why.

#include <cstddef>
#include <string>
#include <string_view>

namespace kardan::detail {

struct Token {
  enum class Kind { number, name, symbol, end, invalid };

  Kind kind = Kind::end;
  std::string_view text;    ///< as written
  std::string_view symbol;  ///< of a symbol: its one spelling, "and" -> "&&", "**" -> "^"
  double number = 0.0;
  int offset = 0;
  std::string problem;  ///< of an invalid token
  std::string hint;
};

class Lexer {
 public:
  /// The text must outlive the lexer and its tokens.
  explicit Lexer(std::string_view text) : text_(text) {}

  Token next();

 private:
  Token number();
  Token name();
  Token symbol();
  Token finish(Token::Kind kind, std::size_t length);
  Token invalid(std::size_t at, std::string problem, std::string hint);
  char peek(std::size_t ahead = 0) const;

  std::string_view text_;
  std::size_t position_ = 0;
};

/// What the reader sees, for messages: 'text', shortened, or "the end".
std::string describe(const Token& token);

}  // namespace kardan::detail
