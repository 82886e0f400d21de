/// Masses do not make a position singular.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kardan/formulation/catalog.h"
#include "kardan/run/simulate.h"
#include "support/models.h"

namespace kardan::test {
namespace {

/// A pendulum of two rods with a light bob between them: stretched, its constraints are as
/// independent as ever, while in the metric of the masses they nearly coincide.
std::string light_bob(double mass) {
  return fmt::format(R"(
kardan: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  light: {{kind: point, mass: {}, position: [0, -1]}}
  heavy: {{kind: point, mass: 1, position: [0.6, -1.8]}}
joints:
  a: {{type: distance, between: [ground, light], length: 1}}
  b: {{type: distance, between: [light, heavy], length: 1}}
)",
                     mass);
}

TEST(LightBodies, AreNoSingularPositionToAnyMethod) {
  for (const Method& method : methods()) {
    for (const Formulation& formulation : formulations()) {
      if (formulation.problem != method.problem || method.error_order == 0) continue;
      Diagnostics diagnostics;
      Prepared p = prepare(model_of(light_bob(1e-6)), {}, diagnostics);
      SimulateOptions options;
      options.method = fmt::format("{}@{}", method.name, formulation.name);
      options.t_end = 0.2;  // past the stretched position at 0.148 s
      options.driver.tolerance = 1e-4;
      const RunReport report = simulate(p, options, Watchers{}, diagnostics);
      if (report.driver.reason == Reason::refused) continue;
      EXPECT_EQ(report.driver.message.find("singular"), std::string::npos)
          << options.method << ": " << report.driver.message;
    }
  }
}

}  // namespace
}  // namespace kardan::test
