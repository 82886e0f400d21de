/// Mechanisms far from the world's origin run, and are right to what the rounding of their
/// coordinates allows.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "kardan/run/simulate.h"
#include "support/models.h"

namespace kardan::test {
namespace {

std::string text_of(const std::string& name) {
  std::ifstream file(models_folder() + "/" + name + ".yaml");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Puts `+ shift` into the first component of every line's vector `key: [x, ...`, from one line
/// with `begin` to one with `end`.
std::string shifted(const std::string& text, const std::string& begin, const std::string& end,
                    const std::string& key, const std::string& shift) {
  std::stringstream in(text), out;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(begin, 0) == 0) inside = true;
    if (line.rfind(end, 0) == 0) inside = false;
    if (const std::size_t at = line.find(key + ": ["); inside && at != std::string::npos)
      line.insert(at + key.size() + 3, shift + " + ");
    out << line << "\n";
  }
  return out.str();
}

RunReport run(Prepared& p, const std::string& method, double t_end, double tolerance) {
  Diagnostics diagnostics;
  SimulateOptions options;
  options.method = method;
  options.t_end = t_end;
  options.driver.tolerance = tolerance;
  RunReport report = simulate(p, options, Watchers{}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
  return report;
}

/// Reference: the angle of the crank after 0.03 s with 20 digits (models/andrews.yaml). Its errors
/// grow a thousandfold on the way, so that 1e-13 m at every closing end as some 1e-7 rad.
TEST(FarAway, AndrewsMechanismRunsAKilometreFromTheOrigin) {
  std::string text = text_of("andrews");
  text = shifted(text, "ground:", "bodies:", "at", "1000");
  text = shifted(text, "bodies:", "joints:", "position", "1000");
  for (const char* method : {"rn4", "rodasp", "radau5", "radau9", "dop853", "auto"}) {
    Diagnostics diagnostics;
    Prepared p = prepare(model_of(text), {}, diagnostics);
    ASSERT_EQ(p.start.report.status, Eval::ok) << p.start.report.message;
    EXPECT_GT(value_of(*p.system, p.start.state, "K1.x"), 999);
    const CheckReport check = check_start(p);
    EXPECT_EQ(check.analysis.degrees_of_freedom, 1);
    const RunReport report = run(p, method, 0.03, 1e-5);
    ASSERT_EQ(report.driver.reason, Reason::finished) << method << ": " << report.driver.message;
    EXPECT_NEAR(value_of(*p.system, p.start.state, "K1.angle"), 15.810771195153707,
                1e-5 * 10 * (1 + 15.8))
        << method;
  }
}

/// The vehicle with its road and its bump, moved along x.
std::string moved_vehicle(double by) {
  const std::string shift = std::to_string(by);
  std::ifstream in(source_folder() + "/tests/data/hmmwv_one_file.yaml");  // the shipped one has parts
  std::stringstream out;
  const auto insert = [&](std::string& line, const std::string& before, const std::string& text) {
    if (const std::size_t at = line.find(before); at != std::string::npos)
      line.insert(at + before.size(), text);
  };
  bool placed = false;  // elements are, by places in the world
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("joints:", 0) == 0) placed = true;
    insert(line, "    position: [", shift + " + ");
    if (line.rfind("  bump_center: front", 0) == 0) insert(line, "bump_center: ", shift + " + ");
    if (placed && line.rfind("    at: [", 0) == 0) insert(line, "    at: [", shift + " + ");
    if (placed) insert(line, "bodies: [chassis, rack], at: [", shift + " + ");
    insert(line, "chassis_frame.x, equals: ", shift + " + ");
    out << line << "\n";
  }
  return out.str();
}

TEST(FarAway, TheVehicleDrivesAHundredKilometresFromTheOrigin) {
  for (const char* method : {"auto", "rn4", "radau5"}) {
    Diagnostics diagnostics;
    Prepared p = prepare(model_of(moved_vehicle(1e5)), {}, diagnostics);
    ASSERT_TRUE(p.system) << format(diagnostics);
    ASSERT_EQ(p.start.report.status, Eval::ok) << p.start.report.message;
    EXPECT_GT(value_of(*p.system, p.start.state, "chassis.x"), 99999);
    const RunReport report = run(p, method, 0.6, 1e-4);
    ASSERT_EQ(report.driver.reason, Reason::finished) << method << ": " << report.driver.message;
    // On the bump; nine digits of models/hmmwv.yaml.
    EXPECT_NEAR(value_of(*p.system, p.start.state, "chassis.z"), 0.7111508440, 1e-4) << method;
  }
}

}  // namespace
}  // namespace kardan::test
