#pragma once
/// `kardan run FILE.fmu`: an FMU of any program, stepped by its own method.

#include "apps/cli/command.h"

namespace kardan::cli {

int run_fmu(const ModelOptions& options, const RunOptions& given);

}  // namespace kardan::cli
