#pragma once
/// The options of the driver by name, for command line and files: declared once, with units,
/// limits and one-line docs.

#include <string>
#include <vector>

#include "kardan/elements/field.h"
#include "kardan/run/simulate.h"

namespace kardan {

/// What a user may set, with its default and its meaning.
std::vector<FieldDoc> driver_option_docs();

/// All options by name, as texts.
std::vector<std::pair<std::string, std::string>> driver_option_values(const DriverOptions& options);

bool is_driver_option(const std::string& name);

/// Sets one option from its text ("safety", "0.9"); false after reporting what is wrong with it.
bool set_driver_option(const std::string& name, const FieldValue& value, DriverOptions& options,
                       Diagnostics& diagnostics);

}  // namespace kardan
