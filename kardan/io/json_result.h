#pragma once
/// The certificate of a run as a JSON file.

#include <memory>
#include <string>

#include "kardan/io/result_sink.h"

namespace kardan {

/// Throws std::system_error when the file cannot be written.
std::unique_ptr<ResultSink> make_json_result(const std::string& path, const ResultResources&);

}  // namespace kardan
