/// The `kardan` program: one subcommand each in its own file.

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "apps/cli/command.h"
#include "apps/reproduce/reproduce.h"
#include "kardan/base/text.h"

namespace kardan::cli {
namespace {

/// What was printed has arrived, or this throws.
void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw std::system_error(errno ? errno : EIO, std::generic_category(), "standard output");
}

/// CLI11's own lets NaN pass.
CLI::Validator positive_number() {
  return {[](const std::string& text) {
            double x = 0;
            const bool good = CLI::detail::lexical_cast(text, x) && x > 0 && std::isfinite(x);
            return good ? std::string() : "got " + text + "; wanted a finite number > 0";
          },
          "NUMBER", "positive number"};
}

void complain(std::string_view what) {
  std::fprintf(stderr, "kardan: %s\n", kardan::printable(what).c_str());
}

class Program {
 public:
  Program() {
    app_.set_version_flag("--version", "kardan " KARDAN_VERSION);
    app_.require_subcommand(1);
    app_.failure_message(CLI::FailureMessage::help);
    add_models();
    add_linearize();
    add_run();
    add_compare();
    add_view();
    add_methods();
    add_reproduce();
    add_elements();
    add_convert();
    add_schema();
  }

  int run(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
      flush_output();
    } catch (const CLI::ParseError& e) {
      const int code = app_.exit(e);
      return code == 0 ? finished : bad_input;
    }
    return result_;
  }

 private:
  void add_common(CLI::App* command) {
    command->add_option("MODEL", model_.file, "model file (YAML), or a result (.h5) with its model")
        ->required();
    command->add_option("--set", model_.set, "name=value: replace a parameter; may be repeated")
        ->take_all();
    command->add_flag("--json", model_.json, "print one JSON document");
    command->add_flag("--quiet", model_.quiet, "print nothing but errors");
    command->add_flag("--include-anywhere", model_.include_anywhere,
                      "the model may include files outside of its folder");
  }
  static void add_force(CLI::App* command, bool& force) {
    command->add_flag("--force", force, "overwrite files that Kardan has not written");
  }
  void add_model(const char* name, const char* doc, int (*action)(const ModelOptions&)) {
    CLI::App* command = app_.add_subcommand(name, doc);
    add_common(command);
    command->callback([this, action] { result_ = action(model_); });
  }

  void add_models() {
    add_model("check", "degrees of freedom, redundant or contradictory constraints, consistency",
              check);
    add_model("assemble", "consistent positions, velocities, accelerations, multipliers", assemble);
    add_model("equilibrium", "static balance, or steady motion at given velocities", equilibrium);
  }

  void add_linearize() {
    CLI::App* linear = app_.add_subcommand(
        "linearize", "state matrix, eigenvalues and modes, at the start or later");
    add_common(linear);
    linear->add_option("--at", given_.t_end, "[s] time of a run at which to linearize")
        ->check(positive_number());
    linear->add_option("--method", given_.method, "of that run, see `kardan methods`");
    linear->add_option("--tol", given_.tolerance, "its relative and absolute tolerance");
    linear->add_flag("--frozen", frozen_,
                     "of the equations at this instant, whether the motion is steady or not");
    linear->callback([this] { result_ = cli::linearize(model_, given_, frozen_); });
  }

  void add_run() {
    CLI::App* run_command =
        app_.add_subcommand("run", "simulate; summary, report and result files");
    add_common(run_command);
    run_command->add_option("--method", given_.method, "see `kardan methods`");
    run_command->add_option("--tol", given_.tolerance, "relative and absolute tolerance");
    run_command->add_option("--rtol", given_.relative, "relative tolerance, where it differs");
    run_command->add_option("--atol", given_.absolute,
                            "absolute tolerance, in the model's units, where it differs");
    run_command
        ->add_option("--tol-of", given_.tolerance_of,
                     "NAME=VALUE: tolerance of a variable or body; may be repeated")
        ->take_all();
    run_command
        ->add_option(
            "--option", given_.option,
            "name=value: option of the driver (`kardan methods` lists them); may be repeated")
        ->take_all();
    run_command->add_option("--t-end", given_.t_end, "[s] end of the run");
    run_command->add_option("--every", given_.every, "[s] spacing of the output grid");
    run_command->add_option("--step", given_.step, "[s] fixed step, without error control");
    CLI::Option* certify = run_command->add_flag(
        "--certify", given_.certify,
        "measure the global error against tighter runs, and tighten until it is "
        "below the tolerance");
    run_command
        ->add_option("--certify-budget", given_.certify_budget,
                     "steps of all runs of --certify, in steps of the first")
        ->capture_default_str();
    run_command
        ->add_option("--out", given_.out, "result file: .h5, .csv, .json, .html; may be repeated")
        ->take_all();
    run_command->add_option("--log", given_.log, "file with one line a step: t, h, error, counts");
    run_command->add_option("--checkpoint", given_.checkpoint,
                            "file from which the run can go on, renewed as it goes");
    run_command->add_option("--checkpoint-every", given_.checkpoint_every,
                            "[s] of the motion between checkpoints; default: a 20th of the run");
    run_command
        ->add_option(
            "--resume", given_.resume,
            "go on from this checkpoint, with its options; t_end and max_steps may be raised")
        ->excludes(certify);
    run_command->add_option("--wall-limit", given_.wall_limit,
                            "[s] the run ends after so much time on the clock");
    add_force(run_command, given_.force);
    run_command->callback([this] { result_ = cli::run(model_, given_); });
  }

