#include "kardan/base/expression.h"

#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numbers>
#include <string>

namespace kardan {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Expression parsed(std::string_view text) {
  Expected<Expression, ExpressionError> result = Expression::parse(text);
  if (!result) {
    ADD_FAILURE() << text << ": " << result.error().message << " at " << result.error().offset;
    return Expression();
  }
  return *result;
}

double value(std::string_view text, const std::vector<double>& values = {}) {
  return parsed(text).evaluate(values);
}

/// The same with every number as a name, so that nothing is folded when it is parsed.
double unfolded(std::string_view text, double a, double b, double c = 0.0) {
  const std::map<std::string, double, std::less<>> numbers{{"a", a}, {"b", b}, {"c", c}};
  const Expression expression = parsed(text);
  std::vector<double> values;
  for (const std::string& name : expression.names()) values.push_back(numbers.at(name));
  return expression.evaluate(values);
}

auto lookup_in(const std::map<std::string, double, std::less<>>& numbers) {
  return [&numbers](std::string_view name) -> const double* {
    const auto found = numbers.find(name);
    return found == numbers.end() ? nullptr : &found->second;
  };
}

std::uint64_t bits(double x) {
  return std::bit_cast<std::uint64_t>(x);
}

TEST(Expression, ReadsNumbersInEverySpelling) {
  EXPECT_EQ(value("1"), 1.0);
  EXPECT_EQ(value("1.5"), 1.5);
  EXPECT_EQ(value(".5"), 0.5);
  EXPECT_EQ(value("2."), 2.0);
  EXPECT_EQ(value("1e-3"), 1e-3);
  EXPECT_EQ(value("1.5E+2"), 150.0);
  EXPECT_EQ(value(" \t\r\n 7 "), 7.0);
  EXPECT_EQ(value("5e-324"), 5e-324);
  EXPECT_EQ(value("pi"), std::numbers::pi);
  EXPECT_EQ(value("tau"), 2.0 * std::numbers::pi);
}

TEST(Expression, BindsProductsBeforeSumsAndPowersBeforeSigns) {
  EXPECT_EQ(value("1 + 2 * 3"), 7.0);
  EXPECT_EQ(value("(1 + 2) * 3"), 9.0);
  EXPECT_EQ(value("-2^2"), -4.0);
  EXPECT_EQ(value("(-2)^2"), 4.0);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("2 * -3"), -6.0);
  EXPECT_EQ(value("2 - -3"), 5.0);
  EXPECT_EQ(value("- - + 3"), 3.0);
  EXPECT_EQ(value("2 * 3 ** 2"), 18.0);
  EXPECT_EQ(unfolded("-a^b", 2, 2), -4.0);
  EXPECT_EQ(unfolded("a + b * c", 1, 2, 3), 7.0);
}

TEST(Expression, GroupsFromTheLeftExceptPowersAndConditionals) {
  EXPECT_EQ(value("10 - 3 - 2"), 5.0);
  EXPECT_EQ(value("16 / 4 / 2"), 2.0);
  EXPECT_EQ(value("12 / 2 * 3"), 18.0);
  EXPECT_EQ(value("2 ^ 3 ^ 2"), 512.0);
  EXPECT_EQ(unfolded("a - b - c", 10, 3, 2), 5.0);
  EXPECT_EQ(unfolded("a / b / c", 16, 4, 2), 2.0);
  EXPECT_EQ(unfolded("a ^ b ^ c", 2, 3, 2), 512.0);
  EXPECT_EQ(value("0 ? 1 : 0 ? 2 : 3"), 3.0);
  EXPECT_EQ(unfolded("a ? 1 : b ? 2 : 3", 0, 1), 2.0);
}

TEST(Expression, ComparesAfterArithmeticAndCombinesAfterComparing) {
  EXPECT_EQ(value("1 + 1 == 2"), 1.0);
  EXPECT_EQ(value("1 < 2 and 3 < 2"), 0.0);
  EXPECT_EQ(value("1 < 2 or 3 < 2"), 1.0);
  EXPECT_EQ(value("1 or 0 and 0"), 1.0);
  EXPECT_EQ(value("not 2 < 1"), 1.0);
  EXPECT_EQ(value("!2 < 1"), 1.0);
  EXPECT_EQ(value("!2 == 0"), 1.0);
  EXPECT_EQ(value("not 2 == 0"), 1.0);
  EXPECT_EQ(value("not not 5"), 1.0);
  EXPECT_EQ(value("!(1 > 2) && 1 <= 1 || 0"), 1.0);
  EXPECT_EQ(value("3 and 4"), 1.0);
  EXPECT_EQ(value("1 < 2 ? 10 : 20"), 10.0);
  for (const auto& [text, less, same, more] :
       {std::tuple("a < b", 1.0, 0.0, 0.0), std::tuple("a <= b", 1.0, 1.0, 0.0),
        std::tuple("a > b", 0.0, 0.0, 1.0), std::tuple("a >= b", 0.0, 1.0, 1.0),
        std::tuple("a == b", 0.0, 1.0, 0.0), std::tuple("a != b", 1.0, 0.0, 1.0)}) {
    EXPECT_EQ(unfolded(text, 1, 2), less) << text;
    EXPECT_EQ(unfolded(text, 2, 2), same) << text;
    EXPECT_EQ(unfolded(text, 3, 2), more) << text;
  }
}

