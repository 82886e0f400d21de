/// Results in files: columns by name, numbers to the last bit, the certificate.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "io/unpacking.h"
#include "kardan/io/report_json.h"
#include "kardan/io/result_writer.h"
#include "support/models.h"

namespace kardan {
namespace {

using testing::Contains;

/// Runs a model into one file and returns what it holds.
struct Written {
  std::string text;
  ResultLayout layout;
  std::vector<Vector> rows;  // as they were told
  std::vector<StepRecord> steps;
  RunReport report;

  std::vector<std::string> columns() const {
    std::vector<std::string> names;
    for (const ResultColumn& c : layout.columns) names.push_back(c.name);
    return names;
  }
};

constexpr std::string_view page = "<html><head>\n<!-- KARDAN_RESULT -->\n</head></html>\n";

Written write(const Model& model, const std::string& suffix, double t_end, double every) {
  Written out;
  Diagnostics diagnostics;
  Prepared p = prepare(model, {}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  const std::string path =
      (std::filesystem::path(testing::TempDir()) / ("result_of_" + model.name + suffix)).string();
  SimulateOptions options;
  options.t_end = t_end;
  options.every = every;
  options.driver.tolerance = 1e-4;
  ResultWriter writer(model, {}, p, options, {path}, {page}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
  Recorder recorder(*p.system);
  out.layout = recorder.layout();
  const GridSink grid = writer.grid();
  const auto steps = writer.steps();
  Watchers watchers;
  watchers.grid = [&](const Instant& at) {
    const auto row = recorder.row(at);
    out.rows.emplace_back(row.begin(), row.end());
    return grid(at);
  };
  watchers.record = [&](const StepRecord& step) {
    out.steps.push_back(step);
    steps(step);
  };
  out.report = simulate(p, options, watchers, diagnostics);
  writer.end(out.report, {&p.start.state, &p.start.a, &p.start.lambda});
  std::ifstream file(path);
  out.text.assign(std::istreambuf_iterator<char>(file), {});
  std::filesystem::remove(path);
  return out;
}

Written write(const std::string& name, const std::string& suffix, double t_end) {
  return write(test::shipped(name), suffix, t_end, t_end / 5);
}

TEST(Csv, ReadsBackTheSameBits) {
  const Written w = write("andrews", ".csv", 0.005);
  std::istringstream lines(w.text);
  std::string line, word;
  ASSERT_TRUE(std::getline(lines, line));
  std::istringstream header(line);
  for (const ResultColumn& c : w.layout.columns) {
    ASSERT_TRUE(std::getline(header, word, ','));
    EXPECT_EQ(word, c.unit.empty() || c.unit == "1" ? c.name : c.name + " [" + c.unit + "]");
  }
  ASSERT_EQ(w.rows.size(), 6u);
  for (const Vector& row : w.rows) {
    ASSERT_TRUE(std::getline(lines, line));
    std::istringstream numbers(line);
    for (const ResultColumn& c : w.layout.columns) {
      ASSERT_TRUE(std::getline(numbers, word, ','));
      EXPECT_EQ(std::stod(word), row[c.at]) << c.name;
    }
  }
  EXPECT_FALSE(std::getline(lines, line));
}

TEST(Columns, HaveTheNamesOfTheDocumentation) {
  const Written planar = write("andrews", ".csv", 0.001);
  EXPECT_EQ(planar.columns().front(), "time");
  for (const char* name : {"K1.x", "K1.angle", "K1.vy", "K1.omega", "K1.ax", "K1.alpha",
                           "pin_O.lambda[1]", "spring.force", "energy.kinetic", "energy.potential"})
    EXPECT_THAT(planar.columns(), Contains(name));
  const Written spatial = write("hmmwv", ".csv", 0.1);
  for (const char* name :
       {"chassis.z", "chassis.qw", "chassis.vz", "chassis.wx", "chassis.az", "chassis.alphaz",
        "front_left.tyre.force", "rack_guide.lambda[4]", "energy.potential"})
    EXPECT_THAT(spatial.columns(), Contains(name));
}

TEST(Columns, ShowTheReactionsOfSensors) {
  const Model model = test::model_of(R"(kardan: 1
dimension: 2
gravity: [0, -10]
bodies:
  stone: {kind: point, mass: 2, position: [0, -1]}
joints:
  rope: {type: distance, between: [ground, stone], length: 1}
sensors:
  pull: {type: reaction, joint: rope}
)");
  Diagnostics diagnostics;
  const Prepared p = prepare(model, {}, diagnostics);
  ASSERT_TRUE(p.system) << format(diagnostics);
  const Json values = to_json(*p.system, {&p.start.state, &p.start.a, &p.start.lambda});
  EXPECT_NEAR(values.at("pull.fy").get<double>(), 20, 1e-9);
  EXPECT_NEAR(std::abs(values.at("rope.lambda[0]").get<double>()), 20, 1e-9);
  EXPECT_NEAR(values.at("energy.potential").get<double>(), -20, 1e-12);
}

TEST(Json, HasTheStableKeysOfTheCertificate) {
  const Written w = write("double_pendulum", ".json", 0.5);
  const Json json = Json::parse(w.text);
  for (const char* key : {"model",
                          "reason",
                          "message",
                          "advice",
                          "t_reached",
                          "method",
                          "formulation",
                          "tolerance",
                          "steps",
                          "rejected",
                          "failed",
                          "evaluations",
                          "jacobians",
                          "factorizations",
                          "iterations",
                          "cpu_seconds",
                          "smallest_step",
                          "largest_step",
                          "residuals",
                          "energy",
                          "partitions",
                          "partition_history",
                          "events",
                          "asked",
                          "used",
                          "derivatives",
                          "dense_output_order",
                          "versions",
                          "final"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json.at("asked").at("tolerance"), 1e-4);
  EXPECT_EQ(json.at("used").at("driver_options").at("safety"), "0.8");
  EXPECT_EQ(json.at("derivatives").at("exact"), true);
  for (const char* key : {"position", "velocity", "acceleration"})
    EXPECT_TRUE(json.at("residuals").at(key).is_number()) << key;
  for (const char* key : {"initial", "final", "work", "exchanged", "balance_error"})
    EXPECT_TRUE(json.at("energy").at(key).is_number()) << key;
  for (const char* key : {"kardan", "compiler", "eigen", "klu", "sundials"})
    EXPECT_NE(json.at("versions").at(key), "") << key;
  // The end has the columns of the grid, and here its last row.
  ASSERT_EQ(json.at("final").size(), w.layout.columns.size());
  for (const ResultColumn& c : w.layout.columns)
    EXPECT_EQ(json.at("final").at(c.name).get<double>(), w.rows.back()[c.at]) << c.name;
}

/// All plots of a report against the rows, in single precision.
void expect_the_rows(const test::Report& report, const Written& w) {
  const std::vector<double> times = report.array("times");
  ASSERT_EQ(times.size(), w.rows.size());
  std::size_t next = 0;
  for (const ResultColumn& c : w.layout.columns) {
    if (c.name == "time") continue;
    const Json& quantity = report.header.at("quantities").at(next++);
    ASSERT_EQ(quantity.at("name"), c.name);
    EXPECT_EQ(quantity.at("unit"), c.unit);
    const std::vector<double> series = report.series(quantity);
    for (std::size_t f = 0; f < series.size(); ++f) {
      const auto single = static_cast<double>(static_cast<float>(w.rows[f][c.at]));
      if (!std::isnan(single)) {
        ASSERT_EQ(series[f], single) << c.name;
      }
    }
  }
  EXPECT_EQ(next, report.header.at("quantities").size());
}

TEST(Html, CarriesAllColumnsPosesAndHistories) {
  for (const char* name : {"hmmwv", "andrews", "bouncing_balls", "pendulum_equations"}) {
    SCOPED_TRACE(name);
    const Written w = write(name, ".html", 0.1);
    const test::Report report(w.text);
    expect_the_rows(report, w);
    const Json& h = report.header;
    EXPECT_EQ(h.at("format"), 1);
    EXPECT_EQ(h.at("verdict").at("ok"), true);
    EXPECT_EQ(h.at("certificate").at("steps"), w.report.driver.counters.steps);
    EXPECT_EQ(report.array("step_time").size(), w.steps.size());
    EXPECT_EQ(report.array("step_error").back(), w.steps.back().error);
    EXPECT_EQ(report.array("step_position").back(), w.steps.back().residuals.position);
    EXPECT_FALSE(h.at("tree").at("children").empty());
    const std::size_t bodies = h.at("bodies").size();
    if (bodies == 0) continue;
    const std::vector<double> poses = report.array("poses");
    ASSERT_EQ(poses.size(), w.rows.size() * bodies * 7);
    for (std::size_t i = 0; i < poses.size(); i += 7) {
      double length = 0;
      for (int k = 3; k < 7; ++k) length += poses[i + k] * poses[i + k];
      EXPECT_NEAR(length, 1, 1e-6);
    }
    for (const Json& joint : h.at("joints"))
      for (const Json& body : joint.at("bodies")) EXPECT_LT(body.get<std::size_t>(), bodies);
    for (const Json& body : h.at("bodies")) {
      if (body.at("fixed") == false) {
        EXPECT_FALSE(body.at("shapes").empty()) << body.dump();
      }
    }
  }
}

TEST(Html, HoldsNothingThatEndsItsScript) {
  Model model = test::shipped("pendulum");
  model.name = "a</script><script>alert(1)</script><!--";
  Written w;
  Diagnostics diagnostics;
  Prepared p = prepare(model, {}, diagnostics);
  const std::string path = testing::TempDir() + "hostile.html";
  SimulateOptions options;
  options.t_end = 0.1;
  options.every = 0.05;
  ResultWriter writer(model, {}, p, options, {path}, {page}, diagnostics);
  const RunReport report = simulate(p, options, {writer.grid(), {}, writer.steps()}, diagnostics);
  writer.end(report, {&p.start.state, &p.start.a, &p.start.lambda});
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::filesystem::remove(path);
  EXPECT_EQ(text.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(text.find("<!--"), std::string::npos);
  EXPECT_EQ(test::Report(text).header.at("title"), model.name);
}

TEST(Html, ShowsOnlyWhatTheModelAsksForButEveryPose) {
  Model model = test::shipped("double_pendulum");
  model.outputs = {FieldValue("*.angle")};
  const test::Report report(write(model, ".html", 0.1, 0.05).text);
  for (const Json& q : report.header.at("quantities"))
    EXPECT_TRUE(q.at("name").get<std::string>().ends_with(".angle")) << q.dump();
  EXPECT_FALSE(report.array("poses").empty());
}

TEST(Html, ArrowsAreTheForcesOnTheBodies) {
  // A stone on a rope, and one on a spring: both arrows hold the weight of 20 N up.
  const Model model = test::model_of(R"(kardan: 1
name: stones
dimension: 2
gravity: [0, -10]
bodies:
  stone: {kind: point, mass: 2, position: [0, -1]}
  other: {kind: point, mass: 2, position: [1, -1]}
joints:
  rope: {type: distance, between: [ground, stone], length: 1}
forces:
  spring: {type: spring_damper, between: [{body: ground, at: [1, 0]}, other], stiffness: 100, free_length: 0.8}
)");
  const test::Report report(write(model, ".html", 0.1, 0.05).text);
  ASSERT_EQ(report.header.at("arrows").size(), 2u);
  for (const Json& arrow : report.header.at("arrows")) {
    Json up = arrow;
    up["column"] = arrow.at("column").get<int>() + 1;
    for (const double force : report.series(up)) EXPECT_NEAR(force, 20, 1e-4) << arrow.dump();
  }
  EXPECT_EQ(report.header.at("forces").at(0).at("draw"), "coil");
}

}  // namespace
}  // namespace kardan
