#include "kardan/io/table_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "kardan/base/parse_number.h"
#include "kardan/base/text.h"
#include "kardan/io/units.h"

namespace kardan {
namespace {

constexpr std::string_view ending = ".csv";
constexpr std::size_t most_points = 1'000'000;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\"");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\"") - first + 1);
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = line.find(',', begin);
    cells.push_back(trimmed(line.substr(begin, comma - begin)));
    if (comma == std::string_view::npos) return cells;
    begin = comma + 1;
  }
}

/// "load [kN]"
struct Column {
  std::string name, unit;
};

Column column_of(std::string_view cell) {
  const std::size_t open = cell.find('['), close = cell.rfind(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    return {std::string(cell), ""};
  return {std::string(trimmed(cell.substr(0, open))),
          std::string(trimmed(cell.substr(open + 1, close - open - 1)))};
}

class TableFile {
 public:
  TableFile(std::string_view text, const std::string& name, const SourceLocation& where,
            Diagnostics& diagnostics)
      : text_(text), name_(name), where_(where), diagnostics_(diagnostics) {}

  bool insert_into(YamlNode& mapping) {
    if (!read_rows() || !choose(mapping.find("columns"))) return false;
    const auto x_unit = unit_of(x_), y_unit = unit_of(y_);
    if (!x_unit || !y_unit) return false;
    YamlNode out = mapping;
    out.keys.clear();
    out.items.clear();
    for (std::size_t i = 0; i < mapping.keys.size(); ++i) {
      const std::string& key = mapping.keys[i].text;
      if (key == "columns") continue;
      if (key == "file") {
        out.keys.push_back(mapping.keys[i]);
        out.keys.back().text = "points";
        out.items.push_back(points(mapping.items[i], *x_unit));
        continue;
      }
      out.keys.push_back(mapping.keys[i]);
      out.items.push_back(mapping.items[i]);
    }
    if (!columns_.empty() && !columns_[y_].unit.empty() && !mapping.find("unit")) {
      YamlKey key = out.keys.front();
      key.text = "unit";
      YamlNode unit = node(out, YamlNode::Kind::quoted);
      unit.text = columns_[y_].unit;
      out.keys.push_back(std::move(key));
      out.items.push_back(std::move(unit));
    }
    mapping = std::move(out);
    return true;
  }

 private:
  bool fail(int line, const std::string& message, const std::string& hint) {
    const SourceLocation place = line > 0 ? SourceLocation{name_, line, 1} : where_;
    diagnostics_.error("table.file", message, place, hint);
    return false;
  }

  bool read_rows() {
    int number = 0;
    for (std::size_t begin = 0; begin < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      const std::string_view line = trimmed(text_.substr(begin, end - begin));
      begin = end + 1;
      ++number;
      if (line.empty() || line.front() == '#') continue;
      if (!read_row(cells_of(line), number)) return false;
    }
    if (rows_.empty()) return fail(0, name_ + " holds no numbers", "give lines of x, y");
    return true;
  }

  bool read_row(const std::vector<std::string_view>& cells, int line) {
    std::vector<double> row;
    for (const std::string_view cell : cells)
      if (const auto number = parse_number(cell)) row.push_back(*number);
    if (row.size() < cells.size() && rows_.empty() && columns_.empty()) {
      for (const std::string_view cell : cells) columns_.push_back(column_of(cell));
      return true;
    }
    if (row.size() < cells.size())
      return fail(line, fmt::format("'{}' is no number", printable(first_word(cells), Lines::one)),
                  "only the first line may name the columns");
    const std::size_t wanted = rows_.empty() ? columns_.size() : rows_.front().size();
    if (wanted > 0 && row.size() != wanted)
      return fail(line, fmt::format("got {} numbers; wanted {}", row.size(), wanted),
                  "every line has one number a column");
    if (rows_.size() == most_points)
      return fail(line, fmt::format("more than {} lines", most_points), "give fewer points");
    rows_.push_back(std::move(row));
    return true;
  }

  static std::string_view first_word(const std::vector<std::string_view>& cells) {
    for (const std::string_view cell : cells)
      if (!parse_number(cell)) return cell;
    return {};
  }

  /// Which columns are x and y.
  bool choose(const YamlNode* wanted) {
    const std::size_t count = rows_.front().size();
    std::vector<std::string> names;
    for (const Column& c : columns_) names.push_back(c.name);
    if (!wanted) {
      if (count == 2) return true;
      return fail(0, fmt::format("{} has {} columns; wanted 2, or their names", name_, count),
                  fmt::format("write columns: [X, Y]{}{}", names.empty() ? "" : "; it has ",
                              fmt::join(names, ", ")));
    }
    if (wanted->kind != YamlNode::Kind::list || wanted->items.size() != 2)
      return fail(0, fmt::format("columns: got {}; wanted [X, Y]", describe(*wanted)),
                  "name two columns of the file");
    std::size_t* const chosen[] = {&x_, &y_};
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string& name = wanted->items[i].text;
      const auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end()) {
        const std::string near = did_you_mean(name, names);
        return fail(0, fmt::format("{} has no column '{}'", name_, name),
                    near.empty() ? fmt::format("it has: {}", fmt::join(names, ", "))
                                 : "did you mean '" + near + "'?");
      }
      *chosen[i] = static_cast<std::size_t>(found - names.begin());
    }
    return true;
  }

  std::optional<Unit> unit_of(std::size_t column) {
    if (columns_.empty() || columns_[column].unit.empty()) return Unit{};
    const auto unit = parse_any_unit(columns_[column].unit);
    if (!unit)
      diagnostics_.error("unit.unknown",
                         fmt::format("{}: unknown unit '{}' of column '{}'", name_,
                                     columns_[column].unit, columns_[column].name),
                         where_, std::string(unit_hint));
    return unit;
  }

  static YamlNode node(const YamlNode& at, YamlNode::Kind kind) {
    YamlNode out;
    out.kind = kind;
    out.file = at.file;
    out.line = at.line;
    out.column = at.column;
    return out;
  }

  YamlNode points(const YamlNode& at, const Unit& x_unit) const {
    YamlNode out = node(at, YamlNode::Kind::list);
    for (const std::vector<double>& row : rows_) {
      YamlNode point = node(at, YamlNode::Kind::list);
      for (const double value : {x_unit.to_si(row[x_]), row[y_]}) {
        YamlNode number = node(at, YamlNode::Kind::plain);
        number.text = format_number(value);
        point.items.push_back(std::move(number));
      }
      out.items.push_back(std::move(point));
    }
    return out;
  }

  std::string_view text_;
  const std::string& name_;
  const SourceLocation& where_;
  Diagnostics& diagnostics_;
  std::vector<Column> columns_;
  std::vector<std::vector<double>> rows_;
  std::size_t x_ = 0, y_ = 1;
};

}  // namespace

bool is_table_file(const YamlNode& mapping) {
  const YamlNode* file = mapping.kind == YamlNode::Kind::mapping ? mapping.find("file") : nullptr;
  return file && file->is_scalar() && file->text.ends_with(ending);
}

bool insert_points(std::string_view text, const std::string& name, const SourceLocation& where,
                   YamlNode& mapping, Diagnostics& diagnostics) {
  return TableFile(text, name, where, diagnostics).insert_into(mapping);
}

}  // namespace kardan
