#pragma once
/// Shared by the commands of the command line.

#include <optional>
#include <string>
#include <vector>

#include "apps/console/console.h"
#include "kardan/io/load.h"
#include "kardan/run/prepare.h"

namespace kardan {
struct SimulateOptions;
}

namespace kardan::cli {

using console::bad_input, console::failed, console::finished, console::tell;

/// What every command on a model takes.
struct ModelOptions {
  std::string file;
  std::vector<std::string> set;  // name=value
  bool include_anywhere = false;
  bool json = false;
  bool quiet = false;
};

/// Parsed `--set`, or nothing after telling what is wrong.
std::optional<ParameterValues> parse_overrides(const ModelOptions& options);

/// Reads the model of the options and tells every fault on stderr.
std::optional<Model> read(const ModelOptions& options, const ParameterValues& overrides);
std::optional<LoadedModel> load(const ModelOptions& options, const ParameterValues& overrides);

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

int check(const ModelOptions& options);
int assemble(const ModelOptions& options);
int equilibrium(const ModelOptions& options);

/// How a catalog is shown.
enum class Listing { text, json, markdown };
int elements(const std::string& name, Listing listing);
int schema();

/// Options of `kardan convert`.
struct ConvertOptions {
  std::string out;      // .yaml, .yml or .json; empty: YAML on standard output
  bool expand = false;  // carry repeats out
  bool force = false;   // overwrite files of others
};
int convert(const ModelOptions& options, const ConvertOptions& given);

/// Options of `kardan run`; empty means: as the model says.
struct RunOptions {
  std::string method, log;
  std::vector<std::string> out;
  std::vector<std::string> option;        // name=value of the driver
  std::vector<std::string> tolerance_of;  // variable=value
  std::optional<double> tolerance, relative, absolute, t_end, every, step;
  std::string checkpoint, resume;  // files
  std::optional<double> checkpoint_every, wall_limit;
  bool certify = false;
  bool force = false;           // overwrite files of others
  double certify_budget = 100;  // steps of all runs, in steps of the first
};
int run(const ModelOptions& command, const RunOptions& run_command);
/// Options of `kardan compare`.
struct CompareCommand {
  std::string methods, tolerances = "1e-3:1e-9", reference;
  std::vector<std::string> out;     // .svg, .html
  std::vector<std::string> option;  // name=value of the driver
  std::optional<double> t_end;
  int repetitions = 3;
  bool force = false;  // overwrite files of others
};
int compare(const ModelOptions& options, const CompareCommand& given);
/// `kardan view RESULT.h5`: the report, or other formats (given.out), of a stored result; by
/// default the report beside it.
int view(const std::string& result, const RunOptions& given, const ModelOptions& options);
/// Values of the command line, then of the file's `simulate:` section, then defaults; false after
/// reporting what is wrong.
bool read_run_options(const Model& model, const System& system, const RunOptions& given,
                      SimulateOptions& out, Diagnostics& diagnostics);
/// At the start, or at given.t_end of a run.
int linearize(const ModelOptions& options, const RunOptions& given, bool frozen);
int methods_command();
int methods_markdown();

}  // namespace kardan::cli
