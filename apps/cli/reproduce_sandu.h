#pragma once
/// Section 5.2 of Sandu et al. 2001: the vehicle over the bump.

#include "apps/cli/reproduce.h"

namespace kardan::cli {

int sandu2001_table3(const ReproduceOptions& options);
int sandu2001_table4(const ReproduceOptions& options);
int sandu2001_fig5(const ReproduceOptions& options);

}  // namespace kardan::cli
