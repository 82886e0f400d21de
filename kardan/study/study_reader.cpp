#include "kardan/study/study_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "kardan/base/text.h"
#include "kardan/io/load.h"
#include "kardan/io/simulate_options.h"
#include "kardan/io/yaml_writer.h"
#include "kardan/study/kept_reader.h"

namespace kardan {
namespace {

const std::string* text_of(const FieldValue& value) {
  return std::get_if<std::string>(&value.data);
}

class StudyReader {
 public:
  StudyReader(const YamlDocument& document, std::string folder,
              const std::optional<std::string>& model_text, Diagnostics& diagnostics)
      : document_(document),
        folder_(std::move(folder)),
        model_text_(model_text),
        diagnostics_(diagnostics) {}

  StudyPlan read() {
    const YamlNode& root = document_.root;
    if (root.kind != YamlNode::Kind::mapping) {
      error("study.shape", "a study is a mapping", root, "begin with 'kardan_study: 1'");
      return std::move(plan_);
    }
    unknown_keys();
    const YamlNode* version = root.find("kardan_study");
    if (!version || version->text != "1")
      error("study.version", "wanted 'kardan_study: 1'", version ? *version : root,
            "this program reads version 1 of the format");
    if (const YamlNode* name = root.find("name")) plan_.title = name->text;
    if (!model()) return std::move(plan_);
    vary();
    correlated();
    simulate();
    design();
    if (plan_.parameters.empty() && !diagnostics_.has_errors())
      error("study.vary", "nothing varies", root, "add 'vary', or a design of type table");
    structure();
    kept();
    if (!diagnostics_.has_errors())
      plan_.series = std::make_shared<const ModelSeries>(plan_.model, plan_.set);
    return std::move(plan_);
  }

 private:
  void error(const char* code, const std::string& message, const YamlNode& at,
             const std::string& hint = "") {
    diagnostics_.error(code, message, document_.place(at), hint);
  }

  /// The value of a key, of a kind; empty where there is none.
  FieldMap mapping(const char* key, const YamlNode** at = nullptr) {
    const YamlNode* node = document_.root.find(key);
    if (at) *at = node;
    if (!node || node->kind == YamlNode::Kind::null) return {};
    if (node->kind != YamlNode::Kind::mapping) {
      error("study.shape", fmt::format("{}: got {}; wanted a mapping", key, describe(*node)),
            *node);
      return {};
    }
    FieldValue all = value(*node, key);
    return std::move(std::get<FieldMap>(all.data));
  }
  FieldValue value(const YamlNode& node, const std::string& what) {
    return Expander(scope_, document_.files, diagnostics_).value(node, what);
  }

  void unknown_keys() {
    FieldMap keys;
    for (const YamlKey& key : document_.root.keys) {
      keys.emplace_back(key.text, FieldValue());
      keys.back().second.where = document_.place(key);
    }
    std::vector<std::string> known;
    for (const auto& [key, doc] : study_keys()) known.push_back(key);
    report_unknown_keys(keys, known, "study", diagnostics_);
  }

  /// The model, with the parameters that all runs share.
  bool model() {
    const YamlNode* node = document_.root.find("model");
    if (!node || !node->is_scalar()) {
      error("study.model", "the study names no model", node ? *node : document_.root,
            "add 'model: FILE.yaml'");
      return false;
    }
    const YamlNode* set = nullptr;
    const Environment none;
    const ValueReader reader(none, diagnostics_);
    for (const auto& [name, written] : mapping("set", &set)) {
      double number = 0;
      if (reader.read(written, "set." + name, {}, number)) plan_.set.emplace_back(name, number);
    }
    const std::string path = (std::filesystem::path(folder_) / node->text).string();
    const std::string stem = std::filesystem::path(path).stem().string();
    // Its faults apart: with those of the study before it the model would not be compiled.
    Diagnostics faults;
    auto loaded =
        model_text_
            ? load_model_text(*model_text_, path, plan_.set, IncludeFrom::nowhere, faults, {}, stem)
            : load_model(path, plan_.set, IncludeFrom::model_folder, faults, stem);
    diagnostics_.add(faults);
    if (!loaded) return false;
    plan_.model = std::move(loaded->model);
    plan_.model_text = to_yaml(to_tree(plan_.model));
    model_document_ = std::move(loaded->document);
    system_ = std::move(loaded->system);
    scope_.values = system_->blueprint().parameters;
    if (plan_.title.empty()) plan_.title = plan_.model.name;
    return true;
  }