TEST(Expression, CombinesLikeTheTruthTable) {
  for (const double a : {0.0, 2.0}) {
    for (const double b : {0.0, 3.0}) {
      EXPECT_EQ(unfolded("a and b", a, b), a != 0 && b != 0);
      EXPECT_EQ(unfolded("a or b", a, b), a != 0 || b != 0);
      EXPECT_EQ(unfolded("not a", a, b), a == 0);
      EXPECT_EQ(unfolded("(a and b) + (a or b) * 2", a, b), (a != 0 && b != 0) + 2 * (a || b));
    }
  }
}

TEST(Expression, AFunctionIsThatOfTheStandardLibrary) {
  const double x = 0.37;
  EXPECT_EQ(value("sin(a)", {x}), std::sin(x));
  EXPECT_EQ(value("cos(a)", {x}), std::cos(x));
  EXPECT_EQ(value("tan(a)", {x}), std::tan(x));
  EXPECT_EQ(value("asin(a)", {x}), std::asin(x));
  EXPECT_EQ(value("acos(a)", {x}), std::acos(x));
  EXPECT_EQ(value("atan(a)", {x}), std::atan(x));
  EXPECT_EQ(value("sinh(a)", {x}), std::sinh(x));
  EXPECT_EQ(value("cosh(a)", {x}), std::cosh(x));
  EXPECT_EQ(value("tanh(a)", {x}), std::tanh(x));
  EXPECT_EQ(value("exp(a)", {x}), std::exp(x));
  EXPECT_EQ(value("log(a)", {x}), std::log(x));
  EXPECT_EQ(value("log10(a)", {x}), std::log10(x));
  EXPECT_EQ(value("sqrt(a)", {x}), std::sqrt(x));
  EXPECT_EQ(unfolded("atan2(a, b)", x, -2), std::atan2(x, -2));
  EXPECT_EQ(unfolded("pow(a, b)", x, -2), std::pow(x, -2));
  EXPECT_EQ(unfolded("hypot(a, b)", x, -2), std::hypot(x, -2));
}

TEST(Expression, RoundsAsDocumented) {
  EXPECT_EQ(value("floor(-1.5)"), -2.0);
  EXPECT_EQ(value("ceil(-1.5)"), -1.0);
  EXPECT_EQ(value("round(-1.5)"), -2.0);
  EXPECT_EQ(value("round(2.5)"), 3.0);
  EXPECT_EQ(value("abs(-3)"), 3.0);
  EXPECT_EQ(value("sign(-3) + 10 * sign(0) + 100 * sign(2)"), 99.0);
  EXPECT_EQ(value("mod(7, 3)"), 1.0);
  EXPECT_EQ(value("mod(-7, 3)"), 2.0);
  EXPECT_EQ(value("mod(7, -3)"), -2.0);
  EXPECT_EQ(value("radians(180)"), std::numbers::pi);
  EXPECT_EQ(value("degrees(pi)"), 180.0);
}

TEST(Expression, MinMaxAndClampTakeAnyOrderAndPassNaN) {
  EXPECT_EQ(value("min(3, 1, 2) + max(3, 1, 2, 10)"), 11.0);
  EXPECT_EQ(value("clamp(5, 0, 1)"), 1.0);
  EXPECT_EQ(value("clamp(-5, 0, 1)"), 0.0);
  EXPECT_EQ(value("clamp(a, 0, 1)", {0.25}), 0.25);
  EXPECT_TRUE(std::isnan(value("clamp(a, 0, 1)", {std::nan("")})));
  EXPECT_TRUE(std::isnan(value("min(1, a)", {std::nan("")})));
}

