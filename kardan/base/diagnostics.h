#pragma once
/// What a reader of files reports to its user: every problem with its place, a stable code to
/// search for, and a way out. Collected rather than thrown, so that one run reports all of them.

#include <cstddef>
#include <string>
#include <vector>

#include "kardan/base/shared_text.h"

namespace kardan {

struct SourceLocation {
  SharedText file;
  int line = 0;    ///< 1-based; 0 = unknown
  int column = 0;  ///< 1-based; 0 = unknown
};

enum class Severity { warning, error };

struct Diagnostic {
  Severity severity = Severity::error;
  std::string code;     ///< stable and dotted: "tol.range"
  std::string message;  ///< what, got, wanted
  std::string hint;     ///< what to do
  SourceLocation where;
};

/// `file:line:col: error[code]: message; hint: ...`, without the parts that are unknown.
[[nodiscard]] std::string format(const Diagnostic& diagnostic);

class Diagnostics {
 public:
  void error(std::string code, std::string message, SourceLocation where = {},
             std::string hint = {});
  void warning(std::string code, std::string message, SourceLocation where = {},
               std::string hint = {});
  void add(Diagnostic diagnostic);
  void add(const Diagnostics& others);
  /// Those of `others` that say something new.
  void add_new(const Diagnostics& others);

  [[nodiscard]] bool has_errors() const { return error_count_ > 0; }
  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] std::size_t error_count() const { return error_count_; }
  [[nodiscard]] std::size_t warning_count() const { return all_.size() - error_count_; }
  /// In the order of their arrival.
  [[nodiscard]] const std::vector<Diagnostic>& all() const { return all_; }

 private:
  std::vector<Diagnostic> all_;
  std::size_t error_count_ = 0;
};

/// One line each, in order.
[[nodiscard]] std::string format(const Diagnostics& diagnostics);

}  // namespace kardan
