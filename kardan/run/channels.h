#pragma once
/// Inputs and outputs of a linearized model, and the kinks it may stand on.

#include <string>
#include <vector>

#include "kardan/run/input_line.h"
#include "kardan/run/linearize.h"

namespace kardan {

/// The inputs among the functions of a model, in their order.
struct ModelInput {
  InputInfo info;
  std::shared_ptr<SignalCourse> course;
};
std::vector<ModelInput> model_inputs(const System& system, const FieldMap& functions);

/// Fills `channels` of a linearization that has been found, or its status and message where there
/// are none. Without outputs of the model there is no C and no D.
void find_channels(const Prepared& prepared, const FieldMap& functions, Linearization& out);

/// What says that switches and kinks of forces stand at their place: the equations to both sides
/// of it are different, and those of one side were linearized.
std::vector<std::string> kinks_at(const System& system, const State& state);

}  // namespace kardan
