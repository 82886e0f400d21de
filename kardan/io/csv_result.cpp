#include "kardan/io/csv_result.h"

#include <fmt/os.h>

#include "kardan/base/text.h"

namespace kardan {
namespace {

class CsvResult final : public ResultSink {
 public:
  explicit CsvResult(const std::string& path) : file_(fmt::output_file(path)) {}

  void begin(const System&, std::span<const std::string> columns) override {
    file_.print("{}\n", fmt::join(columns, ","));
  }
  void row(std::span<const double> values) override {
    for (std::size_t i = 0; i < values.size(); ++i)
      file_.print("{}{}", i > 0 ? "," : "", format_number(values[i]));
    file_.print("\n");
  }
  void end(const System&, const RunReport&, const Moment&) override { file_.close(); }

 private:
  fmt::ostream file_;
};

}  // namespace

std::unique_ptr<ResultSink> make_csv_result(const std::string& path) {
  return std::make_unique<CsvResult>(path);
}

}  // namespace kardan
