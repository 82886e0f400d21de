#include "kardan/base/expression.h"

#include <cmath>
#include <vector>

#include "fuzz/targets.h"
#include "kardan/base/time_function.h"

namespace kardan::fuzz {
namespace {

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

/// Values, gradients and second derivatives agree on the value.
void evaluate(const Expression& expression) {
  const std::size_t count = expression.names().size();
  for (const double at : {0.0, 0.5, -3.0, 1e300}) {
    const std::vector<double> values(count, at);
    std::vector<double> gradient(count);
    const double value = expression.evaluate(values);
    require(same(value, expression.evaluate_with_gradient(values, gradient)),
            "the value does not depend on whether derivatives are asked for");
    using Second = Dual<Dual<double, 1>, 1>;
    const std::vector<Second> twice(count, Second(at));
    require(same(value, value_of(expression.evaluate<Second>(twice))),
            "the value does not depend on the order of the derivatives");
  }
}

/// Half of the names become numbers; the text of what is left means the same.
void bind(const Expression& expression) {
  const double number = -0.75;
  bool known = false;
  const Expression bound = expression.bind([&](std::string_view) -> const double* {
    known = !known;
    return known ? &number : nullptr;
  });
  evaluate(bound);
  const std::string text = bound.text();
  if (text.size() > Expression::max_text) return;
  const auto again = Expression::parse(text);
  require(again.has_value(), "the text of a bound expression is an expression");
  const std::vector<double> values(bound.names().size(), 0.25);
  require(again->names() == bound.names() && same(again->evaluate(values), bound.evaluate(values)),
          "the text of a bound expression means the same");
}

}  // namespace

void feed_expression(std::string_view bytes) {
  const auto result = Expression::parse(bytes);
  if (!result) {
    const ExpressionError& error = result.error();
    require(error.offset >= 0 && error.offset <= static_cast<int>(bytes.size()),
            "a fault stands inside of the text");
    require(!error.message.empty(), "a fault has a message");
    return;
  }
  evaluate(*result);
  bind(*result);
  if (const auto function = TimeFunction::make(*result)) (void)function->at(0.5);
}

}  // namespace kardan::fuzz
