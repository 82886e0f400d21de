/// FMUs that `kardan run` steps.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <sstream>

#include "fmi/ball_place.h"
#include "fmi/caller.h"
#include "kardan/fmi/import/imported_fmu.h"
#include "support/places.h"

namespace kardan::fmi {
namespace {

using testing::HasSubstr;

using Table = std::vector<std::vector<double>>;

/// The chosen columns of a CSV file, by the start of their names.
Table columns_of(const std::string& file, const std::vector<std::string>& names) {
  std::istringstream lines(test::read_all(file));
  std::string line, cell;
  std::getline(lines, line);
  std::vector<std::string> head;
  for (std::istringstream cells(line); std::getline(cells, cell, ',');)
    head.push_back(cell.substr(0, cell.find(' ')));
  Table out;
  while (std::getline(lines, line)) {
    std::vector<double> row, chosen;
    for (std::istringstream cells(line); std::getline(cells, cell, ',');)
      row.push_back(std::stod(cell));
    for (const std::string& name : names) {
      const auto at = std::find(head.begin(), head.end(), name);
      chosen.push_back(at == head.end() ? std::nan("") : row.at(at - head.begin()));
    }
    out.push_back(chosen);
  }
  return out;
}

/// Exported and imported again: what comes out is the run of the model.
TEST(FmuImport, OwnModelsComeBackAsTheyWent) {
  struct Case {
    const char* model;
    const char *end, *every, *tolerance;
    std::vector<std::string> names, set = {};
  };
  const test::TemporaryFolder folder;
  // The last one has many.
  for (const Case& k :
       {Case{"pendulum.yaml", "2", "0.1", "1e-8", {"time", "bob.x", "bob.vy"}},
        Case{"slider_crank_haug.yaml", "0.5", "0.05", "1e-7", {"time", "crank.angle"}},
        Case{"pendulum_equations.yaml", "1", "0.1", "1e-8", {"time", "x", "y"}},
        Case{"chain.yaml",
             "0.1",
             "0.05",
             "1e-7",
             {"time", "link_60.x", "link_60.vy"},
             {"--set", "N=60"}}}) {
    const std::string model = models_folder() + "/" + k.model;
    const std::string run = folder.file("run.csv");
    const auto with_set = [&k](std::vector<std::string> command) {
      command.insert(command.end(), k.set.begin(), k.set.end());
      return test::run_kardan(command);
    };
    test::Output ran = with_set({"run", model, "--method", "rn4", "--t-end", k.end, "--every",
                                 k.every, "--tol", k.tolerance, "--out", run, "--force"});
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    const Table wanted = columns_of(run, k.names);
    for (const int version : {2, 3}) {
      const std::string fmu = folder.file("m.fmu"), rows = folder.file("fmu.csv");
      ran = with_set({"export", model, "--method", "rn4", "--fmi", std::to_string(version), "--out",
                      fmu, "--force"});
      ASSERT_EQ(ran.exit_code, 0) << ran.err;
      ran = test::run_kardan({"run", fmu, "--t-end", k.end, "--every", k.every, "--tol",
                              k.tolerance, "--out", rows, "--force"});
      ASSERT_EQ(ran.exit_code, 0) << ran.err;
      EXPECT_THAT(ran.out, HasSubstr("FMI " + std::to_string(version) + ".0, co-simulation"));
      const Table got = columns_of(rows, k.names);
      ASSERT_EQ(got.size(), wanted.size());
      for (std::size_t i = 0; i < got.size(); ++i)
        for (std::size_t j = 0; j < k.names.size(); ++j)
          EXPECT_NEAR(got[i][j], wanted[i][j],
                      10 * std::stod(k.tolerance) * (1 + std::abs(wanted[i][j])))
              << k.model << " " << k.names[j];
    }
  }
}

TEST(FmuImport, ValuesAreSetByName) {
  const std::string model = models_folder() + "/pendulum.yaml";
  const test::TemporaryFolder folder;
  const std::string fmu = folder.file("m.fmu");
  ASSERT_EQ(test::run_kardan({"export", model, "--out", fmu}).exit_code, 0);
  test::Output ran = test::run_kardan({"run", fmu, "--t-end", "0.1", "--set", "L=2", "--json"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const std::size_t at = ran.out.find("\"bob.x\": ");
  ASSERT_NE(at, std::string::npos) << ran.out;
  EXPECT_NEAR(std::stod(ran.out.substr(at + 9)), 2, 0.01);
  ran = test::run_kardan({"run", fmu, "--set", "M=2"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("no such input or parameter; hint: did you mean 'm'?"));
  // What the model refuses is told with its own words.
  ran = test::run_kardan({"run", fmu, "--set", "m=-1"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.err, HasSubstr("fmi2ExitInitializationMode answers Error"));
  EXPECT_THAT(ran.err, HasSubstr("mass"));
  ran = test::run_kardan({"run", fmu, "--method", "rn4"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("--method means nothing to an FMU for co-simulation"));
  ran = test::run_kardan({"run", fmu, "--certify"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("--certify means nothing to an FMU"));
}

std::string described(const std::string& inside, const std::string& head = "") {
  return "<?xml version='1.0'?>\n<!-- one -->\n<fmiModelDescription " +
         (head.empty() ? "fmiVersion='2.0' modelName='a &lt; b' guid='{1}'" : head) + ">\n" +
         inside + "\n</fmiModelDescription>\n";
}

std::string faults_of(const std::string& text) {
  Diagnostics faults;
  EXPECT_FALSE(read_fmu_description(text, "d.xml", faults));
  return format(faults);
}

TEST(FmuImport, FaultsOfDescriptionsHaveTheirPlace) {
  const std::string none = "<ModelVariables/>";
  EXPECT_THAT(faults_of(""), HasSubstr("d.xml:1:1: error[fmu.xml]: there is no element"));
  EXPECT_THAT(faults_of("<a><b></a>"), HasSubstr("'</a>' ends '<b>'"));
  EXPECT_THAT(faults_of("<a b='1' b='2'/>"), HasSubstr("'b' is there twice"));
  EXPECT_THAT(faults_of("<a b='&x;'/>"), HasSubstr("the entity '&x;' is not known"));
  EXPECT_THAT(faults_of("<!DOCTYPE a [<!ENTITY b \"c\">]><a/>"), HasSubstr("document type"));
  EXPECT_THAT(faults_of("<a/>"), HasSubstr("d.xml:1:1: error[fmu.description]: the root is 'a'"));
  EXPECT_THAT(faults_of(described(none, "fmiVersion='1.0' modelName='a' guid='{1}'")),
              HasSubstr("fmiVersion is '1.0'; wanted 2.0 or 3.0"));
  EXPECT_THAT(faults_of(described(none, "fmiVersion='2.0' modelName='a'")),
              HasSubstr("d.xml:3:1: error[fmu.description]: 'fmiModelDescription' has no 'guid'"));
  EXPECT_THAT(faults_of(described("")), HasSubstr("'ModelVariables' is missing"));
  EXPECT_THAT(
      faults_of(described("<ModelVariables>\n <ScalarVariable name='x' "
                          "valueReference='1e3'><Real/></ScalarVariable></ModelVariables>")),
      HasSubstr("d.xml:5:2: error[fmu.description]: 'valueReference' is '1e3'"));
  EXPECT_THAT(faults_of(described("<DefaultExperiment stopTime='soon'/><ModelVariables/>")),
              HasSubstr("'stopTime' is 'soon'; wanted a number"));
  EXPECT_THAT(faults_of(described("<CoSimulation modelIdentifier='../x'/><ModelVariables/>")),
              HasSubstr("'modelIdentifier' leads to another folder"));
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  EXPECT_THAT(faults_of(deep), HasSubstr("nested too deeply"));
  Diagnostics faults;
  const auto good = read_fmu_description(described(none), "d.xml", faults);
  ASSERT_TRUE(good) << format(faults);
  EXPECT_EQ(good->model_name, "a < b");
}

TEST(FmuImport, WhatIsNoFmuForThisSystemIsRefused) {
  const test::TemporaryFolder folder;
  const auto refused = [&](const std::vector<ZipEntry>& entries) {
    write_all(folder.file("x.fmu"), zip(entries));
    const test::Output ran = test::run_kardan({"run", folder.file("x.fmu")});
    EXPECT_EQ(ran.exit_code, 2);
    return ran.err;
  };
  const std::string steps = described("<CoSimulation modelIdentifier='m'/><ModelVariables/>");
  const std::string neither = described("<ModelVariables/>");
  EXPECT_THAT(refused({{"a", "b"}}), HasSubstr("no modelDescription.xml"));
  EXPECT_THAT(refused({{"modelDescription.xml", neither}}),
              HasSubstr("neither for co-simulation nor for model exchange"));
  EXPECT_THAT(refused({{"modelDescription.xml", steps}}),
              HasSubstr("there is no binaries/linux64/m.so in it"));
  EXPECT_THAT(refused({{"modelDescription.xml", steps}, {"binaries/linux64/m.so", "no library"}}),
              HasSubstr("error[fmu.library]"));
  EXPECT_THAT(refused({{"modelDescription.xml", steps}, {"../x", ""}}),
              HasSubstr("leads out of its folder"));
}

/// The FMU of fmus/ball.cpp with its description.
std::string ball(int version) {
  const std::string kind = "<ModelExchange modelIdentifier='ball' ";
  if (version == 2)
    return "<fmiModelDescription fmiVersion='2.0' modelName='ball' guid='{ball}' "
           "numberOfEventIndicators='1'>" +
           kind +
           "completedIntegratorStepNotNeeded='true'/><DefaultExperiment stopTime='3'/>"
           "<ModelVariables>"
           "<ScalarVariable name='h' valueReference='1' causality='output'><Real start='1'/>"
           "</ScalarVariable>"
           "<ScalarVariable name='v' valueReference='2' causality='output'><Real start='0'/>"
           "</ScalarVariable>"
           "<ScalarVariable name='der(h)' valueReference='3'><Real "
           "derivative='1'/></ScalarVariable>"
           "<ScalarVariable name='der(v)' valueReference='4'><Real "
           "derivative='2'/></ScalarVariable>"
           "<ScalarVariable name='e' valueReference='6' causality='parameter'><Real start='0.7'/>"
           "</ScalarVariable>"
           "<ScalarVariable name='seconds' valueReference='7' causality='output'><Integer/>"
           "</ScalarVariable></ModelVariables><ModelStructure><Derivatives>"
           "<Unknown index='3'/><Unknown index='4'/></Derivatives></ModelStructure>"
           "</fmiModelDescription>";
  return "<fmiModelDescription fmiVersion='3.0' modelName='ball' instantiationToken='{ball}'>" +
         kind +
         "needsCompletedIntegratorStep='true'/><DefaultExperiment stopTime='3'/><ModelVariables>"
         "<Float64 name='h' valueReference='1' causality='output' start='1'/>"
         "<Float64 name='v' valueReference='2' causality='output' start='0'/>"
         "<Float64 name='der(h)' valueReference='3' derivative='1'/>"
         "<Float64 name='der(v)' valueReference='4' derivative='2'/>"
         "<Float64 name='e' valueReference='6' causality='parameter' start='0.7'/>"
         "<Int32 name='seconds' valueReference='7' causality='output'/>"
         "</ModelVariables><ModelStructure>"
         "<ContinuousStateDerivative valueReference='3'/>"
         "<ContinuousStateDerivative valueReference='4'/><EventIndicator valueReference='1'/>"
         "</ModelStructure></fmiModelDescription>";
}

/// The same ball without an FMU: parabolas from bounce to bounce.
double height(double t, double e) {
  const double g = 9.81;
  double flight = std::sqrt(2 / g), v = std::sqrt(2 * g);
  if (t < flight) return 1 - g * t * t / 2;
  for (;;) {
    t -= flight;
    v *= e;
    if (v < 0.1) return 0;
    flight = 2 * v / g;
    if (t < flight) return v * t - g * t * t / 2;
  }
}

TEST(FmuImport, ModelExchangeIsIntegratedByMethodsOfTheCatalog) {
  const test::TemporaryFolder folder;
  for (const int version : {2, 3}) {
    const std::string place = version == 2 ? "binaries/linux64" : "binaries/x86_64-linux";
    const std::string fmu = folder.file("ball.fmu"), rows = folder.file("ball.csv");
    write_all(fmu, zip({{"modelDescription.xml", ball(version)},
                        {place + "/ball.so", test::read_all(ball_library())}}));
    for (const char* method : {"dopri5", "dop853", "radau5", "sdirk4"}) {
      const test::Output ran =
          test::run_kardan({"run", fmu, "--method", method, "--tol", "1e-9", "--every", "0.1",
                            "--set", "e=0.6", "--out", rows, "--force"});
      ASSERT_EQ(ran.exit_code, 0) << method << ran.err;
      EXPECT_THAT(ran.out, HasSubstr(std::string("model exchange: ") + method));
      const Table table = columns_of(rows, {"time", "h", "seconds"});
      ASSERT_EQ(table.size(), 31U) << method;
      for (const auto& row : table) {
        EXPECT_NEAR(row[1], height(row[0], 0.6), 1e-6) << method << " at " << row[0];
        // At a whole second the clock may be told before or behind its event.
        if (std::abs(row[0] - std::round(row[0])) > 1e-6) {
          EXPECT_EQ(row[2], std::floor(row[0])) << method;
        }
      }
    }
    // It ends by itself at 5 s; without --method one is chosen.
    test::Output ran = test::run_kardan({"run", fmu, "--t-end", "9", "--json"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("\"reason\": \"stopped\""));
    EXPECT_THAT(ran.out, HasSubstr("\"t_reached\": 5.0"));
    ran = test::run_kardan({"run", fmu, "--method", "rn4"});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_THAT(ran.err, HasSubstr("'rn4' needs exact derivatives"));
  }
}

TEST(FmuImport, ABrokenArchiveIsRefusedOrRunsAsItWas) {
  const std::string model = models_folder() + "/pendulum.yaml";
  const Exported fmu(model, 2);
  const test::TemporaryFolder folder;
  std::mt19937 random(7);
  int refused = 0;
  for (int i = 0; i < 100; ++i) {
    std::string bad = fmu.archive;
    if (i % 2 == 0)
      bad.resize(random() % bad.size());
    else
      for (int k = 0; k < 20; ++k) bad[random() % bad.size()] = static_cast<char>(random());
    if (bad == fmu.archive) continue;
    write_all(folder.file("x.fmu"), bad);
    Diagnostics faults;
    const auto opened = ImportedFmu::open(folder.file("x.fmu"), FmuKind::co_simulation, faults);
    EXPECT_EQ(opened == nullptr, faults.has_errors());
    refused += opened == nullptr;
  }
  EXPECT_GE(refused, 90);
}

}  // namespace
}  // namespace kardan::fmi
