#pragma once
/// A function of time with exact derivatives up to the third order: a constant, an expression in
/// `t` alone, or a table. What drives a mechanism by a position constraint g(q) = f(t) needs f' and
/// f'' besides f, and an index reduction by one more step f'''.

#include <string>
#include <variant>

#include "kardan/base/expected.h"
#include "kardan/base/expression.h"
#include "kardan/base/table.h"
#include "kardan/base/time_jet.h"

namespace kardan {

/// Immutable; cheap to copy; evaluation allocates nothing.
class TimeFunction final : public NamedFunction {
 public:
  TimeFunction(double constant = 0.0) : source_(constant) {}  // NOLINT: a constant
  TimeFunction(Table table) : source_(std::move(table)) {}    // NOLINT: a table of time

  /// Refuses names other than `t`; bind parameters before.
  [[nodiscard]] static Expected<TimeFunction, ExpressionError> make(const Expression& expression);

  [[nodiscard]] TimeJet at(double t) const override;
  [[nodiscard]] Taylor enclose(const Taylor& t) const override;
  [[nodiscard]] int continuous_derivatives() const override;
  [[nodiscard]] int depth() const override;
  [[nodiscard]] double calls() const override;

  /// For double, up to three levels of Dual, and TimeJet.
  template <class T>
  [[nodiscard]] T operator()(const T& t) const {
    return extend(at(value_of(t)), t);
  }
  [[nodiscard]] double operator()(double t) const;

  /// True when it is known not to vary.
  [[nodiscard]] bool is_constant() const { return std::holds_alternative<double>(source_); }

  /// The table it is, or null.
  [[nodiscard]] const Table* table() const { return std::get_if<Table>(&source_); }
  [[nodiscard]] const Expression* expression() const { return std::get_if<Expression>(&source_); }

  /// The expression, the number, or "table of n points".
  [[nodiscard]] std::string text() const;

 private:
  explicit TimeFunction(Expression expression) : source_(std::move(expression)) {}

  std::variant<double, Expression, Table> source_;
};

}  // namespace kardan
