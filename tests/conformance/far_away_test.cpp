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

/// The vehicle on its road, 100 km away: heights as of the model where it ships.
TEST(FarAway, TheVehicleDrivesAHundredKilometresFromTheOrigin) {
  for (const char* method : {"auto", "rn4", "radau5"}) {
    double height[2];
    for (const bool far : {false, true}) {
      Diagnostics diagnostics;
      Prepared p = prepare(shipped("hmmwv"), {}, diagnostics);
      if (far) {
        Blueprint moved = p.system->blueprint();
        for (std::size_t b = 1; b < moved.bodies.size(); ++b) {
          const BodyLayout& at = p.system->bodies()[b];
          const double *x = p.start.state.p.data() + at.p, *v = p.start.state.v.data() + at.v;
          moved.bodies[b].position = {x[0] + 1e5, x[1], x[2]};
          moved.bodies[b].R = rotation_matrix(Quaternion{x[3], x[4], x[5], x[6]});
          moved.bodies[b].velocity = {v[0], v[1], v[2]};
          moved.bodies[b].spin = {v[3], v[4], v[5]};
        }
        for (ElementData& e : moved.elements)
          for (FrameData& f : e.frames)
            if (f.body == 0) f.s.x += 1e5;
        p = prepare(compile(std::move(moved), diagnostics), diagnostics);
        ASSERT_EQ(p.start.report.status, Eval::ok) << p.start.report.message;
      }
      const RunReport report = run(p, method, 0.7, 1e-4);
      ASSERT_EQ(report.driver.reason, Reason::finished) << method << ": " << report.driver.message;
      height[far] = value_of(*p.system, p.start.state, "chassis.z");
    }
    EXPECT_NEAR(height[0], height[1], 2e-4) << method;
  }
}

}  // namespace
}  // namespace kardan::test
