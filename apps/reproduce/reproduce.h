#pragma once
/// `kardan reproduce`: lists the papers' tables and figures, makes one of them, or all on a page.

#include "apps/reproduce/paper.h"

namespace kardan::reproduce {

/// The exit code.
int reproduce(const Options& options);
/// All tables and figures of the papers on one page: options.html.
int reproduce_page(const std::vector<Paper>& papers, const Options& options);

}  // namespace kardan::reproduce
