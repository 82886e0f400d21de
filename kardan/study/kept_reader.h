#pragma once
/// Reads what is kept of a run and what shall hold of it.

#include "kardan/run/columns.h"
#include "kardan/study/plan.h"

namespace kardan {

class KeptReader {
 public:
  /// Adds to `plan`; `system`: the model as it stands.
  KeptReader(const System& system, StudyPlan& plan, Diagnostics& diagnostics);

  /// "max(abs(chassis.az))", "at(lift_off, chassis.vz)", "worst/9.81"
  void keep(const std::string& name, const FieldValue& written);
  /// "worst < 12"
  void require(const FieldValue& written);

  /// "max(a, b)" taken apart: the word before the parenthesis and what stands between commas that
  /// are in no inner one.
  struct Call {
    std::string word;
    std::vector<std::string> arguments;
    std::vector<int> offsets;  // of the arguments in the text
  };

 private:
  bool function(const Call& call, const FieldValue& written, KeptValue& out);
  bool event(const std::string& name, const FieldValue& written, KeptValue& out);
  /// False after reporting at `where`, `offset` letters further.
  bool parse(const std::string& text, SourceLocation where, int offset, Expression& out);
  bool motion_names(const KeptValue& kept, const SourceLocation& where, int offset);
  bool value_names(const Expression& expression, const SourceLocation& where);

  const System& system_;
  StudyPlan& plan_;
  Diagnostics& diagnostics_;
  ChosenColumns columns_;
};

}  // namespace kardan
