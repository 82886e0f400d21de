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
};

struct ImportedDescription {
  int version = 2;  ///< 2 or 3
  std::string model_name, token;
  std::string co_simulation;  ///< the name of the library; empty: not offered
  bool exchange = false;      ///< model exchange is offered
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
