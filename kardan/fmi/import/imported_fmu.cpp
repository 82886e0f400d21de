#include "kardan/fmi/import/imported_fmu.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "kardan/io/input_file.h"
#include "kardan/io/output_file.h"
#include "kardan/io/zip_file.h"

namespace kardan {
namespace fs = std::filesystem;

ImportedFmu::ImportedFmu() = default;

ImportedFmu::~ImportedFmu() {
  functions_.reset();
  if (library_) dlclose(library_);
  std::error_code unknown;
  if (!folder_.empty()) fs::remove_all(folder_, unknown);
}

/// What is wrong with the archive, or where it cannot be written; empty: nothing, or faults of the
/// description have been reported.
std::string ImportedFmu::unpack(const std::string& path, ImportedDescription& out,
                                Diagnostics& diagnostics) {
  constexpr std::size_t most = std::size_t{1} << 30;
  const auto bytes = read_input(path, most, FileKind::regular);
  if (!bytes) return bytes.error().why;
  const auto entries = unzip(*bytes);
  if (!entries) return entries.error();
  const auto description =
      std::ranges::find(*entries, std::string("modelDescription.xml"), &ZipEntry::name);
  if (description == entries->end()) return "it has no modelDescription.xml: it is no FMU";
  auto read = read_fmu_description(description->bytes, path + "/modelDescription.xml", diagnostics);
  if (!read) return {};
  out = std::move(*read);
  std::string folder = (fs::temp_directory_path() / "kardan_fmu_XXXXXX").string();
  if (!mkdtemp(folder.data())) return "there is no room for a folder of its own";
  folder_ = folder;
  fs::create_directories(fs::path(folder_) / "resources");
  for (const ZipEntry& e : *entries) {
    const fs::path file = fs::path(folder_) / e.name;
    fs::create_directories(file.parent_path());
    write_file(file.string(), e.bytes);
  }
  return {};
}

std::unique_ptr<ImportedFmu> ImportedFmu::open(const std::string& path, FmuKind wanted,
                                               Diagnostics& diagnostics) {
  std::unique_ptr<ImportedFmu> out(new ImportedFmu());
  const std::size_t errors = diagnostics.error_count();
  std::string wrong;
  try {
    wrong = out->unpack(path, out->description_, diagnostics);
  } catch (const std::system_error& e) {
    wrong = e.what();
  }
  if (!wrong.empty())
    diagnostics.error("fmu.file", wrong, {path},
                      "wanted an FMU: a zip archive by the FMI standard");
  if (diagnostics.error_count() > errors) return nullptr;
  const ImportedDescription& d = out->description_;
  const bool exchanged =
      d.co_simulation.empty() || (wanted == FmuKind::model_exchange && !d.exchange.empty());
  out->kind_ = exchanged ? FmuKind::model_exchange : FmuKind::co_simulation;
  const std::string& identifier = exchanged ? d.exchange : d.co_simulation;
  if (identifier.empty()) {
    diagnostics.error("fmu.kind", "the FMU is neither for co-simulation nor for model exchange",
                      {path}, "export it as one of these");
    return nullptr;
  }
  const fs::path file = fs::path(out->folder_) / "binaries" /
                        (d.version == 2 ? "linux64" : "x86_64-linux") / (identifier + ".so");
  if (!fs::exists(file)) {
    diagnostics.error(
        "fmu.library",
        fmt::format("there is no {} in it", fs::relative(file, out->folder_).string()), {path},
        "it was made for another system: it must be made for this one");
    return nullptr;
  }
  out->library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!out->library_) {
    diagnostics.error("fmu.library", dlerror(), {path}, "what its library needs must be here");
    return nullptr;
  }
  out->functions_ = d.version == 2 ? interface_2(out->library_, out->said_)
                                   : interface_3(out->library_, out->said_);
  return out;
}

std::string ImportedFmu::instantiate() {
  const std::string resources = folder_ + "/resources";
  return told(functions_->instantiate(kind_, description_.token,
                                      description_.version == 2 ? resources : resources + "/"));
}

std::string ImportedFmu::told(std::string message) {
  const std::string said = std::exchange(said_, {});
  return message.empty() ? message : message + said;
}

}  // namespace kardan
