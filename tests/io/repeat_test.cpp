#include <chrono>
#include <iostream>

#include "io/reading.h"
#include "kardan/io/expander.h"
#include "support/places.h"

namespace kardan {
namespace {

std::string with_parameters(const std::string& tail) {
  return "kardan: 1\nparameters: {N: 3, L: 0.5}\n" + tail;
}

std::string text_of(const FieldValue* value) {
  const auto* text = value ? std::get_if<std::string>(&value->data) : nullptr;
  return text ? *text : "not a text";
}

double number_of(const FieldValue& value) {
  const auto* number = std::get_if<double>(&value.data);
  return number ? *number : -999;
}

std::vector<std::string> names(const std::vector<NamedFields>& things) {
  std::vector<std::string> all;
  for (const NamedFields& thing : things) all.push_back(thing.name);
  return all;
}

TEST(Repeat, MakesCopiesWithNumbersInNamesAndTexts) {
  const Reading r = read(with_parameters(R"(
bodies:
  link_${i}: {repeat: {i: [1, N]}, mass: 1, position: ["(${i} - 0.5)*L", "${i*L}"]}
joints:
  pin_${i}: {repeat: {i: [2, N]}, type: revolute, between: ["link_${i-1}", "link_${i}"]}
)"));
  ASSERT_TRUE(r.model) << format(r.diagnostics);
  EXPECT_THAT(names(r.model->bodies), testing::ElementsAre("link_1", "link_2", "link_3"));
  EXPECT_THAT(names(r.model->elements), testing::ElementsAre("pin_2", "pin_3"));
  const auto& position = std::get<FieldValue::List>(r.body("link_3")->find("position")->data);
  EXPECT_EQ(text_of(&position[0]), "(3 - 0.5)*L");
  EXPECT_EQ(text_of(&position[1]), "1.5");
  EXPECT_EQ(r.body("link_3")->find("repeat"), nullptr);
  EXPECT_EQ(r.body("link_3")->where.line, 5);
  const auto& between = std::get<FieldValue::List>(r.element("pin_3")->find("between")->data);
  EXPECT_EQ(text_of(&between[0]), "link_2");
}

TEST(Repeat, PlainSubstitutionsAreNumbers) {
  const Reading r =
      read(with_parameters("bodies:\n  b_${i}:\n    repeat: {i: [1, 2]}\n    mass: ${i/3}\n"
                           "    x: 1${i}\n"));
  ASSERT_TRUE(r.model) << format(r.diagnostics);
  EXPECT_EQ(number_of(*r.body("b_2")->find("mass")), 2.0 / 3);
  EXPECT_EQ(number_of(*r.body("b_2")->find("x")), 12);
}

TEST(Repeat, BoundsFollowOverridesOfParameters) {
  const std::string text =
      with_parameters("bodies: {'b_${k}': {repeat: {k: [0, 'N - 1']}, mass: 1}}\n");
  EXPECT_EQ(read(text).model->bodies.size(), 3u);
  EXPECT_EQ(read(text, {{"N", 5}}).model->bodies.size(), 5u);
  EXPECT_EQ(read(text, {{"N", 0}}).model->bodies.size(), 0u) << "empty if last < first";
}

TEST(Repeat, SeveralIndicesMakeTheProductAndLaterOnesMayUseEarlier) {
  const Reading r =
      read(with_parameters("bodies: {'b_${i}_${j}': {repeat: {i: [1, 2], j: [1, 3]}}}\n"));
  ASSERT_TRUE(r.model) << format(r.diagnostics);
  EXPECT_THAT(names(r.model->bodies),
              testing::ElementsAre("b_1_1", "b_1_2", "b_1_3", "b_2_1", "b_2_2", "b_2_3"));
  const Reading triangle =
      read(with_parameters("bodies: {'b_${i}_${j}': {repeat: {i: [1, 3], j: [1, i]}}}\n"));
  ASSERT_TRUE(triangle.model) << format(triangle.diagnostics);
  EXPECT_EQ(triangle.model->bodies.size(), 6u);
}

TEST(Repeat, RepeatsMarkersInsideRepeatedBodies) {
  const Reading r =
      read(with_parameters("bodies:\n  b_${i}:\n    repeat: {i: [1, 2]}\n    markers:\n"
                           "      m_${j}: {repeat: {j: [1, N]}, at: [\"${i*10 + j}\", 0]}\n"));
  ASSERT_TRUE(r.model) << format(r.diagnostics);
  const auto& markers = std::get<FieldMap>(r.body("b_2")->find("markers")->data);
  ASSERT_EQ(markers.size(), 3u);
  EXPECT_EQ(markers[2].first, "m_3");
  const auto& fields = std::get<FieldMap>(markers[2].second.data);
  EXPECT_EQ(text_of(&std::get<FieldValue::List>(fields[0].second.data)[0]), "23");
}

TEST(Repeat, SubstitutesParametersOutsideOfRepeat) {
  const Reading r =
      read(with_parameters("sensors: {tip: {type: point, between: [ground, 'link_${N}.tip']}}\n"));
  ASSERT_TRUE(r.model) << format(r.diagnostics);
  const auto& between = std::get<FieldValue::List>(r.element("tip")->find("between")->data);
  EXPECT_EQ(text_of(&between[1]), "link_3.tip");
}

TEST(Repeat, LocatesFaultsInExpressions) {
  EXPECT_EQ(
      only(read(with_parameters("bodies:\n  b_${i}: {repeat: {i: [1, 2]}, x: \"2*${i +}\"}\n"))
               .diagnostics),
      "4:44 expression.syntax");
  const Reading unknown = read(with_parameters("bodies:\n  b_${i}: {repeat: {i: [1, M]}, x: 1}\n"));
  EXPECT_EQ(only(unknown.diagnostics), "4:28 expression.unknown_name");
  const Reading index =
      read(with_parameters("bodies:\n  b_${i}: {repeat: {i: [1, 2]}, x: '${j}'}\n"));
  EXPECT_EQ(only(index.diagnostics), "4:39 expression.unknown_name");
  EXPECT_EQ(only(read(with_parameters("bodies:\n  b: {x: '2*${N'}\n")).diagnostics),
            "4:13 repeat.unclosed");
}

TEST(Repeat, RefusesBoundsThatAreNotWholeAndValuesThatAreNotFinite) {
  EXPECT_EQ(only(read(with_parameters("bodies: {'b_${i}': {repeat: {i: [1, L]}}}\n")).diagnostics),
            "3:30 repeat.bounds");
  EXPECT_EQ(only(read(with_parameters("bodies: {'b_${i}': {repeat: {i: [0, 5]}, x: '${1/i}'}}\n"))
                     .diagnostics),
            "3:46 repeat.value");
}

TEST(Repeat, RefusesBadIndicesAndShapes) {
  EXPECT_EQ(only(read(with_parameters("bodies: {'b_${N}': {repeat: {N: [1, 2]}}}\n")).diagnostics),
            "3:30 repeat.index");
  EXPECT_EQ(only(read(with_parameters("bodies: {'b_${i}': {repeat: {1: [1, 2]}}}\n")).diagnostics),
            "3:30 repeat.index");
  EXPECT_EQ(only(read(with_parameters("bodies: {'b_${i}': {repeat: 5}}\n")).diagnostics),
            "3:29 model.shape");
  EXPECT_EQ(only(read(with_parameters("bodies: {'b_${i}': {repeat: {i: 5}}}\n")).diagnostics),
            "3:33 model.shape");
  EXPECT_EQ(only(read(with_parameters("bodies: {'b_${i}': {repeat: {i: [1]}}}\n")).diagnostics),
            "3:33 model.shape");
}

TEST(Repeat, RefusesCopiesOfOneName) {
  const Reading r = read(with_parameters("bodies: {b: {repeat: {i: [1, 3]}}}\n"));
  EXPECT_TRUE(has(r.diagnostics, "3:10 repeat.key")) << format(r.diagnostics);
  const Reading same = read(with_parameters("bodies: {'b_${i*0}': {repeat: {i: [1, 1000]}}}\n"));
  EXPECT_EQ(only(same.diagnostics), "3:11 name.duplicate") << "reported once, not 999 times";
}

TEST(Repeat, ReportsABadNameOfCopiesOnce) {
  EXPECT_EQ(
      only(read(with_parameters("bodies: {'b ${i}': {repeat: {i: [1, 100]}}}\n")).diagnostics),
      "3:11 name.bad");
}

TEST(Repeat, KeepsQuietAboutWhatFollowsFromAParameterThatFailed) {
  const Reading r = read(
      "kardan: 1\nparameters: {N: oops}\n"
      "bodies: {'b_${i}': {repeat: {i: [1, N]}, x: '${N}'}}\n");
  EXPECT_EQ(only(r.diagnostics), "2:17 expression.unknown_name");
}

TEST(Repeat, BoundsTheNumberOfCopies) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(
      only(read(with_parameters("bodies: {'b_${i}': {repeat: {i: [1, 1e12]}}}\n")).diagnostics),
      "3:11 repeat.too_many");
  EXPECT_EQ(only(read(with_parameters(
                          "bodies: {'b_${i}_${j}': {repeat: {i: [1, 10000], j: [1, 10000]}}}\n"))
                     .diagnostics),
            "3:11 repeat.too_many");
  EXPECT_EQ(
      only(read(with_parameters("bodies: {'b_${i}_${j}_${k}': {repeat: {i: [1, 1e6], j: [1, 1e6], "
                                "k: [j + 1, j]}}}\n"))
               .diagnostics)
          .substr(5),
      "repeat.too_many")
      << "also steps that make nothing";
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::cout << "refused in " << seconds.count() << " s\n";
}

TEST(Repeat, ReadsALongChainFast) {
  Diagnostics diagnostics;
  const auto start = std::chrono::steady_clock::now();
  const auto model = read_model_file(models_folder() + "/chain.yaml", {{"N", 10000}}, diagnostics);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(model) << format(diagnostics);
  EXPECT_EQ(model->bodies.size(), 10000u);
  EXPECT_EQ(model->elements.size(), 10001u);
  std::cout << "10000 bodies and joints read in " << seconds.count() << " s\n";
}

}  // namespace
}  // namespace kardan
