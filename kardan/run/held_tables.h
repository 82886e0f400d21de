#pragma once
/// Tables whose last value was held beyond their ends in a run: by functions of time, whatever they
/// call them with, by roads, laws, formulas of the motion and written equations.

#include <memory>

#include "kardan/run/prepare.h"
#include "kardan/run/report.h"

namespace kardan {

class HeldTables {
 public:
  /// `system` must outlive this.
  explicit HeldTables(const System& system);
  ~HeldTables();
  HeldTables(const HeldTables&) = delete;
  HeldTables& operator=(const HeldTables&) = delete;

  /// False: there is no such table.
  [[nodiscard]] bool any() const;
  /// At the start and after every step.
  void observe(const State& state);
  /// A remark for every one that was used beyond an end.
  void add_remarks(RunReport& report) const;

 private:
  struct Use;
  struct Written;
  void find_in_elements();
  void read_formula(const ElementData& element, bool turns, const Expression& formula, Use& use);
  void find_in_equations();

  const System& system_;
  std::vector<std::unique_ptr<Use>> uses_;
  std::unique_ptr<Workspace> ws_;  // of quantities in formulas
  std::unique_ptr<Written> written_;  // the variables of written equations
};

}  // namespace kardan