  void add_compare() {
    CLI::App* work = app_.add_subcommand("compare", "work against precision of several methods");
    add_common(work);
    work->add_option("--methods", pairs_.methods, "METHOD[@FORMULATION],...")->required();
    work->add_option("--tols", pairs_.tolerances, "1e-3:1e-9, or a list")->capture_default_str();
    work->add_option("--reference", pairs_.reference,
                     "result (.csv, .h5) to compare with; default: computed, tightly");
    work->add_option("--t-end", pairs_.t_end, "[s] end of the runs");
    work->add_option("--repeat", pairs_.repetitions, "runs for a CPU time; 0: none is taken")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    work->add_option("--option", pairs_.option,
                     "name=value: option of the driver, for all runs; may be repeated")
        ->take_all();
    work->add_option("--out", pairs_.out, "diagram (.svg) or page (.html); may be repeated")
        ->take_all();
    add_force(work, pairs_.force);
    work->callback([this] { result_ = cli::compare(model_, pairs_); });
  }

  void add_view() {
    CLI::App* look = app_.add_subcommand("view", "a report of a stored result: one HTML file");
    look->add_option("RESULT", stored_, "result file (.h5)")->required();
    look->add_option("--out", given_.out, "the report (.html), or another format; may be repeated")
        ->take_all();
    look->add_flag("--quiet", model_.quiet, "print nothing but errors");
    add_force(look, given_.force);
    look->callback([this] { result_ = view(stored_, given_, model_); });
  }

  void add_methods() {
    CLI::App* catalog = app_.add_subcommand("methods", "the integration methods");
    catalog->add_flag("--markdown", methods_as_page_, "print it as a page of the documentation");
    catalog->callback(
        [this] { result_ = methods_as_page_ ? methods_markdown() : methods_command(); });
  }

  void add_reproduce() {
    CLI::App* again = app_.add_subcommand(
        "reproduce", "the papers' experiments, our numbers beside the printed ones");
    again->add_option("PAPER", experiment_.paper, "without it: what there is");
    again->add_option("TABLE", experiment_.table, "table or figure");
    again->add_option("--out", experiment_.out, "file of the plot (.svg)");
    again->add_option("--html", experiment_.html, "file of a page with all of them");
    again->add_flag("--quick", experiment_.quick, "a shortened form of what takes long");
    add_force(again, experiment_.force);
    again->callback([this] { result_ = reproduce::reproduce(experiment_); });
  }

  void add_elements() {
    CLI::App* list = app_.add_subcommand("elements", "the element types, with fields and units");
    list->add_option("NAME", type_, "one type in full");
    CLI::Option* as_json = list->add_flag("--json", model_.json, "print one JSON document");
    list->add_flag("--markdown", elements_as_page_, "print docs/look-up/elements.md")
        ->excludes(as_json);
    list->callback([this] {
      result_ = elements(type_, model_.json         ? Listing::json
                                : elements_as_page_ ? Listing::markdown
                                                    : Listing::text);
    });
  }

  void add_schema() {
    app_.add_subcommand("schema", "the JSON Schema of model files, for editors")->callback([this] {
      result_ = schema();
    });
  }

  void add_convert() {
    CLI::App* convert_command =
        app_.add_subcommand("convert", "write a model anew, self-contained");
    add_common(convert_command);
    convert_command->add_option("--out", conversion_.out, "file: .yaml or .json; default: print");
    convert_command->add_flag("--expand", conversion_.expand, "write every copy of a repeat");
    add_force(convert_command, conversion_.force);
    convert_command->callback([this] { result_ = convert(model_, conversion_); });
  }

  CLI::App app_{"Kardan: multibody dynamics with a guarantee"};
  ModelOptions model_;
  RunOptions given_;
  CompareCommand pairs_;
  reproduce::Options experiment_;
  ConvertOptions conversion_;
  std::string type_, stored_;
  bool methods_as_page_ = false, elements_as_page_ = false, frozen_ = false;
  int result_ = finished;
};

}  // namespace
}  // namespace kardan::cli

int main(int argc, char** argv) {
  using namespace kardan::cli;
  // A closed pipe is a write that fails, not the end of everything.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return Program().run(argc, argv);
  } catch (const std::system_error& e) {
    // Whoever closed the pipe knows.
    if (e.code() != std::errc::broken_pipe) complain(e.what());
  } catch (const std::bad_alloc&) {
    complain("the memory is used up: see `ulimit -v`, or take a smaller model or a coarser grid");
  } catch (const std::exception& e) {
    complain(e.what());
  }
  return failed;
}
