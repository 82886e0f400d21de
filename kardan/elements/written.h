#pragma once
/// Formulas that elements put together from the expressions of their fields.

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kardan/base/expression.h"
#include "kardan/base/text.h"

namespace kardan {

/// What stands for the words of a formula: expressions, and functions that it calls.
struct Wording {
  std::vector<std::pair<std::string, Expression>> words = {};
  std::vector<std::pair<std::string, std::shared_ptr<const NamedFunction>>> functions = {};
};

/// `text` with the words replaced. The text is the element's own: that it parses is certain.
inline Expression written(std::string_view text, const Wording& wording) {
  const Expression plain =
      Expression::parse(text, [&](std::string_view name) -> std::shared_ptr<const NamedFunction> {
        for (const auto& [word, function] : wording.functions)
          if (word == name) return function;
        return nullptr;
      }).value();
  const auto out = plain.inlined([&](std::string_view name) -> const Expression* {
    for (const auto& [word, expression] : wording.words)
      if (word == name) return &expression;
    return nullptr;
  });
  return out ? *out : plain;
}

/// The quantity of a name.
inline Expression quantity_called(const std::string& name) {
  return Expression::parse(name).value();
}

}  // namespace kardan
