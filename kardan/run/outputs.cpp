#include "kardan/run/outputs.h"

#include <fmt/format.h>

#include "kardan/base/text.h"
#include "kardan/model/observation.h"

namespace kardan {

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
    const std::string near = did_you_mean(output.pattern, columns);
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
