#pragma once
/// What a study says, as text, JSON and CSV.

#include <string>

#include "kardan/io/report_json.h"
#include "kardan/study/store.h"

namespace kardan::cli {

/// The catalogs: what can vary, which designs there are, what can be kept.
void print_study_catalogs();
void print_study(const StudyStore& store, const StudyResults& results);
[[nodiscard]] Json study_json(const StudyStore& store, const StudyResults& results);
/// The first line of a table of runs.
[[nodiscard]] std::string study_csv_header(const RowShape& shape);
/// One line a run that is done. Throws std::system_error.
void write_study_csv(const std::string& path, const StudyStore& store);

}  // namespace kardan::cli
