/// The documentation as a web site: built without a network, every link leads somewhere.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "support/places.h"

namespace kardan::docs {
namespace {

TEST(Site, BuildsStrictlyAndEveryLinkLeadsSomewhere) {
  std::string folder = (std::filesystem::temp_directory_path() / "kardan_site_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string build = "'" + source_folder() + "/tools/site' '" + folder + "'";
  EXPECT_EQ(std::system(build.c_str()), 0);
  const std::string check =
      "/usr/bin/python3 '" + source_folder() + "/tests/docs/check_site.py' '" + folder + "/site'";
  EXPECT_EQ(std::system(check.c_str()), 0);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace kardan::docs
