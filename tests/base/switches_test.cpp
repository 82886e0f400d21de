/// Kinks and jumps of expressions: positions that belong to values, functions that pass zero where
/// they end, and the smooth function that is left while they are held.

#include "kardan/base/switches.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kardan/base/affine.h"
#include "kardan/base/time_function.h"

namespace kardan {
namespace {

Switches switches_of(std::string_view text, const FunctionScope& functions = {}) {
  return Switches(Expression::parse(text, functions).value());
}

/// At every x the expression with the switches that belong to x is what it is without them; where
/// positions change between neighbours, the function of that switch changes its sign.
void expect_sound(const Switches& s, double from, double to) {
  ASSERT_GT(s.count(), 0);
  constexpr int points = 4001;
  std::vector<int> now(s.count()), last;
  std::vector<double> z(s.count());
  double before = 0;
  for (int i = 0; i < points; ++i) {
    const double x = from + (to - from) * (i + 0.37) / points;
    s.choose(std::span(&x, 1), now.data());
    EXPECT_NEAR(s.evaluate(std::span(&x, 1), now.data()), s.expression().evaluate(std::span(&x, 1)),
                1e-14)
        << x;
    if (!last.empty() && last != now) {
      // A switch of a branch that is taken from here on changes with the one that takes it.
      std::vector<double> a(s.count()), b(s.count());
      s.functions(std::span(&before, 1), last.data(), a.data());
      s.functions(std::span(&x, 1), last.data(), b.data());
      bool passes = false;
      for (int k = 0; k < s.count(); ++k)
        passes = passes || (last[k] != now[k] && (a[k] > 0) != (b[k] > 0));
      EXPECT_TRUE(passes) << "between " << before << " and " << x;
    }
    last = now;
    before = x;
  }
}

TEST(Switches, BelongToValuesAndEndWhereTheirFunctionsPassZero) {
  for (const char* text :
       {"abs(x - 0.3)", "sign(x)", "min(x, 0.5)", "max(x, 2*x - 0.4)", "clamp(x, -0.5, 0.7)",
        "floor(3*x)", "ceil(3*x)", "round(3*x)", "mod(x, 0.4)", "mod(x, -0.4)", "x < 0.2",
        "x <= 0.2", "x > 0.2", "x >= 0.2", "step(x, -0.2, 1, 0.6, 3)", "step(x, 0.6, 1, -0.2, 3)",
        "x > 0 ? abs(x - 0.5) : x^2", "x > 0 and x < 0.5 ? 1 : 0"}) {
    SCOPED_TRACE(text);
    expect_sound(switches_of(text), -1.5, 1.5);
  }
}

TEST(Switches, AreInFunctionsThatAreCalled) {
  const auto table = [](Interpolation interpolation, Outside outside) {
    return std::make_shared<const TimeFunction>(
        Table::make({-1, 0, 0.5, 1}, {0, 1, 0.5, 0}, interpolation, outside).value());
  };
  const auto kinked = std::make_shared<const TimeFunction>(
      TimeFunction::make(Expression::parse("abs(t) + max(t, 0.5)").value()).value());
  const auto in = [](auto f) {
    return switches_of("2*f(x) + abs(f(2*x))",
                       [f](std::string_view) -> std::shared_ptr<const NamedFunction> { return f; });
  };
  expect_sound(in(table(Interpolation::linear, Outside::hold)), -2.5, 2.5);
  expect_sound(in(table(Interpolation::pchip, Outside::repeat)), -4.5, 4.5);
  expect_sound(in(kinked), -2, 2);
  EXPECT_EQ(switches_of("f(x)",
                        [&](std::string_view) -> std::shared_ptr<const NamedFunction> {
                          return table(Interpolation::cubic_spline, Outside::extend);
                        })
                .count(),
            0)
      << "a spline has no kinks";
}

TEST(Switches, GoOnSmoothlyWhileTheyAreHeld) {
  const Switches s = switches_of("abs(x)*x + if(x > 1, x^3, 2)");
  const double here = 0.5, beyond = -0.5;
  std::vector<int> positions(s.count());
  s.choose(std::span(&here, 1), positions.data());
  double slope = 0;
  EXPECT_DOUBLE_EQ(s.evaluate(std::span(&beyond, 1), positions.data()), 0.25 + 2);
  EXPECT_DOUBLE_EQ(
      s.evaluate_with_gradient(std::span(&beyond, 1), positions.data(), std::span(&slope, 1)),
      2.25);
  EXPECT_DOUBLE_EQ(slope, 2 * beyond);
}

TEST(Affine, IsDecidedByOperations) {
  const auto affine = [](const char* text) {
    const Expression e = Expression::parse(text).value();
    std::vector<char> moves;
    for (const std::string& name : e.names()) moves.push_back(name.starts_with("v"));
    return is_affine(e, moves);
  };
  for (const char* text : {"v", "2*v - w*x", "x*v + sin(x)*vy", "(v - vy)/x", "-v*3 + 4",
                           "x > 0 ? v : 2*v", "(v + 1)*(x - 2)"})
    EXPECT_TRUE(affine(text)) << text;
  for (const char* text : {"v^2", "v*vy", "x/v", "sin(v)", "abs(v)", "hypot(v, vy)",
                           "v > 0 ? x : y", "x > 0 ? v*v : v"})
    EXPECT_FALSE(affine(text)) << text;
}

TEST(Inlining, PutsExpressionsInThePlaceOfNames) {
  const Expression outer = Expression::parse("a > 0 ? a*b : b + if(b > 1, a, 2)").value();
  const Expression inner = Expression::parse("x > y ? x - b : (y < 2 ? y : 3)").value();
  const auto flat =
      outer.inlined([&](std::string_view name) { return name == "a" ? &inner : nullptr; });
  ASSERT_TRUE(flat);
  ASSERT_EQ(flat->names().size(), 3u);
  for (double x : {-1.0, 0.5, 3.0})
    for (double y : {-2.0, 0.7, 2.5})
      for (double b : {0.1, 1.5}) {
        std::vector<double> in, out, values;
        for (const std::string& name : inner.names())
          in.push_back(name == "x" ? x : name == "y" ? y : b);
        const double a = inner.evaluate(in);
        for (const std::string& name : outer.names()) out.push_back(name == "a" ? a : b);
        for (const std::string& name : flat->names())
          values.push_back(name == "x" ? x : name == "y" ? y : b);
        EXPECT_EQ(flat->evaluate(values), outer.evaluate(out));
      }
}

}  // namespace
}  // namespace kardan
