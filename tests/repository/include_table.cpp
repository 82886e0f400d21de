#include "repository/include_table.h"

#include <algorithm>
#include <optional>
#include <regex>

namespace kardan::repository {
namespace {

using Names = std::vector<std::string>;

struct Row {
  std::string folder;
  Names may_include;  // and itself
};

/// Rooms of apps/ see the whole library, and these of their neighbours.
Names with_library(Names rooms) {
  for (const char* name : {"base", "linalg", "elements", "model", "system", "integrate",
                           "formulation", "run", "io", "study", "fmi"})
    rooms.push_back(std::string("kardan/") + name);
  return rooms;
}

const std::vector<Row>& include_table() {
  static const std::vector<Row> table = {
      {"kardan/base", {}},
      {"kardan/linalg", {"kardan/base"}},
      {"kardan/elements", {"kardan/base"}},
      {"kardan/model", {"kardan/base", "kardan/elements"}},
      {"kardan/system", {"kardan/base", "kardan/linalg", "kardan/elements", "kardan/model"}},
      {"kardan/integrate", {"kardan/base", "kardan/linalg"}},
      {"kardan/formulation", {"kardan/base", "kardan/linalg", "kardan/system", "kardan/integrate"}},
      {"kardan/run",
       {"kardan/base", "kardan/model", "kardan/system", "kardan/formulation", "kardan/integrate"}},
      {"kardan/io", {"kardan/base", "kardan/elements", "kardan/model", "kardan/run"}},
      {"kardan/study",
       {"kardan/base", "kardan/elements", "kardan/model", "kardan/run", "kardan/io"}},
      {"kardan/fmi",
       {"kardan/base", "kardan/elements", "kardan/model", "kardan/system", "kardan/integrate",
        "kardan/formulation", "kardan/run", "kardan/io"}},
      {"apps/pictures", {"kardan/io"}},
      {"apps/console", {"kardan/base"}},
      {"apps/reproduce", with_library({"apps/pictures", "apps/console"})},
      {"apps/cli", with_library({"apps/pictures", "apps/console", "apps/reproduce", "apps/mpi"})},
      {"apps/mpi", {}},
      {"apps/fmu", {"kardan/base", "kardan/run", "kardan/fmi"}},
      {"apps/python", with_library({})},
  };
  return table;
}

struct Library {
  std::string name;
  std::regex header;
  Names seen_by;
  std::string reason;
};

const std::vector<Library>& libraries() {
  // The first match counts. A GPL library must not be linked, also not through Eigen's wrappers.
  static const std::vector<Library> list = {
      {"a GPL part of SuiteSparse",
       std::regex(R"((suitesparse/)?(cholmod|umfpack|SuiteSparseQR|spqr).*|)"
                  R"(Eigen/(CholmodSupport|UmfPackSupport|SPQRSupport))"),
       {},
       "no GPL library is linked"},
      {"Eigen", std::regex(R"((eigen3/)?(unsupported/)?Eigen/.*)"), {"kardan/linalg"}, ""},
      {"SuiteSparse",
       std::regex(
           R"(suitesparse/.*|(klu|btf|amd|camd|colamd|ccolamd|cs|ldl|SuiteSparse_config)\.h)"),
       {"kardan/linalg"},
       ""},
      {"SUNDIALS",
       std::regex(R"((sundials|cvodes?|idas?|kinsol|arkode|nvector|sunmatrix|sunlinsol|)"
                  R"(sunnonlinsol|sunmemory)/.*)"),
       {"kardan/integrate"},
       ""},
      {"yaml-cpp", std::regex(R"(yaml-cpp/.*)"), {"kardan/io"}, ""},
      {"nlohmann/json", std::regex(R"(nlohmann/.*)"), {"kardan/io", "apps/cli", "apps/python"}, ""},
      {"zlib", std::regex(R"(zlib\.h)"), {"kardan/io"}, ""},
      {"HDF5", std::regex(R"((hdf5/.*)|(hdf5|H5[A-Za-z]*)\.h)"), {"kardan/io"}, ""},
      {"CLI11", std::regex(R"(CLI/.*)"), {"apps/cli"}, ""},
  };
  return list;
}

std::string join(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "nothing" : text;
}

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// "kardan/base" of kardan/base/eval.h; "kardan" of kardan/x.h.
std::string folder_of(const std::string& path) {
  const std::size_t top = path.find('/');
  const std::size_t second = top == std::string::npos ? top : path.find('/', top + 1);
  return path.substr(0, second == std::string::npos ? top : second);
}

/// The fault of one #include in a folder of the table, or an empty string.
std::string fault_of(const Include& include, const SourceFile& file, const Row& row) {
  if (include.name.empty()) return "includes by a macro; write the name of the header";
  for (const Library& library : libraries()) {
    if (!std::regex_match(include.name, library.header)) continue;
    if (contains(library.seen_by, row.folder)) return "";
    const std::string rule = library.seen_by.empty()
                                 ? library.reason
                                 : "only " + join(library.seen_by) + " may include " + library.name;
    return "includes <" + include.name + ">, " + library.name + "; " + rule;
  }

  const std::string path = path_of(include, file);
  if (path.empty()) return "";
  const std::string target = folder_of(path);
  if (target == row.folder) return "";
  Names folders = row.may_include;
  if (contains(folders, target)) return "";
  folders.insert(folders.begin(), row.folder);
  return "includes \"" + include.name + "\" of " + target + "; " + row.folder +
         " may include only " + join(folders);
}

bool has_pragma_once(const std::vector<std::string>& lines) {
  static const std::regex pragma_once(R"(^\s*#\s*pragma\s+once\b.*)");
  return std::any_of(lines.begin(), lines.end(),
                     [](const std::string& line) { return std::regex_match(line, pragma_once); });
}

}  // namespace

std::vector<std::string> include_faults(const SourceFile& file) {
  std::vector<std::string> faults;
  const auto add = [&](std::size_t line, const std::string& what) {
    faults.push_back(file.path + ":" + std::to_string(line) + ": " + what);
  };
  const std::vector<std::string> lines = lines_of(file.text);
  if (file.path.ends_with(".h") && !has_pragma_once(lines)) add(1, "has no #pragma once");

  const auto row = std::find_if(include_table().begin(), include_table().end(),
                                [&](const Row& r) { return r.folder == folder_of(file.path); });
  if (row == include_table().end()) {
    add(1, "is in '" + folder_of(file.path) +
               "', which has no row in the include table (tests/repository/include_table.cpp)");
    return faults;
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::optional<Include> include = included(lines[i]);
    if (!include) continue;
    if (const std::string fault = fault_of(*include, file, *row); !fault.empty()) add(i + 1, fault);
  }
  return faults;
}

}  // namespace kardan::repository
