/// `kardan convert`: a model written anew, self-contained.

#include <fmt/format.h>

#include <memory>

#include "apps/cli/command.h"
#include "kardan/io/output_file.h"
#include "kardan/io/output_guard.h"
#include "kardan/io/yaml_writer.h"

namespace kardan::cli {

namespace {

struct ConvertOptions {
  std::string out;      // .yaml, .yml or .json; empty: YAML on standard output
  bool expand = false;  // carry repeats out
  bool force = false;   // overwrite files of others
};

int convert(const ModelOptions& options, const ConvertOptions& given) {
  const bool as_json = given.out.empty() ? options.json : given.out.ends_with(".json");
  if (!given.out.empty() && !as_json && !given.out.ends_with(".yaml") &&
      !given.out.ends_with(".yml")) {
    fmt::print(stderr, "kardan: --out {}: wanted a file ending in .yaml, .yml or .json\n",
               given.out);
    return bad_input;
  }
  const auto overrides = parse_overrides(options);
  if (!overrides) return bad_input;
  const auto loaded = load(options, *overrides, Unnamed::stays);
  if (!loaded) return bad_input;
  YamlNode tree = given.expand ? to_tree(loaded->model) : loaded->document.root;
  for (const auto& [name, value] : *overrides) {
    if (set_parameter(tree, name, value)) continue;
    fmt::print(stderr, "kardan: --set {}: the parameter is one of a repeat; add --expand\n", name);
    return bad_input;
  }
  const std::string text = as_json ? to_json(tree) : to_yaml(tree);
  if (given.out.empty()) {
    fmt::print("{}", text);
    return finished;
  }
  Diagnostics faults;
  std::vector<std::string> read;
  for (const SharedText& file : loaded->document.files) read.push_back(file.str());
  const OutputGuard guard(read, {{"--out", given.out, OutputKind::model}},
                          given.force ? Overwrite::anything : Overwrite::own_files, faults);
  if (print_faults(faults)) return bad_input;
  write_file(given.out, as_json ? text : std::string(model_header) + text);
  if (!options.quiet) fmt::print("wrote {}\n", given.out);
  return finished;
}

}  // namespace

Verb convert_verb() {
  struct Options {
    ModelOptions model;
    ConvertOptions given;
  };
  auto o = std::make_shared<Options>();
  return {"convert", "write a model anew, self-contained",
          joined(model_arguments(o->model),
                 {{"--out", "file: .yaml or .json; default: print", &o->given.out},
                  {"--expand", "write every copy of a repeat", &o->given.expand},
                  force_argument(o->given.force)}),
          [o] { return convert(o->model, o->given); }};
}

}  // namespace kardan::cli
