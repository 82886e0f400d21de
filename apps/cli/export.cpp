/// `kardan export`: a model as a Functional Mock-up Unit, which other programs step.

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "apps/cli/command.h"
#include "apps/cli/print.h"
#include "kardan/fmi/description.h"
#include "kardan/fmi/fmu_data.h"
#include "kardan/io/output_file.h"
#include "kardan/io/output_guard.h"
#include "kardan/io/structure_parameters.h"
#include "kardan/io/zip_file.h"
#include "kardan/run/prepare.h"

namespace kardan::cli {

namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  int fmi = 2;
  std::string kind = "cs";
  std::string out;
  bool force = false;
};

/// The library inside FMUs, where it was built or installed beside this program.
std::string find_core() {
  std::error_code unknown;
  const fs::path folder = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  for (const fs::path& place :
       {folder / "kardan_fmu.so",
        folder.parent_path() / KARDAN_LIBRARY_FOLDER / "kardan" / "kardan_fmu.so"})
    if (fs::exists(place, unknown)) return place.string();
  return {};
}

/// What the library says of the model; empty: it begins.
std::string try_core(const std::string& core, const std::string& bytes) {
  using Try = bool (*)(const char*, std::size_t, char*, std::size_t);
  void* library = dlopen(core.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
  const auto begins = reinterpret_cast<Try>(dlsym(library, "kardan_try_fmu"));
  std::array<char, 4096> message{};
  std::string out = "the library is of another version";
  if (begins)
    out = begins(bytes.data(), bytes.size(), message.data(), message.size())
              ? std::string()
              : std::string(message.data());
  dlclose(library);
  return out;
}

int refuse(const std::string& what, const std::string& hint) {
  fmt::print(stderr, "kardan: {}{}{}\n", what, hint.empty() ? "" : "; ", hint);
  return bad_input;
}

int export_model(const ModelOptions& options, const RunOptions& run, const ExportOptions& given) {
  if (given.fmi != 2 && given.fmi != 3)
    return refuse(fmt::format("--fmi {}: wanted 2 or 3", given.fmi), "");
  if (given.kind != "cs")
    return refuse(fmt::format("--kind {}: wanted cs (co-simulation)", given.kind),
                  "model exchange is not offered");
  if (!given.out.ends_with(".fmu"))
    return refuse(fmt::format("--out {}: wanted a file ending in .fmu", given.out), "");
  const std::string core = find_core();
  if (core.empty())
    return refuse("there is no kardan_fmu.so beside this program", "build or install all of it");
  const auto overrides = parse_overrides(options);
  if (!overrides) return bad_input;
  auto loaded = load(options, *overrides);
  if (!loaded) return bad_input;
  Diagnostics faults;
  FmuData data{loaded->model, *overrides, {}, {}};
  if (!read_run_options(loaded->model, *loaded->system, run, data.options, faults)) {
    print_faults(faults);
    return bad_input;
  }
  data.variables =
      fmu_variables(loaded->model, *overrides, structure_parameters(loaded->document), faults);
  if (print_faults(faults)) return bad_input;
  const std::string bytes = to_bytes(data);
  if (const std::string why = try_core(core, bytes); !why.empty())
    return refuse("this model cannot be an FMU: " + why, "");

  std::ifstream in(core, std::ios::binary);
  std::string library{std::istreambuf_iterator<char>(in), {}};
  const std::string token = fmu_token(bytes), identifier = fmu_identifier(data.model.name);
  const bool second = given.fmi == 2;
  const std::string archive = zip(
      {{std::string(fmu_entry), bytes},
       {"modelDescription.xml", second ? describe_fmi2(data, token) : describe_fmi3(data, token)},
       {fmt::format("binaries/{}/{}.so", second ? "linux64" : "x86_64-linux", identifier),
        std::move(library)}});
  std::vector<std::string> read;
  for (const SharedText& file : loaded->document.files) read.push_back(file.str());
  const OutputGuard guard(read, {{"--out", given.out, OutputKind::fmu}},
                          given.force ? Overwrite::anything : Overwrite::own_files, faults);
  if (print_faults(faults)) return bad_input;
  write_file(given.out, archive);
  int inputs = 0, outputs = 0, parameters = 0;
  for (const FmuVariable& v : data.variables) {
    inputs += v.of == FmuVariable::Of::input;
    parameters += v.of == FmuVariable::Of::parameter;
    outputs += v.output;
  }
  if (!options.quiet)
    fmt::print("wrote {}: FMI {}.0 for co-simulation, {} variables: {}, {}, {}\n", given.out,
               given.fmi, data.variables.size(), counted(inputs, "input", "inputs"),
               counted(outputs, "output", "outputs"),
               counted(parameters, "parameter", "parameters"));
  return finished;
}

}  // namespace

Verb export_verb() {
  struct Options {
    ModelOptions model;
    RunOptions run;
    ExportOptions given;
  };
  auto o = std::make_shared<Options>();
  return {"export", "write a model as an FMU, which other programs step",
          joined(model_arguments(o->model),
                 {{.name = "--fmi",
                   .doc = "version of the Functional Mock-up Interface: 2 or 3",
                   .to = &o->given.fmi,
                   .show_default = true},
                  {.name = "--kind",
                   .doc = "cs: co-simulation, with the method inside",
                   .to = &o->given.kind,
                   .show_default = true},
                  {.name = "--out", .doc = "file: .fmu", .to = &o->given.out, .required = true},
                  {.name = "--method", .doc = "as of `kardan run`", .to = &o->run.method},
                  {.name = "--tol",
                   .doc = "tolerance, unless the other program asks for one",
                   .to = &o->run.numbers["tolerance"]},
                  force_argument(o->given.force)}),
          [o] { return export_model(o->model, o->run, o->given); }};
}

}  // namespace kardan::cli
