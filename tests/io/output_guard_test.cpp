/// Files are written only where that does no harm.

#include "kardan/io/output_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kardan/io/csv_result.h"

namespace kardan {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class OutputGuards : public testing::Test {
 protected:
  OutputGuards() {
    std::string name = (fs::temp_directory_path() / "kardan_guard_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~OutputGuards() override { fs::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string faults(const std::vector<std::string>& inputs,
                            const std::vector<Output>& outputs,
                            Overwrite overwrite = Overwrite::own_files) {
    Diagnostics found;
    const OutputGuard guard(inputs, outputs, overwrite, found);
    return format(found);
  }

  fs::path folder_;
};

TEST_F(OutputGuards, KnowFilesOfKardanByTheirContent) {
  const std::pair<Output, std::string> own[] = {
      {{"--out", "a.csv", OutputKind::result}, "time [s],b.x [m],energy.kinetic [J]\n0,1,2\n"},
      {{"--out", "x.csv", OutputKind::result, "time [s],x"}, "time [s],x\n0,1\n"},
      {{"--out", "a.json", OutputKind::result},
       "{\n  \"model\": \"m\",\n  \"reason\": \"finished\",\n  \"diagnosis\": \"\""},
      {{"--out", "a.h5", OutputKind::result}, "KARDAN RESULT 1\n"},
      {{"--out", "a.html", OutputKind::result}, "<html><title>Kardan report</title>"},
      {{"--log", "a.log", OutputKind::log}, std::string(log_header) + "1,2"},
      {{"--checkpoint", "a.kcp", OutputKind::checkpoint}, "KARDAN CHECKPOINT 3\n"},
      {{"--out", "a.svg", OutputKind::picture}, "<svg>\n<metadata>Kardan</metadata>"},
      {{"--out", "b.html", OutputKind::page}, "<meta name=\"generator\" content=\"Kardan\">"},
      {{"--out", "a.yaml", OutputKind::model}, std::string(model_header) + "kardan: 1\n"}};
  for (const auto& [output, text] : own) {
    Output wanted = output;
    wanted.path = file(output.path, text);
    EXPECT_EQ(faults({}, {wanted}), "") << output.path;
    file(output.path, "");
    EXPECT_EQ(faults({}, {wanted}), "") << output.path << ", empty";
    for (const char* other : {"notes", "time [s],force [N]\n0,1\n", "{}", "<html></html>"}) {
      file(output.path, other);
      EXPECT_THAT(faults({}, {wanted}), HasSubstr("output.foreign")) << output.path;
      EXPECT_EQ(faults({}, {wanted}, Overwrite::anything), "") << output.path;
    }
  }
}

TEST_F(OutputGuards, KeepWhatIsReadWhateverItsName) {
  const std::string model = file("m.yaml", "kardan: 1\n");
  fs::create_symlink("m.yaml", path("soft.log"));
  fs::create_hard_link(model, path("hard.log"));
  for (const std::string& name : {model, path("./m.yaml"), path("soft.log"), path("hard.log")})
    EXPECT_THAT(faults({model}, {{"--log", name, OutputKind::log}}, Overwrite::anything),
                HasSubstr("output.input"))
        << name;
}

TEST_F(OutputGuards, RefuseOneFileForTwo) {
  EXPECT_THAT(faults({}, {{"--out", path("a.csv"), OutputKind::result},
                          {"--checkpoint", path("a.csv"), OutputKind::checkpoint}}),
              HasSubstr("output.twice"));
  EXPECT_THAT(faults({}, {{"--checkpoint", path("a"), OutputKind::checkpoint},
                          {"--log", path("a.rows"), OutputKind::log}}),
              HasSubstr("output.twice"));
}

TEST_F(OutputGuards, ClaimFilesWhileTheyLive) {
  const Output output{"--out", path("a.csv"), OutputKind::result};
  Diagnostics found;
  {
    const OutputGuard first({}, {output}, Overwrite::own_files, found);
    EXPECT_TRUE(found.empty());
    EXPECT_THAT(faults({}, {output}), HasSubstr("output.busy"));
    EXPECT_THAT(faults({}, {output}, Overwrite::anything), HasSubstr("output.busy"));
  }
  EXPECT_EQ(faults({}, {output}), "");
  EXPECT_FALSE(fs::exists(output.path)) << "nothing was written";
}

TEST_F(OutputGuards, LetDevicesBeWrittenByAll) {
  const Output null{"--out", "/dev/null", OutputKind::log};
  EXPECT_EQ(faults({"/dev/null"}, {null, null}), "");
}

TEST(CsvCell, IsNoFormula) {
  for (const char* name : {"=1+1", "+x", "-x", "@x"})
    EXPECT_EQ(csv_cell(name), std::string("'") + name);
  EXPECT_EQ(csv_cell("arm.x [m]"), "arm.x [m]");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(csv_cell("a\nb"), "a\\x0ab");
}

}  // namespace
}  // namespace kardan
