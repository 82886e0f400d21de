#pragma once
/// modelDescription.xml of an FMU, in both versions of the interface.

#include <string>
#include <string_view>

#include "kardan/fmi/fmu_data.h"

namespace kardan {

/// A name for files and C: letters, digits and underscores.
[[nodiscard]] std::string fmu_identifier(std::string_view model_name);

[[nodiscard]] std::string describe_fmi2(const FmuData& data, const std::string& token);
[[nodiscard]] std::string describe_fmi3(const FmuData& data, const std::string& token);

}  // namespace kardan
