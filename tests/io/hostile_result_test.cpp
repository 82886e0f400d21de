/// Results that strangers made, with a seal that fits (tests/attack/hostile_results.py): each is
/// refused, and its reader does nothing else. Under sanitizers this is the test of the readers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kardan/io/load.h"
#include "kardan/io/result_writer.h"
#include "kardan/io/stored_result.h"
#include "support/models.h"
#include "support/places.h"
#include "support/process.h"

namespace kardan {
namespace {

namespace fs = std::filesystem;

void run_into(const std::string& path) {
  const Model model = test::shipped("pendulum");
  Diagnostics diagnostics;
  Prepared p = prepare(model, {}, diagnostics);
  SimulateOptions options;
  options.t_end = 0.5;
  options.every = 0.0125;
  ResultWriter writer(model, {}, p, options, {path}, {}, diagnostics);
  const RunReport report = simulate(p, options, {writer.grid(), {}, writer.steps()}, diagnostics);
  writer.end(report, {&p.start.state, &p.start.a, &p.start.lambda});
  ASSERT_FALSE(diagnostics.has_errors()) << format(diagnostics);
}

/// Whether everything that reads a result gets through it.
bool is_read(const std::string& path, Diagnostics& faults) {
  const auto stored = StoredResult::open(path, faults);
  if (!stored) return false;
  for (const char* format : {".csv", ".json", ".html", ".copy.h5"}) {
    const std::string out = path + format;
    const auto sinks = open_results({out}, {}, faults);
    EXPECT_EQ(sinks.size(), 1u);
    const bool told = stored->replay(*sinks.front(), faults);
    EXPECT_THAT(test::read_all(out), testing::Not(testing::HasSubstr("secret 4711"))) << path;
    if (!told) return false;
  }
  return true;
}

TEST(HostileResult, IsRefusedWithTheReason) {
  const test::TemporaryFolder folder;
  const std::string base = folder.file("base.h5");
  run_into(base);
  Diagnostics good;
  ASSERT_TRUE(is_read(base, good)) << format(good);
  const std::string command = "/usr/bin/python3 -B '" + source_folder() +
                              "/tests/attack/hostile_results.py' '" + base + "' '" + folder.path() +
                              "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const Json list = Json::parse(std::ifstream(folder.file("hostile.json")));
  ASSERT_GT(list.size(), 60u);
  for (const Json& one : list) {
    SCOPED_TRACE(one.at("name").get<std::string>());
    const std::string path = one.at("path");
    Diagnostics faults;
    if (one.at("command") == "view") {
      EXPECT_FALSE(is_read(path, faults));
    } else {
      const auto stored = StoredResult::open(path, faults);
      ASSERT_TRUE(stored) << format(faults);
      EXPECT_FALSE(
          load_model_text(stored->description().model, path, {}, IncludeFrom::nowhere, faults));
    }
    EXPECT_TRUE(faults.has_errors());
    EXPECT_THAT(format(faults), testing::Not(testing::HasSubstr("secret 4711")));
  }
}

}  // namespace
}  // namespace kardan
