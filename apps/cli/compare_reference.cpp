#include "apps/cli/compare_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "kardan/base/parse_number.h"
#include "kardan/base/text.h"
#include "kardan/io/input_file.h"
#include "kardan/io/stored_result.h"

namespace kardan::cli {
namespace {

struct Collected final : ResultSink {
  Trajectory out;
  std::vector<std::string> units;
  std::vector<int> places;
  void begin(const ResultDescription& d) override {
    for (const ResultColumn& c : d.layout.columns)
      if (c.name != "time") {
        out.names.push_back(c.name);
        units.push_back(c.unit);
        places.push_back(c.at);
      }
  }
  void row(std::span<const double> row) override {
    out.times.push_back(row[0]);
    Vector& values = out.rows.emplace_back();
    for (const int at : places) values.push_back(row[at]);
  }
  void step(const StepRecord&) override {}
  void end(const Json&) override {}
};

void refuse(const std::string& path, int line, const std::string& what, Diagnostics& diagnostics) {
  diagnostics.error("compare.reference", what, {path, line, 0},
                    "give a .csv or .h5 that `kardan run --out` has written");
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream words(line);
  for (std::string word; std::getline(words, word, ',');) {
    const auto first = word.find_first_not_of(" \t"), last = word.find_last_not_of(" \t\r");
    out.push_back(first == std::string::npos ? "" : word.substr(first, last + 1 - first));
  }
  return out;
}

/// "x [m]": m
std::string unit_in(const std::string& cell) {
  const auto open = cell.find(" [");
  return open == std::string::npos || !cell.ends_with(']')
             ? std::string()
             : cell.substr(open + 2, cell.size() - open - 3);
}

std::optional<ReadResult> read_csv(const std::string& path, Diagnostics& diagnostics) {
  const auto text = read_input(path, std::string::npos, FileKind::regular);
  if (!text) {
    diagnostics.error("file.open", text.error().why, {path}, "check the path and the permissions");
    return std::nullopt;
  }
  std::istringstream file(*text);
  std::string line;
  std::getline(file, line);
  ReadResult result;
  Trajectory& out = result.values;
  for (const std::string& cell : cells(line)) result.units.push_back(unit_in(cell));
  for (const std::string& name : cells(line)) out.names.push_back(name.substr(0, name.find(" [")));
  if (out.names.empty() || out.names.front() != "time") {
    refuse(path, 1, "its first column is not the time", diagnostics);
    return std::nullopt;
  }
  const std::size_t width = out.names.size();
  out.names.erase(out.names.begin());
  result.units.erase(result.units.begin());
  for (int number = 2; std::getline(file, line); ++number) {
    Vector row;
    for (const std::string& cell : cells(line)) {
      const auto value = parse_number(cell);
      if (!value) {
        refuse(path, number, fmt::format("'{}' is no number", cell), diagnostics);
        return std::nullopt;
      }
      row.push_back(*value);
    }
    if (row.size() != width) {
      refuse(path, number, fmt::format("got {} values; wanted {}", row.size(), width), diagnostics);
      return std::nullopt;
    }
    out.times.push_back(row.front());
    row.erase(row.begin());
    out.rows.push_back(std::move(row));
  }
  return result;
}

std::optional<ReadResult> read_stored(const std::string& path, Diagnostics& diagnostics) {
  const auto stored = StoredResult::open(path, diagnostics);
  Collected sink;
  if (!stored || !stored->replay(sink, diagnostics)) return std::nullopt;
  return ReadResult{std::move(sink.out), std::move(sink.units)};
}

bool equidistant(const std::vector<double>& times) {
  const std::size_t rows = times.size();
  if (rows < 2 || !std::isfinite(times.front()) || !std::isfinite(times.back())) return false;
  for (std::size_t i = 1; i < rows; ++i) {
    const double t = times[0] + (times[rows - 1] - times[0]) * static_cast<double>(i) /
                                    static_cast<double>(rows - 1);
    if (!(std::abs(times[i] - t) <= 1e-9 * std::abs(times[rows - 1]))) return false;
  }
  return times.back() > times.front();
}

/// Names of all positions and velocities: what is compared.
std::vector<std::string> compared(const System& system) {
  std::vector<std::string> out;
  for (const std::string& name : system.quantity_names()) {
    const auto q = system.find_quantity(name);
    if (q && (q->kind == Quantity::Kind::position || q->kind == Quantity::Kind::velocity))
      out.push_back(name);
  }
  return out;
}

}  // namespace

std::optional<ReadResult> read_result(const std::string& path, Diagnostics& diagnostics) {
  return is_stored_result(path) ? read_stored(path, diagnostics) : read_csv(path, diagnostics);
}

std::optional<Trajectory> reference_from(const std::string& path, const System& system,
                                         CompareOptions& options, Diagnostics& diagnostics) {
  const std::optional<ReadResult> read = read_result(path, diagnostics);
  if (!read) return std::nullopt;
  const Trajectory* const all = &read->values;
  if (!equidistant(all->times)) {
    refuse(path, 0, "no rows at equidistant times", diagnostics);
    return std::nullopt;
  }
  Trajectory out;
  out.names = compared(system);
  out.times = all->times;
  out.rows.resize(out.times.size());
  for (const std::string& name : out.names) {
    const auto found = std::find(all->names.begin(), all->names.end(), name);
    if (found == all->names.end()) {
      refuse(path, 0, fmt::format("it lacks {}, which is compared", name), diagnostics);
      return std::nullopt;
    }
    const std::size_t column = static_cast<std::size_t>(found - all->names.begin());
    for (std::size_t i = 0; i < out.rows.size(); ++i) {
      const double value = all->rows[i][column];
      if (!std::isfinite(value)) {
        refuse(path, 0,
               fmt::format("{} is {} at t = {:.9g}", name, format_number(value), out.times[i]),
               diagnostics);
        return std::nullopt;
      }
      out.rows[i].push_back(value);
    }
  }
  options.points = static_cast<int>(out.rows.size()) - 1;
  options.base.t_end = out.times.back();
  return out;
}

}  // namespace kardan::cli
