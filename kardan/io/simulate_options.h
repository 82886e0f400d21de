#pragma once
/// The `simulate:` section of a model: how a run goes unless the command says otherwise.

#include "kardan/model/model.h"
#include "kardan/run/simulate.h"

namespace kardan {

/// What the section may hold, for listings.
std::vector<FieldDoc> simulate_field_docs();

/// Who chooses the method: options of the file's method mean nothing to another one.
enum class MethodChoice { of_the_file, of_the_command };

/// Reads the section over the defaults in `out`; methods, formulations and options that do not
/// exist, and numbers out of range (run/ranges.h), are reported where they stand.
void read_simulate_options(const NamedFields& simulate, const Environment& parameters,
                           MethodChoice who, SimulateOptions& out, Diagnostics& diagnostics);

/// The section that asks for these options; reading it gives them back.
FieldMap simulate_fields(const SimulateOptions& options);

}  // namespace kardan
