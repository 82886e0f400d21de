#pragma once
/// Recursive descent from text to program; the grammar is in expression.h.

#include <string_view>

#include "kardan/base/expected.h"
#include "kardan/base/expression.h"
#include "kardan/base/expression_program.h"

namespace kardan::detail {

/// The length of the text is not checked here.
[[nodiscard]] Expected<Program, ExpressionError> parse_program(std::string_view text,
                                                               const FunctionScope& functions);

/// Functions, constants and words of the grammar.
[[nodiscard]] bool is_reserved_word(std::string_view word);

}  // namespace kardan::detail
