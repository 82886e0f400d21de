/// Tables in files of comma-separated values.

#include "kardan/io/table_file.h"

#include <fstream>

#include "io/reading.h"
#include "kardan/io/load.h"
#include "kardan/io/yaml_writer.h"
#include "kardan/model/resolve.h"
#include "support/process.h"

namespace kardan {
namespace {

class Folder {
 public:
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.file(name)) << text;
  }
  Reading load(const std::string& functions) const {
    put("m.yaml",
        "kardan: 1\nfunctions: " + functions + "\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n");
    Reading r;
    r.model = read_model_file(folder_.file("m.yaml"), {}, r.diagnostics, IncludeFrom::model_folder);
    return r;
  }
  double value(const std::string& functions, double t) const {
    Reading r = load(functions);
    EXPECT_TRUE(r.model) << format(r.diagnostics);
    if (!r.model) return 0;
    const Blueprint b = resolve(*r.model, Catalog::builtin(), {}, r.diagnostics);
    EXPECT_FALSE(r.diagnostics.has_errors()) << format(r.diagnostics);
    const auto f = b.parameters.function("f");
    return f ? f->at(t).value : 0;
  }

 private:
  test::TemporaryFolder folder_;
};

TEST(TableFile, OfTwoColumnsNeedsNoNames) {
  const Folder folder;
  folder.put("a.csv", "0,1\n# a comment\n\n2,5\r\n");
  EXPECT_EQ(folder.value("{f: {file: a.csv, interpolation: linear}}", 1), 3);
}

TEST(TableFile, ColumnsAreChosenByNameAndHaveUnits) {
  const Folder folder;
  folder.put("b.csv", "time [ms],\"load [kN]\",way [mm]\n0,0,0\n1000,2,30\n");
  EXPECT_EQ(folder.value("{f: {file: b.csv, columns: [time, load], interpolation: linear}}", 0.5),
            1000);
  EXPECT_EQ(folder.value("{f: {file: b.csv, columns: [time, way], interpolation: linear}}", 1),
            0.03);
}

TEST(TableFile, FaultsAreToldWithTheLineOfTheFile) {
  const Folder folder;
  folder.put("c.csv", "x,y\n0,1\n1,two\n");
  Reading r = folder.load("{f: {file: c.csv}}");
  EXPECT_EQ(only(r.diagnostics), "3:1 table.file");
  EXPECT_THAT(r.diagnostics.all()[0].where.file.str(), testing::HasSubstr("c.csv"));
  folder.put("d.csv", "x,y\n0,1\n1\n");
  EXPECT_EQ(only(folder.load("{f: {file: d.csv}}").diagnostics), "3:1 table.file");
  folder.put("e.csv", "time,load,way\n0,1,2\n1,1,1\n");
  r = folder.load("{f: {file: e.csv, columns: [time, laod]}}");
  EXPECT_EQ(only(r.diagnostics), "2:23 table.file");
  EXPECT_THAT(r.diagnostics.all()[0].hint, testing::HasSubstr("load"));
  EXPECT_EQ(only(folder.load("{f: {file: e.csv}}").diagnostics), "2:23 table.file");
  folder.put("g.csv", "t [s],y [furlong]\n0,1\n");
  EXPECT_EQ(only(folder.load("{f: {file: g.csv}}").diagnostics), "2:23 unit.unknown");
  EXPECT_EQ(only(folder.load("{f: {file: none.csv}}").diagnostics), "2:23 file.open");
  EXPECT_EQ(only(folder.load("{f: {file: ../none.csv}}").diagnostics), "2:23 include.path");
}

/// What is written anew needs no other file.
TEST(TableFile, BecomesPartOfTheModel) {
  const Folder folder;
  folder.put("b.csv", "time [ms],load [kN]\n0,0\n1000,2\n");
  const Reading r = folder.load("{f: {file: b.csv, interpolation: linear}}");
  ASSERT_TRUE(r.model) << format(r.diagnostics);
  const std::string text = to_yaml(to_tree(*r.model));
  Reading again = read(text);
  ASSERT_TRUE(again.model) << text << format(again.diagnostics);
  const Blueprint b = resolve(*again.model, Catalog::builtin(), {}, again.diagnostics);
  EXPECT_EQ(b.parameters.function("f")->at(0.5).value, 1000);
}

}  // namespace
}  // namespace kardan
