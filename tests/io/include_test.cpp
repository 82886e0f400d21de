#include "kardan/io/include.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "io/reading.h"
#include "kardan/io/load.h"
#include "kardan/model/resolve.h"
#include "support/places.h"

namespace kardan {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

const std::string folder = test_data() + "/includes/";

TEST(Include, JoinsSectionsAndLetsTheIncludingFileReplaceParameters) {
  Diagnostics diagnostics;
  const auto model = read_model_file(folder + "model.yaml", {}, diagnostics);
  ASSERT_TRUE(model) << format(diagnostics);
  ASSERT_EQ(model->bodies.size(), 2u) << "the track is included twice and read once";
  EXPECT_EQ(model->bodies[0].name, "cart");
  EXPECT_THAT(model->bodies[0].where.file, HasSubstr("parts/cart.yaml"));
  EXPECT_EQ(model->elements.size(), 2u);
  const Blueprint b = resolve(*model, Catalog::builtin(), {}, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << format(diagnostics);
  EXPECT_EQ(b.bodies[1].mass, 3);
  EXPECT_EQ(b.bodies[2].position.x, 0.5);
}

TEST(Include, TellsFaultsInTheFileTheyStandIn) {
  Diagnostics diagnostics;
  EXPECT_FALSE(load_model(folder + "faulty.yaml", {}, IncludeFrom::model_folder, diagnostics));
  std::vector<std::string> told;
  for (const Diagnostic& d : diagnostics.all())
    told.push_back(std::filesystem::path(d.where.file.str()).filename().string() + ":" +
                   std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + " " +
                   d.code);
  EXPECT_THAT(
      told, UnorderedElementsAre("faulty_part.yaml:2:14 key.unknown",
                                 "cycle_back.yaml:1:10 include.cycle", "faulty.yaml:2:53 file.open",
                                 "faulty.yaml:2:67 include.path", "faulty.yaml:4:3 name.duplicate"))
      << format(diagnostics);
}

TEST(Include, RefusesTwoFilesThatContradictEachOther) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read_model_file(folder + "conflict.yaml", {}, diagnostics));
  EXPECT_EQ(only(diagnostics), "1:14 include.conflict");
}

TEST(Include, LeavesTheFolderOnlyWhereAllowed) {
  const std::string text = "kardan: 1\ninclude: ../includes/parts/track.yaml\nbodies: {a: {}}\n";
  Diagnostics refused, allowed, absolute;
  EXPECT_FALSE(read_model_text(text, folder + "parts/m.yaml", {}, refused));
  EXPECT_EQ(only(refused), "2:10 include.path") << "of the folder of this model, parts/";
  EXPECT_TRUE(read_model_text("kardan: 1\ninclude: ../parts/track.yaml\nbodies: {a: {}}\n",
                              folder + "parts/m.yaml", {}, allowed))
      << "which comes back to the folder: " << format(allowed);
  const std::string path = std::filesystem::absolute(folder + "parts/track.yaml");
  EXPECT_FALSE(
      read_model_text("kardan: 1\ninclude: " + path + "\n", folder + "m.yaml", {}, absolute));
  EXPECT_EQ(only(absolute), "2:10 include.path");
  Diagnostics anywhere;
  EXPECT_TRUE(read_model_text("kardan: 1\ninclude: " + path + "\n", "m.yaml", {}, anywhere,
                              IncludeFrom::anywhere))
      << format(anywhere);
}

TEST(Include, DoesNotFollowLinksOutOfTheFolder) {
  namespace fs = std::filesystem;
  const fs::path place = fs::path(testing::TempDir()) / "kardan_include_links";
  fs::remove_all(place);
  fs::create_directories(place / "model");
  std::ofstream(place / "secret.yaml") << "parameters: {a: 1}\n";
  fs::create_symlink(place / "secret.yaml", place / "model" / "part.yaml");
  Diagnostics diagnostics;
  EXPECT_FALSE(read_model_text("kardan: 1\ninclude: part.yaml\n",
                               (place / "model" / "m.yaml").string(), {}, diagnostics));
  EXPECT_EQ(only(diagnostics), "2:10 include.path");
  fs::remove_all(place);
}

TEST(Include, EndsAfterAThousandFiles) {
  namespace fs = std::filesystem;
  const fs::path place = fs::path(testing::TempDir()) / "kardan_include_many";
  fs::create_directories(place);
  std::string list;
  for (int i = 0; i < 1001; ++i) {
    const std::string name = fmt::format("p{}.yaml", i);
    std::ofstream(place / name) << "parameters: {a" << i << ": 1}\n";
    list += fmt::format("{}{}", i ? ", " : "", name);
  }
  Diagnostics diagnostics;
  EXPECT_FALSE(read_model_text("kardan: 1\ninclude: [" + list + "]\n", (place / "m.yaml").string(),
                               {}, diagnostics));
  EXPECT_TRUE(
      has(diagnostics, "2:" + std::to_string(11 + list.find("p999.yaml")) + " include.too_many"))
      << format(diagnostics).substr(0, 300);
  fs::remove_all(place);
}

}  // namespace
}  // namespace kardan
