#pragma once
/// Arithmetic expressions, parsed once into a flat postfix program and evaluated, without
/// allocation, for double, Dual (nested too) and TimeJet.
///
///   numbers     1  1.5  .5  1e-3              names   t  chassis.x  link_3.vx  hinge.lambda[0]
///   constants   pi  tau
///   operators, loosest first:
///     c ? a : b                               right associative
///     or ||,  and &&                          short circuit; the result is 0 or 1
///     not                                     not a < b  is  not (a < b)
///     < <= > >= == !=                         0 or 1; a < b < c is refused
///     + -,  * /                               left associative
///     unary + - !                             !a < b  is  (!a) < b
///     ^ **                                    right associative; -x^2 is -(x^2)
///   functions   sin cos tan asin acos atan sinh cosh tanh exp log log10 sqrt abs sign floor ceil
///               round radians degrees; atan2(y, x) pow(x, y) hypot(a, b); mod(a, b) with the sign
///               of b; min and max of two or more; clamp(x, low, high); if(c, a, b);
///               step(x, x0, y0, x1, y1) = y0 + (y1 - y0) s^3 (10 - 15 s + 6 s^2) with
///               s = (x - x0)/(x1 - x0) inside, constant outside: C2, so that it can drive motion
///
/// Everything but 0 counts as true. A conditional evaluates the branch it takes and no other.
/// round halves away from zero. sign, floor, ceil, round and comparisons have derivative 0.
/// NaN passes through min, max and clamp. Functions that a user has named are called as name(x).

#include <cassert>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kardan/base/dual.h"
#include "kardan/base/expected.h"
#include "kardan/base/expression_program.h"

namespace kardan {

struct ExpressionError {
  std::string message;  ///< what is wrong: got, wanted
  int offset = 0;       ///< 0-based column in the text
  std::string hint;     ///< what to do; may be empty
};

/// Immutable; a copy shares the program.
class Expression {
 public:
  static constexpr int max_text = 64 * 1024;           ///< [bytes]
  static constexpr int max_nesting = 200;              ///< parentheses, signs, powers, branches
  static constexpr int max_stack = detail::max_stack;  ///< operands waiting at one time

  /// The constant 0.
  Expression();

  /// `functions`: those a user has named.
  [[nodiscard]] static Expected<Expression, ExpressionError> parse(
      std::string_view text, const FunctionScope& functions = {});
  [[nodiscard]] static Expression constant(double value);

  /// Words that cannot be names: functions, pi, tau, and, or, not, if. (`hinge.tau` can.)
  [[nodiscard]] static bool is_reserved(std::string_view word);

  /// Free names in order of first appearance, also those in a branch that can never be taken: a
  /// misspelled name is found whatever the flags say.
  [[nodiscard]] const std::vector<std::string>& names() const { return program_->names; }

  /// Where names()[index] first appears in text(): 0-based column.
  [[nodiscard]] int name_offset(std::size_t index) const { return program_->name_offsets[index]; }

  [[nodiscard]] std::string text() const { return program_->text; }
  [[nodiscard]] bool is_constant() const { return program_->names.empty(); }

  /// `values` in the order of names(), at least as many.
  [[nodiscard]] double evaluate(std::span<const double> values) const;

  template <class T>
  [[nodiscard]] T evaluate(std::span<const T> values) const {
    assert(values.size() >= names().size());
    return detail::execute<T>(program_->code, [&](int i) -> const T& { return values[i]; });
  }

  /// The value; gradient[i] = d/d names()[i]. Both spans have at least names().size() entries.
  double evaluate_with_gradient(std::span<const double> values, std::span<double> gradient) const;

  /// The expression with every name that `lookup` knows (non-null) replaced by its number. text()
  /// carries the numbers in shortest round-trip digits and parses back to the same program, as long
  /// as it stays within max_text; when no name is left it is the value alone. (The payload of a NaN
  /// does not survive.)
  [[nodiscard]] Expression bind(const std::function<const double*(std::string_view)>& lookup) const;

  /// The expression with names that `lookup` knows (non-null) replaced by expressions, which are
  /// evaluated where the name stood. Its text stays as it is. None where more operands than
  /// max_stack would wait.
  [[nodiscard]] std::optional<Expression> inlined(
      const std::function<const Expression*(std::string_view)>& lookup) const;

  /// How many derivatives are known to be continuous, from the functions that it calls by name.
  [[nodiscard]] int continuous_derivatives() const;
  /// Longest chain of named functions it calls; 0 when it calls none.
  [[nodiscard]] int call_depth() const;
  /// How many named functions an evaluation evaluates, those that they call included.
  [[nodiscard]] double calls() const;

  [[nodiscard]] const detail::Program& program() const { return *program_; }

  /// Number of instructions: what one evaluation costs.
  [[nodiscard]] std::size_t size() const { return program_->code.size(); }

 private:
  explicit Expression(detail::Program program);

  std::shared_ptr<const detail::Program> program_;
};

}  // namespace kardan
