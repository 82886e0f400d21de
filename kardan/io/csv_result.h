#pragma once
/// Results as comma-separated values, for people: a line with the names and units of the columns
/// ("arm.x [m]"), then one line a point of the output grid; numbers read back as the same bits.

#include <memory>
#include <string>

#include "kardan/io/result_sink.h"

namespace kardan {

/// A name as a cell: quoted where it has commas; with a ' in front where a spreadsheet would run it
/// as a formula (= + - @ at the start).
std::string csv_cell(const std::string& text);
/// The line of the names, without its end.
std::string csv_header(const ResultLayout& layout);

/// Throws std::system_error when the file cannot be written.
std::unique_ptr<ResultSink> make_csv_result(const std::string& path, const ResultResources&);

}  // namespace kardan
