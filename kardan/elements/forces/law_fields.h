#pragma once
/// Shared by the elements whose force is an expression of a coordinate and its rate.

#include "kardan/elements/builder.h"

namespace kardan {

/// An expression law over (coordinate, rate, t); the reader has checked the names.
inline Law expression_law(const Expression& e, std::string_view coordinate) {
  ExpressionLaw law{e, {}};
  for (const std::string& name : e.names())
    law.arguments.push_back(name == coordinate ? 0 : (name == "rate" ? 1 : 2));
  return law;
}

inline bool is_given(const Expression& e) {
  return !(e.is_constant() && e.evaluate(std::span<const double>{}) == 0);
}

}  // namespace kardan
