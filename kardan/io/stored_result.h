#pragma once
/// A stored result (.h5), read: what it holds can be handed on to any other format, and its model
/// run again.

#include <memory>
#include <optional>
#include <string>

#include "kardan/io/result_sink.h"

namespace kardan {

class StoredResult {  // NOLINT(bugprone-exception-escape): Json moves without throwing
 public:
  /// Nothing after reporting that the file is missing, foreign or damaged. A result whose run was
  /// killed is read up to its last flush, with a warning.
  static std::optional<StoredResult> open(const std::string& path, Diagnostics& diagnostics);

  const ResultDescription& description() const { return description_; }
  /// Of the end of the run, or what is known without it.
  const Json& certificate() const { return certificate_; }
  std::size_t rows() const { return rows_; }
  bool complete() const { return complete_; }

  /// Hands everything on; false after reporting that the file could not be read to its end.
  bool replay(ResultSink& sink, Diagnostics& diagnostics) const;

 private:
  std::string path_;
  ResultDescription description_;
  Json certificate_;
  std::size_t rows_ = 0;
  bool complete_ = false;
};

/// Whether a path names a stored result.
[[nodiscard]] bool is_stored_result(std::string_view path);

}  // namespace kardan
