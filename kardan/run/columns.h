#pragma once
/// Some columns of a result, by name, without the work that all of them would be.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kardan/formulation/accelerations.h"
#include "kardan/formulation/assembly.h"
#include "kardan/integrate/driver_options.h"
#include "kardan/run/result.h"

namespace kardan {

class ChosenColumns {
 public:
  explicit ChosenColumns(const System& system);

  /// The place of the column in what `read` returns; nothing where there is no such column.
  std::optional<std::size_t> add(std::string_view name);
  /// Whether a moment must know its multipliers: reactions and multipliers are among them.
  bool need_multipliers() const { return need_multipliers_; }

  /// In the order they were added; valid until the next. Not-a-number where the moment does not
  /// know.
  std::span<const double> read(const Instant& at);

 private:
  struct Column {
    std::string name;
    enum class Of { time, quantity, acceleration, multiplier, other } of = Of::time;
    Quantity quantity{};
    std::size_t place = 0;  // among accelerations, multipliers or all columns
  };
  std::optional<Column> find(std::string_view name);

  const System& system_;
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<ResultColumns> all_;  // where one of them needs it
  bool need_multipliers_ = false;
  std::vector<Column> columns_;
  std::vector<double> values_, all_values_;
};

/// Tells the start of a run and the ends of its steps, with their accelerations, and with their
/// multipliers where they are asked for, which costs a solution of the equations each time. Where a
/// stop may rest, other equations hold than those of the model: then multipliers are not known.
class StepEnds {
 public:
  enum class Tell { accelerations, multipliers_too };
  StepEnds(const System& system, Tell what, std::function<void(const Instant&)> tell);

  void start(const ConsistentStart& start) { tell_({&start.state, &start.a, &start.lambda}); }
  /// After an accepted step.
  void step(const StepView& step);

 private:
  Tell what_;
  std::function<void(const Instant&)> tell_;
  bool stops_;
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<AccelerationSolver> solver_;
  State state_;
  Vector a_, lambda_;
};

}  // namespace kardan
