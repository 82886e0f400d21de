/// `kardan view`: a stored result as a report, or in any other format.

#include <fmt/format.h>

#include <memory>

#include "apps/cli/command.h"
#include "apps/cli/viewer_page.h"
#include "kardan/io/csv_result.h"
#include "kardan/io/output_guard.h"
#include "kardan/io/result_writer.h"
#include "kardan/io/stored_result.h"

namespace kardan::cli {

namespace {

struct ViewOptions {
  std::string result;            // .h5
  std::vector<std::string> out;  // empty: the report beside it
  bool quiet = false;
  bool force = false;  // overwrite files of others
};

int view(const ViewOptions& given) {
  const std::string& result = given.result;
  Diagnostics faults;
  const auto stored = StoredResult::open(result, faults);
  if (!stored) {
    print_faults(faults);
    return bad_input;
  }
  std::vector<std::string> paths = given.out;
  if (paths.empty())
    paths.push_back((result.ends_with(".h5") ? result.substr(0, result.size() - 3) : result) +
                    ".html");
  std::vector<Output> outputs;
  for (const std::string& path : paths)
    outputs.push_back(
        {"--out", path, OutputKind::result, csv_header(stored->description().layout)});
  const OutputGuard guard({result}, outputs,
                          given.force ? Overwrite::anything : Overwrite::own_files, faults);
  if (print_faults(faults)) return bad_input;
  Diagnostics opening, while_reading;
  const auto sinks = open_results(paths, {viewer_page()}, opening);
  if (print_faults(opening)) return bad_input;
  for (const auto& sink : sinks)
    if (!stored->replay(*sink, while_reading)) break;
  if (print_faults(while_reading)) return bad_input;
  if (!given.quiet)
    for (const std::string& path : paths) fmt::print("wrote {}\n", path);
  return finished;
}

}  // namespace

Verb view_verb() {
  auto o = std::make_shared<ViewOptions>();
  return {"view",
          "a report of a stored result: one HTML file",
          {{.name = "RESULT", .doc = "result file (.h5)", .to = &o->result, .required = true},
           {"--out", "the report (.html), or another format; may be repeated", &o->out},
           {"--quiet", "print nothing but errors", &o->quiet},
           force_argument(o->force)},
          [o] { return view(*o); }};
}

}  // namespace kardan::cli
