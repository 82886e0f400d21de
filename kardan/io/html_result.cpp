#include "kardan/io/html_result.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kardan/io/output_file.h"
#include "kardan/io/packing.h"
#include "kardan/io/thinning.h"
#include "kardan/io/verdict.h"
#include "kardan/run/versions.h"

namespace kardan {
namespace {

/// About what a page may hold before it is packed: 30 s of 100 bodies stay below 15 MB.
constexpr double page_bytes = 12e6;
constexpr std::size_t most_frames = 3000, fewest_frames = 200;

/// Shown where the program was built without the viewer.
constexpr std::string_view plain_page = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'"><title>Kardan result</title></head><body>
<p>This program was built without its viewer; the result is in this page as data.</p>
<!-- KARDAN_RESULT -->
</body></html>
)";

/// Arrays one after the other, each at a multiple of 8 bytes, and where they are.
class Arrays {
 public:
  template <class Value>
  void add(const std::string& name, const char* type, std::vector<std::size_t> shape,
           const std::vector<Value>& values) {
    data_.resize((data_.size() + 7) / 8 * 8);
    index_[name] = {{"type", type}, {"offset", data_.size()}, {"shape", std::move(shape)}};
    const std::size_t begin = data_.size();
    data_.resize(begin + values.size() * sizeof(Value));
    if (!values.empty())
      std::memcpy(data_.data() + begin, values.data(), values.size() * sizeof(Value));
  }
  /// One array of a step's history; its name.
  template <class Get>
  std::string history(const std::string& name, const ThinnedSteps& steps, Get get) {
    std::vector<double> values;
    for (const StepRecord& s : steps.steps()) values.push_back(get(s));
    add(name, "f64", {values.size()}, values);
    return name;
  }
  const Json& index() const { return index_; }
  const std::vector<std::byte>& data() const { return data_; }

 private:
  Json index_ = Json::object();
  std::vector<std::byte> data_;
};

class HtmlResult final : public ResultSink {
 public:
  HtmlResult(const std::string& path, std::string_view page) : file_(path) {
    page_ = page.find(html_result_marker) == std::string_view::npos ? plain_page : page;
  }

  void begin(const ResultDescription& description) override {
    description_ = description;
    const double row = 4.0 * description.layout.width;
    const auto room = static_cast<std::size_t>(page_bytes / row);
    rows_ = ThinnedRows(description.layout.width, std::clamp(room, fewest_frames, most_frames));
  }
  void row(std::span<const double> row) override { rows_.add(row); }
  void step(const StepRecord& step) override { steps_.add(step); }
  void end(const Json& certificate) override;

 private:
  void add_times(Json& header);
  void add_poses(Json& header);
  void add_blocks();
  void add_quantities(Json& header) const;
  void add_histories(Json& header);

