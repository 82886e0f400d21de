#pragma once
/// What the equations that hold from a state on need to be integrated, in one go or step by step.

#include <memory>
#include <optional>

#include "kardan/formulation/system_inputs.h"
#include "kardan/run/choice.h"
#include "kardan/run/event_actions.h"
#include "kardan/run/report.h"
#include "kardan/run/simulate_options.h"

namespace kardan {

/// Changes of what rests that follow each other at once: more than any row of stops needs.
inline constexpr int most_changes_at_once = 1000;

/// Tolerances of every variable, where they are not simply those of the problem.
[[nodiscard]] std::optional<ErrorScale> find_scale(const System& system,
                                                   const ChartProblem& problem,
                                                   const SimulateOptions& options,
                                                   Diagnostics& diagnostics);

/// With the method that "auto" chooses, or has chosen at the start of the run that goes on `from`.
[[nodiscard]] SimulateOptions settle_method(const System& system, const State& start,
                                            const SimulateOptions& asked, const RunMemory* from,
                                            AutomaticChoice& automatic, Diagnostics& diagnostics);

/// What was asked, and what is used for it.
void describe(const System& system, const Choice& choice, const SimulateOptions& options,
              RunReport& report);
/// Refuses a method that would lose its order.
void refuse_missing_derivatives(const Method& method, RunReport& report);

/// Adds what a part of a run tells about its problem, and a part to those before it.
void add_problem(const ChartProblem& problem, RunReport& report);
void append(DriverReport&& next, DriverReport& report);

class Regime {
 public:
  /// `system`: that which holds at the state.
  Regime(const System& system, const Choice& choice, const SimulateOptions& options,
         const OptionValues& formulation_options, EventActions& actions, const State& state,
         Diagnostics& diagnostics);
  Regime(const Regime&) = delete;
  Regime& operator=(const Regime&) = delete;

  ChartProblem& problem() { return *problem_; }
  DriverOptions driver;
  ErrorScale scale;  ///< that the driver uses

 private:
  std::unique_ptr<ChartProblem> problem_, free_form_;
  SystemInputs inputs_;
};

}  // namespace kardan
