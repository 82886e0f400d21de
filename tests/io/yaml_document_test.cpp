#include "kardan/io/yaml_document.h"

#include <fmt/format.h>

#include "io/reading.h"

namespace kardan {
namespace {

using Kind = YamlNode::Kind;

struct Parsed {
  YamlDocument document;
  Diagnostics diagnostics;
};

Parsed parse(std::string_view text, const YamlLimits& limits = {}) {
  Parsed p;
  p.document = parse_yaml(text, "m.yaml", p.diagnostics, limits);
  return p;
}

TEST(YamlDocument, KnowsLineAndColumnOfEveryNode) {
  const Parsed p = parse("a: 1\nlist: [x, {b: 'two words'}]\n");
  ASSERT_TRUE(p.diagnostics.empty()) << format(p.diagnostics);
  const YamlNode& root = p.document.root;
  ASSERT_EQ(root.kind, Kind::mapping);
  EXPECT_EQ(root.keys[1].line, 2);
  EXPECT_EQ(root.keys[1].column, 1);
  const YamlNode& list = root.items[1];
  EXPECT_EQ(list.line, 2);
  EXPECT_EQ(list.column, 7);
  EXPECT_EQ(list.items[0].column, 8);
  const YamlNode& words = list.items[1].items[0];
  EXPECT_EQ(words.text, "two words");
  EXPECT_EQ(words.kind, Kind::quoted);
  EXPECT_EQ(words.column, 16) << "the first letter after the quote";
}

TEST(YamlDocument, CountsColumnsAndQuotesAfterAByteOrderMark) {
  const Parsed p = parse(
      "\xef\xbb\xbf"
      "a: \"x\"\n");
  ASSERT_TRUE(p.diagnostics.empty()) << format(p.diagnostics);
  EXPECT_EQ(p.document.root.items[0].column, 5);
}

TEST(YamlDocument, KeepsTheOrderOfMappings) {
  const Parsed p = parse("{z: 1, a: 2, m: 3}");
  ASSERT_EQ(p.document.root.keys.size(), 3u);
  EXPECT_EQ(p.document.root.keys[0].text, "z");
  EXPECT_EQ(p.document.root.keys[2].text, "m");
}

TEST(YamlDocument, ReportsADuplicateKeyWithBothPlaces) {
  const Parsed p = parse("a: 1\nb: 2\na: 3\n");
  EXPECT_EQ(only(p.diagnostics), "3:1 yaml.duplicate_key");
  EXPECT_THAT(p.diagnostics.all()[0].message, testing::HasSubstr("m.yaml:1:1"));
  EXPECT_EQ(p.document.root.items.size(), 2u) << "the first one counts";
}

TEST(YamlDocument, ReportsSyntaxErrorsAndKeepsWhatCameBefore) {
  const Parsed p = parse("a: 1\nb: {c: 2, d: [1, 2\ne: 5\n");
  ASSERT_EQ(p.diagnostics.all().size(), 1u) << format(p.diagnostics);
  EXPECT_EQ(p.diagnostics.all()[0].code, "yaml.syntax");
  EXPECT_GT(p.diagnostics.all()[0].where.line, 1);
  EXPECT_FALSE(p.document.complete);
  ASSERT_NE(p.document.root.find("a"), nullptr);
  ASSERT_NE(p.document.root.find("b"), nullptr);
  EXPECT_NE(p.document.root.find("b")->find("c"), nullptr);
}

TEST(YamlDocument, HintsAtQuotesAroundSubstitutionsInBrackets) {
  const Parsed p = parse("a: [link_${i}, 2]\n");
  ASSERT_FALSE(p.diagnostics.empty());
  EXPECT_THAT(p.diagnostics.all()[0].hint, testing::HasSubstr("quotes"));
}

TEST(YamlDocument, ExpandsAliases) {
  const Parsed p = parse("a: &x {b: [1, 2]}\nc: *x\n");
  ASSERT_TRUE(p.diagnostics.empty()) << format(p.diagnostics);
  EXPECT_EQ(p.document.root.find("c")->find("b")->items.size(), 2u);
}

TEST(YamlDocument, RefusesAnAliasInsideItsOwnAnchor) {
  EXPECT_EQ(only(parse("a: &x [1, *x]\n").diagnostics), "1:11 yaml.alias");
}

TEST(YamlDocument, RefusesAliasBombs) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += fmt::format("a{}: &a{} [", i, i);
    for (int k = 0; k < 10; ++k) bomb += fmt::format("{}*a{}", k > 0 ? ", " : "", i - 1);
    bomb += "]\n";
  }
  const Parsed p = parse(bomb);
  ASSERT_EQ(p.diagnostics.all().size(), 1u);
  EXPECT_EQ(p.diagnostics.all()[0].code, "yaml.too_large");
}

