#pragma once
#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "kardan/base/parse_number.h"
#include "kardan/io/input_file.h"
#include "kardan/study/design.h"

namespace kardan {

struct TableDesign final : Design {
  static constexpr std::string_view type = "table";
  static constexpr std::string_view summary =
      "The rows of a CSV file, whose first line names the parameters; `vary` is left out.";
  std::string file;
  std::vector<std::string> names;
  std::vector<double> values;  // row after row

  template <class F>
  static void fields(F& f) {
    f("file", &TableDesign::file,
      {.doc = "a path from the study's folder", .need = Need::required});
  }
  static std::vector<std::string> cells(const std::string& line) {
    std::vector<std::string> out;
    std::istringstream parts(line);
    for (std::string cell; std::getline(parts, cell, ',');) {
      const auto first = cell.find_first_not_of(" \t\r\""), last = cell.find_last_not_of(" \t\r\"");
      out.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
    }
    return out;
  }
  std::string prepare(const DesignTask& task) {
    constexpr std::size_t most_bytes = std::size_t{1} << 30;
    if (!task.parameters.empty()) return "a table gives all values; wanted no 'vary'";
    const std::string path = (std::filesystem::path(task.folder) / file).string();
    const auto text = read_input(path, most_bytes, FileKind::regular);
    if (!text) return text.error().why;
    std::istringstream lines(text.value());
    std::string line;
    if (std::getline(lines, line)) names = cells(line);
    for (int number = 2; std::getline(lines, line); ++number) {
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      const std::vector<std::string> row = cells(line);
      if (row.size() != names.size())
        return fmt::format("{}:{}: got {} values; wanted {}", path, number, row.size(),
                           names.size());
      for (const std::string& cell : row) {
        const std::optional<double> x = parse_number(cell);
        if (!x) return fmt::format("{}:{}: got '{}'; wanted a number", path, number, cell);
        values.push_back(*x);
      }
    }
    return fault_of_count(names.empty() ? 0 : static_cast<double>(values.size() / names.size()),
                          "rows");
  }
  DesignFacts facts() const override { return {.given = names, .is_drawn = false}; }
  std::uint64_t runs() const override { return values.size() / names.size(); }
  void point(std::uint64_t run, std::span<double> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = values[run * names.size() + k];
  }
};

}  // namespace kardan
