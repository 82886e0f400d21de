/// The `kardan` program: one subcommand each in its own file.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <system_error>

#include "apps/cli/command.h"
#include "apps/cli/reproduce.h"

/// What was printed has arrived, or this throws.
static void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw std::system_error(errno ? errno : EIO, std::generic_category(), "standard output");
}

int main(int argc, char** argv) {
  using namespace kardan::cli;
  CLI::App app{"Kardan: multibody dynamics with a guarantee"};
  app.set_version_flag("--version", "kardan " KARDAN_VERSION);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::help);

  ModelOptions model;
  std::string type;
  int result = finished;
  auto add_common = [&](CLI::App* command) {
    command->add_option("MODEL", model.file, "model file (YAML), or a result (.h5) with its model")
        ->required();
    command->add_option("--set", model.set, "name=value: replace a parameter; may be repeated")
        ->take_all();
    command->add_flag("--json", model.json, "print one JSON document");
    command->add_flag("--quiet", model.quiet, "print nothing but errors");
    command->add_flag("--include-anywhere", model.include_anywhere,
                      "the model may include files outside of its folder");
  };
  auto add_model = [&](const char* name, const char* doc, int (*action)(const ModelOptions&)) {
    CLI::App* command = app.add_subcommand(name, doc);
    add_common(command);
    command->callback([&, action] { result = action(model); });
  };
  add_model("check", "degrees of freedom, redundant or contradictory constraints, consistency",
            check);
  add_model("assemble", "consistent positions, velocities, accelerations, multipliers", assemble);
  add_model("equilibrium", "static balance, or steady motion at given velocities", equilibrium);
  RunOptions given;
  CLI::App* linear =
      app.add_subcommand("linearize", "state matrix, eigenvalues and modes, at the start or later");
  add_common(linear);
  linear->add_option("--at", given.t_end, "[s] time of a run at which to linearize")
      ->check(CLI::PositiveNumber);
  linear->add_option("--method", given.method, "of that run, see `kardan methods`");
  linear->add_option("--tol", given.tolerance, "its relative and absolute tolerance");
  linear->callback([&] { result = kardan::cli::linearize(model, given); });
  CLI::App* run_command = app.add_subcommand("run", "simulate; summary, report and result files");
  add_common(run_command);
  run_command->add_option("--method", given.method, "see `kardan methods`");
  run_command->add_option("--tol", given.tolerance, "relative and absolute tolerance");
  run_command->add_option("--rtol", given.relative, "relative tolerance, where it differs");
  run_command->add_option("--atol", given.absolute,
                          "absolute tolerance, in the model's units, where it differs");
  run_command
      ->add_option("--tol-of", given.tolerance_of,
                   "NAME=VALUE: tolerance of a variable or body; may be repeated")
      ->take_all();
  run_command
      ->add_option(
          "--option", given.option,
          "name=value: option of the driver (`kardan methods` lists them); may be repeated")
      ->take_all();
  run_command->add_option("--t-end", given.t_end, "[s] end of the run");
  run_command->add_option("--every", given.every, "[s] spacing of the output grid");
  run_command->add_option("--step", given.step, "[s] fixed step, without error control");
  CLI::Option* certify = run_command->add_flag(
      "--certify", given.certify,
      "measure the global error against tighter runs, and tighten until it is "
      "below the tolerance");
  run_command
      ->add_option("--certify-budget", given.certify_budget,
                   "steps of all runs of --certify, in steps of the first")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  run_command
      ->add_option("--out", given.out, "result file: .h5, .csv, .json, .html; may be repeated")
      ->take_all();
  run_command->add_option("--log", given.log, "file with one line a step: t, h, error, counts");
  run_command->add_option("--checkpoint", given.checkpoint,
                          "file from which the run can go on, renewed as it goes");
  run_command
      ->add_option("--checkpoint-every", given.checkpoint_every,
                   "[s] of the motion between checkpoints; default: a 20th of the run")
      ->check(CLI::PositiveNumber);
  run_command
      ->add_option(
          "--resume", given.resume,
          "go on from this checkpoint, with its options; t_end and max_steps may be raised")
      ->excludes(certify);
  run_command
      ->add_option("--wall-limit", given.wall_limit,
                   "[s] the run ends after so much time on the clock")
      ->check(CLI::PositiveNumber);
  run_command->callback([&] { result = kardan::cli::run(model, given); });
  CompareCommand pairs;
  CLI::App* work = app.add_subcommand("compare", "work against precision of several methods");
  add_common(work);
  work->add_option("--methods", pairs.methods, "METHOD[@FORMULATION],...")->required();
  work->add_option("--tols", pairs.tolerances, "1e-3:1e-9, or a list")->capture_default_str();
  work->add_option("--reference", pairs.reference,
                   "result (.csv, .h5) to compare with; default: computed, tightly");
  work->add_option("--t-end", pairs.t_end, "[s] end of the runs");
  work->add_option("--repeat", pairs.repetitions, "runs for a CPU time; 0: none is taken")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  work->add_option("--option", pairs.option,
                   "name=value: option of the driver, for all runs; may be repeated")
      ->take_all();
  work->add_option("--out", pairs.out, "diagram (.svg) or page (.html); may be repeated")
      ->take_all();
  work->callback([&] { result = kardan::cli::compare(model, pairs); });
  std::string stored;
  CLI::App* look = app.add_subcommand("view", "a report of a stored result: one HTML file");
  look->add_option("RESULT", stored, "result file (.h5)")->required();
  look->add_option("--out", given.out, "the report (.html), or another format; may be repeated")
      ->take_all();
  look->add_flag("--quiet", model.quiet, "print nothing but errors");
  look->callback([&] { result = view(stored, given.out, model.quiet); });
  CLI::App* catalog = app.add_subcommand("methods", "the integration methods");
  bool as_markdown = false;
  catalog->add_flag("--markdown", as_markdown, "print it as a page of the documentation");
  catalog->callback([&] { result = as_markdown ? methods_markdown() : methods_command(); });
  ReproduceOptions experiment;
  CLI::App* again = app.add_subcommand(
      "reproduce", "the papers' experiments, our numbers beside the printed ones");
  again->add_option("PAPER", experiment.paper, "without it: what there is");
  again->add_option("TABLE", experiment.table, "table or figure");
  again->add_option("--out", experiment.out, "file of the plot (.svg)");
  again->add_option("--html", experiment.html, "file of a page with all of them");
  again->add_flag("--quick", experiment.quick, "a shortened form of what takes long");
  again->callback([&] { result = reproduce(experiment); });
  CLI::App* list = app.add_subcommand("elements", "the element types, with fields and units");
  list->add_option("NAME", type, "one type in full");
  bool markdown = false;
  CLI::Option* as_json = list->add_flag("--json", model.json, "print one JSON document");
  list->add_flag("--markdown", markdown, "print the reference of docs/elements.md")
      ->excludes(as_json);
  list->callback([&] {
    result = elements(type, model.json ? Listing::json
                            : markdown ? Listing::markdown
                                       : Listing::text);
  });

  ConvertOptions conversion;
  CLI::App* convert_command = app.add_subcommand("convert", "write a model anew, self-contained");
  add_common(convert_command);
  convert_command->add_option("--out", conversion.out, "file: .yaml or .json; default: print");
  convert_command->add_flag("--expand", conversion.expand, "write every copy of a repeat");
  convert_command->callback([&] { result = convert(model, conversion); });
  app.add_subcommand("schema", "the JSON Schema of model files, for editors")->callback([&] {
    result = schema();
  });

  // A closed pipe is a write that fails, not the end of everything.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    app.parse(argc, argv);
    flush_output();
  } catch (const CLI::ParseError& e) {
    const int code = app.exit(e);
    return code == 0 ? finished : bad_input;
  } catch (const std::system_error& e) {
    // Whoever closed the pipe knows.
    if (e.code() != std::errc::broken_pipe) fmt::print(stderr, "kardan: {}\n", e.what());
    return failed;
  } catch (const std::exception& e) {
    fmt::print(stderr, "kardan: {}\n", e.what());
    return failed;
  }
  return result;
}
