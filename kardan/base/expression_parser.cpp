#include "kardan/base/expression_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numbers>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kardan/base/expression_builder.h"
#include "kardan/base/expression_lexer.h"
#include "kardan/base/text.h"

namespace kardan::detail {
namespace {

struct Function {
  std::string_view name;
  Op op;
  int fewest;
  int most;
};

constexpr int any_number = Expression::max_text;     // more arguments than any text can hold
constexpr double degree = std::numbers::pi / 180.0;  // [rad]

// `if` is not here: its arguments are not all evaluated. radians and degrees multiply, clamp is a
// max and a min.
constexpr std::array<Function, 28> functions{{
    {"sin", Op::sin, 1, 1},          {"cos", Op::cos, 1, 1},          {"tan", Op::tan, 1, 1},
    {"asin", Op::asin, 1, 1},        {"acos", Op::acos, 1, 1},        {"atan", Op::atan, 1, 1},
    {"sinh", Op::sinh, 1, 1},        {"cosh", Op::cosh, 1, 1},        {"tanh", Op::tanh, 1, 1},
    {"exp", Op::exp, 1, 1},          {"log", Op::log, 1, 1},          {"log10", Op::log10, 1, 1},
    {"sqrt", Op::sqrt, 1, 1},        {"abs", Op::abs, 1, 1},          {"sign", Op::sign, 1, 1},
    {"floor", Op::floor, 1, 1},      {"ceil", Op::ceil, 1, 1},        {"round", Op::round, 1, 1},
    {"radians", Op::multiply, 1, 1}, {"degrees", Op::divide, 1, 1},   {"atan2", Op::atan2, 2, 2},
    {"pow", Op::power, 2, 2},        {"hypot", Op::hypot, 2, 2},      {"mod", Op::mod, 2, 2},
    {"min", Op::min, 2, any_number}, {"max", Op::max, 2, any_number}, {"clamp", Op::max, 3, 3},
    {"step", Op::step, 5, 5},
}};

struct Constant {
  std::string_view name;
  double value;
};

constexpr std::array<Constant, 2> constants{
    {{"pi", std::numbers::pi}, {"tau", 2.0 * std::numbers::pi}}};

struct Comparison {
  std::string_view symbol;
  Op op;
};

constexpr std::array<Comparison, 6> comparisons{{{"<", Op::less},
                                                 {"<=", Op::less_equal},
                                                 {">", Op::greater},
                                                 {">=", Op::greater_equal},
                                                 {"==", Op::equal},
                                                 {"!=", Op::not_equal}}};

const Function* find_function(std::string_view name) {
  const auto found = std::find_if(functions.begin(), functions.end(),
                                  [&](const Function& f) { return f.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

/// What people bring from other languages and edit distance would miss or get wrong.
std::string function_hint(std::string_view got) {
  if (got == "ln") return "log is the natural logarithm";
  if (got == "sgn") return "did you mean 'sign'?";
  std::vector<std::string> candidates{"if"};
  for (const Function& f : functions) candidates.emplace_back(f.name);
  const std::string best = did_you_mean(got, candidates);
  return best.empty() ? "a product is written with '*'" : fmt::format("did you mean '{}'?", best);
}

/// Every rule returns the code it emitted, or nothing after fail().
class Parser {
 public:
  Parser(std::string_view text, const FunctionScope& scope)
      : text_(text), lexer_(text), scope_(scope) {
    advance();
  }

  Expected<Program, ExpressionError> run();

 private:
  using Result = std::optional<Operand>;

  Result conditional();
  Result disjunction();
  Result conjunction();
  Result negation();
  Result comparison();
  Result sum();
  Result product();
  Result unary();
  Result power();
  Result primary();
  Result group();
  Result signed_literal();
  Result name_or_call();
  Result free_name(const Token& word);
  Result call(const Function& function, const Token& word);
  Result next_argument(const Function& function, int index, std::array<Operand, 5>& arguments);
  Result condition_call(const Token& word);
  Result named_call(std::shared_ptr<const NamedFunction> function, const Token& word);

  Result branches(Operand condition, std::string_view separator);
  Result checked(Operand result, int offset);
  bool enter(int offset);
  bool expect(std::string_view symbol, std::string_view context, int opened);
  std::nullopt_t fail(int offset, std::string message, std::string hint = {});
  std::nullopt_t fail_at_token(std::string_view wanted, std::string hint = {});

  void advance() { token_ = lexer_.next(); }
  bool at(std::string_view symbol) const {
    return token_.kind == Token::Kind::symbol && token_.symbol == symbol;
  }

  std::string_view text_;
  Lexer lexer_;
  Token token_;
  Builder builder_;
  int nesting_ = 0;
  std::vector<std::string> names_;
  std::vector<int> name_offsets_;
  std::unordered_map<std::string_view, int> name_index_;
  const FunctionScope& scope_;
  std::vector<std::pair<std::string, std::shared_ptr<const NamedFunction>>> functions_;
  ExpressionError error_;
};

Expected<Program, ExpressionError> Parser::run() {
  if (!conditional()) return std::move(error_);
  if (token_.kind != Token::Kind::end) {
    std::string hint;
    if (token_.kind == Token::Kind::name || token_.kind == Token::Kind::number || at("(")) {
      hint = "a product is written with '*'; a value with a unit stands alone: 25 mm";
    }
    if (at(")")) hint = "there is no '(' for this ')'";
    fail_at_token("an operator or the end", hint);
    return std::move(error_);
  }
  return Program{std::string(text_), std::move(names_), std::move(name_offsets_), builder_.take(),
                 std::move(functions_)};
}

std::nullopt_t Parser::fail(int offset, std::string message, std::string hint) {
  error_ = {std::move(message), offset, std::move(hint)};
  return std::nullopt;
}

std::nullopt_t Parser::fail_at_token(std::string_view wanted, std::string hint) {
  if (token_.kind == Token::Kind::invalid) return fail(token_.offset, token_.problem, token_.hint);
  return fail(token_.offset, fmt::format("expected {}, got {}", wanted, describe(token_)),
              std::move(hint));
}

/// Bounds the recursion; every caller leaves with --nesting_ unless it fails.
bool Parser::enter(int offset) {
  // The outermost expression is not nested, hence > and not >=.
  if (nesting_ > Expression::max_nesting) {
    fail(offset, fmt::format("nested more than {} deep", Expression::max_nesting),
         "name the inner parts and use the names");
    return false;
  }
  ++nesting_;
  return true;
}

Parser::Result Parser::checked(Operand result, int offset) {
  if (result.depth <= max_stack) return result;
  return fail(
      offset,
      fmt::format("needs {} operands at one time; at most {} are allowed", result.depth, max_stack),
      "write the longer operand first, or name the inner parts and use the names");
}

bool Parser::expect(std::string_view symbol, std::string_view context, int opened) {
  if (at(symbol)) {
    advance();
    return true;
  }
  fail_at_token(fmt::format("'{}' {}", symbol, context),
                fmt::format("it belongs to what begins at column {} (from 0)", opened));
  return false;
}

// conditional := disjunction [ '?' conditional ':' conditional ]
Parser::Result Parser::conditional() {
  if (!enter(token_.offset)) return std::nullopt;
  Result result = disjunction();
  if (result && at("?")) {
    advance();
    result = branches(*result, ":");
  }
  --nesting_;
  return result;
}

Parser::Result Parser::branches(Operand condition, std::string_view separator) {
  Branch branch = builder_.open(condition);
  const int opened = token_.offset;
  const Result first = conditional();
  if (!first) return std::nullopt;
  builder_.turn(branch, *first);
  if (!expect(separator, "before the other branch", opened)) return std::nullopt;
  const Result second = conditional();
  if (!second) return std::nullopt;
  return builder_.close(branch, *second);
}

// a or b  =  a ? 1 : (b != 0)
Parser::Result Parser::disjunction() {
  Result left = conjunction();
  while (left && at("||")) {
    advance();
    Branch branch = builder_.open(*left);
    builder_.turn(branch, builder_.number(1.0));
    const Result right = conjunction();
    if (!right) return std::nullopt;
    left = builder_.close(branch, builder_.unary(Op::truth, *right));
  }
  return left;
}

// a and b  =  a ? (b != 0) : 0
Parser::Result Parser::conjunction() {
  Result left = negation();
  while (left && at("&&")) {
    advance();
    Branch branch = builder_.open(*left);
    const Result right = negation();
    if (!right) return std::nullopt;
    builder_.turn(branch, builder_.unary(Op::truth, *right));
    left = builder_.close(branch, builder_.number(0.0));
  }
  return left;
}

Parser::Result Parser::negation() {
  if (!at("not")) return comparison();
  if (!enter(token_.offset)) return std::nullopt;
  advance();
  const Result x = negation();
  --nesting_;
  if (!x) return std::nullopt;
  return builder_.unary(Op::negation, *x);
}

Parser::Result Parser::comparison() {
  const auto find = [this] {
    return std::find_if(comparisons.begin(), comparisons.end(),
                        [this](const Comparison& c) { return at(c.symbol); });
  };
  const Result left = sum();
  const auto found = find();
  if (!left || found == comparisons.end()) return left;
  const int offset = token_.offset;
  advance();
  const Result right = sum();
  if (!right) return std::nullopt;
  if (find() != comparisons.end()) {
    return fail(token_.offset,
                fmt::format("{} compares the result of a comparison", describe(token_)),
                "write a < b and b < c");
  }
  return checked(builder_.binary(found->op, *left, *right), offset);
}

Parser::Result Parser::sum() {
  Result left = product();
  while (left && (at("+") || at("-"))) {
    const Op op = at("+") ? Op::add : Op::subtract;
    const int offset = token_.offset;
    advance();
    const Result right = product();
    if (!right) return std::nullopt;
    left = checked(builder_.binary(op, *left, *right), offset);
  }
  return left;
}

Parser::Result Parser::product() {
  Result left = unary();
  while (left && (at("*") || at("/"))) {
    const Op op = at("*") ? Op::multiply : Op::divide;
    const int offset = token_.offset;
    advance();
    const Result right = unary();
    if (!right) return std::nullopt;
    left = checked(builder_.binary(op, *left, *right), offset);
  }
  return left;
}

Parser::Result Parser::unary() {
  if (!at("-") && !at("+") && !at("!")) return power();
  if (!enter(token_.offset)) return std::nullopt;
  const std::string_view symbol = token_.symbol;
  advance();
  const Result x = unary();
  --nesting_;
  if (!x || symbol == "+") return x;
  return builder_.unary(symbol == "-" ? Op::negate : Op::negation, *x);
}

Parser::Result Parser::power() {
  const Result base = primary();
  if (!base || !at("^")) return base;
  const int offset = token_.offset;
  if (!enter(offset)) return std::nullopt;
  advance();
  const Result exponent = unary();
  --nesting_;
  if (!exponent) return std::nullopt;
  return checked(builder_.binary(Op::power, *base, *exponent), offset);
}

Parser::Result Parser::primary() {
  if (token_.kind == Token::Kind::number) {
    const double value = token_.number;
    advance();
    return builder_.number(value);
  }
  if (token_.kind == Token::Kind::name) return name_or_call();
  if (at("(")) return group();
  return fail_at_token("a number, a name, a function or '('",
                       at("not") ? "put 'not ...' in parentheses" : "");
}

Parser::Result Parser::group() {
  if (const Result literal = signed_literal()) return literal;
  const int opened = token_.offset;
  advance();
  const Result inner = conditional();
  if (!inner || !expect(")", "to close the group", opened)) return std::nullopt;
  return inner;
}

/// ( -1.5 ), ( 1/0 ) and the like: what bind() writes for a number. Not counted as nesting, so that
/// the text of a bound expression is accepted wherever its source was.
Parser::Result Parser::signed_literal() {
  const Lexer lexer = lexer_;
  const Token token = token_;
  advance();
  const bool negative = at("-");
  if (negative) advance();
  double value = token_.number;
  bool matches = token_.kind == Token::Kind::number;
  if (matches) advance();
  if (matches && at("/")) {
    advance();
    matches = token_.kind == Token::Kind::number;
    value /= token_.number;
    if (matches) advance();
  }
  if (matches && at(")")) {
    advance();
    return builder_.number(negative ? -value : value);
  }
  lexer_ = lexer;
  token_ = token;
  return std::nullopt;
}

Parser::Result Parser::name_or_call() {
  const Token word = token_;
  advance();
  if (word.text == "if") return condition_call(word);
  const Function* const function = find_function(word.text);
  if (function && at("(")) return call(*function, word);
  if (function) {
    return fail(word.offset, fmt::format("'{}' is a function, got no '(' after it", word.text),
                fmt::format("write {}(...); functions cannot be names", word.text));
  }
  if (at("(")) {
    if (auto named = scope_ ? scope_(word.text) : nullptr) return named_call(named, word);
    return fail(word.offset, fmt::format("unknown function {}", describe(word)),
                function_hint(word.text));
  }
  for (const Constant& constant : constants) {
    if (word.text == constant.name) return builder_.number(constant.value);
  }
  return free_name(word);
}

Parser::Result Parser::free_name(const Token& word) {
  const auto [entry, is_new] = name_index_.emplace(word.text, static_cast<int>(names_.size()));
  if (is_new) {
    names_.emplace_back(word.text);
    name_offsets_.push_back(word.offset);
  }
  return builder_.name(entry->second);
}

Parser::Result Parser::call(const Function& function, const Token& word) {
  advance();
  std::array<Operand, 5> arguments;
  Result result;
  int count = 0;
  while (count == 0 ? !at(")") : at(",")) {
    if (count > 0) advance();
    result = count < function.most ? next_argument(function, count, arguments) : conditional();
    if (!result) return std::nullopt;
    ++count;
  }
  if (!expect(")", fmt::format("or ',' in the arguments of {}", word.text), word.offset)) {
    return std::nullopt;
  }
  if (count < function.fewest || count > function.most) {
    return fail(word.offset,
                fmt::format("{} takes {}{} argument{}, got {}", word.text, function.fewest,
                            function.most == any_number ? " or more" : "",
                            function.most == 1 ? "" : "s", count));
  }
  return result;
}

/// Parses argument number `index` and emits what can be done with the arguments so far.
Parser::Result Parser::next_argument(const Function& function, int index,
                                     std::array<Operand, 5>& arguments) {
  const int offset = token_.offset;
  const Result argument = conditional();
  if (!argument) return std::nullopt;
  if (function.op == Op::step) {
    arguments[index] = *argument;
    return index < 4 ? argument : checked(builder_.step(arguments), offset);
  }
  if (function.most == 1) {
    if (function.name == "radians") return builder_.unary(Op::times_number, *argument, degree);
    if (function.name == "degrees") return builder_.unary(Op::over_number, *argument, degree);
    return builder_.unary(function.op, *argument);
  }
  // Left to right, so that min of many needs a stack of two: arguments[0] holds the result so far.
  if (index > 0) {
    const Op op = function.name == "clamp" && index == 2 ? Op::min : function.op;
    const Result combined = checked(builder_.binary(op, arguments[0], *argument), offset);
    if (!combined) return std::nullopt;
    arguments[0] = *combined;
  } else {
    arguments[0] = *argument;
  }
  return arguments[0];
}

/// A call of a function that a user has named.
Parser::Result Parser::named_call(std::shared_ptr<const NamedFunction> function,
                                  const Token& word) {
  advance();
  const Result argument = conditional();
  if (!argument || !expect(")", fmt::format("after the argument of {}", word.text), word.offset))
    return std::nullopt;
  const Operand result = builder_.call(function.get(), *argument);
  functions_.emplace_back(word.text, std::move(function));
  return result;
}

Parser::Result Parser::condition_call(const Token& word) {
  if (!expect("(", "after if", word.offset)) return std::nullopt;
  const Result condition = conditional();
  if (!condition || !expect(",", "after the condition of if(c, a, b)", word.offset)) {
    return std::nullopt;
  }
  const Result result = branches(*condition, ",");
  if (!result || !expect(")", "after the arguments of if(c, a, b)", word.offset)) {
    return std::nullopt;
  }
  return result;
}

}  // namespace

Expected<Program, ExpressionError> parse_program(std::string_view text,
                                                 const FunctionScope& functions) {
  return Parser(text, functions).run();
}

bool is_reserved_word(std::string_view word) {
  constexpr std::array<std::string_view, 4> grammar{"and", "or", "not", "if"};
  const auto is_word = [&](const Constant& constant) { return constant.name == word; };
  return find_function(word) != nullptr ||
         std::find(grammar.begin(), grammar.end(), word) != grammar.end() ||
         std::any_of(constants.begin(), constants.end(), is_word);
}

}  // namespace kardan::detail
