#pragma once
/// Shared by the commands of the command line.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/verb.h"
#include "apps/console/console.h"
#include "kardan/io/load.h"
#include "kardan/run/prepare.h"

namespace kardan {
struct SimulateOptions;
}

namespace kardan::cli {

using console::bad_input, console::failed, console::finished, console::print_faults;

/// Of every verb on a model.
struct ModelOptions {
  std::string file;
  std::vector<std::string> set;  // name=value
  bool include_anywhere = false;
  bool json = false;
  bool quiet = false;
};

/// Parsed `--set`, or nothing after telling what is wrong.
std::optional<ParameterValues> parse_overrides(const ModelOptions& options);

/// Whether a model without a name gets that of its file.
enum class Unnamed { stays, after_file };
/// Reads the model of the options and reports every fault on stderr.
std::optional<LoadedModel> load(const ModelOptions& options, const ParameterValues& overrides,
                                Unnamed unnamed = Unnamed::after_file);

/// A model with its system at a consistent start.
struct StartedModel {
  Model model;
  ParameterValues overrides;
  Prepared prepared;
  std::vector<std::string> files;  // that were read: the model and what it includes
};
/// Reads, compiles and assembles or balances; an exit code other than `finished` after telling why
/// not.
int start_model(const ModelOptions& options, StartedModel& out);

/// What every verb on a model takes.
[[nodiscard]] std::vector<Argument> model_arguments(ModelOptions& options);
/// "--force".
[[nodiscard]] Argument force_argument(bool& force);
/// `head`, then `tail`.
[[nodiscard]] std::vector<Argument> joined(std::vector<Argument> head, std::vector<Argument> tail);

/// Options of `kardan run`, also for those that run on the way; empty means: as the model says.
struct RunOptions {
  std::string method, log;
  std::vector<std::string> out;
  std::vector<std::string> option;                       // name=value of the driver
  std::vector<std::string> tolerance_of;                 // variable=value
  std::map<std::string, std::optional<double>> numbers;  // by their keys in io/run_options.h
  std::string checkpoint, resume;                        // files
  std::optional<double> wall_limit;
  bool certify = false;
  bool force = false;           // overwrite files of others
  double certify_budget = 100;  // steps of all runs, in steps of the first
};
/// Values of the command line, then of the file's `simulate:` section, then defaults; false after
/// reporting what is wrong.
bool read_run_options(const Model& model, const System& system, const RunOptions& given,
                      SimulateOptions& out, Diagnostics& diagnostics);

}  // namespace kardan::cli
