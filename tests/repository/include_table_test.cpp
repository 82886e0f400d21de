#include "repository/include_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/places.h"

namespace kardan::repository {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::vector<std::string> cpp_files = {".h", ".cpp", ".inl"};

std::vector<std::string> faults(const std::string& path, const std::string& text) {
  return include_faults({path, text});
}

TEST(IncludeTable, HoldsForEveryFileOfTheLibraryAndTheApplications) {
  std::vector<SourceFile> files = read_folder(source_folder(), "kardan", cpp_files);
  ASSERT_FALSE(files.empty()) << "no sources found below " << source_folder();
  std::ranges::move(read_folder(source_folder(), "apps", cpp_files), std::back_inserter(files));
  for (const SourceFile& file : files) {
    for (const std::string& fault : include_faults(file)) ADD_FAILURE() << fault;
  }
}

// The checker itself, on planted faults.

TEST(IncludeTable, NamesFileLineAndWhatTheFolderMayInclude) {
  EXPECT_THAT(faults("kardan/system/planted.cpp",
                     "#include <vector>\n\n#include \"kardan/formulation/index.h\"\n"),
              ElementsAre("kardan/system/planted.cpp:3: includes \"kardan/formulation/index.h\" of "
                          "kardan/formulation; kardan/system may include only kardan/system, "
                          "kardan/base, kardan/linalg, kardan/elements, kardan/model"));
}

TEST(IncludeTable, RefusesEveryPairOfFoldersNotInTheTable) {
  const std::vector<std::string> folders = {"base",   "linalg",    "elements",    "model",
                                            "system", "integrate", "formulation", "run",
                                            "io",     "study"};
  const std::vector<std::pair<std::string, std::string>> allowed = {{"linalg", "base"},
                                                                    {"elements", "base"},
                                                                    {"model", "base"},
                                                                    {"model", "elements"},
                                                                    {"system", "base"},
                                                                    {"system", "linalg"},
                                                                    {"system", "elements"},
                                                                    {"system", "model"},
                                                                    {"integrate", "base"},
                                                                    {"integrate", "linalg"},
                                                                    {"formulation", "base"},
                                                                    {"formulation", "linalg"},
                                                                    {"formulation", "system"},
                                                                    {"formulation", "integrate"},
                                                                    {"run", "base"},
                                                                    {"run", "model"},
                                                                    {"run", "system"},
                                                                    {"run", "formulation"},
                                                                    {"run", "integrate"},
                                                                    {"io", "base"},
                                                                    {"io", "elements"},
                                                                    {"io", "model"},
                                                                    {"io", "run"},
                                                                    {"study", "base"},
                                                                    {"study", "elements"},
                                                                    {"study", "model"},
                                                                    {"study", "run"},
                                                                    {"study", "io"}};
  for (const std::string& from : folders) {
    for (const std::string& to : folders) {
      const bool expected = from == to || std::ranges::count(allowed, std::pair(from, to)) == 1;
      const bool accepted =
          faults("kardan/" + from + "/planted.cpp", "#include \"kardan/" + to + "/x.h\"\n").empty();
      EXPECT_EQ(accepted, expected) << from << " includes " << to;
    }
  }
}

TEST(IncludeTable, SeesThroughRelativePathsAndAngleBracketsAndSpaces) {
  EXPECT_THAT(faults("kardan/base/planted.cpp", "#include \"../linalg/dense.h\"\n"),
              ElementsAre(HasSubstr("of kardan/linalg;")));
  EXPECT_THAT(faults("kardan/base/planted.cpp", "  #  include <kardan/linalg/dense.h>\n"),
              ElementsAre(HasSubstr("of kardan/linalg;")));
  EXPECT_THAT(faults("kardan/base/planted.cpp", "#include PLANTED\n"),
              ElementsAre(HasSubstr("by a macro")));
  EXPECT_THAT(faults("kardan/base/planted.cpp", "#include \"eval.h\"\n"), IsEmpty());
}

TEST(IncludeTable, ShowsEigenAndSuiteSparseOnlyToLinalg) {
  for (const std::string header :
       {"Eigen/Dense", "eigen3/Eigen/Core", "unsupported/Eigen/MatrixFunctions", "klu.h",
        "suitesparse/klu.h"}) {
    const std::string text = "#include <" + header + ">\n";
    EXPECT_THAT(faults("kardan/linalg/planted.cpp", text), IsEmpty());
    EXPECT_THAT(faults("kardan/integrate/planted.cpp", text),
                ElementsAre(AllOf(StartsWith("kardan/integrate/planted.cpp:1: "),
                                  HasSubstr("only kardan/linalg may include"))));
    EXPECT_THAT(faults("apps/cli/planted.cpp", text), ::testing::SizeIs(1));
    EXPECT_THAT(faults("kardan/base/planted.cpp", "#include \"" + header + "\"\n"),
                ::testing::SizeIs(1));
  }
}

TEST(IncludeTable, ShowsSundialsOnlyToIntegrate) {
  for (const std::string header :
       {"cvode/cvode.h", "nvector/nvector_serial.h", "sunlinsol/sunlinsol_dense.h"}) {
    const std::string text = "#include <" + header + ">\n";
    EXPECT_THAT(faults("kardan/integrate/planted.cpp", text), IsEmpty());
    for (const std::string path : {"kardan/run/planted.cpp", "kardan/formulation/planted.cpp"})
      EXPECT_THAT(faults(path, text),
                  ElementsAre(HasSubstr("only kardan/integrate may include SUNDIALS")));
  }
}

TEST(IncludeTable, ShowsGplLibrariesToNobody) {
  for (const std::string header : {"umfpack.h", "suitesparse/cholmod.h", "Eigen/SPQRSupport"}) {
    EXPECT_THAT(faults("kardan/linalg/planted.cpp", "#include <" + header + ">\n"),
                ElementsAre(HasSubstr("no GPL library is linked")));
  }
}

TEST(IncludeTable, ShowsYamlOnlyToIoAndJsonOnlyToIoAndApplications) {
  const std::string yaml = "#include <yaml-cpp/yaml.h>\n";
  EXPECT_THAT(faults("kardan/io/planted.cpp", yaml), IsEmpty());
  EXPECT_THAT(faults("kardan/model/planted.cpp", yaml), ::testing::SizeIs(1));
  EXPECT_THAT(faults("apps/cli/planted.cpp", yaml), ::testing::SizeIs(1));

  const std::string json = "#include <nlohmann/json.hpp>\n";
  EXPECT_THAT(faults("kardan/io/planted.cpp", json), IsEmpty());
  EXPECT_THAT(faults("apps/cli/planted.cpp", json), IsEmpty());
  EXPECT_THAT(
      faults("kardan/run/planted.cpp", json),
      ElementsAre(HasSubstr("only kardan/io, apps/cli, apps/python may include nlohmann/json")));
}

TEST(IncludeTable, KeepsApplicationsOutOfTheLibrary) {
  EXPECT_THAT(faults("apps/cli/planted.cpp",
                     "#include \"apps/cli/print.h\"\n#include \"kardan/io/reader.h\"\n"),
              IsEmpty());
  EXPECT_THAT(faults("kardan/io/planted.cpp", "#include \"apps/cli/print.h\"\n"),
              ElementsAre(HasSubstr("of apps/cli;")));
  EXPECT_THAT(faults("apps/pictures/planted.cpp", "#include \"apps/cli/print.h\"\n"),
              ElementsAre(HasSubstr("apps/pictures may include only apps/pictures")));
}

TEST(IncludeTable, RefusesAFolderWithoutARow) {
  EXPECT_THAT(faults("kardan/extras/planted.cpp", ""), ElementsAre(HasSubstr("has no row")));
  EXPECT_THAT(faults("kardan/planted.cpp", ""), ElementsAre(HasSubstr("has no row")));
}

TEST(IncludeTable, WantsPragmaOnceInEveryHeader) {
  EXPECT_THAT(faults("kardan/base/planted.h", "namespace kardan {}\n"),
              ElementsAre("kardan/base/planted.h:1: has no #pragma once"));
  EXPECT_THAT(faults("kardan/base/planted.h", "// #pragma once\n"), ::testing::SizeIs(1));
  EXPECT_THAT(faults("kardan/base/planted.h", "#pragma once\n"), IsEmpty());
  EXPECT_THAT(faults("kardan/base/planted.cpp", ""), IsEmpty());
}

}  // namespace
}  // namespace kardan::repository
