/// What FMUs say of themselves, and their archives.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "fmi/caller.h"
#include "kardan/io/zip_file.h"
#include "support/places.h"

namespace kardan::fmi {
namespace {

using testing::HasSubstr;

TEST(FmuDescription, IsValidByTheSchemasOfTheStandard) {
  for (const int version : {2, 3})
    for (const char* model : {"hmmwv.yaml", "pendulum_equations.yaml", "bouncing_balls.yaml"}) {
      const Exported fmu(models_folder() + "/" + model, version, {"--method", "rn4"});
      const std::string command = "xmllint --noout --nonet --schema '" + source_folder() +
                                  "/tests/fmi/schema/fmi" + std::to_string(version) + "/fmi" +
                                  std::to_string(version) + "ModelDescription.xsd' '" +
                                  (fmu.path() / "modelDescription.xml").string() + "' 2>&1";
      EXPECT_EQ(std::system(command.c_str()), 0) << model << "\n" << fmu.description;
    }
}

TEST(FmuDescription, ParametersThatDecideWhatIsThereAreNoVariables) {
  const Exported fmu(models_folder() + "/chain.yaml", 2, {"--method", "rn4"});
  EXPECT_EQ(fmu.description.find("name=\"N\" valueReference"), std::string::npos);
  EXPECT_THAT(fmu.description, HasSubstr("causality=\"parameter\""));
}

TEST(FmuDescription, TheSameModelGivesTheSameBytes) {
  const std::string model = models_folder() + "/pendulum.yaml";
  EXPECT_EQ(Exported(model, 2).archive, Exported(model, 2).archive);
}

std::vector<ZipEntry> entries() {
  std::vector<ZipEntry> out{{"a.txt", "once upon a time"}, {"b/c.bin", ""}};
  std::string long_text;
  for (int i = 0; i < 2000; ++i) long_text += "again and again ";
  out.push_back({"b/d.txt", long_text});
  return out;
}

TEST(ZipFile, GivesBackWhatWasPutIn) {
  const std::string archive = zip(entries());
  EXPECT_LT(archive.size(), 1000U);
  const auto back = unzip(archive);
  ASSERT_TRUE(back) << back.error();
  ASSERT_EQ(back->size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ((*back)[i].name, entries()[i].name);
    EXPECT_EQ((*back)[i].bytes, entries()[i].bytes);
  }
}

TEST(ZipFile, OtherProgramsReadIt) {
  const test::TemporaryFolder folder;
  write_all(folder.file("x.zip"), zip(entries()));
  const std::string command = "/usr/bin/python3 -m zipfile -t '" + folder.file("x.zip") + "' > '" +
                              folder.file("said") + "' 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(test::read_all(folder.file("said")), "Done testing\n");
}

TEST(ZipFile, ArchivesThatAreBrokenAreRefused) {
  const std::string good = zip(entries());
  int refused = 0;
  // Cut, and with bytes changed that the checksums or the directory hold.
  for (std::size_t size = 0; size < good.size(); size += 1 + good.size() / 60) {
    EXPECT_FALSE(unzip(good.substr(0, size))) << size;
    ++refused;
  }
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string bad = good;
    for (int k = 0; k < 4; ++k) bad[random() % bad.size()] = static_cast<char>(random());
    // Whatever comes back is what was put in: names and times are all that no checksum holds.
    const auto back = unzip(bad);
    if (!back) {
      ++refused;
      continue;
    }
    for (const ZipEntry& e : *back) {
      bool known = false;
      for (const ZipEntry& own : entries()) known = known || own.bytes == e.bytes;
      EXPECT_TRUE(known);
    }
  }
  EXPECT_GE(refused, 1000);
}

TEST(ZipFile, NothingLeadsOutOfItsFolder) {
  for (const char* name : {"../x", "/etc/x", "a/../../x", "a//b", "./x", "a\\..\\x", "C:/x", ""}) {
    const auto back = unzip(zip({{name, "bytes"}}));
    ASSERT_FALSE(back) << name;
    EXPECT_THAT(back.error(), HasSubstr("leads out of its folder"));
  }
  EXPECT_THAT(unzip(zip({{"x", "1"}, {"x", "2"}})).error(), HasSubstr("two entries 'x'"));
}

TEST(ZipFile, SmallArchivesOfHugeFilesAreRefused) {
  const std::string archive = zip({{"x", std::string(20'000'000, 'x')}});
  EXPECT_LT(archive.size(), 50'000U);
  EXPECT_THAT(unzip(archive, {.entries = 10, .bytes = 1'000'000}).error(),
              HasSubstr("larger than 1000000 bytes"));
  EXPECT_THAT(unzip(zip(entries()), {.entries = 2}).error(), HasSubstr("3 entries"));
}

}  // namespace
}  // namespace kardan::fmi