TEST(Expression, StepIsTheQuinticBetweenItsEnds) {
  EXPECT_EQ(value("step(a, 1, 10, 3, 20)", {0.0}), 10.0);
  EXPECT_EQ(value("step(a, 1, 10, 3, 20)", {4.0}), 20.0);
  EXPECT_EQ(value("step(a, 1, 10, 3, 20)", {2.0}), 15.0);
  // s = 1/4: 10/64 - 15/256 + 6/1024
  EXPECT_EQ(value("step(a, 1, 0, 3, 1)", {1.5}), 10.0 / 64 - 15.0 / 256 + 6.0 / 1024);
  EXPECT_EQ(value("step(a, 3, 1, 1, 0)", {1.5}), 10.0 / 64 - 15.0 / 256 + 6.0 / 1024);
  EXPECT_EQ(value("step(a, 1, 2, 1, 3)", {0.9}), 2.0);
  EXPECT_EQ(value("step(a, 1, 2, 1, 3)", {1.0}), 3.0);
}

TEST(Expression, ListsItsNamesInOrderOfFirstAppearance) {
  const Expression e = parsed("chassis.x + 2*link_3.vx - hinge.lambda[0]*chassis.x + a[1].b[22].c");
  EXPECT_EQ(e.names(), (std::vector<std::string>{"chassis.x", "link_3.vx", "hinge.lambda[0]",
                                                 "a[1].b[22].c"}));
  EXPECT_EQ(e.name_offset(1), 14);
  EXPECT_EQ(e.evaluate(std::vector<double>{1, 2, 3, 4}), 1 + 4 - 3 + 4);
  EXPECT_FALSE(e.is_constant());
  EXPECT_TRUE(parsed("1 + sin(pi)").is_constant());
  EXPECT_EQ(parsed("sin.x + hinge.tau + android + order + nothing + iff").names().size(), 6u);
}

