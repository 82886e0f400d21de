#include "repository/component_cycles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/places.h"

namespace kardan::repository {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Components, DependOnNoneThatDependsOnThem) {
  const std::vector<std::string> cpp_files = {".h", ".cpp", ".inl"};
  std::vector<SourceFile> files = read_folder(source_folder(), "kardan", cpp_files);
  ASSERT_FALSE(files.empty()) << "no sources found below " << source_folder();
  std::ranges::move(read_folder(source_folder(), "apps", cpp_files), std::back_inserter(files));
  for (const std::string& fault : component_cycles(files)) ADD_FAILURE() << fault;
}

// The checker itself, on planted faults.

TEST(Components, AreAHeaderAndItsSourceTogether) {
  // No header includes the other, but the source of one does.
  EXPECT_THAT(component_cycles({{"kardan/a/one.cpp",
                                 "#include \"kardan/a/one.h\"\n#include \"kardan/a/two.h\"\n"},
                                {"kardan/a/one.h", "#pragma once\n"},
                                {"kardan/a/two.h", "\n\n#include \"kardan/a/one.h\"\n"}}),
              ElementsAre("kardan/a/one -> kardan/a/two (kardan/a/one.cpp:2) -> kardan/a/one "
                          "(kardan/a/two.h:3)"));
}

TEST(Components, AreFollowedAroundLongCircles) {
  const std::vector<SourceFile> chain = {{"kardan/a/one.h", "#include \"kardan/a/two.h\"\n"},
                                         {"kardan/a/two.h", "#include \"three.h\"\n"},
                                         {"kardan/a/three.h", "#include <vector>\n"},
                                         {"kardan/a/four.cpp", "#include \"kardan/a/one.h\"\n"}};
  EXPECT_THAT(component_cycles(chain), IsEmpty());
  std::vector<SourceFile> circle = chain;
  circle.push_back({"kardan/a/three.cpp", "#include \"kardan/a/four.h\"\n"});
  circle.push_back({"kardan/a/four.h", "#pragma once\n"});
  EXPECT_THAT(component_cycles(circle),
              ElementsAre("kardan/a/four -> kardan/a/one (kardan/a/four.cpp:1) -> kardan/a/two "
                          "(kardan/a/one.h:1) -> kardan/a/three (kardan/a/two.h:1) -> "
                          "kardan/a/four (kardan/a/three.cpp:1)"));
}

TEST(Components, OfTwoCirclesAreToldApart) {
  EXPECT_THAT(component_cycles({{"kardan/a/one.h", "#include \"kardan/a/two.h\"\n"},
                                {"kardan/a/two.cpp", "#include \"kardan/a/one.h\"\n"},
                                {"kardan/a/two.h", ""},
                                {"kardan/b/one.h", "#include \"kardan/b/two.h\"\n"},
                                {"kardan/b/two.cpp", "#include \"kardan/b/one.h\"\n"},
                                {"kardan/b/two.h", "#include \"kardan/a/one.h\"\n"}}),
              ::testing::SizeIs(2));
}

}  // namespace
}  // namespace kardan::repository
