#pragma once
/// The description of a result as JSON and back; the model is kept apart.

#include "kardan/io/result_sink.h"

namespace kardan {

[[nodiscard]] Json to_json(const ResultDescription& description);
/// Throws nlohmann::json::exception where keys are missing or of the wrong kind, and
/// std::out_of_range where a column lies outside of its row.
[[nodiscard]] ResultDescription description_from(const Json& json);

}  // namespace kardan
