#pragma once
/// A paper's experiments: our numbers beside the printed ones. A paper is a file (or some that
/// begin with its name) whose list has one line a table or figure, and one line in catalog.cpp.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/console/console.h"
#include "apps/reproduce/verdict.h"
#include "kardan/run/prepare.h"

namespace kardan::reproduce {

using console::bad_input, console::failed, console::finished, console::print_faults;

struct Options {
  std::string paper, table;
  std::string out;     ///< file of a plot (.svg); empty: named after the paper and the figure
  std::string html;    ///< file of a page with everything
  bool quick = false;  ///< a shortened form, where a table takes long
  bool force = false;  ///< overwrite files of others
};

struct Table {
  std::string_view name, summary;
  /// Prints it and hands in the numbers that decide its verdict; the exit code.
  int (*make)(const Options&, Checks&) = nullptr;
  /// Where the print is wrong or says too little, and how that was found; may be empty.
  std::string_view against_print = {};
};

struct Paper {
  std::string_view name, title;
  std::span<const Table> tables;
};

/// All of them: catalog.cpp.
[[nodiscard]] std::vector<Paper> papers();

/// A model of the models folder: installed beside the program, or of the sources it was built from.
/// Null system after telling what is wrong.
Prepared paper_model(const std::string& file, const ParameterValues& overrides);

/// Where a plot goes: --out, or "haug1997-fig9.svg".
std::string plot_file(const Options& options);

}  // namespace kardan::reproduce
