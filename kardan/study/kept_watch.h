#pragma once
/// Follows the motion of one run for what is kept of it.

#include <memory>
#include <optional>
#include <vector>

#include "kardan/run/columns.h"
#include "kardan/run/report.h"
#include "kardan/run/watchers.h"
#include "kardan/study/peak_search.h"
#include "kardan/study/plan.h"

namespace kardan {

class KeptWatch {
 public:
  KeptWatch(const StudyPlan& plan, const System& system);

  /// Sees the start, and adds itself to `watchers`, which must not outlive it.
  void join(const ConsistentStart& start, Watchers& watchers);
  /// The kept values, after the run.
  void finish(const RunReport& report, std::span<double> out);

 private:
  struct Item {
    std::unique_ptr<Reduction> reduction;  // null: a formula
    SeesEvents* events = nullptr;          // of the reduction
    std::optional<PeakSearch> peaks;       // inside steps
    Expression expression;                 // with the parameters put in
    std::vector<std::size_t> columns;      // of its names
  };
  void see(const Instant& at, bool row);
  double value(const Item& item, std::span<const double> columns);

  const StudyPlan& plan_;
  const System& system_;
  ChosenColumns columns_;
  std::optional<StepEnds> ends_;
  bool sees_ends_ = false, sees_rows_ = false;
  std::vector<Item> items_;
  std::vector<double> arguments_;
};

/// The expression with the values of all parameters of the system put in.
[[nodiscard]] Expression with_parameters(const Expression& expression, const System& system);

}  // namespace kardan
