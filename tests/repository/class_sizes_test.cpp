#include "repository/class_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "support/places.h"

namespace kardan::repository {
namespace {

using ::testing::ElementsAre;

/// Those that have more, and how many at most. There shall not be more than five.
const std::map<std::string, int> exceptions = {
    {"Descriptor", 41},      // one form for seven sets of equations
    {"SelectedMatrix", 39},  // the matrix of a step, its factors and room for both
    {"Workspace", 34},       // every value and derivative of the equations: data
    {"AutomaticWork", 26},   // the same of derivatives by dual numbers: data
};

TEST(ClassSizes, NoClassOfTheLibraryHasManyMembers) {
  EXPECT_LE(exceptions.size(), 5U);
  const std::vector<SourceFile> files = read_folder(source_folder(), "kardan", {".h", ".cpp"});
  ASSERT_FALSE(files.empty());
  int classes = 0;
  for (const SourceFile& file : files)
    for (const ClassSize& c : class_sizes(file.text)) {
      ++classes;
      const auto allowed = exceptions.find(c.name);
      EXPECT_LE(c.members, allowed == exceptions.end() ? most_members : allowed->second)
          << file.path << ": " << c.name
          << " has too many data members: give those that belong together a type of their own";
    }
  EXPECT_GT(classes, 500) << "they are found";
}

std::vector<std::string> sizes_in(const std::string& text) {
  std::vector<std::string> out;
  for (const ClassSize& c : class_sizes(text))
    out.push_back(c.name + " " + std::to_string(c.members));
  return out;
}

TEST(ClassSizes, CountDataMembersAlone) {
  EXPECT_THAT(sizes_in(R"(
    // struct Comment { int x; };
    enum class Kind { a, b };
    struct Forward;
    struct Plain { int a = 0, b{}; std::map<int, double> m = {{1, 2.0}}; double c[2]; };
    class Guarded final : public Plain {
     public:
      explicit Guarded(int x) : x_(x) { int local = 0; (void)local; }
      int get() const { return x_; }
      virtual void hook(double) = 0;
      static constexpr int constant = 3;
      using Name = std::string;
      bool operator==(const Guarded&) const = default;
     private:
      friend class Other;
      enum class Own { x, y } own_ = Own::x;
      struct Inner { int deep; } inner_;
      int x_;
      const Plain& of_;
      std::function<void(int, double)> call_ = {};
      void (*pointer_)(int) = nullptr;
    };
    template <class T> struct Pair { T first, second; };
    int function() { struct Local { int only; }; return 0; }
  )"),
              ElementsAre("Plain 4", "Guarded::Inner 1", "Guarded 6", "Pair 2", "Local 1"));
}

}  // namespace
}  // namespace kardan::repository
