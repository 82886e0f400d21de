/// Results in files: columns by name, numbers to the last bit, the certificate.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "kardan/io/report_json.h"
#include "kardan/io/result_catalog.h"
#include "support/models.h"

namespace kardan {
namespace {

using testing::Contains;

/// Runs a model into one file and returns what it holds.
struct Written {
  std::string text;
  std::vector<std::string> columns;
  std::vector<Vector> rows;  // as they were told
  RunReport report;
};

Written write(const std::string& name, const std::string& suffix, double t_end) {
  Written out;
  Diagnostics diagnostics;
  Prepared p = prepare(test::shipped(name), {}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  const std::string path =
      (std::filesystem::path(testing::TempDir()) / ("result_of_" + name + suffix)).string();
  const ResultFormat* format = find_result_format(path);
  EXPECT_TRUE(format) << suffix;
  const auto sink = format->make(path);
  const ResultColumns columns(*p.system);
  const auto ws = p.system->make_workspace();
  out.columns = columns.names();
  sink->begin(*p.system, columns.names());
  SimulateOptions options;
  options.t_end = t_end;
  options.every = t_end / 5;
  options.driver.tolerance = 1e-4;
  out.report = simulate(
      p, options,
      [&](const Moment& at) {
        Vector row(columns.names().size());
        columns.values(at, row, *ws);
        sink->row(row);
        out.rows.push_back(std::move(row));
        return std::string();
      },
      {}, diagnostics);
  sink->end(*p.system, out.report, {&p.start.state, &p.start.a, &p.start.lambda});
  std::ifstream file(path);
  out.text.assign(std::istreambuf_iterator<char>(file), {});
  std::filesystem::remove(path);
  return out;
}

TEST(Csv, ReadsBackTheSameBits) {
  const Written w = write("andrews", ".csv", 0.005);
  std::istringstream lines(w.text);
  std::string line, word;
  ASSERT_TRUE(std::getline(lines, line));
  std::istringstream header(line);
  for (const std::string& name : w.columns) {
    ASSERT_TRUE(std::getline(header, word, ','));
    EXPECT_EQ(word, name);
  }
  ASSERT_EQ(w.rows.size(), 6u);
  for (const Vector& row : w.rows) {
    ASSERT_TRUE(std::getline(lines, line));
    std::istringstream numbers(line);
    for (double value : row) {
      ASSERT_TRUE(std::getline(numbers, word, ','));
      EXPECT_EQ(std::stod(word), value);
    }
  }
  EXPECT_FALSE(std::getline(lines, line));
}

TEST(Columns, HaveTheNamesOfTheDocumentation) {
  const Written planar = write("andrews", ".csv", 0.001);
  EXPECT_EQ(planar.columns.front(), "time");
  for (const char* name : {"K1.x", "K1.angle", "K1.vy", "K1.omega", "K1.ax", "K1.alpha",
                           "pin_O.lambda[1]", "spring.force", "energy.kinetic", "energy.potential"})
    EXPECT_THAT(planar.columns, Contains(name));
  const Written spatial = write("hmmwv", ".csv", 0.1);
  for (const char* name :
       {"chassis.z", "chassis.qw", "chassis.vz", "chassis.wx", "chassis.az", "chassis.alphaz",
        "tyre_front_left.force", "rack_guide.lambda[4]", "energy.potential"})
    EXPECT_THAT(spatial.columns, Contains(name));
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
  ASSERT_EQ(json.at("final").size(), w.columns.size());
  for (std::size_t i = 0; i < w.columns.size(); ++i)
    EXPECT_EQ(json.at("final").at(w.columns[i]).get<double>(), w.rows.back()[i]) << w.columns[i];
}

}  // namespace
}  // namespace kardan
