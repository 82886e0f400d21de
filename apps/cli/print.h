#pragma once
/// Parts of reports as text.

#include "kardan/run/prepare.h"

namespace kardan::cli {

/// Of a start as given: it has no accelerations yet.
void print_given(const Residuals&);
/// What of the start given was changed, and what of that may not be meant.
void print_changes(const StartChanges&);
void print_residuals(const char* label, const Residuals&);
void print_wishes(const std::vector<WishResult>&);
void print_start(const System&, const ConsistentStart&);
/// "12 bodies", "1 body"
std::string counted(int n, const char* one, const char* many);

}  // namespace kardan::cli
