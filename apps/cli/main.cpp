/// The `kardan` program: one subcommand each in its own file.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "apps/cli/command.h"

int main(int argc, char** argv) {
  using namespace kardan::cli;
  CLI::App app{"Kardan: multibody dynamics with a guarantee"};
  app.set_version_flag("--version", "kardan " KARDAN_VERSION);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::help);

  ModelOptions model;
  std::string type;
  int result = finished;
  auto add_model = [&](const char* name, const char* doc, int (*run)(const ModelOptions&)) {
    CLI::App* command = app.add_subcommand(name, doc);
    command->add_option("MODEL", model.file, "model file (YAML)")->required();
    command->add_option("--set", model.set, "name=value: replace a parameter; may be repeated")
        ->take_all();
    command->add_flag("--json", model.json, "print one JSON document");
    command->add_flag("--quiet", model.quiet, "print nothing but errors");
    command->callback([&, run] { result = run(model); });
  };
  add_model("check", "degrees of freedom, redundant or contradictory constraints, consistency",
            check);
  add_model("assemble", "consistent positions, velocities, accelerations, multipliers", assemble);
  add_model("equilibrium", "static balance, or steady motion at given velocities", equilibrium);
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

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int code = app.exit(e);
    return code == 0 ? finished : bad_input;
  } catch (const std::exception& e) {
    fmt::print(stderr, "kardan: {}\n", e.what());
    return failed;
  }
  return result;
}
