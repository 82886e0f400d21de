#pragma once
/// The page of a study: distributions, scatter matrix, parallel coordinates to brush, sensitivities,
/// table to sort. One file that needs nothing else.

#include <string>

#include "kardan/study/store.h"

namespace kardan::cli {

/// Of more runs than a screen shows, evenly spaced ones; the page says so.
[[nodiscard]] std::string study_page(const StudyStore& store, const StudyResults& results);

/// What runs in the page: study_page_script.cpp.
[[nodiscard]] std::string_view study_page_script();

}  // namespace kardan::cli
