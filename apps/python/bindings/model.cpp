/// A model as the tree of its file, built or changed by Python, read by the library's own reader.

#include "apps/python/bindings/law_force.h"
#include "apps/python/bindings/source.h"
#include "kardan/io/load.h"
#include "kardan/io/simulate_options.h"
#include "kardan/io/yaml_writer.h"
#include "kardan/model/parameters.h"

namespace kardan::python {
namespace {

/// A model that was read and not changed since has reported its warnings.
enum class Warnings { reported, pending };

class ModelTask final : public Task {
 public:
  ModelTask(YamlDocument document, const Laws& laws, Warnings warnings)
      : document_(std::move(document)), warnings_(warnings) {
    if (laws.empty()) return;
    catalog_ = Catalog::builtin();
    catalog_->add(law_force_type(laws, raised));
  }
  ~ModelTask() override { prepared_ = {}; }

  void prepare(const ParameterValues& overrides, StartAt at) override {
    const Catalog& catalog = catalog_ ? *catalog_ : Catalog::builtin();
    Diagnostics read;
    auto loaded = load_model_tree(std::move(document_), overrides, read, catalog);
    if (!loaded || warnings_ == Warnings::pending) diagnostics.add(read);
    if (!loaded) return;
    model_ = std::move(loaded->model);
    overrides_ = overrides;
    if (at == StartAt::equilibrium) model_.start = "equilibrium";
    simulate = model_.simulate;
    // Warnings were reported by the reader.
    Diagnostics found;
    prepared_ = kardan::prepare(model_, overrides, std::move(loaded->system), found, catalog);
    if (found.has_errors()) diagnostics.add_new(found);
    if (prepared_.system) parameters = prepared_.system->blueprint().parameters;
  }

  std::string model_text(const SimulateOptions& options) const override {
    Model model = model_;
    model.simulate.fields = simulate_fields(options);
    YamlNode tree = to_tree(model);
    for (const auto& [name, value] : overrides_) set_parameter(tree, name, value);
    return to_yaml(tree);
  }

  FieldMap functions() const override { return model_.functions; }

 private:
  YamlDocument document_;
  Warnings warnings_;
  std::optional<Catalog> catalog_;
  Model model_;
  ParameterValues overrides_;
};

class ModelSource final : public Source {
 public:
  ModelSource(YamlDocument document, Warnings warnings)
      : document_(std::move(document)), warnings_(warnings) {}

  std::shared_ptr<Task> task() const override {
    return std::make_shared<ModelTask>(document_, laws_, warnings_);
  }

  /// The same model, to be changed apart.
  std::shared_ptr<ModelSource> copy() const { return std::make_shared<ModelSource>(*this); }

  py::object get(const std::string& section) const {
    const YamlNode* node = document_.root.find(section);
    return node ? to_python(*node) : py::none();
  }
  std::vector<std::string> sections() const {
    std::vector<std::string> names;
    for (const YamlKey& key : document_.root.keys) names.push_back(key.text);
    return names;
  }
  void assign(const std::string& section, const py::object& value, const Place& place) {
    node(section, place) = to_node(value, file(place), place.line);
  }
  void append(const std::string& section, const py::object& value, const Place& place) {
    YamlNode& list = node(section, place);
    list.kind = YamlNode::Kind::list;
    list.items.push_back(to_node(value, file(place), place.line));
  }
  /// section: {key: value}. An entry of that name is replaced where asked for, else refused.
  void put(const std::string& section, const std::string& key, const py::object& value,
           const Place& place, bool replace) {
    YamlNode written = to_node(value, file(place), place.line);
    YamlNode& mapping = node(section, place);
    mapping.kind = YamlNode::Kind::mapping;
    for (std::size_t i = 0; i < mapping.keys.size(); ++i) {
      if (mapping.keys[i].text != key) continue;
      if (!replace) {
        const SourceLocation first = document_.place(mapping.keys[i]);
        Diagnostics fault;
        fault.error("name.duplicate",
                    section + ": the name '" + key + "' is used twice; first at " +
                        first.file.str() + ":" + std::to_string(first.line),
                    {place.file, place.line, 0}, "rename one");
        raise_errors(fault);
      }
      mapping.keys[i] = {key, place.line, 0, file(place)};
      mapping.items[i] = std::move(written);
      return;
    }
    mapping.keys.push_back({key, place.line, 0, file(place)});
    mapping.items.push_back(std::move(written));
  }
  bool remove(const std::string& section, const std::string& key) {
    for (YamlNode* mapping = find(section); mapping;) {
      for (std::size_t i = 0; i < mapping->keys.size(); ++i)
        if (mapping->keys[i].text == key) {
          mapping->keys.erase(mapping->keys.begin() + static_cast<std::ptrdiff_t>(i));
          mapping->items.erase(mapping->items.begin() + static_cast<std::ptrdiff_t>(i));
          return true;
        }
      return false;
    }
    return false;
  }
  void add_law(const std::string& element, py::object function, std::vector<int> arguments) {
    const py::ssize_t size = planar() ? 3 : 6;
    laws_[element] =
        std::make_shared<Callable>(std::move(function), element + ".law", std::move(arguments),
                                   std::vector<py::ssize_t>{size});
  }
  bool planar() const {
    const YamlNode* dimension = document_.root.find("dimension");
    return dimension && dimension->text == "2";
  }
  std::string yaml() const { return to_yaml(document_.root); }
  std::string json() const { return to_json(document_.root); }

