#pragma once
/// A program that steps FMUs, as small as one can be: unpacked to a folder, loaded, functions by
/// name.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdarg>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "kardan/io/zip_file.h"
#include "support/process.h"

namespace kardan::fmi {

namespace fs = std::filesystem;

inline void write_all(const fs::path& file, const std::string& bytes) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
}

/// An FMU that `kardan export` has written of a model file, unpacked.
class Exported {
 public:
  Exported(const std::string& model, int version, const std::vector<std::string>& options = {})
      : version_(version) {
    const std::string file = folder_.file("m.fmu");
    std::vector<std::string> command{"export", model, "--fmi", std::to_string(version),
                                     "--out",  file};
    command.insert(command.end(), options.begin(), options.end());
    const test::Output ran = test::run_kardan(command);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    archive = test::read_all(file);
    auto entries = unzip(archive);
    if (!entries) throw std::runtime_error(entries.error() + ": " + ran.err);
    for (const ZipEntry& e : *entries) write_all(path() / e.name, e.bytes);
    description = test::read_all((path() / "modelDescription.xml").string());
  }

  /// With a space in it.
  fs::path path() const { return fs::path(folder_.path()) / "an FMU"; }
  std::string token() const {
    return match(version_ == 2 ? "guid=\"([^\"]*)\"" : "instantiationToken=\"([^\"]*)\"");
  }
  std::string library() const {
    return (path() / "binaries" / (version_ == 2 ? "linux64" : "x86_64-linux") /
            (match("modelIdentifier=\"([^\"]*)\"") + ".so"))
        .string();
  }
  /// The way to the resources as a URI, with what must be coded in it.
  std::string resources() const {
    std::string out = "file://";
    for (const char c : (path() / "resources").string())
      out += c == ' ' ? std::string("%20") : std::string(1, c);
    return out;
  }
  unsigned reference(const std::string& name) const {
    const std::string quoted = std::regex_replace(name, std::regex(R"([.\[\]()])"), "\\$&");
    const std::string found = match("name=\"" + quoted + "\" valueReference=\"([0-9]+)\"");
    EXPECT_NE(found, "") << name;
    return found.empty() ? 0 : static_cast<unsigned>(std::stoul(found));
  }

  std::string archive, description;

 private:
  std::string match(const std::string& expression) const {
    std::smatch found;
    return std::regex_search(description, found, std::regex(expression)) ? found[1].str() : "";
  }

  int version_;
  test::TemporaryFolder folder_;
};

/// A library that is loaded; functions are called by name with the types of the arguments given.
class Library {
 public:
  explicit Library(const std::string& file) : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    EXPECT_TRUE(handle_) << dlerror();
  }
  ~Library() { dlclose(handle_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  template <class Result, class... Arguments>
  Result call(const char* name, Arguments... arguments) const {
    const auto f = reinterpret_cast<Result (*)(Arguments...)>(dlsym(handle_, name));
    if (!f) ADD_FAILURE() << name;
    return f ? f(arguments...) : Result();
  }
  bool has(const std::string& name) const { return dlsym(handle_, name.c_str()) != nullptr; }

 private:
  void* handle_;
};

}  // namespace kardan::fmi