  /// A parameter of the model that does not vary already.
  bool good_parameter(const std::string& name, const SourceLocation& where) {
    std::vector<std::string> known;
    for (const auto& [parameter, unused] : plan_.model.parameters) known.push_back(parameter);
    if (std::ranges::find(known, name) == known.end()) {
      const std::string near = did_you_mean(name, known);
      diagnostics_.error(
          "study.parameter", fmt::format("the model has no parameter '{}'", name), where,
          near.empty() ? "only parameters of the model can vary" : "did you mean '" + near + "'?");
      return false;
    }
    if (std::ranges::find(plan_.parameters, name) != plan_.parameters.end()) {
      diagnostics_.error("study.parameter", fmt::format("'{}' varies twice", name), where);
      return false;
    }
    if (std::ranges::any_of(plan_.set, [&](const auto& s) { return s.first == name; })) {
      diagnostics_.error("study.parameter", fmt::format("'{}' is set for all runs", name), where,
                         "let it vary, or set it");
      return false;
    }
    if (system_ && plan_.model.start == "equilibrium" &&
        std::ranges::find(system_->blueprint().equilibrium.solve, name) !=
            system_->blueprint().equilibrium.solve.end()) {
      diagnostics_.error("study.parameter",
                         fmt::format("'{}' is found by the balance of the model", name), where,
                         "take it out of equilibrium.solve, or let the others vary");
      return false;
    }
    return true;
  }

  /// The entry of a catalog that `type` names; null after reporting that there is none.
  template <class Type>
  const Type* choose(const std::vector<Type>& catalog, FieldMap& fields, const std::string& owner,
                     const SourceLocation& where) {
    std::vector<std::string> names;
    for (const Type& type : catalog) names.emplace_back(type.name);
    const auto found =
        std::ranges::find_if(fields, [](const auto& field) { return field.first == "type"; });
    const std::string* name = found == fields.end() ? nullptr : text_of(found->second);
    if (!name) {
      diagnostics_.error("field.missing", owner + ": 'type' is missing", where,
                         fmt::format("{}", fmt::join(names, ", ")));
      return nullptr;
    }
    const auto type = std::ranges::find(names, *name);
    if (type == names.end()) {
      const std::string near = did_you_mean(*name, names);
      diagnostics_.error("study.type", fmt::format("{}: there is no type '{}'", owner, *name),
                         found->second.where,
                         near.empty() ? fmt::format("{}", fmt::join(names, ", "))
                                      : "did you mean '" + near + "'?");
      return nullptr;
    }
    fields.erase(found);
    const Type& out = catalog[static_cast<std::size_t>(type - names.begin())];
    std::vector<std::string> keys{"type"};
    for (const FieldDoc& doc : out.fields) keys.push_back(doc.key);
    report_unknown_keys(fields, keys, owner, diagnostics_);
    return &out;
  }

  void vary() {
    const YamlNode* node = nullptr;
    const FieldMap all = mapping("vary", &node);
    const ValueReader reader(scope_.values, diagnostics_);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& [name, written] = all[i];
      const SourceLocation where = document_.place(node->keys[i]);
      if (!good_parameter(name, where)) continue;
      const std::string owner = "vary." + name;
      if (!std::holds_alternative<FieldMap>(written.data)) {
        diagnostics_.error("study.shape", owner + ": wanted {type: ...}", written.where);
        continue;
      }
      FieldMap fields = std::get<FieldMap>(written.data);
      const DistributionType* type = choose(distribution_catalog(), fields, owner, where);
      if (!type) continue;
      auto made = type->make(fields, owner, where, reader);
      if (!made) continue;
      plan_.parameters.push_back(name);
      plan_.distributions.push_back(std::move(made));
    }
  }

  void correlated() {
    const YamlNode* node = nullptr;
    const FieldMap all = mapping("correlated", &node);
    for (std::size_t i = 0; i < all.size(); ++i)
      group("correlated." + all[i].first, all[i].second, document_.place(node->keys[i]));
  }

