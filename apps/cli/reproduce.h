#pragma once
/// The papers' experiments: our numbers beside the printed ones. A paper is one file, whose list
/// has one line a table or figure, and one line in reproduce.cpp.

#include <span>
#include <string>
#include <string_view>

#include "kardan/run/prepare.h"

namespace kardan::cli {

struct ReproduceOptions {
  std::string paper, table;
  std::string out;     ///< file of a plot (.svg); empty: named after the paper and the figure
  bool quick = false;  ///< a shortened form, where a table takes long
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

Paper sandu2001();
Paper haug1997();
Paper steinbrecher2007();
Paper welch2007();
Paper gil2013();

int reproduce(const ReproduceOptions& options);

/// A model of the models folder: installed beside the program, or of the sources it was built from.
/// Null system after telling what is wrong.
Prepared reproduce_model(const std::string& file, const ParameterValues& overrides);

/// Where a plot goes: --out, or "haug1997-fig9.svg".
std::string plot_file(const ReproduceOptions& options);

}  // namespace kardan::cli
