#pragma once
/// The sections `inputs` and `outputs` of a model file, in the words of Model: an input is a function
/// of the type `input`, an output with a formula a sensor.
///
///   inputs: {push: {unit: N, start: 0}}
///   outputs: {height: arm.y, speed: {value: 3.6*car.vx, unit: km/h}}

#include <vector>

#include "kardan/base/diagnostics.h"
#include "kardan/model/model.h"

namespace kardan {

/// Before the other functions, which may use them.
void add_inputs(FieldMap inputs, Model& model, Diagnostics& diagnostics);
/// Inputs under `functions` of a file.
void refuse_inputs(const FieldMap& functions, Diagnostics& diagnostics);

[[nodiscard]] std::vector<NamedFields> output_sensors(const FieldMap& outputs);
void add_output(NamedFields sensor, Model& model);

}  // namespace kardan