TEST(YamlDocument, RefusesDeepNesting) {
  const Parsed ok = parse(std::string(100, '[') + std::string(100, ']'));
  EXPECT_TRUE(ok.diagnostics.empty()) << format(ok.diagnostics);
  EXPECT_THAT(only(parse(std::string(100000, '[')).diagnostics), testing::EndsWith("too_deep"));
  std::string dashes;
  for (int i = 0; i < 5000; ++i) dashes += "- ";
  EXPECT_EQ(only(parse(dashes).diagnostics), "1:201 yaml.too_deep");
}

TEST(YamlDocument, RefusesTextBeyondItsLimits) {
  EXPECT_EQ(only(parse("a: 123456", {.bytes = 8}).diagnostics), "0:0 yaml.too_large");
  EXPECT_EQ(only(parse("[a, b, c]", {.nodes = 3}).diagnostics), "1:8 yaml.too_large");
}

TEST(YamlDocument, RefusesSeveralDocuments) {
  EXPECT_EQ(only(parse("---\na: 1\n---\nb: 2\n").diagnostics), "3:1 yaml.several_documents");
  EXPECT_TRUE(parse("---\na: 1\n...\n").diagnostics.empty());
}

TEST(YamlDocument, RefusesTextThatIsNotUtf8) {
  EXPECT_EQ(only(parse("a: 1\nb: \xe9t\xe9\n").diagnostics), "2:4 yaml.encoding");
  EXPECT_EQ(only(parse("\xff\xfe"
                       "a")
                     .diagnostics),
            "1:1 yaml.encoding")
      << "UTF-16";
  EXPECT_EQ(only(parse(std::string("a: \0b", 5)).diagnostics), "1:4 yaml.encoding");
  EXPECT_EQ(only(parse("a: \xed\xa0\x80").diagnostics), "1:4 yaml.encoding") << "surrogate";
  EXPECT_EQ(only(parse("a: \xc0\xaf").diagnostics), "1:4 yaml.encoding") << "overlong";
  EXPECT_TRUE(parse("a: \xce\xb2 \xe2\x82\xac \xf0\x9f\x98\x80").diagnostics.empty());
}

TEST(YamlDocument, RefusesKeysThatAreNoWordsAndForeignTags) {
  EXPECT_EQ(only(parse("{[1, 2]: 3, b: 4}").diagnostics), "1:2 yaml.key");
  EXPECT_EQ(only(parse("~: 3").diagnostics), "1:1 yaml.key");
  EXPECT_EQ(only(parse("a: !!python/object x").diagnostics), "1:4 yaml.tag");
  EXPECT_TRUE(parse("a: !!str 5").diagnostics.empty());
}

TEST(YamlDocument, ReadsJson) {
  const Parsed p = parse(R"({"a": {"b": [1.5, "x"]}, "c": null})");
  ASSERT_TRUE(p.diagnostics.empty()) << format(p.diagnostics);
  EXPECT_EQ(p.document.root.find("a")->find("b")->items[0].kind, Kind::plain);
  EXPECT_EQ(p.document.root.find("c")->kind, Kind::null);
}

}  // namespace
}  // namespace kardan
