#pragma once
/// The functions of a model: named functions of one variable, written t, that expressions call.
///
///   functions:
///     swing: 0.2*sin(3*t)
///     lift: [[0, 0], [1, 0.1], [2, 0]]
///     start: {type: ramp, begin: 1, end: 3, to: 5}

#include "kardan/elements/field.h"

namespace kardan {

/// Adds them to `names`, which holds the parameters. A function may call those before it.
void resolve_functions(const FieldMap& functions, Environment& names, Diagnostics& diagnostics);

/// The types a function may have, with their fields.
struct FunctionDoc {
  std::string type, summary, equation;
  std::vector<FieldDoc> fields;
};
std::vector<FunctionDoc> function_docs();
/// The fields of an input: a function of type `input`, which a file has under `inputs`.
std::vector<FieldDoc> input_field_docs();

}  // namespace kardan
