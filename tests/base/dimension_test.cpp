#include "kardan/base/dimension.h"

#include <gtest/gtest.h>

namespace kardan {
namespace {

TEST(Unit, IsReadAsPowersOfTheBaseUnits) {
  EXPECT_EQ(parse_unit("N s/m"), (Dimension{0, 1, -1}));
  EXPECT_EQ(parse_unit("kg m^2"), (Dimension{2, 1, 0}));
  EXPECT_EQ(parse_unit("N m/rad"), parse_unit("J"));
  EXPECT_EQ(parse_unit("N/(m s)"), (Dimension{0, 1, -3}));
  EXPECT_EQ(parse_unit("rad/s"), parse_unit("Hz"));
  EXPECT_EQ(parse_unit("1"), Dimension{});
  EXPECT_EQ(parse_unit("W"), (Dimension{2, 1, -3}));
  for (const char* bad : {"", "mm", "m/s/s", "/s", "m^x", "m or rad", "N/m, N", "m^99"})
    EXPECT_EQ(parse_unit(bad), std::nullopt) << bad;
}

TEST(Unit, IsWrittenInBaseUnits) {
  EXPECT_EQ(to_string({1, 1, -2}), "kg m/s^2");
  EXPECT_EQ(to_string({-1, 1, -2}), "kg/(m s^2)");
  EXPECT_EQ(to_string({0, 0, -1}), "1/s");
  EXPECT_EQ(to_string({}), "1");
}

/// L [m], M [kg], T [s], x unknown.
std::string dimension(const std::string& text) {
  const auto found = find_dimension(Expression::parse(text).value(), [](std::string_view name) {
    return name == "L"   ? std::optional(Dimension{1, 0, 0})
           : name == "M" ? std::optional(Dimension{0, 1, 0})
           : name == "T" ? std::optional(Dimension{0, 0, 1})
                         : std::nullopt;
  });
  if (!found) return found.error();
  return found.value() ? to_string(*found.value()) : "?";
}

TEST(DimensionOfAnExpression, FollowsSumsProductsAndPowers) {
  EXPECT_EQ(dimension("M*L/T^2"), "kg m/s^2");
  EXPECT_EQ(dimension("L + L - 3"), "m");
  EXPECT_EQ(dimension("sqrt(L*L)"), "m");
  EXPECT_EQ(dimension("L^3"), "m^3");
  EXPECT_EQ(dimension("max(L, 2*x)"), "?");
  EXPECT_EQ(dimension("abs(-L)"), "m");
  EXPECT_EQ(dimension("L*sin(L/L)"), "m");
  EXPECT_EQ(dimension("L*(1 - cos(x))/T"), "m/s");
  EXPECT_EQ(dimension("atan2(L, L)"), "1");
  EXPECT_EQ(dimension("step(T, 0, L, 1, L)"), "m");
}

TEST(DimensionOfAnExpression, IsUnknownWhereNumbersOrBranchesMayCarryUnits) {
  EXPECT_EQ(dimension("2*L"), "?");
  EXPECT_EQ(dimension("1/T"), "?");
  EXPECT_EQ(dimension("x*L"), "?");
  EXPECT_EQ(dimension("T > 1 ? L : M"), "?");
  EXPECT_EQ(dimension("sqrt(L)"), "?");
  EXPECT_EQ(dimension("7"), "?");
}

TEST(DimensionOfAnExpression, ShowsSumsThatCannotBeMeant) {
  EXPECT_EQ(dimension("L + M"), "a sum of m and kg");
  EXPECT_EQ(dimension("L - T*x + M"), "?") << "unknown in between";
  EXPECT_EQ(dimension("max(L, M)"), "a function of m and kg");
  EXPECT_EQ(dimension("exp(T)"), "a function of s, which wants a plain number");
  EXPECT_EQ(dimension("L < M"), "a comparison of m and kg");
}

/// What a person writes: accepted as a length or not.
TEST(DimensionOfAnExpression, OfPureNumbersFitsWhereverNumbersFit) {
  struct Row {
    const char* text;
    const char* dimension;
  };
  // "?" fits every field.
  const Row table[] = {{"cos(x)", "?"},
                       {"1*cos(x)", "?"},
                       {"cos(x)*1", "?"},
                       {"-cos(x)", "?"},
                       {"cos(x) + 1", "?"},
                       {"1 - cos(x)", "?"},
                       {"cos(x)/2", "?"},
                       {"2/cos(x)", "?"},
                       {"cos(x)^2", "?"},
                       {"cos(x)*sin(x)", "?"},
                       {"sqrt(cos(x))", "?"},
                       {"exp(-T/T)", "?"},
                       {"tanh(x)", "?"},
                       {"sign(L)", "?"},
                       {"T > 1", "?"},
                       {"max(cos(x), 0)", "?"},
                       {"cos(x)*x", "?"},
                       {"L + cos(x)", "m"},
                       {"cos(x) - L", "m"},
                       {"L*cos(x)", "m"},
                       {"cos(x)*L", "m"},
                       {"L*cos(x)^2", "m"},
                       {"L/cos(x)", "m"},
                       {"cos(x)/T", "1/s"},
                       {"L*(T > T)", "m"},
                       {"2*L*cos(x)", "?"},
                       {"L*(2*cos(x))", "?"},
                       {"asin(x)", "1"},
                       {"atan2(L, L)", "1"},
                       {"L*asin(x)", "m"},
                       {"atan(x) + cos(x)", "1"},
                       {"L + asin(x)", "a sum of m and 1"},
                       {"L + L/L", "a sum of m and 1"},
                       {"M*cos(x) + L*sin(x)", "a sum of kg and m"},
                       {"cos(L)", "a function of m, which wants a plain number"}};
  for (const Row& row : table) EXPECT_EQ(dimension(row.text), row.dimension) << row.text;
}

}  // namespace
}  // namespace kardan
