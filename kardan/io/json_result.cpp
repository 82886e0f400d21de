#include "kardan/io/json_result.h"

#include "kardan/io/output_file.h"

namespace kardan {
namespace {

class JsonResult final : public ResultSink {
 public:
  explicit JsonResult(const std::string& path) : file_(path) {}

  void begin(const ResultDescription&) override {}
  void row(std::span<const double>) override {}
  void step(const StepRecord&) override {}
  void end(const Json& certificate) override {
    file_.print("{}\n", certificate.dump(2, ' ', false, Json::error_handler_t::replace));
    file_.close();
  }

 private:
  OutputFile file_;
};

}  // namespace

std::unique_ptr<ResultSink> make_json_result(const std::string& path, const ResultResources&) {
  return std::make_unique<JsonResult>(path);
}

}  // namespace kardan
