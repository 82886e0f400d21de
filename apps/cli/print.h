#pragma once
/// Reports as text and as JSON, in the same words.

#include "kardan/io/report_json.h"
#include "kardan/run/prepare.h"

namespace kardan::cli {

Json to_json(const WishResult&);
Json to_json(const Energy&);
/// All named values of a start that are known.
Json named_values(const System&, const ConsistentStart&);

/// Of a start as given: it has no accelerations yet.
void print_given(const Residuals&);
void print_residuals(const char* label, const Residuals&);
void print_wishes(const std::vector<WishResult>&);
void print_start(const System&, const ConsistentStart&);
/// "12 bodies", "1 body"
std::string counted(int n, const char* one, const char* many);

}  // namespace kardan::cli
