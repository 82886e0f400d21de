#pragma once
/// What is shown of a start is without dry friction, which is decided when a run begins.

#include "kardan/run/prepare.h"

namespace kardan {

void warn_of_friction(Prepared& prepared);

}  // namespace kardan
