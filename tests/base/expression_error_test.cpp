#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "kardan/base/expression.h"

namespace kardan {
namespace {

struct Fault {
  std::string text;
  int offset;
  std::string message;  ///< a part of it
  std::string hint;     ///< a part of it
};

void expect_fault(const Fault& fault) {
  const Expected<Expression, ExpressionError> result = Expression::parse(fault.text);
  const std::string shown = fault.text.substr(0, 60);
  ASSERT_FALSE(result) << shown;
  const ExpressionError& error = result.error();
  EXPECT_EQ(error.offset, fault.offset) << shown << ": " << error.message;
  EXPECT_NE(error.message.find(fault.message), std::string::npos) << shown << ": " << error.message;
  EXPECT_NE(error.hint.find(fault.hint), std::string::npos) << shown << ": " << error.hint;
}

std::string repeat(const std::string& part, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += part;
  return result;
}

TEST(ExpressionError, SaysWhatIsMissingAndWhere) {
  expect_fault({"", 0, "expected a number, a name, a function or '(', got the end", ""});
  expect_fault({"   ", 3, "got the end", ""});
  expect_fault({"1 +", 3, "got the end", ""});
  expect_fault({"1 + * 2", 4, "got '*'", ""});
  expect_fault({"(1 + 2", 6, "expected ')'", "column 0"});
  expect_fault({"2 * (1 + 2", 10, "expected ')'", "column 4"});
  expect_fault({"()", 1, "got ')'", ""});
  expect_fault({"1 + 2)", 5, "expected an operator or the end, got ')'", "no '('"});
  expect_fault({"2 x", 2, "got 'x'", "'*'"});
  expect_fault({"2x", 1, "got 'x'", "'*'"});
  expect_fault({"2(x)", 1, "got '('", "'*'"});
  expect_fault({"a ? 1", 5, "expected ':'", ""});
  expect_fault({"a ? : 1", 4, "got ':'", ""});
  expect_fault({"a == not b", 5, "got 'not'", "parentheses"});
  expect_fault({"1 2", 2, "got '2'", ""});
  expect_fault({"2e", 1, "got 'e'", ""});
  expect_fault({"1.2.3", 3, "got '.3'", ""});
}

TEST(ExpressionError, NamesTheFunctionItDoesNotKnow) {
  expect_fault({"1 + sine(x)", 4, "unknown function 'sine'", "'sin'"});
  expect_fault({"arctan(x)", 0, "unknown function", "'atan'"});
  expect_fault({"SQRT(x)", 0, "unknown function", "'sqrt'"});
  expect_fault({"ln(x)", 0, "unknown function", "log is the natural logarithm"});
  expect_fault({"sgn(x)", 0, "unknown function", "'sign'"});
  expect_fault({"k(x)", 0, "unknown function 'k'", "'*'"});
  expect_fault({"pi(2)", 0, "unknown function 'pi'", "'*'"});
  expect_fault({"a.b[0](2)", 0, "unknown function 'a.b[0]'", ""});
  expect_fault({"2 * sin", 4, "'sin' is a function", "sin(...)"});
}

TEST(ExpressionError, CountsTheArguments) {
  expect_fault({"1 + sin()", 4, "sin takes 1 argument, got 0", ""});
  expect_fault({"sin(1, 2)", 0, "sin takes 1 argument, got 2", ""});
  expect_fault({"atan2(1)", 0, "atan2 takes 2 arguments, got 1", ""});
  expect_fault({"min(1)", 0, "min takes 2 or more arguments, got 1", ""});
  expect_fault({"clamp(1, 2)", 0, "clamp takes 3 arguments, got 2", ""});
  expect_fault({"step(1, 2, 3, 4, 5, 6, 7)", 0, "step takes 5 arguments, got 7", ""});
  expect_fault({"sin(1,)", 6, "got ')'", ""});
  expect_fault({"max(1 2)", 6, "expected ')' or ','", "column 0"});
  expect_fault({"if(1, 2)", 7, "expected ','", ""});
  expect_fault({"if(1)", 4, "expected ','", ""});
  expect_fault({"if(1, 2, 3, 4)", 10, "expected ')'", ""});
  expect_fault({"if x", 3, "expected '('", ""});
}

TEST(ExpressionError, PointsAtCharactersThatMeanNothing) {
  expect_fault({"1 + $x", 4, "unexpected character '$'", ""});
  expect_fault({"a = b", 2, "unexpected character '='", "'=='"});
  expect_fault({"a & b", 2, "unexpected character '&'", "'and'"});
  expect_fault({"a | b", 2, "unexpected character '|'", "'or'"});
  expect_fault({"a % b", 2, "unexpected character '%'", "mod"});
  expect_fault({std::string("a\0b", 3), 1, "byte 0x00", ""});
  expect_fault({"\xCE\xBB * 2", 0, "byte 0xCE", ""});
  expect_fault({"x[i]", 1, "whole number in brackets", ""});
  expect_fault({"x[1", 1, "whole number in brackets", ""});
  expect_fault({"x[]", 1, "whole number in brackets", ""});
  expect_fault({"x [1]", 2, "got '['", ""});
  expect_fault({"1 + 1e999", 4, "out of the range", ""});
  expect_fault({"1e-999", 0, "out of the range", ""});
}

TEST(ExpressionError, RefusesToChainComparisons) {
  expect_fault({"a < b < c", 6, "compares the result of a comparison", "and"});
}

TEST(ExpressionError, BoundsTheLength) {
  const std::string longest = std::string(Expression::max_text - 1, ' ') + "1";
  EXPECT_TRUE(Expression::parse(longest));
  expect_fault({longest + " ", Expression::max_text, "at most 65536", ""});
}

TEST(ExpressionError, BoundsTheNesting) {
  const int most = Expression::max_nesting;
  const std::string name = "x+1";
  EXPECT_TRUE(Expression::parse(repeat("(", most) + name + repeat(")", most)));
  expect_fault({repeat("(", most + 1) + name + repeat(")", most + 1), most + 1, "nested", "name"});
  for (const char* part :
       {"-", "!", "not ", "x^", "sin(", "x ? x : ", "if(x,", "x + (", "max(1, "}) {
    const Expected<Expression, ExpressionError> deep = Expression::parse(repeat(part, 5000) + "x");
    ASSERT_FALSE(deep) << part;
    EXPECT_NE(deep.error().message.find("nested"), std::string::npos) << part;
  }
}

TEST(ExpressionError, BoundsTheStack) {
  const int most = Expression::max_stack;
  EXPECT_TRUE(Expression::parse(repeat("x+(", most - 1) + "x" + repeat(")", most - 1)));
  // Each sum waits for the one inside it, so the outermost is the one that does not fit.
  expect_fault({repeat("x+(", most) + "x" + repeat(")", most), 1, "needs 65 operands", "name"});
}

TEST(ExpressionError, LongFlatTextsAreNoBurden) {
  const Expected<Expression, ExpressionError> sum = Expression::parse(repeat("x+", 32000) + "x");
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->evaluate(std::vector<double>{1.0}), 32001.0);
  EXPECT_TRUE(Expression::parse(fmt::format("max(x{})", repeat(",x", 32000))));
}

}  // namespace
}  // namespace kardan
