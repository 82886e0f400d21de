#pragma once
/// What an FMU holds of a model: everything the library inside it needs, as bytes in its resources.
/// Files the model includes and tables it reads are in it as values.

#include <string>
#include <string_view>
#include <vector>

#include "kardan/base/expected.h"
#include "kardan/model/blueprint.h"
#include "kardan/model/model.h"
#include "kardan/run/simulate_options.h"

namespace kardan {

/// A variable of the interface; its place in the list is its value reference.
struct FmuVariable {
  enum class Of { time, input, parameter, column };
  std::string name, unit, description;
  Of of = Of::column;
  bool output = false;  ///< of a column: for other models, or only to be looked at
  double start = 0;     ///< of inputs and parameters
};

struct FmuData {
  Model model;
  ParameterValues overrides;  ///< what it was exported with
  SimulateOptions options;
  std::vector<FmuVariable> variables;
};

/// The variables of a compiled model: time, inputs, parameters that may be set, and the columns of
/// its results. `fixed`: parameters that decide what the model consists of, which are no variables.
[[nodiscard]] std::vector<FmuVariable> fmu_variables(const Model& model,
                                                     const ParameterValues& overrides,
                                                     const std::vector<std::string>& fixed,
                                                     Diagnostics& diagnostics);

[[nodiscard]] std::string to_bytes(const FmuData& data);
/// Whatever the bytes are: data or what is wrong with them.
[[nodiscard]] Expected<FmuData, std::string> read_fmu_data(std::string_view bytes);

/// A name of these bytes: "{8-4-4-4-12}" digits.
[[nodiscard]] std::string fmu_token(std::string_view bytes);

}  // namespace kardan
