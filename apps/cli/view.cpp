/// `kardan view`: a stored result as a report, or in any other format.

#include <fmt/format.h>

#include "apps/cli/command.h"
#include "apps/cli/viewer_page.h"
#include "kardan/io/csv_result.h"
#include "kardan/io/output_guard.h"
#include "kardan/io/result_writer.h"
#include "kardan/io/stored_result.h"

namespace kardan::cli {

int view(const std::string& result, const RunOptions& given, const ModelOptions& options) {
  Diagnostics faults;
  const auto stored = StoredResult::open(result, faults);
  if (!stored) {
    tell(faults);
    return bad_input;
  }
  std::vector<std::string> paths = given.out;
  if (paths.empty())
    paths.push_back((result.ends_with(".h5") ? result.substr(0, result.size() - 3) : result) +
                    ".html");
  std::vector<io::Output> outputs;
  for (const std::string& path : paths)
    outputs.push_back(
        {"--out", path, io::OutputKind::result, csv_header(stored->description().layout)});
  const io::OutputGuard guard(
      {result}, outputs, given.force ? io::Overwrite::anything : io::Overwrite::own_files, faults);
  if (tell(faults)) return bad_input;
  Diagnostics opening, while_reading;
  const auto sinks = open_results(paths, {viewer_page()}, opening);
  if (tell(opening)) return bad_input;
  for (const auto& sink : sinks)
    if (!stored->tell(*sink, while_reading)) break;
  if (tell(while_reading)) return bad_input;
  if (!options.quiet)
    for (const std::string& path : paths) fmt::print("wrote {}\n", path);
  return finished;
}

}  // namespace kardan::cli
