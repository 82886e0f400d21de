#pragma once
/// Tables that stand in files of comma-separated values.
///
///   {file: road.csv}                                     the two columns of the file
///   {file: test.csv, columns: [time, load], outside: repeat}
///
/// The first line may name the columns, with units in brackets: "time [ms],load [kN]". Lines that
/// begin with # are comments. What stands in the file takes the place of `file` and `columns`:
/// {points: [[0, 0], ...], unit: kN}, the abscissae in units of the SI, so that a model is whole.

#include <string>
#include <string_view>

#include "kardan/io/yaml_document.h"

namespace kardan {

/// Whether the mapping is a table that stands in a file.
[[nodiscard]] bool is_table_file(const YamlNode& mapping);

/// Puts the points of `text` into the mapping; false after reporting. Faults in the text are reported
/// with `name`, its file.
[[nodiscard]] bool insert_points(std::string_view text, const std::string& name,
                                 const SourceLocation& where, YamlNode& mapping,
                                 Diagnostics& diagnostics);

}  // namespace kardan
