/// Files made to hurt: each is refused with exit code 2 and a message that names the place, before
/// much memory or time is spent.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "support/places.h"
#include "support/process.h"

namespace kardan::test {
namespace {

using testing::ContainsRegex;
using testing::IsEmpty;

std::string repeated(const std::string& text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

/// Texts of a model with one body, given the line that hurts.
std::string with_mass(const std::string& mass) {
  return "kardan: 1\nbodies:\n  b: {mass: " + mass + ", inertia: [1, 1, 1]}\n";
}

/// Every function calls the one before it twice.
std::string doubling_functions(int count) {
  std::string out = "kardan: 1\nfunctions:\n  f0: t\n";
  for (int i = 1; i < count; ++i) out += fmt::format("  f{0}: f{1}(t) + f{1}(2*t)\n", i, i - 1);
  return out + "bodies:\n  b: {mass: 1, inertia: [1, 1, 1]}\n";
}

std::string alias_bomb() {
  std::string out = "kardan: 1\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i)
    out += fmt::format("a{}: &a{} [{}x]\n", i, i, repeated(fmt::format("*a{}, ", i - 1), 10));
  return out;
}

/// Few nodes, but each is long.
std::string alias_of_a_long_text() {
  return "kardan: 1\na: &a " + std::string(100'000, 'x') + "\nb: [" + repeated("*a, ", 20'000) +
         "1]\n";
}

std::string parameter_chain(int length) {
  std::string out = "kardan: 1\nparameters:\n";
  for (int i = 0; i < length; ++i) out += fmt::format("  p{}: p{} + 1\n", i, i + 1);
  return out + fmt::format("  p{}: 1\nbodies:\n  b: {{mass: p0, inertia: [1, 1, 1]}}\n", length);
}

struct Hostile {
  const char* name;
  std::string text;
  const char* message;  ///< a regular expression, with line and column
};

std::vector<Hostile> hostile_files() {
  const std::string many =
      "kardan: 1\nparameters: {N: 1e9}\nbodies:\n  'b_${i}': {repeat: {i: [1, N]}, mass: 1}\n";
  return {
      {"alias bomb", alias_bomb(), ":[0-9]+:[0-9]+: error.yaml.too_large"},
      {"aliases of a long text", alias_of_a_long_text(), ":3:[0-9]+: error.yaml.too_large"},
      {"an alias of itself", "kardan: 1\na: &a [*a]\n", ":2:8: error.yaml.alias"},
      {"1e9 bodies by a parameter", many, ":4:4: error.repeat.too_many"},
      {"1e18 bodies by two repeats",
       "kardan: 1\nbodies:\n  'b_${i}_${j}': {repeat: {i: [1, 1e9], j: [1, 1e9]}, mass: 1}\n",
       ":3:4: error.repeat.too_many"},
      {"repeats inside of repeats",
       "kardan: 1\nbodies:\n  'b_${i}': {repeat: {i: [1, 1e5]}, mass: 1, markers: {'m_${j}': "
       "{repeat: {j: [1, 1e5]}, at: [0, 0, 0]}}}\n",
       ":3:[0-9]+: error.repeat.too_many"},
      {"copies of a long text",
       "kardan: 1\nbodies:\n  'b_${i}': {repeat: {i: [1, 1e5]}, mass: 1, color: " +
           std::string(50'000, 'x') + "}\n",
       ":3:[0-9]+: error.repeat.too_many"},
      {"copies with a long name",
       "kardan: 1\nbodies:\n  'b_${i}" + std::string(50'000, 'x') +
           "': {repeat: {i: [1, 1e5]}, mass: 1}\n",
       ":3:[0-9]+: error"},
      {"deep brackets", "kardan: 1\nbodies: " + std::string(100'000, '['),
       ":2:[0-9]+: error.yaml.too_deep"},
      {"deep dashes", "kardan: 1\nbodies:\n " + repeated("- ", 50'000) + "1\n",
       ":3:[0-9]+: error.yaml.too_deep"},
      {"a deep expression",
       with_mass("'" + std::string(30'000, '(') + "1" + std::string(30'000, ')') + "'"),
       ":3:[0-9]+: error.*nested more than 200 deep"},
      {"many signs", with_mass("'" + std::string(60'000, '-') + "1'"),
       ":3:[0-9]+: error.*nested more than 200 deep"},
      {"powers of powers", with_mass("2" + repeated("^2", 30'000)),
       ":3:[0-9]+: error.*nested more than 200 deep"},
      {"a long expression", with_mass("1" + repeated(" + 1", 100'000)), ":3:[0-9]+: error"},
      {"many operands",
       with_mass("'max(" + repeated("1 + (x*(", 40) + "1" + repeated("))", 40) + ", 1)'"),
       ":3:[0-9]+: error"},
      {"not a number", with_mass("0/0"), ":3:[0-9]+: error"},
      {"YAML's not a number", with_mass(".nan"), ":3:[0-9]+: error"},
      {"infinity", with_mass("1/0"), ":3:[0-9]+: error"},
      {"YAML's infinity", with_mass(".inf"), ":3:[0-9]+: error"},
      {"functions that double", doubling_functions(40), ":16:[0-9]+: error.function.calls"},
      {"a number beyond doubles", with_mass("1e999"), ":3:[0-9]+: error"},
      {"not a number in a parameter",
       "kardan: 1\nparameters: {m: 0/0}\nbodies:\n  b: {mass: m, inertia: [1, 1, 1]}\n",
       ":2:17: error"},
      {"infinite gravity",
       "kardan: 1\ngravity: [0, 0, 1e999]\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1]}\n",
       ":2:[0-9]+: error"},
      {"one name twice",
       "kardan: 1\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1]}\n  b: {mass: 1, inertia: [1, 1, "
       "1]}\n",
       ":4:3: error.yaml.duplicate_key"},
      {"a body and a joint of one name",
       "kardan: 1\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1]}\njoints:\n  b: {type: fixed, "
       "between: [ground, b]}\n",
       ":5:3: error.name.duplicate"},
      {"parameters in a circle",
       "kardan: 1\nparameters: {a: b, b: c, c: a}\nbodies:\n  x: {mass: a, inertia: [1, 1, 1]}\n",
       ":2:[0-9]+: error.parameter.cycle"},
      {"a long chain of parameters", parameter_chain(20'000),
       ":[0-9]+:[0-9]+: error.parameter.depth"},
      {"not UTF-8", "kardan: 1\nname: \"\xff\xfe\"\n", ":2:8: error.yaml.encoding"},
      {"UTF-16", std::string("\xff\xfek\0a\0r\0", 8), ":1:1: error.yaml.encoding"},
      {"a zero byte", std::string("kardan: 1\nname: a\0b\n", 20), ":2:[0-9]+: error.yaml.encoding"},
      {"the end of nothing", "", ": error.model.empty"},
      {"several documents", "kardan: 1\n---\nkardan: 1\n",
       ":2:[0-9]+: error.yaml.several_documents"},
  };
}

TEST(HostileInput, IsRefusedWhereItStandsWithExitCodeTwo) {
  for (const Hostile& hostile : hostile_files()) {
    const TemporaryFile file(hostile.text);
    const Output o = run_kardan({"check", file.path()});
    EXPECT_EQ(o.exit_code, 2) << hostile.name << "\n" << o.err.substr(0, 2000);
    EXPECT_THAT(o.out, IsEmpty()) << hostile.name;
    EXPECT_THAT(o.err, ContainsRegex(hostile.message)) << hostile.name;
    EXPECT_LT(o.err.size(), 500'000u) << hostile.name << ": a message is to be read";
  }
}

TEST(HostileInput, TakesLittleMemory) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer keeps what was freed";
#endif
  rusage used{};
  ASSERT_EQ(getrusage(RUSAGE_CHILDREN, &used), 0);
  const long before = used.ru_maxrss;
  for (const Hostile& hostile : hostile_files()) {
    const TemporaryFile file(hostile.text);
    (void)run_kardan({"check", file.path()});
  }
  ASSERT_EQ(getrusage(RUSAGE_CHILDREN, &used), 0);
  // The largest of all children [kB]; the program itself takes some 20 MB.
  EXPECT_LT(used.ru_maxrss, std::max(before, 1'000'000L));
}

TEST(HostileInput, IncludesThatGoRoundAreRefused) {
  const Output o = run_kardan({"check", test_data() + "/includes/faulty.yaml"});
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.err, ContainsRegex(":[0-9]+:[0-9]+: error.include.cycle"));
}

TEST(HostileInput, NumbersNearTheSmallestAreNumbers) {
  const TemporaryFile file(
      "kardan: 1\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1], position: [4.9e-324, -1e-310, "
      "-0.0]}\n");
  EXPECT_EQ(run_kardan({"check", file.path()}).exit_code, 0);
}

}  // namespace
}  // namespace kardan::test
