#pragma once
/// Words that have a meaning in files and expressions, and so name nothing else.

#include <string_view>

namespace kardan {

/// What is named. Of a thing an expression has parts only ("arm.x"): it may be called like a
/// function ("floor"). Values and constants stand alone.
enum class NameOf {
  thing,    ///< a body, an element, an event
  value,    ///< a sensor, a variable of equations
  constant  ///< a parameter, a function, an index of `repeat`
};

/// Whether the word is taken: `t`; of things and values `ground`, `time` and `energy`; words of
/// expressions, of things only those that mean something without parentheses (`pi`, `and`).
[[nodiscard]] bool is_taken(std::string_view name, NameOf of);

/// Of a parameter what is one thing for all who use it: hub of hub.x, since vectors as parameters have
/// their components as parameters; front.hub of front.hub.x.
[[nodiscard]] std::string_view symbol_of(std::string_view parameter);

}  // namespace kardan
