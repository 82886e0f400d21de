#pragma once
/// A certificate in plain words.

#include <string>
#include <vector>

#include "kardan/io/report_json.h"

namespace kardan {

/// green: nothing is remarked; amber: the run came to its end, and something about it should be
/// known; red: it failed, or there is evidence against its result.
struct Verdict {
  bool ok = false;     ///< not red
  std::string colour;  ///< "green", "amber" or "red"
  std::string reason;
  std::vector<std::string> sentences;
  std::vector<std::string> warnings;  ///< what may not be meant, although the run is good
};

/// From the document of `kardan run --json`.
[[nodiscard]] Verdict make_verdict(const Json& certificate);

/// "rn4 on state_space, tolerance 1e-03"
[[nodiscard]] std::string used_method(const Json& certificate);

}  // namespace kardan
