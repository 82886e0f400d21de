#include "kardan/base/time_function.h"

#include <fmt/format.h>

#include <cstddef>
#include <span>

#include "kardan/base/text.h"

namespace kardan {
namespace {

constexpr const char* time_name = "t";

}  // namespace

Expected<TimeFunction, ExpressionError> TimeFunction::make(const Expression& expression) {
  for (std::size_t i = 0; i < expression.names().size(); ++i) {
    const std::string& name = expression.names()[i];
    if (name != time_name) {
      return ExpressionError{
          fmt::format("a function of time depends on '{}'; wanted '{}' alone", name, time_name),
          expression.name_offset(i), "give the name a number before it is used here"};
    }
  }
  if (expression.is_constant()) return TimeFunction(expression.evaluate({}));
  return TimeFunction(expression);
}

TimeJet TimeFunction::at(double t) const {
  if (const Expression* const expression = std::get_if<Expression>(&source_)) {
    const TimeJet argument = TimeJet::variable(t);
    return expression->evaluate<TimeJet>(std::span(&argument, 1));
  }
  if (const Table* const table = std::get_if<Table>(&source_)) return table->at(t);
  return std::get<double>(source_);
}

double TimeFunction::operator()(double t) const {
  if (const Expression* const expression = std::get_if<Expression>(&source_)) {
    return expression->evaluate(std::span(&t, 1));
  }
  return at(t).value;
}

int TimeFunction::continuous_derivatives() const {
  if (const Expression* const expression = std::get_if<Expression>(&source_))
    return expression->continuous_derivatives();
  if (const Table* const table = std::get_if<Table>(&source_))
    return table->continuous_derivatives();
  return smooth;
}

int TimeFunction::depth() const {
  const Expression* const expression = std::get_if<Expression>(&source_);
  return 1 + (expression ? expression->call_depth() : 0);
}

double TimeFunction::calls() const {
  const Expression* const expression = std::get_if<Expression>(&source_);
  return 1 + (expression ? expression->calls() : 0);
}

std::string TimeFunction::text() const {
  if (const Expression* const expression = std::get_if<Expression>(&source_)) {
    return expression->text();
  }
  if (const Table* const table = std::get_if<Table>(&source_)) {
    return fmt::format("table of {} points", table->x().size());
  }
  return format_number(std::get<double>(source_));
}

}  // namespace kardan
