#pragma once
/// What is known of a model at its start as JSON, with stable keys: `check`, `assemble`,
/// `equilibrium` and `linearize`.

#include "kardan/io/report_json.h"
#include "kardan/run/linearize.h"
#include "kardan/run/prepare.h"

namespace kardan {

std::string_view to_string(Priority);

/// `kardan check`: sizes, rank, redundant and contradictory constraints, residuals, reactions.
Json to_json(const System&, const CheckReport&);
/// `kardan assemble` and `kardan equilibrium`: how the start was found, and all its values by name.
Json to_json(const Prepared&);
/// `kardan linearize`: state matrix, eigenvalues, mode shapes.
Json to_json(const System&, double t, const Linearization&);

}  // namespace kardan
