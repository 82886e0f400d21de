#pragma once
/// A motion step by step, with inputs from outside: a controller, another program, a game.
///
///   functions: {push: {type: input, unit: N}}       in the model, used as push(t)
///
///   auto simulation = Simulation::make(model, {}, options, diagnostics);
///   const int push = *simulation->find_input("push"), x = *simulation->find("cart.x");
///   for (int k = 1; k <= 1000; ++k) {
///     simulation->set(push, -10 * simulation->get(x));
///     if (std::string why = simulation->step_to(0.001 * k); !why.empty()) break;
///   }
///
/// While inputs go on as they were, the steps are those of a run in one go, and no call changes
/// their lengths: what is seen at a time is found inside them. An input that is given another value
/// takes back what has run ahead. Where its value jumps the motion begins anew, as at an event;
/// where only its slope changes, the length of the steps is kept.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kardan/run/columns.h"
#include "kardan/run/input_line.h"
#include "kardan/run/linearize.h"
#include "kardan/run/stepped_run.h"

namespace kardan {

struct SimulationEvent {
  double t = 0;
  std::string name;
  int direction = 0;  ///< +1: its function became positive
};

/// Everything a simulation is at a time; a value.
struct SavedSimulation {
  RunMemory memory;
  std::vector<InputLine::Memory> inputs;
  ParameterValues parameters;
  int calm = 0;
  bool given = false;
};

/// What a simulation is made of: a model at its start, for any values of parameters, and the
/// functions it names, some of which are inputs.
struct SimulationSource {
  std::function<Prepared(const ParameterValues&, Diagnostics&)> prepare;
  FieldMap functions;
};

class Simulation {
 public:
  /// Null after reporting what is wrong. The catalog must outlive it.
  static std::unique_ptr<Simulation> make(const Model& model, const ParameterValues& parameters,
                                          const SimulateOptions& options, Diagnostics& diagnostics,
                                          const Catalog& catalog = Catalog::builtin());
  static std::unique_ptr<Simulation> make(SimulationSource source,
                                          const ParameterValues& parameters,
                                          const SimulateOptions& options, Diagnostics& diagnostics);

  double time() const { return run_->t(); }
  const System& system() const { return *prepared_.system; }
  const std::vector<InputInfo>& inputs() const { return inputs_; }

  std::optional<int> find_input(std::string_view name) const;
  /// A column of a result (result.h), for get().
  std::optional<int> find(std::string_view column);

  /// From now on; with a rate [1/s] it goes on along that line, whatever its mode. What cannot be
  /// set is told, and nothing is changed.
  [[nodiscard]] std::string set(int input, double value, std::optional<double> rate = {});
  double input(int input) const;
  double get(int column) { return values()[static_cast<std::size_t>(column)]; }
  /// All that have been found, in their order; valid until the next call.
  std::span<const double> values();
  Instant seen() const { return run_->seen(); }

  /// To `t` [s]; why it was not reached. What is seen is then the last state known, and a run that
  /// was only interrupted may be asked again.
  [[nodiscard]] std::string step_to(double t);
  bool ended() const { return run_->ended() && !run_->interrupted(); }
  std::vector<SimulationEvent> events() const;
  RunReport report() const { return run_->report(); }

  /// What follows here and after restore() has the same bits: both begin anew at this time.
  [[nodiscard]] std::string save(SavedSimulation& out);
  /// A state of this model, of this simulation or another one with the same options. With other
  /// parameters constraints must hold as they did.
  [[nodiscard]] std::string restore(const SavedSimulation& saved);
  /// Other values of parameters from now on.
  [[nodiscard]] std::string change(const ParameterValues& parameters);
  /// Back to the start, with the parameters it has and its inputs at theirs.
  [[nodiscard]] std::string reset();

  /// Of the motion now; refused while a stop is at rest, which the equations of the model are not.
  Linearization linearize(ModeShapes shapes, ModesOf of);

 private:
  Simulation(SimulationSource source, const ParameterValues& parameters,
             const SimulateOptions& options);
  bool prepare(Diagnostics& diagnostics);
  bool choose(Diagnostics& diagnostics);
  void find_inputs();
  bool begin();
  std::string why() const;
  std::string use_inputs();

  SimulationSource source_;
  ParameterValues parameters_;
  SimulateOptions options_;
  Prepared prepared_;
  Choice choice_;
  RunMemory fresh_, memory_;
  std::unique_ptr<SteppedRun> run_;
  std::vector<InputInfo> inputs_;
  std::vector<InputLine> lines_;
  std::vector<InputLine::Memory> before_;  // the last change of inputs
  std::unique_ptr<ChosenColumns> columns_;
  std::vector<std::string> columns_found_;
  int calm_;            // calls since an input changed the motion
  bool given_ = false;  // an input was set since the last step
};

}  // namespace kardan