  OutputFile file_;
  std::string_view page_;
  ResultDescription description_;
  ThinnedRows rows_;
  ThinnedSteps steps_;
  Arrays arrays_;
};

void HtmlResult::add_times(Json& header) {
  arrays_.add("times", "f64", {rows_.count()}, rows_.times());
  header["times"] = "times";
  header["frames"] = {{"shown", rows_.count()}, {"computed", rows_.seen()}};
}

/// The ground and all bodies as (x y z qw qx qy qz); planar ones turn about z, and show the angle
/// with its full turns apart.
void HtmlResult::add_poses(Json& header) {
  const ResultBlock* block = description_.layout.find("poses");
  if (!block) return;
  const bool planar = block->component_count() == 3;
  const auto bodies = static_cast<std::size_t>(block->item_count());
  std::vector<float> poses, angles;
  for (std::size_t f = 0; f < rows_.count(); ++f) {
    poses.insert(poses.end(), {0, 0, 0, 1, 0, 0, 0});
    for (std::size_t b = 0; b < bodies; ++b) {
      const std::size_t at = block->first + b * block->component_count();
      if (!planar) {
        for (std::size_t k = 0; k < 7; ++k) poses.push_back(rows_.at(f, at + k));
        continue;
      }
      const float angle = rows_.at(f, at + 2);
      poses.insert(poses.end(), {rows_.at(f, at), rows_.at(f, at + 1), 0, std::cos(angle / 2), 0, 0,
                                 std::sin(angle / 2)});
      angles.push_back(angle);
    }
  }
  arrays_.add("poses", "f32", {rows_.count(), bodies + 1, 7}, poses);
  if (planar) arrays_.add("angles", "f32", {rows_.count(), bodies}, angles);
  header["poses"] = "poses";
}

/// All other blocks as they are.
void HtmlResult::add_blocks() {
  for (const ResultBlock& block : description_.layout.blocks) {
    if (block.name == "time" || block.name == "poses") continue;
    std::vector<float> values;
    for (std::size_t f = 0; f < rows_.count(); ++f)
      for (int k = 0; k < block.size(); ++k) values.push_back(rows_.at(f, block.first + k));
    std::vector<std::size_t> shape{rows_.count()};
    if (!block.items.empty()) shape.push_back(block.items.size());
    if (!block.components.empty()) shape.push_back(block.components.size());
    arrays_.add(block.name, "f32", shape, values);
  }
}

void HtmlResult::add_quantities(Json& header) const {
  Json& out = header["quantities"] = Json::array();
  for (const ResultColumn& c : description_.layout.columns) {
    if (!c.chosen) continue;
    const ResultBlock* block = nullptr;
    for (const ResultBlock& b : description_.layout.blocks)
      if (c.at >= b.first && c.at < b.first + b.size()) block = &b;
    if (!block || block->name == "time") continue;
    std::string array = block->name;
    int column = c.at - block->first;
    if (array == "poses") {
      const int body = column / block->component_count(), k = column % block->component_count();
      const bool planar = block->component_count() == 3;
      array = planar && k == 2 ? "angles" : "poses";
      column = planar && k == 2 ? body : 7 * (body + 1) + k;
    }
    const std::string group = c.name.substr(0, c.name.find('.'));
    out.push_back({{"name", c.name},
                   {"unit", c.unit},
                   {"group", group},
                   {"array", array},
                   {"column", column}});
  }
}

void HtmlResult::add_histories(Json& header) {
  const auto history = [&](const char* name, auto get) {
    return arrays_.history(name, steps_, get);
  };
  history("step_time", [](const StepRecord& s) { return s.t; });
  header["steps"] = {{"time", "step_time"},
                     {"size", history("step_size", [](const StepRecord& s) { return s.h; })},
                     {"error", history("step_error", [](const StepRecord& s) { return s.error; })},
                     {"rejected", "step_rejected"},
                     {"merged", steps_.merged()}};
  arrays_.add("step_rejected", "f64", {steps_.rejected().size()}, steps_.rejected());
  header["residuals"] = {
      {"time", "step_time"},
      {"position",
       history("step_position", [](const StepRecord& s) { return s.residuals.position; })},
      {"velocity",
       history("step_velocity", [](const StepRecord& s) { return s.residuals.velocity; })},
      {"acceleration",
       history("step_acceleration", [](const StepRecord& s) { return s.residuals.acceleration; })}};
  const bool known = !steps_.steps().empty() && !std::isnan(steps_.steps().front().kinetic);
  if (!known) return;
  header["energy"] = {
      {"time", "step_time"},
      {"kinetic", history("step_kinetic", [](const StepRecord& s) { return s.kinetic; })},
      {"potential", history("step_potential", [](const StepRecord& s) { return s.potential; })},
      {"work", history("step_work", [](const StepRecord& s) { return s.work; })},
      {"balance", history("step_balance", [](const StepRecord& s) { return s.unbalanced; })}};
}

/// JSON for a script element: no "<" that could end it.
std::string script_text(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size());
  for (const char c : text)
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  return out;
}

Json events_of(const Json& certificate) {
  Json out = Json::array();
  if (certificate.contains("events"))
    for (const Json& e : certificate.at("events"))
      out.push_back(
          {{"time", e.at("t")}, {"name", e.at("event")}, {"direction", e.at("direction")}});
  return out;
}

void HtmlResult::end(const Json& certificate) {
  rows_.finish();
  Json header{{"format", 1}};
  for (const auto& [name, version] : versions())
    if (name == "kardan") header["generator"] = "kardan " + version;
  header["title"] = description_.title;
  header["subtitle"] = used_method(certificate);
  const Verdict verdict = make_verdict(certificate);
  header["verdict"] = {{"ok", verdict.ok},
                       {"colour", verdict.colour},
                       {"reason", verdict.reason},
                       {"sentences", verdict.sentences},
                       {"warnings", verdict.warnings}};
  header["certificate"] = certificate;
  for (const auto& [key, value] : description_.scene.items()) header[key] = value;
  add_times(header);
  add_poses(header);
  add_blocks();
  add_quantities(header);
  add_histories(header);
  header["events"] = events_of(certificate);
  header["arrays"] = arrays_.index();
  const std::size_t at = page_.find(html_result_marker);
  file_.print("{}", page_.substr(0, at));
  file_.print("<script type=\"application/json\" id=\"kardan-report\">{}</script>\n",
              script_text(header));
  file_.print("<script type=\"text/plain\" id=\"kardan-data\">{}</script>",
              base64(gzip(arrays_.data())));
  file_.print("{}", page_.substr(at + html_result_marker.size()));
  file_.close();
}

}  // namespace

std::unique_ptr<ResultSink> make_html_result(const std::string& path,
                                             const ResultResources& resources) {
  return std::make_unique<HtmlResult>(path, resources.viewer);
}

}  // namespace kardan
