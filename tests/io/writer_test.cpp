/// What is written is read again with the same meaning, to the last bit.

#include <cstring>

#include "io/reading.h"
#include "kardan/io/load.h"
#include "kardan/io/yaml_writer.h"
#include "support/models.h"
#include "support/places.h"
#include "support/same_bits.h"

namespace kardan {
namespace {

using test::same_bits;

YamlDocument document_of(const std::string& text, const std::string& file) {
  Diagnostics diagnostics;
  YamlDocument document = parse_with_includes(text, file, IncludeFrom::model_folder, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << format(diagnostics);
  return document;
}

/// All equations of both systems at random states.
void expect_same_equations(const System& a, const System& b, const std::string& what) {
  ASSERT_EQ(a.quantity_names(), b.quantity_names()) << what;
  ASSERT_EQ(a.sizes().constraints(), b.sizes().constraints()) << what;
  const auto wa = a.make_workspace(), wb = b.make_workspace();
  const State start = a.start(), other = b.start();
  EXPECT_TRUE(same_bits(start.p, other.p) && same_bits(start.v, other.v)) << what;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int trial = 0; trial < 3; ++trial) {
    State s = start;
    std::vector<double> delta(s.v.size()), accel(s.v.size());
    for (double& x : delta) x = 0.1 * unit(random);
    for (double& x : accel) x = unit(random);
    for (double& x : s.v) x += unit(random);
    a.retract(start.p, delta, s.p);
    s.t = 0.3 * trial;
    ASSERT_EQ(a.evaluate(s, Request::all(), *wa), b.evaluate(s, Request::all(), *wb)) << what;
    EXPECT_TRUE(same_bits(wa->g, wb->g) && same_bits(wa->rate, wb->rate)) << what;
    EXPECT_TRUE(same_bits(wa->gamma, wb->gamma) && same_bits(wa->f, wb->f)) << what;
    EXPECT_TRUE(same_bits(wa->b, wb->b) && same_bits(wa->d, wb->d)) << what;
    EXPECT_TRUE(same_bits(wa->G.values, wb->G.values)) << what;
    EXPECT_TRUE(same_bits(wa->M.values, wb->M.values)) << what;
    ASSERT_EQ(a.differentiate(s, accel, {}, *wa), b.differentiate(s, accel, {}, *wb)) << what;
    EXPECT_TRUE(same_bits(wa->f_p.values, wb->f_p.values)) << what;
    EXPECT_TRUE(same_bits(wa->f_v.values, wb->f_v.values)) << what;
    EXPECT_TRUE(same_bits(wa->accel_p.values, wb->accel_p.values)) << what;
  }
}

std::string written_text(const std::string& path) {
  Diagnostics diagnostics;
  return read_text(path, FileKind::regular, {}, diagnostics).value();
}

void expect_round_trip(const std::string& text, const std::string& file) {
  const YamlDocument document = document_of(text, file);
  const std::string yaml = to_yaml(document.root), json = to_json(document.root);
  EXPECT_EQ(to_yaml(document_of(yaml, file).root), yaml) << file << ": once more is the same";
  EXPECT_EQ(to_json(document_of(json, file).root), json) << file;

  Diagnostics diagnostics;
  const auto model = read_model_text(text, file, {}, diagnostics);
  ASSERT_TRUE(model) << format(diagnostics);
  const std::string expanded = to_yaml(to_tree(*model));
  const auto original = test::compiled(*model);
  for (const auto& [name, written] :
       {std::pair("yaml", yaml), std::pair("json", json), std::pair("expanded", expanded)}) {
    const Model again = test::model_of(written);
    EXPECT_EQ(again.name, model->name);
    EXPECT_EQ(again.start, model->start);
    EXPECT_EQ(again.wishes.size(), model->wishes.size());
    EXPECT_EQ(again.events.size(), model->events.size());
    EXPECT_EQ(again.simulate.fields.size(), model->simulate.fields.size());
    expect_same_equations(*original, *test::compiled(again), file + " as " + name);
  }
}

TEST(Writer, EveryShippedModelComesBackWithTheSameEquations) {
  for (const std::string& name : test::shipped_names()) {
    const std::string path = models_folder() + "/" + name + ".yaml";
    expect_round_trip(written_text(path), path);
  }
}

TEST(Writer, EveryExampleOfTheCatalogComesBackWithTheSameEquations) {
  for (const ElementType& type : Catalog::builtin().types())
    expect_round_trip("kardan: 1\n" + std::string(type.example), std::string(type.name));
}

TEST(Writer, AModelOfSeveralFilesBecomesOne) {
  const std::string path = test_data() + "/includes/model.yaml";
  expect_round_trip(written_text(path), path);
}

TEST(Writer, KeepsWordsNumbersAndTextsApart) {
  expect_round_trip(R"yaml(kardan: 1
name: 1.50
parameters: {a: .5, b: "7", c: +2e-3, d: "a < 1 ? 2 : 3", e: {value: 1, unit: m}}
functions:
  wave: {type: harmonic, amplitude: a, frequency: c}
  road: [[0, 0], [1, 0.1], [2, -0.1]]
  "both": "wave(t) + road(t)"
colors: {mine: [1, 0.5, 0], other: "#10203F"}
shapes: {ball: {shape: sphere, radius: 0.1, color: mine}}
defaults: {bodies: {density: 1000}}
ground: {markers: {"null": {at: [0, 0, 1]}}}
bodies:
  "b_${i}": {repeat: {i: [1, 3]}, shapes: [ball, {use: ball, at: ["${i}/10", 0, -a]}], position: ["${i}", b, -1e-3]}
forces:
  push: {type: force, on: b_1, fx: both(t), fy: "step(t, 0, 0, 1, d)"}
joints:
  tie_${i}: {repeat: {i: [2, 3]}, type: distance, between: [ground.null, "b_${i}"]}
assemble: [{want: b_1.x, equals: c, priority: free}]
invariants: [energy, 'b_1.vx*2']
when: {high: {expression: "b_1.z - e", direction: rising, action: stop}}
outputs: ["b_1.*"]
simulate: {t_end: 2, options: {safety: 0.7}}
)yaml",
                    "texts.yaml");
}

TEST(Writer, ForcesBeforeJointsStayBeforeThem) {
  const Model model = test::model_of(
      "kardan: 1\nbodies: {a: {mass: 1}}\nforces: {f: {type: force, on: a}}\n"
      "joints: {j: {type: spherical, between: [ground, a]}}\n");
  Model mixed = model;
  mixed.elements.push_back(mixed.elements[0]);
  mixed.elements.back().name = "g";
  EXPECT_EQ(test::model_of(to_yaml(to_tree(model))).elements[0].section, "forces");
  const Model again = test::model_of(to_yaml(to_tree(mixed)));
  ASSERT_EQ(again.elements.size(), 3u);
  EXPECT_EQ(again.elements[2].name, "g") << "in one section, where sections would change the order";
}

TEST(Writer, SetsParameters) {
  YamlDocument d = document_of("kardan: 1\nparameters: {a: 1, b: {value: 2, unit: m}}\n", "m");
  set_parameter(d.root, "a", 0.1);
  set_parameter(d.root, "b", 7);
  EXPECT_EQ(to_yaml(d.root), "kardan: 1\nparameters:\n  a: 0.1\n  b: {value: 7, unit: m}\n");
}

}  // namespace
}  // namespace kardan
