#pragma once
/// Constrained models for the tests of implicit methods.

#include "integrate/free_problem.h"
#include "kardan/formulation/state_space.h"
#include "kardan/io/model_reader.h"
#include "kardan/run/prepare.h"
#include "support/places.h"

namespace kardan::test {

inline Prepared load_model(const std::string& name, const ParameterValues& overrides = {}) {
  Diagnostics diagnostics;
  const auto model = read_model_file(models_folder() + "/" + name, overrides, diagnostics);
  EXPECT_TRUE(model) << format(diagnostics);
  Prepared p = prepare(*model, overrides, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
  return p;
}

/// The double pendulum of models/double_pendulum_welch.yaml at t = 1: extrapolation in extended
/// precision, two step sizes agreeing to 20 digits, computed for Kardan. Angles are minus theta.
inline State welch_at_one() {
  return state_of(1,
                  {2.0932666614804068565, 1.3668338172340746435, -0.9923382473348355456,
                   4.8756281994200919074, 5.1368214479469228763, -0.27925329905462267893},
                  {1.7989370900144274691, -2.7550203902973073184, -1.3161344615066352022,
                   8.3433451744844003897, -6.8707858691213070064, -1.9746846697199396385});
}

inline double welch_error(const Prepared& model, const Method& method,
                          const DriverOptions& options) {
  StateSpace problem(*model.system);
  State state = model.start.state;
  const DriverReport r = integrate(problem, method, state, 1, options, {});
  EXPECT_EQ(r.reason, Reason::finished) << r.message;
  state.r.clear();
  return largest_error(state, welch_at_one());
}

}  // namespace kardan::test
