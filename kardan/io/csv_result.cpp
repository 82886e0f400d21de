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
      file_.print("{}{}{}", places_.empty() ? "" : ",", c.name,
                  c.unit.empty() || c.unit == "1" ? "" : " [" + c.unit + "]");
      places_.push_back(c.at);
    }
    file_.print("\n");
  }
  void row(std::span<const double> row) override {
    for (std::size_t i = 0; i < places_.size(); ++i)
      file_.print("{}{}", i > 0 ? "," : "", format_number(row[places_[i]]));
    file_.print("\n");
  }
  void end(const Json&) override { file_.close(); }

 private:
  io::OutputFile file_;
  std::vector<int> places_;
};

}  // namespace

std::unique_ptr<ResultSink> make_csv_result(const std::string& path, const ResultResources&) {
  return std::make_unique<CsvResult>(path);
}

}  // namespace kardan