TEST(Expression, KeepsTheNamesOfABranchThatIsNeverTaken) {
  EXPECT_EQ(parsed("0 ? x : y").names(), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(value("0 ? x : y", {1, 2}), 2.0);
  EXPECT_EQ(value("1 ? x : y", {1, 2}), 1.0);
}

TEST(Expression, KnowsTheWordsThatCannotBeNames) {
  for (const char* word : {"sin", "clamp", "pi", "tau", "and", "or", "not", "if"}) {
    EXPECT_TRUE(Expression::is_reserved(word)) << word;
  }
  EXPECT_FALSE(Expression::is_reserved("hinge.tau"));
  EXPECT_FALSE(Expression::is_reserved("t"));
}

TEST(Expression, FoldsConstantPartsAndFusesNumbers) {
  EXPECT_EQ(parsed("2 * sin(pi / 6) + 1").size(), 1u);
  EXPECT_EQ(parsed("(1 < 2 ? 3 : 4) * x").size(), 2u);
  EXPECT_EQ(parsed("2 * x + 1").size(), 3u);
  EXPECT_EQ(parsed("1 - 2 / x").size(), 3u);
}

TEST(Expression, FoldingNextToABranchKeepsTheBranch) {
  for (const double a : {0.0, 1.0}) {
    EXPECT_EQ(unfolded("(a ? 1 : 2) + 3", a, 0), (a != 0 ? 1 : 2) + 3);
    EXPECT_EQ(unfolded("3 - (a ? 1 : 2)", a, 0), 3 - (a != 0 ? 1 : 2));
    EXPECT_EQ(unfolded("(a ? 1 : 2) ^ (b ? 2 : 3)", a, 0), a != 0 ? 1 : 8);
    EXPECT_EQ(unfolded("2 * (a ? b : 2 * (a ? 5 : b))", a, 7), a != 0 ? 14 : 28);
    EXPECT_EQ(unfolded("-(a and 1) + (1 ? a : b)", a, 7), 0);
    EXPECT_EQ(unfolded("step(b, 0, a ? 1 : 2, 1, 5) + 1", a, -1), (a != 0 ? 1 : 2) + 1);
  }
}

/// True when evaluating raises a floating-point exception: something was computed that should not.
bool raises(std::string_view text, double a, double b) {
  std::feclearexcept(FE_ALL_EXCEPT);
  (void)unfolded(text, a, b);
  return std::fetestexcept(FE_INVALID | FE_DIVBYZERO) != 0;
}

TEST(Expression, EvaluatesTheTakenBranchAlone) {
  EXPECT_TRUE(raises("sqrt(a)", -1, 0) && raises("1 / b", 0, 0)) << "the probe must work";
  EXPECT_FALSE(raises("a > 0 ? sqrt(a) : 0", -1, 0));
  EXPECT_FALSE(raises("a <= 0 ? 0 : sqrt(a)", -1, 0));
  EXPECT_FALSE(raises("if(a > 0, sqrt(a), -a)", -1, 0));
  EXPECT_FALSE(raises("b != 0 and 1 / b > 2", 0, 0));
  EXPECT_FALSE(raises("b == 0 or 1 / b > 2", 0, 0));
  EXPECT_FALSE(raises("1 + (b != 0 ? (a > 0 ? log(a) : log(-a)) / b : 3 * a)", -1, 0));
  EXPECT_FALSE(raises("a ? b ? 1 / a : 2 : 1 / a", 1, 0));
}

TEST(Expression, AConstantPrintsItsShortestDigits) {
  EXPECT_EQ(Expression::constant(0.1).text(), "0.1");
  EXPECT_EQ(Expression::constant(-3.0).text(), "-3");
  EXPECT_EQ(Expression::constant(1e300).text(), "1e+300");
  EXPECT_EQ(Expression().text(), "0");
  for (const double x :
       {0.1, -0.0, 1.0 / 3.0, 5e-324, -1.7976931348623157e308, infinity, -infinity}) {
    EXPECT_EQ(bits(value(Expression::constant(x).text())), bits(x)) << x;
    EXPECT_EQ(bits(Expression::constant(x).evaluate({})), bits(x)) << x;
  }
  EXPECT_TRUE(std::isnan(value(Expression::constant(std::nan("")).text())));
}

TEST(Expression, BindReplacesWhatIsKnownAndFolds) {
  const std::map<std::string, double, std::less<>> numbers{
      {"m", 2.0}, {"g", -9.81}, {"b.k[0]", 1e-7}};
  const Expression bound =
      parsed("m*g^2*x + sin(m)/b.k[0] - (use ? m : y)").bind(lookup_in(numbers));
  EXPECT_EQ(bound.names(), (std::vector<std::string>{"x", "use", "y"}));
  EXPECT_EQ(bound.text(), "2*(-9.81)^2*x + sin(2)/1e-07 - (use ? 2 : y)");
  EXPECT_EQ(bound.name_offset(0), 12);
  const double x = 0.3;
  EXPECT_EQ(bound.evaluate(std::vector<double>{x, 1.0, 5.0}),
            2.0 * (-9.81 * -9.81) * x + std::sin(2.0) / 1e-7 - 2.0);
}

TEST(Expression, BindOfEverythingIsItsValue) {
  const std::map<std::string, double, std::less<>> numbers{{"a", 3.0}, {"b", 4.0}};
  const Expression bound = parsed("sqrt(a*a + b*b) / 10").bind(lookup_in(numbers));
  EXPECT_TRUE(bound.is_constant());
  EXPECT_EQ(bound.text(), "0.5");
}

TEST(Expression, BindOfNothingSharesTheProgram) {
  const Expression e = parsed("a + b");
  EXPECT_EQ(&e.bind([](std::string_view) { return nullptr; }).names(), &e.names());
  const Expression copy = e;
  EXPECT_EQ(&copy.names(), &e.names());
}

TEST(Expression, BoundTextParsesBackToTheSameBits) {
  const char* const texts[] = {"a*x^b - a/b",
                               "x^a^b",
                               "-a^2 + !b",
                               "a ? x : b",
                               "2 - a - b - x",
                               "x^-a",
                               "min(a, b, x)/(a - b)",
                               "step(x, a, b, b, a) * a",
                               "a*a*a/x"};
  const double samples[] = {0.0,    -0.0,     -1.5,      1.0 / 3.0,   1e-310,
                            -1e300, infinity, -infinity, std::nan("")};
  for (const char* text : texts) {
    for (const double a : samples) {
      for (const double b : samples) {
        const std::map<std::string, double, std::less<>> numbers{{"a", a}, {"b", b}};
        const Expression source = parsed(text), bound = source.bind(lookup_in(numbers));
        const Expression again = parsed(bound.text());
        EXPECT_EQ(again.names(), bound.names());
        EXPECT_EQ(again.size(), bound.size());
        std::vector<double> all;
        for (const std::string& n : source.names()) all.push_back(n == "x" ? 0.7 : numbers.at(n));
        const std::vector<double> free(bound.names().size(), 0.7);
        const double wanted = source.evaluate(all), got = bound.evaluate(free);
        const double reread = again.evaluate(free);
        if (std::isnan(wanted)) {
          EXPECT_TRUE(std::isnan(got) && std::isnan(reread)) << bound.text();
        } else {
          EXPECT_EQ(bits(got), bits(reread)) << bound.text();
          // A constant exponent of 2 or 3 multiplies where a variable one calls pow.
          EXPECT_DOUBLE_EQ(got, wanted) << bound.text();
        }
      }
    }
  }
}

TEST(Expression, BoundTextIsAcceptedAtTheNestingLimit) {
  const std::map<std::string, double, std::less<>> numbers{{"a", -1.5}};
  const std::string open(Expression::max_nesting, '('), close(Expression::max_nesting, ')');
  const Expression bound = parsed(open + "a*x" + close).bind(lookup_in(numbers));
  EXPECT_EQ(value(bound.text(), {2.0}), -3.0);
}

}  // namespace
}  // namespace kardan
