#pragma once
/// The papers' experiments: our numbers beside the printed ones. A new experiment is one file and
/// one line in reproduce.cpp.

#include <string>
#include <string_view>
#include <vector>

#include "kardan/run/prepare.h"

namespace kardan::cli {

struct ReproduceOptions {
  std::string paper, item;
  std::string out;  ///< file of a plot (.svg), empty: none
};

struct Experiment {
  std::string_view paper, item, summary;
  int (*run)(const ReproduceOptions&);
};

int reproduce(const ReproduceOptions& options);

/// A model of the models folder: installed beside the program, or of the sources it was built from.
/// Null system after telling what is wrong.
Prepared reproduce_model(const std::string& file, const ParameterValues& overrides);

int sandu2001_table1(const ReproduceOptions&);
int sandu2001_table2(const ReproduceOptions&);
int sandu2001_fig2(const ReproduceOptions&);

}  // namespace kardan::cli
