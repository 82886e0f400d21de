#pragma once
/// Results for tools, as HDF5 (docs/look-up/results.md lists the datasets). Rows go to disk while
/// the run goes on, in single-writer mode: whatever ends the program, what was flushed can be read.

#include <memory>
#include <string>

#include "kardan/io/result_sink.h"

namespace kardan {

/// Throws std::system_error when the file cannot be written.
std::unique_ptr<ResultSink> make_hdf5_result(const std::string& path, const ResultResources&);

}  // namespace kardan
