/// No interface answers for those who forget to: a virtual function is pure, or not virtual. What
/// can be absent is absent by type.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "repository/source_tree.h"
#include "support/places.h"

namespace kardan::repository {
namespace {

/// Virtual functions that have a body where they are declared, or none anywhere, but destructors.
std::vector<std::string> defaults_in(const std::string& text) {
  static const std::regex comment("//[^\n]*"), declaration("\\bvirtual\\b([^;{]*)([;{])"),
      pure("=\\s*0\\s*$"), spaces("\\s+");
  const std::string code = std::regex_replace(text, comment, "");
  std::vector<std::string> out;
  for (auto m = std::sregex_iterator(code.begin(), code.end(), declaration);
       m != std::sregex_iterator(); ++m) {
    const std::string declared = (*m)[1];
    if (declared.find('~') != std::string::npos) continue;
    if ((*m)[2] == ";" && std::regex_search(declared, pure)) continue;
    out.push_back(std::regex_replace(declared, spaces, " "));
  }
  return out;
}

TEST(InterfaceDefaults, ThereAreNone) {
  int files = 0;
  for (const char* folder :
       {"kardan", "apps/cli", "apps/console", "apps/pictures", "apps/reproduce", "apps/python"})
    for (const SourceFile& file : read_folder(source_folder(), folder, {".h", ".cpp"})) {
      ++files;
      EXPECT_THAT(defaults_in(file.text), testing::IsEmpty()) << file.path;
    }
  EXPECT_GT(files, 400) << "they are found";
}

TEST(InterfaceDefaults, AreFoundWhateverTheyAnswer) {
  EXPECT_THAT(defaults_in("class A { virtual ~A() = default; virtual int f() const = 0;\n"
                          "  // virtual int g() { return 0; }\n};"),
              testing::IsEmpty());
  EXPECT_THAT(defaults_in("virtual void f(int /*x*/) const {}"),
              testing::ElementsAre(" void f(int /*x*/) const "));
  EXPECT_THAT(defaults_in("virtual bool f()\n  const { return false; }"),
              testing::ElementsAre(" bool f() const "));
  EXPECT_THAT(defaults_in("virtual int f();"), testing::ElementsAre(" int f()"));
}

}  // namespace
}  // namespace kardan::repository
