#include "kardan/io/json_result.h"

#include <fmt/os.h>

#include "kardan/io/report_json.h"

namespace kardan {
namespace {

class JsonResult final : public ResultSink {
 public:
  explicit JsonResult(const std::string& path) : file_(fmt::output_file(path)) {}

  void begin(const System&, std::span<const std::string>) override {}
  void row(std::span<const double>) override {}
  void end(const System& system, const RunReport& report, const Moment& end) override {
    file_.print("{}\n", to_json(system, report, end).dump(2));
    file_.close();
  }

 private:
  fmt::ostream file_;
};

}  // namespace

std::unique_ptr<ResultSink> make_json_result(const std::string& path) {
  return std::make_unique<JsonResult>(path);
}

}  // namespace kardan
