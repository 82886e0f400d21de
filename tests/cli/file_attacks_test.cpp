/// Attacks by files on the built program (tests/attack/files.py): each is held.

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/places.h"

namespace kardan::test {
namespace {

class FileAttacks : public testing::TestWithParam<const char*> {};

TEST_P(FileAttacks, AreHeld) {
  const std::string command = "/usr/bin/python3 -B '" + source_folder() +
                              "/tests/attack/files.py' '" + built_program() + "' '" + GetParam() +
                              "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

INSTANTIATE_TEST_SUITE_P(All, FileAttacks,
                         testing::Values("hostile results", "damaged results of unfinished runs",
                                         "hostile checkpoints", "a link beside a checkpoint",
                                         "includes that leave the folder",
                                         "pipes and devices as files",
                                         "references that lack something", "subnormal numbers",
                                         "pages that could run scripts"),
                         [](const auto& attack) {
                           std::string name = attack.param;
                           for (char& c : name)
                             if (c == ' ') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace kardan::test
