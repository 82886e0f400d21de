#include "kardan/run/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "kardan/base/text.h"
#include "kardan/model/observation.h"

namespace kardan {

namespace {

/// Names that books give to an angle and its rate are no typing errors of other columns.
std::string nearest(const std::string& wanted, const std::vector<std::string>& columns) {
  const std::pair<std::string_view, std::string_view> words[] = {
      {"theta", "angle"}, {"phi", "angle"}, {"rotation", "angle"}, {"thetadot", "omega"}};
  const std::size_t dot = wanted.rfind('.');
  if (dot != std::string::npos)
    for (const auto& [book, ours] : words) {
      if (wanted.substr(dot + 1) != book) continue;
      const std::string name = wanted.substr(0, dot + 1) + std::string(ours);
      if (std::find(columns.begin(), columns.end(), name) != columns.end()) return name;
    }
  return did_you_mean(wanted, columns);
}

}  // namespace

std::vector<std::size_t> chosen_outputs(const Blueprint& blueprint,
                                        const std::vector<std::string>& columns,
                                        Diagnostics& diagnostics) {
  std::vector<char> chosen(columns.size(), blueprint.outputs.empty());
  for (const OutputData& output : blueprint.outputs) {
    bool any = blueprint.faulty.contains(output.pattern.substr(0, output.pattern.find('.')));
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!matches(output.pattern, columns[i])) continue;
      chosen[i] = any = true;
    }
    if (any) continue;
    const std::string near = nearest(output.pattern, columns);
    diagnostics.error("output.unknown",
                      fmt::format("outputs: there is no quantity '{}'", output.pattern),
                      output.where,
                      near.empty() ? "a name of a result; '*' stands for any letters"
                                   : "did you mean '" + near + "'?");
  }
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (chosen[i] || columns[i] == "time") indices.push_back(i);
  return indices;
}

}  // namespace kardan
