#pragma once
/// Parts of reports as text.

#include "kardan/io/report_json.h"
#include "kardan/run/prepare.h"

namespace kardan::cli {

/// The name of a model, as a terminal may show it, and an empty line.
void print_title(const std::string& name);
/// On a terminal in ASCII: what is no letter cannot command it.
void print_json(const Json&);
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