  void group(const std::string& owner, const FieldValue& written, const SourceLocation& where) {
    const auto* fields = std::get_if<FieldMap>(&written.data);
    if (!fields) {
      diagnostics_.error("study.shape", owner + ": wanted {parameters, mean, covariance}", where);
      return;
    }
    report_unknown_keys(*fields, {"parameters", "mean", "covariance"}, owner, diagnostics_);
    const auto list = [&](const char* key) -> const FieldValue* {
      for (const auto& [name, field] : *fields)
        if (name == key && std::holds_alternative<FieldValue::List>(field.data)) return &field;
      diagnostics_.error("field.missing", fmt::format("{}: '{}' is missing, as a list", owner, key),
                         where);
      return nullptr;
    };
    const FieldValue *names = list("parameters"), *mean = list("mean"), *rows = list("covariance");
    if (!names || !mean || !rows) return;
    CorrelatedGroup out;
    out.first = plan_.parameters.size();
    std::vector<std::string> found;
    for (const FieldValue& name : std::get<FieldValue::List>(names->data)) {
      const std::string* text = text_of(name);
      if (!text || !good_parameter(*text, name.where)) return;
      found.push_back(*text);
    }
    const ValueReader reader(scope_.values, diagnostics_);
    if (!reader.read(*mean, owner + ".mean", {}, out.mean)) return;
    std::vector<std::vector<double>> covariance;
    for (const FieldValue& row : std::get<FieldValue::List>(rows->data))
      if (!reader.read(row, owner + ".covariance", {}, covariance.emplace_back())) return;
    if (!fits(covariance, found.size(), owner, rows->where)) return;
    if (out.mean.size() != found.size()) {
      diagnostics_.error(
          "study.covariance",
          fmt::format("{}.mean: got {} numbers; wanted {}", owner, out.mean.size(), found.size()),
          mean->where);
      return;
    }
    auto factor = cholesky(covariance);
    if (!factor) {
      const auto& [row, left] = factor.error();
      diagnostics_.error(
          "study.covariance",
          fmt::format("{}.covariance is not positive definite: given those before it, the variance "
                      "of '{}' would be {:.6g}",
                      owner, found[row], left),
          rows->where,
          "a correlation has to lie between -1 and 1, and all together must be possible");
      return;
    }
    out.factor = std::move(factor.value());
    for (std::string& name : found) {
      plan_.parameters.push_back(std::move(name));
      plan_.distributions.emplace_back();
    }
    plan_.correlated.push_back(std::move(out));
  }

  bool fits(const std::vector<std::vector<double>>& matrix, std::size_t size,
            const std::string& owner, const SourceLocation& where) {
    std::string fault;
    if (matrix.size() != size) fault = fmt::format("got {} rows; wanted {}", matrix.size(), size);
    for (std::size_t i = 0; i < matrix.size() && fault.empty(); ++i)
      if (matrix[i].size() != size)
        fault = fmt::format("row {} has {} numbers; wanted {}", i + 1, matrix[i].size(), size);
    for (std::size_t i = 0; i < size && fault.empty(); ++i)
      for (std::size_t j = 0; j < i && fault.empty(); ++j)
        if (matrix[i][j] != matrix[j][i])
          fault = fmt::format(
              "it is not symmetric: {:g} in row {}, column {}, but {:g} in row {}, "
              "column {}",
              matrix[i][j], i + 1, j + 1, matrix[j][i], j + 1, i + 1);
    if (!fault.empty())
      diagnostics_.error("study.covariance", fmt::format("{}.covariance: {}", owner, fault), where);
    return fault.empty();
  }

  void simulate() {
    read_simulate_options(plan_.model.simulate, scope_.values, MethodChoice::of_the_file,
                          plan_.options, diagnostics_);
    const YamlNode* node = nullptr;
    NamedFields own{"simulate", mapping("simulate", &node), {}};
    if (node) own.where = document_.place(*node);
    read_simulate_options(
        own, scope_.values,
        own.find("method") ? MethodChoice::of_the_command : MethodChoice::of_the_file,
        plan_.options, diagnostics_);
    plan_.options.every = 0;
    if (const YamlNode* every = document_.root.find("every")) {
      const ValueReader reader(scope_.values, diagnostics_);
      reader.read(value(*every, "every"), "every", {.unit = "s", .check = Check::positive},
                  plan_.options.every);
    }
    if (const YamlNode* certify = document_.root.find("certify")) {
      const ValueReader reader(scope_.values, diagnostics_);
      reader.read(value(*certify, "certify"), "certify", {}, plan_.certify);
    }
    plan_.quantiles = {0.05, 0.5, 0.95};
    if (const YamlNode* quantiles = document_.root.find("quantiles")) {
      const ValueReader reader(scope_.values, diagnostics_);
      if (reader.read(value(*quantiles, "quantiles"), "quantiles", {}, plan_.quantiles))
        for (const double q : plan_.quantiles)
          if (!(q > 0 && q < 1))
            error("study.quantiles", fmt::format("got {:g}; wanted shares between 0 and 1", q),
                  *quantiles);
    }
  }

