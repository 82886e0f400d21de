#pragma once
/// The papers' experiments: our numbers beside the printed ones. A paper is one file, whose list
/// has one line a table or figure, and one line in reproduce.cpp.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kardan/run/prepare.h"

namespace kardan::cli {

struct ReproduceOptions {
  std::string paper, table;
  std::string out;     ///< file of a plot (.svg); empty: named after the paper and the figure
  std::string html;    ///< file of a page with everything
  bool quick = false;  ///< a shortened form, where a table takes long
  bool force = false;  ///< overwrite files of others
};

struct Table {
  std::string_view name, summary;
  /// Prints it; the exit code.
  int (*make)(const ReproduceOptions&) = nullptr;
};

struct Paper {
  std::string_view name, title;
  std::span<const Table> tables;
};

/// What came out of a table, in a line, and where the print is wrong.
struct Finding {
  std::string_view paper, table;
  std::string_view verdict;  ///< reproduced, better, differs
  std::string_view why;
  std::string_view print;  ///< may be empty
};
/// Null where nothing has been said yet.
const Finding* find_finding(std::string_view paper, std::string_view table);

Paper sandu2001();
Paper haug1997();
Paper steinbrecher2007();
Paper welch2007();
Paper gil2013();

int reproduce(const ReproduceOptions& options);
/// All tables and figures of the papers on one page.
int reproduce_page(const std::vector<Paper>& papers, const ReproduceOptions& options);

/// A model of the models folder: installed beside the program, or of the sources it was built from.
/// Null system after telling what is wrong.
Prepared reproduce_model(const std::string& file, const ParameterValues& overrides);

/// Where a plot goes: --out, or "haug1997-fig9.svg".
std::string plot_file(const ReproduceOptions& options);

}  // namespace kardan::cli
