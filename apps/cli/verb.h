#pragma once
/// A verb of the command line, as data: its name, its help, what it takes, what it does. It is one
/// file, which makes it, and one line in verbs.cpp.

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace kardan::cli {

/// Something that follows the verb: "MODEL" by its place, "--tol" by its name.
struct Argument {
  std::string name, doc;
  /// Where the value goes; a flag is a bool, a list may be repeated.
  std::variant<bool*, int*, double*, std::string*, std::optional<double>*,
               std::vector<std::string>*>
      to;
  enum class Range { any, positive, non_negative } range = Range::any;
  bool required = false;
  bool show_default = false;
  std::string excludes = {};  ///< another argument
};

struct Verb {
  std::string name, doc;
  std::vector<Argument> arguments;
  std::function<int()> run;  ///< the exit code; keeps alive what the arguments point at
};

/// All of them, as they are listed.
[[nodiscard]] std::vector<Verb> verbs();

}  // namespace kardan::cli
