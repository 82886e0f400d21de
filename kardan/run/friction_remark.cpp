#include "kardan/run/friction_remark.h"

namespace kardan {

void warn_of_friction(Prepared& prepared) {
  if (!prepared.system || prepared.system->frictions().empty()) return;
  prepared.start.report.changes.warnings.emplace_back(
      "dry friction is decided when a run begins: accelerations and reactions here are without it");
}

}  // namespace kardan
