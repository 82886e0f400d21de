/// Stored results: told again they are the same, and nothing foreign or damaged is interpreted.

#include "kardan/io/stored_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "kardan/io/result_writer.h"
#include "kardan/io/simulate_options.h"
#include "support/models.h"

namespace kardan {
namespace {

using testing::HasSubstr;

std::string scratch(const std::string& name) {
  return (std::filesystem::path(testing::TempDir()) / name).string();
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs a shipped model into files; the certificate.
Json run_into(const std::string& name, double t_end, const std::vector<std::string>& paths) {
  const Model model = test::shipped(name);
  Diagnostics diagnostics;
  Prepared p = prepare(model, {}, diagnostics);
  SimulateOptions options;
  options.t_end = t_end;
  options.every = t_end / 40;
  options.driver.tolerance = 1e-5;
  ResultWriter writer(model, {}, p, options, paths, {}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
  const RunReport report = simulate(p, options, {writer.grid(), {}, writer.steps()}, diagnostics);
  const Instant end{&p.start.state, &p.start.a, &p.start.lambda};
  writer.end(report, end);
  return to_json(*p.system, report, end);
}

TEST(StoredResult, ToldAgainGivesTheSameFiles) {
  for (const char* name : {"hmmwv", "andrews", "bouncing_balls", "sleigh_equations", "bricard"}) {
    SCOPED_TRACE(name);
    const std::string h5 = scratch("told.h5");
    const std::vector<std::string> direct{scratch("direct.csv"), scratch("direct.json"),
                                          scratch("direct.html")};
    const std::vector<std::string> again{scratch("again.csv"), scratch("again.json"),
                                         scratch("again.html")};
    std::vector<std::string> all = direct;
    all.push_back(h5);
    run_into(name, 0.05, all);
    Diagnostics diagnostics;
    const auto stored = StoredResult::open(h5, diagnostics);
    ASSERT_TRUE(stored) << format(diagnostics);
    EXPECT_TRUE(stored->complete());
    EXPECT_EQ(stored->rows(), 41u);
    const auto sinks = open_results(again, {}, diagnostics);
    for (const auto& sink : sinks) EXPECT_TRUE(stored->replay(*sink, diagnostics));
    EXPECT_TRUE(diagnostics.empty()) << format(diagnostics);
    for (std::size_t i = 0; i < direct.size(); ++i) {
      EXPECT_GT(text_of(direct[i]).size(), 100u);
      EXPECT_TRUE(text_of(direct[i]) == text_of(again[i])) << direct[i];
      std::filesystem::remove(direct[i]);
      std::filesystem::remove(again[i]);
    }
    std::filesystem::remove(h5);
  }
}

TEST(StoredResult, HoldsAModelThatRunsToTheSameBits) {
  const std::string h5 = scratch("rerun.h5");
  const Json before = run_into("hmmwv", 0.6, {h5});
  Diagnostics diagnostics;
  const auto stored = StoredResult::open(h5, diagnostics);
  ASSERT_TRUE(stored);
  const auto model = read_model_text(stored->description().model, "stored", {}, diagnostics);
  ASSERT_TRUE(model) << format(diagnostics);
  std::filesystem::remove(h5);
  Prepared p = prepare(*model, {}, diagnostics);
  SimulateOptions options;
  read_simulate_options(model->simulate, p.system->blueprint().parameters,
                        MethodChoice::of_the_file, options, diagnostics);
  EXPECT_EQ(options.t_end, 0.6);
  EXPECT_EQ(options.driver.tolerance, 1e-5);
  const RunReport report = simulate(p, options, {}, {}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
  const Json after = to_json(*p.system, report, {&p.start.state, &p.start.a, &p.start.lambda});
  EXPECT_EQ(after.at("final"), before.at("final"));
  EXPECT_EQ(after.at("steps"), before.at("steps"));
}

std::string code_of(const std::string& bytes) {
  const std::string path = scratch("broken.h5");
  std::ofstream(path, std::ios::binary) << bytes;
  Diagnostics diagnostics;
  const auto stored = StoredResult::open(path, diagnostics);
  std::filesystem::remove(path);
  EXPECT_EQ(stored.has_value(), !diagnostics.has_errors());
  return diagnostics.empty() ? "" : diagnostics.all().front().code;
}

TEST(StoredResult, ThatIsForeignOrDamagedIsRefused) {
  const std::string h5 = scratch("whole.h5");
  run_into("pendulum", 0.5, {h5});
  const std::string whole = text_of(h5);
  std::filesystem::remove(h5);
  ASSERT_GT(whole.size(), 2000u);
  EXPECT_EQ(code_of(whole), "");
  EXPECT_EQ(code_of(""), "result.foreign");
  EXPECT_EQ(code_of("\x89HDF\r\n\x1a\n and so on"), "result.foreign");
  EXPECT_EQ(code_of("KARDAN RESULT 1\n"), "result.damaged");
  EXPECT_EQ(code_of("KARDAN RESULT 2\nstate complete\n"), "result.version");
  for (const std::size_t length :
       {std::size_t{100}, std::size_t{512}, whole.size() / 2, whole.size() - 1})
    EXPECT_EQ(code_of(whole.substr(0, length)), "result.damaged") << length;
  EXPECT_EQ(code_of(whole + "x"), "result.damaged");
  // One bit anywhere: in the words of the seal, in the structures of HDF5, in the data.
  test::Random random(7);
  const std::size_t words = whole.find('\0');
  for (int i = 0; i < 200; ++i) {
    const double share = 0.5 + 0.5 * random();
    std::size_t at = static_cast<std::size_t>(share * static_cast<double>(whole.size()));
    if (i < 50) at = static_cast<std::size_t>(share * static_cast<double>(words - 1));
    at = std::min(at, whole.size() - 1);
    if (at >= words && at < 512) continue;  // nothing stands there
    std::string broken = whole;
    broken[at] = static_cast<char>(broken[at] ^ (1 << i % 8));
    const std::string code = code_of(broken);
    EXPECT_TRUE(code == "result.damaged" || code == "result.foreign" || code == "result.version")
        << "byte " << at << ": " << code;
  }
}

TEST(StoredResult, IsReadByH5py) {
  for (const char* name : {"hmmwv", "bouncing_balls", "pendulum_equations"}) {
    const std::string h5 = scratch("python.h5"), csv = scratch("python.csv");
    run_into(name, 0.5, {h5, csv});
    const std::string command = "/usr/bin/python3 '" + source_folder() +
                                "/tests/io/read_every_dataset.py' '" + h5 + "' '" + csv + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << name;
    std::filesystem::remove(h5);
    std::filesystem::remove(csv);
  }
}

}  // namespace
}  // namespace kardan
