#pragma once
/// Section 5.2 of Sandu et al. 2001: the vehicle over the bump.

#include "apps/reproduce/paper.h"

namespace kardan::reproduce {

int sandu2001_table3(const Options& options, Checks& checks);
int sandu2001_table4(const Options& options, Checks& checks);
int sandu2001_fig5(const Options& options, Checks& checks);

}  // namespace kardan::reproduce