  void design() {
    const YamlNode* node = nullptr;
    FieldMap fields = mapping("design", &node);
    if (!node) {
      error("study.design", "the study has no design", document_.root,
            "add 'design: {type: sobol, runs: 1024}'");
      return;
    }
    const SourceLocation where = document_.place(*node);
    const DesignType* type = choose(design_catalog(), fields, "design", where);
    if (!type || diagnostics_.has_errors()) return;
    DesignTask task{plan_.parameters, {}, plan_.correlated.empty(), folder_};
    for (const auto& d : plan_.distributions) task.levels.push_back(d ? d->levels() : 0);
    plan_.design = type->make(fields, task, where, ValueReader(scope_.values, diagnostics_));
    if (!plan_.design) return;
    for (const std::string& name : plan_.design->facts().given)
      if (good_parameter(name, where)) {
        plan_.parameters.push_back(name);
        plan_.distributions.emplace_back();
      }
  }

  /// A parameter on which the parts of the model depend (the bounds of `repeat`) cannot vary: the
  /// model is read once.
  void structure() {
    if (diagnostics_.has_errors()) return;
    std::vector<double> values(plan_.parameters.size());
    plan_.sample(0, values);
    for (std::size_t k = 0; k < values.size(); ++k) {
      ParameterValues changed = plan_.set;
      changed.emplace_back(plan_.parameters[k], values[k]);
      Diagnostics faults;
      Model other = read_model_draft(model_document_, changed, faults);
      other.name = plan_.model.name;  // it may be that of the file
      if (!faults.has_errors() && to_yaml(to_tree(other)) == plan_.model_text) continue;
      error("study.structure",
            fmt::format("'{}' decides which parts the model has, and cannot vary",
                        plan_.parameters[k]),
            document_.root, "make a study for each of its values");
    }
  }

  void kept() {
    if (diagnostics_.has_errors()) return;
    KeptReader reader(*system_, plan_, diagnostics_);
    const YamlNode* node = nullptr;
    for (const auto& [name, written] : mapping("keep", &node)) reader.keep(name, written);
    if (plan_.kept.empty() && !diagnostics_.has_errors())
      error("study.keep", "nothing is kept of a run", node ? *node : document_.root,
            "add 'keep: {NAME: max(QUANTITY)}'");
    const YamlNode* require = document_.root.find("require");
    if (!require) return;
    if (require->kind != YamlNode::Kind::list) {
      error("study.shape", "require: wanted a list", *require);
      return;
    }
    const FieldValue all = value(*require, "require");
    for (const FieldValue& one : std::get<FieldValue::List>(all.data)) reader.require(one);
  }

  const YamlDocument& document_;
  std::string folder_;
  const std::optional<std::string>& model_text_;
  Diagnostics& diagnostics_;
  StudyPlan plan_;
  YamlDocument model_document_;
  std::unique_ptr<System> system_;  // of the model as it stands
  ParameterScope scope_;
};

}  // namespace

const std::vector<std::pair<std::string, std::string>>& study_keys() {
  static const std::vector<std::pair<std::string, std::string>> all{
      {"kardan_study", "version of the format: 1"},
      {"name", "title; default: that of the model"},
      {"model", "the model file, from the folder of the study"},
      {"set", "parameters with another value in all runs"},
      {"vary", "parameters that vary, each with its type"},
      {"correlated", "parameters that vary together: parameters, mean, covariance"},
      {"design", "which points are tried"},
      {"simulate", "options of the runs, over those of the model"},
      {"certify", "true: the error of every run is measured, which costs many runs; default false"},
      {"every", "[s] distance of the rows that mean, rms, integral and spectra see"},
      {"keep", "what is kept of every run, by name"},
      {"require", "what shall hold of every run: expressions of kept values and parameters"},
      {"quantiles", "shares of (0, 1) that are shown; default 0.05, 0.5, 0.95"}};
  return all;
}

std::optional<StudyPlan> read_study_text(const std::string& text, const std::string& file,
                                         const std::optional<std::string>& model_text,
                                         Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.error_count();
  const YamlDocument document = parse_yaml(text, file, diagnostics);
  if (diagnostics.error_count() > errors) return {};
  const std::string folder = std::filesystem::path(file).parent_path().string();
  StudyPlan plan = StudyReader(document, folder, model_text, diagnostics).read();
  if (diagnostics.error_count() > errors) return {};
  plan.text = text;
  return plan;
}

std::optional<StudyPlan> read_study(const std::string& path, Diagnostics& diagnostics) {
  const auto text = read_text(path, FileKind::regular_or_pipe, {path, 0, 0}, diagnostics);
  if (!text) return {};
  return read_study_text(*text, path, std::nullopt, diagnostics);
}

}  // namespace kardan
