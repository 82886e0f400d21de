#pragma once
/// Results as comma-separated values, for people: a line with the names and units of the columns
/// ("arm.x [m]"), then one line a point of the output grid; numbers read back as the same bits.

#include <memory>
#include <string>

#include "kardan/io/result_sink.h"

namespace kardan {

/// Throws std::system_error when the file cannot be written.
std::unique_ptr<ResultSink> make_csv_result(const std::string& path, const ResultResources&);

}  // namespace kardan
