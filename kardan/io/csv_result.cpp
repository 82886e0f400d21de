#include "kardan/io/csv_result.h"

#include "kardan/base/text.h"
#include "kardan/io/output_file.h"

namespace kardan {
namespace {

class CsvResult final : public ResultSink {
 public:
  explicit CsvResult(const std::string& path) : file_(path) {}

  void begin(const ResultDescription& description) override {
    for (const ResultColumn& c : description.layout.columns) {
      if (!c.chosen) continue;
      places_.push_back(c.at);
    }
    file_.print("{}\n", csv_header(description.layout));
  }
  void row(std::span<const double> row) override {
    for (std::size_t i = 0; i < places_.size(); ++i)
      file_.print("{}{}", i > 0 ? "," : "", format_number(row[places_[i]]));
    file_.print("\n");
  }
  void step(const StepRecord&) override {}
  void end(const Json&) override { file_.close(); }

 private:
  OutputFile file_;
  std::vector<int> places_;
};

}  // namespace

std::string csv_cell(const std::string& text) {
  std::string out = printable(text, Lines::one);
  if (!out.empty() && std::string_view("=+-@\t").find(out.front()) != std::string_view::npos)
    out.insert(0, 1, '\'');
  if (out.find_first_of(",\"") == std::string::npos) return out;
  std::string quoted = "\"";
  for (const char c : out) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

std::string csv_header(const ResultLayout& layout) {
  std::string out;
  for (const ResultColumn& c : layout.columns) {
    if (!c.chosen) continue;
    if (!out.empty()) out += ',';
    out += csv_cell(c.name + (c.unit.empty() || c.unit == "1" ? "" : " [" + c.unit + "]"));
  }
  return out;
}

std::unique_ptr<ResultSink> make_csv_result(const std::string& path, const ResultResources&) {
  return std::make_unique<CsvResult>(path);
}

}  // namespace kardan