 private:
  YamlNode* find(const std::string& section) {
    YamlNode& root = document_.root;
    for (std::size_t i = 0; i < root.keys.size(); ++i)
      if (root.keys[i].text == section) return &root.items[i];
    return nullptr;
  }
  YamlNode& node(const std::string& section, const Place& place) {
    warnings_ = Warnings::pending;
    if (YamlNode* found = find(section)) return *found;
    document_.root.keys.push_back({section, place.line, 0, file(place)});
    YamlNode& added = document_.root.items.emplace_back();
    added.file = file(place);
    added.line = place.line;
    return added;
  }
  int file(const Place& place) {
    auto& files = document_.files;
    const auto found = std::find(files.begin(), files.end(), place.file);
    if (found != files.end()) return static_cast<int>(found - files.begin());
    files.push_back(place.file);
    return static_cast<int>(files.size()) - 1;
  }

  YamlDocument document_;
  Warnings warnings_;
  Laws laws_;
};

std::shared_ptr<ModelSource> new_model(const Place& place) {
  YamlDocument document;
  document.complete = true;
  document.files = {place.file};
  document.root.kind = YamlNode::Kind::mapping;
  document.root.line = place.line;
  auto model = std::make_shared<ModelSource>(std::move(document), Warnings::pending);
  model->assign("kardan", py::int_(1), place);
  return model;
}

std::shared_ptr<ModelSource> read(const std::string& text, const std::string& file,
                                  bool include_anywhere) {
  Diagnostics diagnostics;
  const IncludeFrom from = include_anywhere ? IncludeFrom::anywhere : IncludeFrom::model_folder;
  auto loaded = load_model_text(text, file, {}, from, diagnostics);
  raise_errors(diagnostics);
  return std::make_shared<ModelSource>(std::move(loaded->document), Warnings::reported);
}

/// The model that stands in a result: whole, it includes nothing.
std::shared_ptr<ModelSource> read_stored(const std::string& text, const std::string& file) {
  Diagnostics diagnostics;
  auto loaded = load_model_text(text, file, {}, IncludeFrom::nowhere, diagnostics);
  raise_errors(diagnostics);
  return std::make_shared<ModelSource>(std::move(loaded->document), Warnings::reported);
}

std::shared_ptr<ModelSource> load(const std::string& path, bool include_anywhere) {
  Diagnostics diagnostics;
  const IncludeFrom from = include_anywhere ? IncludeFrom::anywhere : IncludeFrom::model_folder;
  auto loaded = load_model(path, {}, from, diagnostics);
  raise_errors(diagnostics);
  return std::make_shared<ModelSource>(std::move(loaded->document), Warnings::reported);
}

/// A model as text, as it is: what is wrong with it is reported when it is used.
std::shared_ptr<ModelSource> restore(const std::string& text, const std::string& file) {
  Diagnostics diagnostics;
  auto document = parse_yaml(text, file, diagnostics);
  raise_errors(diagnostics);
  return std::make_shared<ModelSource>(std::move(document), Warnings::pending);
}

}  // namespace

void bind_model(py::module_& module) {
  py::class_<Place>(module, "Place")
      .def(py::init([](std::string file, int line) {
        return Place{std::move(file), line};
      }))
      .def_readonly("file", &Place::file)
      .def_readonly("line", &Place::line);
  py::class_<ModelSource, Source, std::shared_ptr<ModelSource>>(module, "ModelSource")
      .def("get", &ModelSource::get)
      .def("sections", &ModelSource::sections)
      .def("assign", &ModelSource::assign)
      .def("append", &ModelSource::append)
      .def("put", &ModelSource::put)
      .def("remove", &ModelSource::remove)
      .def("add_law", &ModelSource::add_law)
      .def("copy", &ModelSource::copy)
      .def("planar", &ModelSource::planar)
      .def("yaml", &ModelSource::yaml)
      .def("json", &ModelSource::json);
  module.def("new_model", &new_model);
  module.def("load", &load);
  module.def("read", &read);
  module.def("read_stored", &read_stored);
  module.def("restore", &restore);
  module.attr("law_arguments") = py::make_tuple("t", "x", "v", "angle", "omega", "R", "w");
}

}  // namespace kardan::python
