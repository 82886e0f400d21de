#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>

#include "kardan/base/expression.h"

namespace kardan {
namespace {

/// Accepted and evaluated, or refused with a place inside the text and a reason.
void expect_parsed_or_refused(const std::string& text, int& accepted) {
  const Expected<Expression, ExpressionError> result = Expression::parse(text);
  if (!result) {
    ASSERT_GE(result.error().offset, 0) << text;
    ASSERT_LE(result.error().offset, static_cast<int>(text.size())) << text;
    ASSERT_FALSE(result.error().message.empty()) << text;
    return;
  }
  ++accepted;
  std::vector<double> values(result->names().size(), 0.5), gradient(values.size());
  const double value = result->evaluate(values);
  const double again = result->evaluate_with_gradient(values, gradient);
  ASSERT_TRUE(value == again || (std::isnan(value) && std::isnan(again))) << text;
}

TEST(ExpressionFuzz, RandomBytesNeverCrash) {
  std::mt19937 random(20240501);
  int accepted = 0;
  for (int i = 0; i < 100000; ++i) {
    std::string text(random() % 40, '\0');
    for (char& c : text) c = static_cast<char>(random());
    expect_parsed_or_refused(text, accepted);
  }
}

TEST(ExpressionFuzz, RandomWordsNeverCrash) {
  const char* const words[] = {"1",   "2.5", "x",    "y.z[0]", "+",   "-",    "*",    "/",   "^",
                               "(",   ")",   ",",    "?",      ":",   "<",    "==",   "and", "or",
                               "not", "!",   "sin(", "step(",  "if(", "min(", "mod(", "pi",  " "};
  std::mt19937 random(7);
  int accepted = 0;
  for (int i = 0; i < 100000; ++i) {
    std::string text;
    for (int n = random() % 12; n >= 0; --n) text += words[random() % std::size(words)];
    expect_parsed_or_refused(text, accepted);
  }
  EXPECT_GT(accepted, 1000) << "words must reach the evaluation too";
}

TEST(ExpressionFuzz, MutationsOfValidTextsNeverCrash) {
  const std::string seeds[] = {
      "a.x*sin(2*pi*t) + step(t, 0, 0, 1.5, -3e-2) - (b[0] > 0 and not c ? x^2^y : -1)",
      "if(x < 0.5, min(x, y, 3), clamp(atan2(y, x), -1, 1)) / (1 + hypot(x, y))",
      "((((x))))+mod(-7,3)*radians(45)||!y&&z!=1", "2**-x**+3 >= 4 ? 1 : 0 ? 2 : exp(log10(x))"};
  std::mt19937 random(99);
  int accepted = 0;
  for (int i = 0; i < 100000; ++i) {
    std::string text = seeds[random() % std::size(seeds)];
    for (int n = random() % 4; n >= 0; --n) {
      const std::size_t at = random() % text.size(), from = random() % text.size();
      switch (random() % 4) {
        case 0:
          text.erase(at, 1 + random() % 3);
          break;
        case 1:
          text[at] = static_cast<char>(random() % 128);
          break;
        case 2:
          text.insert(at, text.substr(from, 1 + random() % 8));
          break;
        default:
          std::swap(text[at], text[from]);
      }
      if (text.empty()) text.push_back('x');
    }
    expect_parsed_or_refused(text, accepted);
  }
  EXPECT_GT(accepted, 1000) << "mutations must reach the evaluation too";
}

/// A random expression with its value computed by C++ alongside; `a`, `b` and `c` are the names.
struct Sample {
  std::string text;
  double value;
};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Sample make(int depth) {
    const int kind = depth == 0 ? pick(2) : pick(12);
    if (kind == 0) return name();
    if (kind == 1) return number();
    const Sample p = make(depth - 1), q = make(depth - 1);
    const std::string two = fmt::format("({}, {})", p.text, q.text);
    switch (kind) {
      case 2:
        return join(p, " + ", q, p.value + q.value);
      case 3:
        return join(p, " - ", q, p.value - q.value);
      case 4:
        return join(p, "*", q, p.value * q.value);
      case 5:
        return join(p, "/", q, p.value / q.value);
      case 6:
        return join(p, " < ", q, p.value < q.value ? 1.0 : 0.0);
      case 7:
        return join(p, " and ", q, p.value != 0 && q.value != 0 ? 1.0 : 0.0);
      case 8:
        return join(p, " or ", q, p.value != 0 || q.value != 0 ? 1.0 : 0.0);
      case 9:
        return {fmt::format("(-sin({}))", p.text), -std::sin(p.value)};
      case 10:
        return {fmt::format("atan2{}", two), std::atan2(p.value, q.value)};
      default:
        return choice(p, q, make(depth - 1));
    }
  }

  std::map<std::string, double> values{{"a", 0.75}, {"b", -1.5}, {"c", 0.0}};

 private:
  int pick(int count) { return static_cast<int>(random_() % count); }

  Sample name() {
    const std::string names[] = {"a", "b", "c"};
    const std::string& chosen = names[pick(3)];
    return {chosen, values.at(chosen)};
  }

  Sample number() {
    const int n = pick(5);
    return {std::to_string(n), static_cast<double>(n)};
  }

  Sample choice(const Sample& c, const Sample& p, const Sample& q) {
    return {fmt::format("({} ? {} : {})", c.text, p.text, q.text),
            c.value != 0 ? p.value : q.value};
  }

  static Sample join(const Sample& p, const char* symbol, const Sample& q, double value) {
    return {fmt::format("({}{}{})", p.text, symbol, q.text), value};
  }

  std::mt19937 random_;
};

bool same(double x, double y) {
  return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y) ||
         (std::isnan(x) && std::isnan(y));
}

TEST(ExpressionFuzz, RandomExpressionsHaveTheBitsOfCppFoldedBoundOrFree) {
  Generator generator(5);
  const std::vector<std::vector<std::string>> known{{}, {"a"}, {"b", "c"}, {"a", "b", "c"}};
  for (int i = 0; i < 4000; ++i) {
    const Sample sample = generator.make(1 + i % 6);
    const Expression free = Expression::parse(sample.text).value();
    for (const std::vector<std::string>& names : known) {
      const Expression bound = free.bind([&](std::string_view name) -> const double* {
        for (const std::string& n : names) {
          if (n == name) return &generator.values.at(n);
        }
        return nullptr;
      });
      const Expression reread = Expression::parse(bound.text()).value();
      std::vector<double> values;
      for (const std::string& name : bound.names()) values.push_back(generator.values.at(name));
      ASSERT_TRUE(same(bound.evaluate(values), sample.value)) << sample.text;
      ASSERT_TRUE(same(reread.evaluate(values), sample.value)) << bound.text();
      ASSERT_EQ(reread.names(), bound.names());
    }
  }
}

}  // namespace
}  // namespace kardan
