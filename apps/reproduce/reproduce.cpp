#include "apps/reproduce/reproduce.h"

#include <fmt/format.h>

#include <filesystem>

#include "kardan/base/text.h"
#include "kardan/io/model_reader.h"
#include "kardan/io/output_guard.h"

namespace kardan::reproduce {
namespace {

void list(const Paper& paper) {
  fmt::print("  {}: {}\n", paper.name, paper.title);
  for (const Table& t : paper.tables) fmt::print("    {:<15}{}\n", t.name, t.summary);
}

/// Installed: <prefix>/bin/kardan and <prefix>/share/kardan/models; else the sources.
std::filesystem::path models_folder() {
  std::error_code none;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", none);
  auto installed = program.parent_path().parent_path() / "share" / "kardan" / "models";
  if (!none && std::filesystem::is_directory(installed, none)) return installed;
  return KARDAN_MODELS_DIR;
}

}  // namespace

/// Makes a table, or all of them, where its file may be written.
template <class Make>
static int guarded(const Options& options, const Output& output, const Make& make) {
  Diagnostics faults;
  const OutputGuard guard({}, {output}, options.force ? Overwrite::anything : Overwrite::own_files,
                          faults);
  return print_faults(faults) ? bad_input : make();
}

static int make(const Table& table, const Options& options) {
  Checks checks;
  const int code = table.make(options, checks);
  if (code == finished) fmt::print("{}", verdict_text(checks.all()));
  return code;
}

int reproduce(const Options& options) {
  if (options.paper.empty()) {
    if (!options.html.empty())
      return guarded(options, {"--html", options.html, OutputKind::page},
                     [&] { return reproduce_page(papers(), options); });
    fmt::print(
        "kardan reproduce PAPER TABLE [--out FILE.svg] [--quick]   one of them, and its verdict\n"
        "kardan reproduce --html FILE [--quick]                    all of them on a page\n\n");
    for (const Paper& p : papers()) list(p);
    return finished;
  }
  std::vector<std::string> names, tables;
  for (const Paper& p : papers()) {
    names.emplace_back(p.name);
    if (p.name != options.paper) continue;
    if (options.table.empty()) {
      list(p);
      return finished;
    }
    for (const Table& t : p.tables) {
      if (t.name == options.table)
        return guarded(options, {"--out", plot_file(options), OutputKind::picture},
                       [&] { return make(t, options); });
      tables.emplace_back(t.name);
    }
  }
  if (tables.empty()) {
    const std::string near = did_you_mean(options.paper, names);
    fmt::print(stderr, "kardan: there is no paper '{}'{}\n", options.paper,
               near.empty() ? "; `kardan reproduce` lists them" : "; did you mean '" + near + "'?");
  } else {
    fmt::print(stderr, "kardan: {} has no '{}'; wanted one of: {}\n", options.paper, options.table,
               fmt::join(tables, ", "));
  }
  return bad_input;
}

std::string plot_file(const Options& options) {
  return options.out.empty() ? fmt::format("{}-{}.svg", options.paper, options.table) : options.out;
}

Prepared paper_model(const std::string& file, const ParameterValues& overrides) {
  Diagnostics diagnostics;
  Prepared prepared;
  const auto model = read_model_file((models_folder() / file).string(), overrides, diagnostics);
  if (model) prepared = prepare(*model, overrides, diagnostics);
  if (print_faults(diagnostics)) prepared.system = nullptr;
  if (prepared.system && prepared.start.report.status != Eval::ok) {
    fmt::print(stderr, "kardan: {}\n", prepared.start.report.message);
    prepared.system = nullptr;
  }
  return prepared;
}

}  // namespace kardan::reproduce
