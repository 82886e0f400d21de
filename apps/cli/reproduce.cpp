#include "apps/cli/reproduce.h"

#include <fmt/format.h>

#include <filesystem>

#include "apps/cli/command.h"
#include "kardan/base/text.h"
#include "kardan/io/model_reader.h"

namespace kardan::cli {
namespace {

constexpr Experiment experiments[] = {
    {"sandu2001", "table1", "stiff double pendulum, error of the angle of body 1 at 1e-2..1e-5",
     sandu2001_table1},
    {"sandu2001", "table2", "the same, error of the angular velocity", sandu2001_table2},
    {"sandu2001", "fig2", "the same, angle and angular velocity against time (--out FILE.svg)",
     sandu2001_fig2},
};

void list(std::string_view paper) {
  for (const Experiment& e : experiments)
    if (paper.empty() || e.paper == paper)
      fmt::print("  {:<11}{:<8}{}\n", e.paper, e.item, e.summary);
}

/// Installed: <prefix>/bin/kardan and <prefix>/share/kardan/models; else the sources.
std::filesystem::path models_folder() {
  std::error_code none;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", none);
  const auto installed = program.parent_path().parent_path() / "share" / "kardan" / "models";
  if (!none && std::filesystem::is_directory(installed, none)) return installed;
  return KARDAN_MODELS_DIR;
}

}  // namespace

int reproduce(const ReproduceOptions& options) {
  if (options.paper.empty()) {
    fmt::print("kardan reproduce PAPER TABLE [--out FILE.svg]\n\n");
    list({});
    return finished;
  }
  std::vector<std::string> papers, items;
  for (const Experiment& e : experiments) {
    papers.emplace_back(e.paper);
    if (e.paper != options.paper) continue;
    items.emplace_back(e.item);
    if (e.item == options.item) return e.run(options);
  }
  if (items.empty()) {
    const std::string near = did_you_mean(options.paper, papers);
    fmt::print(stderr, "kardan: there is no paper '{}'{}\n", options.paper,
               near.empty() ? "; `kardan reproduce` lists them" : "; did you mean '" + near + "'?");
    return bad_input;
  }
  if (options.item.empty()) {
    list(options.paper);
    return finished;
  }
  fmt::print(stderr, "kardan: {} has no '{}'; wanted one of: {}\n", options.paper, options.item,
             fmt::join(items, ", "));
  return bad_input;
}

Prepared reproduce_model(const std::string& file, const ParameterValues& overrides) {
  Diagnostics diagnostics;
  Prepared prepared;
  const auto model = read_model_file((models_folder() / file).string(), overrides, diagnostics);
  if (model) prepared = prepare(*model, overrides, diagnostics);
  if (tell(diagnostics)) prepared.system = nullptr;
  if (prepared.system && prepared.start.report.status != Eval::ok) {
    fmt::print(stderr, "kardan: {}\n", prepared.start.report.message);
    prepared.system = nullptr;
  }
  return prepared;
}

}  // namespace kardan::cli
