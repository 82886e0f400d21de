#pragma once
/// Runs of small models written in a test, with what their events did.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kardan/run/simulate.h"
#include "support/models.h"

namespace kardan::test {

struct Ran {
  Prepared prepared;
  RunReport report;
  std::vector<State> states;  // after every step
  const State& end() const { return prepared.start.state; }
  /// Times at which an event passed in a direction.
  std::vector<double> times(const std::string& name, int direction) const {
    std::vector<double> out;
    for (const EventRecord& e : report.driver.events)
      if (prepared.system->event_names()[e.event] == name && e.direction == direction)
        out.push_back(e.t);
    return out;
  }
};

inline Ran run_model(const std::string& text, const std::string& method, double t_end,
                     double tolerance = 1e-9, double error_estimate = 0) {
  Ran out;
  Diagnostics diagnostics;
  out.prepared = prepare(model_of(text), {}, diagnostics);
  SimulateOptions options;
  options.method = method;
  options.t_end = t_end;
  options.driver.tolerance = tolerance;
  options.error_estimate = error_estimate;
  if (out.prepared.system)
    out.report = simulate(
        out.prepared, options, {},
        [&](const StepView& step) {
          out.states.push_back(*step.state);
          return std::string();
        },
        diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
  return out;
}

}  // namespace kardan::test
