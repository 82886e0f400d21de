#pragma once
/// What the description of an FMU, of any program, says: checked as far as stepping it needs.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kardan/base/diagnostics.h"

namespace kardan {

struct ImportedVariable {
  std::string name;
  unsigned reference = 0;
  std::string type;  ///< of the interface: "Real", "Float64"
  std::string causality = "local";
  std::string variability;
  std::string start;  ///< empty: none
  SourceLocation where;

  /// Its values are numbers, one at a time.
  [[nodiscard]] bool is_number() const {
    return type != "String" && type != "Binary" && type != "Clock";
  }
  bool is_array = false;
  unsigned derivative_of = 0;  ///< place (2.0, from 1) or reference (3.0) of a state; 0: of none
};

struct ImportedDescription {
  int version = 2;  ///< 2 or 3
  std::string model_name, token;
  std::string co_simulation;        ///< the name of the library; empty: not offered
  std::string exchange;             ///< the same of model exchange
  std::vector<std::string> states;  ///< continuous ones, for model exchange
  int indicators = 0;               ///< of events
  bool tells_steps = true;          ///< it wants to know of completed steps
  std::optional<double> start, stop, tolerance, step;  ///< of the default experiment
  std::optional<double> fixed_step;                    ///< [s] communication steps it was made for
  std::vector<ImportedVariable> variables;

  [[nodiscard]] const ImportedVariable* find(std::string_view name) const;
};

/// Nothing after reporting at least one error; `file` names the text in messages.
[[nodiscard]] std::optional<ImportedDescription> read_fmu_description(std::string_view text,
                                                                      const std::string& file,
                                                                      Diagnostics& diagnostics);

}  // namespace kardan
