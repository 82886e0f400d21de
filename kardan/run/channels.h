#pragma once
/// Inputs and outputs of a linearized model, and the kinks it may stand on.

#include <string>
#include <vector>

#include "kardan/formulation/modes.h"
#include "kardan/run/input_line.h"
#include "kardan/run/prepare.h"

namespace kardan {

/// Between inputs and outputs of the model: y' = A y + B u, w = C y + D u, for small changes of all.
/// The derivatives are exact: by an input as the partial time derivative that a slope of one gives,
/// by y from the gradients of the quantities.
struct Channels {
  std::vector<std::string> inputs, outputs;
  std::vector<std::string> input_units, output_units;
  Vector input_values, output_values;  ///< about which
  Matrix B, C, D;
};

/// The inputs among the functions of a model, in their order.
struct ModelInput {
  InputInfo info;
  std::shared_ptr<SignalCourse> course;
};
std::vector<ModelInput> model_inputs(const System& system, const FieldMap& functions);

/// The channels of a linearization whose modes are known, or why there are none. Without outputs of
/// the model there is no C and no D.
struct FoundChannels {
  Eval status = Eval::ok;
  std::string message, advice;       ///< when it failed
  std::vector<std::string> remarks;  ///< outputs that have no row
  Channels channels;
};
FoundChannels find_channels(const Prepared& prepared, const FieldMap& functions,
                            const Modes& modes);

/// What says that switches and kinks of forces stand at their place: the equations to both sides
/// of it are different, and those of one side were linearized.
std::vector<std::string> kinks_at(const System& system, const State& state);

}  // namespace kardan
