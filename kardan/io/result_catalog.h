#pragma once
/// The result formats. A new one is one file and one line in result_catalog.cpp.

#include <memory>
#include <string>
#include <vector>

#include "kardan/io/result_sink.h"

namespace kardan {

struct ResultFormat {
  std::string_view suffix;  ///< of the file: ".csv"
  std::string_view summary;
  std::unique_ptr<ResultSink> (*make)(const std::string& path, const ResultResources&) = nullptr;
  bool replayed = false;  ///< wants enough rows for a replay
};

const std::vector<ResultFormat>& result_formats();
/// The format of a file by its name; null if there is none.
const ResultFormat* find_result_format(std::string_view path);

}  // namespace kardan
