#pragma once
/// What the outputs of a model were in a run: first, least, greatest, last. Extremes are looked for
/// inside steps, as those of studies are.

#include <memory>
#include <string>
#include <vector>

#include "kardan/io/report_json.h"
#include "kardan/study/kept_watch.h"

namespace kardan::cli {

class OutputTable {
 public:
  /// Of the model's `outputs`; empty where it names none.
  OutputTable(const System& system, const SimulateOptions& options);

  /// After a run with outputs.
  bool known() const { return known_; }
  void join(const ConsistentStart& start, Watchers& watchers);
  void finish(const RunReport& report);

  void print() const;
  [[nodiscard]] Json to_json() const;

 private:
  struct Row {
    std::string name, unit;
    double first = 0, least = 0, greatest = 0, last = 0;
  };
  /// What rounding leaves of zero, by the sizes of the model and of outputs of the same unit.
  double round_off(const Row& row) const;

  const System& system_;
  std::vector<Row> rows_;
  StudyPlan plan_;
  std::unique_ptr<KeptWatch> watch_;
  bool known_ = false;
};

}  // namespace kardan::cli
