#pragma once
/// A compiled model as a viewer draws it: bodies with shapes, joints, forces, roads and planes,
/// arrows, and the model as a tree. docs/look-up/report-format.md lists the keys.

#include "kardan/io/report_json.h"
#include "kardan/run/prepare.h"
#include "kardan/run/recorder.h"

namespace kardan {

/// Empty shapes are replaced: rods from the centre of mass to where elements attach, or a ball.
[[nodiscard]] Json make_scene(const Prepared& prepared, const ResultLayout& layout);

}  // namespace kardan
