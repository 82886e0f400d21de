#pragma once
/// Results as one self-contained HTML file: the viewer's page with the data in it
/// (docs/look-up/report-format.md).

#include <memory>
#include <string>

#include "kardan/io/result_sink.h"

namespace kardan {

/// The line of the viewer's page that is replaced by the result.
inline constexpr std::string_view html_result_marker = "<!-- KARDAN_RESULT -->";

/// Throws std::system_error when the file cannot be written.
std::unique_ptr<ResultSink> make_html_result(const std::string& path, const ResultResources&);

}  // namespace kardan
