#pragma once
/// A model as an FMU's instance, whatever the version of the interface: values by reference, a
/// simulation that begins when it is initialized, steps, and states that are kept. What cannot be
/// done is told by a message, and nothing is changed.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kardan/fmi/fmu_data.h"
#include "kardan/run/simulation.h"

namespace kardan {

/// How a step ended.
struct FmuStep {
  enum class End { reached, stopped, failed } end = End::reached;
  double t = 0;  ///< [s] reached
  std::string message;
};

class FmuInstance {
 public:
  explicit FmuInstance(FmuData data, std::string token);

  const FmuData& data() const { return data_; }

  /// Before the start: times and tolerance of the experiment.
  std::string set_up(std::optional<double> tolerance, double start, std::optional<double> stop);
  /// The motion begins; again after a value was set while it was initialized.
  std::string begin();
  bool begun() const { return simulation_ != nullptr; }
  /// Values set from here on act at the time reached.
  void start() { running_ = true; }
  /// Back to what it was when it was made.
  void reset();

  /// All of them or none.
  std::string set(std::span<const unsigned> references, std::span<const double> values);
  /// Slopes of inputs [1/s] from the time reached on.
  std::string set_slopes(std::span<const unsigned> references, std::span<const double> values);
  std::string get(std::span<const unsigned> references, std::span<double> values);

  double time() const { return simulation_ ? simulation_->time() : start_time_; }
  std::optional<double> stop_time() const { return stop_time_; }
  FmuStep step_to(double t);
  /// Events since the last call.
  std::vector<SimulationEvent> new_events();

  /// Everything it is now.
  std::string save(std::string& out);
  std::string restore(std::string_view saved);

 private:
  struct Place {
    int index = 0;    // of an input of the simulation
    int column = -1;  // of the simulation; -1: not asked for yet
    bool set = false;
    double value = 0;             // of inputs and parameters
    std::optional<double> slope;  // of an input, set since the last step
  };

  std::string check(std::span<const unsigned> references, std::size_t values) const;
  std::string change_parameters();
  ParameterValues parameters() const;
  Model model_with_inputs() const;
  void take_starts();
  std::string give_inputs();

  FmuData data_;
  std::string token_;
  std::vector<Place> places_;
  std::optional<double> tolerance_, stop_time_;
  double start_time_ = 0;
  bool running_ = false;
  bool stale_ = false;  // what begin() has made is not of the values set
  std::unique_ptr<Simulation> simulation_;
  std::optional<std::span<const double>> values_;  // of the time reached
  std::size_t events_told_ = 0;
};

}  // namespace kardan
