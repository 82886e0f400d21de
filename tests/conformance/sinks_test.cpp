/// Every format of results is told the same things: it must hold them, end, be the same file when
/// it is told them again, and say why it cannot write. A new format is covered without a new test;
/// it adds only how its file is read (`readers`).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <limits>
#include <map>
#include <sstream>

#include "conformance/pairs.h"
#include "io/unpacking.h"
#include "kardan/io/result_catalog.h"
#include "kardan/io/result_writer.h"
#include "kardan/io/stored_result.h"
#include "support/models.h"
#include "support/process.h"

namespace kardan {
namespace {

using testing::HasSubstr;

constexpr std::string_view page = "<html><head>\n<!-- KARDAN_RESULT -->\n</head></html>\n";

/// What was told, and can be told again.
struct Told {
  ResultDescription description;
  std::vector<Vector> rows;
  std::vector<StepRecord> steps;
  Json certificate;

  void tell(ResultSink& sink) const {
    sink.begin(description);
    for (const Vector& row : rows) sink.row(row);
    for (const StepRecord& step : steps) sink.step(step);
    sink.end(certificate);
  }
  const ResultColumn& column(const std::string& name) const {
    for (const ResultColumn& c : description.layout.columns)
      if (c.name == name) return c;
    ADD_FAILURE() << "no column " << name;
    return description.layout.columns.front();
  }
  std::vector<double> series(const std::string& name) const {
    std::vector<double> out;
    for (const Vector& row : rows) out.push_back(row[column(name).at]);
    return out;
  }
};

class Keeper final : public ResultSink {
 public:
  Told told;
  void begin(const ResultDescription& d) override { told.description = d; }
  void row(std::span<const double> row) override { told.rows.emplace_back(row.begin(), row.end()); }
  void step(const StepRecord& step) override { told.steps.push_back(step); }
  void end(const Json& certificate) override { told.certificate = certificate; }
};

std::optional<Told> read_stored(const std::string& path) {
  Diagnostics diagnostics;
  const auto stored = StoredResult::open(path, diagnostics);
  Keeper keeper;
  if (!stored || !stored->replay(keeper, diagnostics)) {
    ADD_FAILURE() << format(diagnostics);
    return {};
  }
  return keeper.told;
}

/// A model whose name and body would hurt whoever writes them as they are, run with its rows.
const Told& a_run() {
  static const Told told = [] {
    Model model = test::model_of(R"(kardan: 1
dimension: 2
gravity: [0, -10]
bodies:
  ball: {kind: point, mass: 2, position: [0, 0.3], velocity: [1, 0]}
forces:
  spring: {type: spring_damper, between: [ground, ball], stiffness: 100, free_length: 0.2}
)");
    model.name = "</script>\"<b>'=1+1, \xc3\xa4";
    const test::TemporaryFolder folder;
    Diagnostics diagnostics;
    Prepared p = prepare(model, {}, diagnostics);
    if (!p.system) throw std::runtime_error(format(diagnostics));
    SimulateOptions options;
    options.t_end = 1;
    options.every = 0.05;
    ResultWriter writer(model, {}, p, options, {folder.file("a.h5")}, {page}, diagnostics);
    const RunReport report = simulate(p, options, {writer.grid(), {}, writer.steps()}, diagnostics);
    writer.end(report, {&p.start.state, &p.start.a, &p.start.lambda});
    EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
    return read_stored(folder.file("a.h5")).value_or(Told{});
  }();
  return told;
}

/// The series of a column, as someone reads it from the file; what is not there is left out.
struct Read {
  std::vector<double> all;    ///< of every row
  std::optional<double> end;  ///< where a format keeps the end alone
  std::string title;          ///< where it keeps one
  bool single = false;        ///< numbers are kept in single precision
};

Read read_csv(const std::string& path, const std::string& name) {
  Read out;
  std::istringstream lines(test::read_all(path));
  std::string line, cell;
  std::getline(lines, line);
  std::istringstream header(line);
  int at = 0;
  for (; std::getline(header, cell, ','); ++at)
    if (cell == name || cell.starts_with(name + " [")) break;
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    for (int i = 0; i <= at; ++i) std::getline(cells, cell, ',');
    out.all.push_back(std::strtod(cell.c_str(), nullptr));
  }
  return out;
}

Read read_json(const std::string& path, const std::string& name) {
  const Json json = Json::parse(test::read_all(path));
  const Json& value = json.at("final").at(name);
  Read out;
  out.end = value.is_number() ? value.get<double>() : std::nan("");
  out.title = json.at("model").get<std::string>();
  return out;
}

Read read_hdf5(const std::string& path, const std::string& name) {
  const auto told = read_stored(path);
  Read out;
  if (told) out.all = told->series(name), out.title = told->description.title;
  return out;
}

Read read_html(const std::string& path, const std::string& name) {
  const test::Report report(test::read_all(path));
  Read out;
  out.single = true;
  out.title = report.header.at("title").get<std::string>();
  for (const Json& quantity : report.header.at("quantities"))
    if (quantity.at("name") == name) out.all = report.series(quantity);
  return out;
}

const std::map<std::string_view, Read (*)(const std::string&, const std::string&)> readers{
    {".csv", read_csv}, {".json", read_json}, {".h5", read_hdf5}, {".html", read_html}};

class Sinks : public testing::TestWithParam<std::string> {
 protected:
  /// Tells all of it to a file of this format.
  void write(const Told& told, const std::string& path) {
    Diagnostics diagnostics;
    const auto sinks = open_results({path}, {page}, diagnostics);
    ASSERT_EQ(sinks.size(), 1u) << format(diagnostics);
    told.tell(*sinks[0]);
  }
  std::string file(const std::string& name = "a") { return folder_.file(name + GetParam()); }

  test::TemporaryFolder folder_;
};

/// The same number, or in single precision the nearest one.
void expect_same(double got, double told, bool single, const std::string& what) {
  if (single)
    EXPECT_EQ(std::bit_cast<std::uint32_t>(static_cast<float>(got)),
              std::bit_cast<std::uint32_t>(static_cast<float>(told)))
        << what << ": " << got << " instead of " << told;
  else if (std::isnan(told))
    EXPECT_TRUE(std::isnan(got)) << what << ": " << got;
  else
    EXPECT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(told))
        << what << ": " << got << " instead of " << told;
}

TEST_P(Sinks, HoldWhatTheyWereTold) {
  const Told& told = a_run();
  ASSERT_EQ(told.rows.size(), 21u);
  ASSERT_FALSE(told.steps.empty());
  write(told, file());
  ASSERT_TRUE(readers.contains(GetParam())) << "say how a file of this format is read";
  for (const std::string name : {"ball.x", "ball.y", "ball.vy", "spring.force"}) {
    const std::vector<double> series = told.series(name);
    const Read read = readers.at(GetParam())(file(), name);
    ASSERT_TRUE(read.end || !read.all.empty()) << name;
    if (read.end) expect_same(*read.end, series.back(), false, name);
    if (read.all.empty()) continue;
    ASSERT_EQ(read.all.size(), series.size());
    for (std::size_t i = 0; i < series.size(); ++i)
      expect_same(read.all[i], series[i], read.single, name);
    EXPECT_TRUE(read.title.empty() || read.title == told.description.title) << read.title;
  }
}

TEST_P(Sinks, AreTheSameFileWhenToldAgain) {
  write(a_run(), file("a"));
  write(a_run(), file("b"));
  EXPECT_TRUE(test::read_all(file("a")) == test::read_all(file("b")));
}

/// As an event of a run may leave them: none is lost, and none becomes another.
TEST_P(Sinks, HoldNumbersOfAnyKind) {
  using limits = std::numeric_limits<double>;
  const std::vector<double> strange{limits::quiet_NaN(),
                                    limits::infinity(),
                                    -limits::infinity(),
                                    limits::denorm_min(),
                                    limits::max(),
                                    limits::lowest(),
                                    -0.0,
                                    limits::min(),
                                    0.1};
  Told told = a_run();
  told.rows.resize(strange.size());
  const int at = told.column("spring.force").at;
  for (std::size_t i = 0; i < strange.size(); ++i) told.rows[i][at] = strange[i];
  write(told, file());
  const Read read = readers.at(GetParam())(file(), "spring.force");
  if (read.all.empty()) return;
  ASSERT_EQ(read.all.size(), strange.size());
  for (std::size_t i = 0; i < strange.size(); ++i) {
    if (read.single && std::abs(strange[i]) > std::numeric_limits<float>::max()) {
      EXPECT_GE(std::abs(read.all[i]), std::numeric_limits<float>::max());
      EXPECT_EQ(std::signbit(read.all[i]), std::signbit(strange[i]));
    } else {
      expect_same(read.all[i], strange[i], read.single, "row " + std::to_string(i));
    }
  }
}

TEST_P(Sinks, MayBeToldNoRowAtAll) {
  Told told = a_run();
  told.rows.clear();
  told.steps.clear();
  write(told, file());
  EXPECT_GT(test::read_all(file()).size(), 10u);
  if (GetParam() != ".h5") return;
  const auto again = read_stored(file());
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->rows.empty());
}

TEST_P(Sinks, SayWhyAFileCannotBeOpened) {
  std::filesystem::create_directory(folder_.file("folder" + GetParam()));
  for (const std::string& path : {folder_.file("missing/a" + GetParam()), file("folder")}) {
    Diagnostics diagnostics;
    EXPECT_TRUE(open_results({path}, {page}, diagnostics).empty()) << path;
    EXPECT_TRUE(diagnostics.has_errors());
    EXPECT_THAT(format(diagnostics), HasSubstr(path));
  }
}

/// The file is named, the run goes on to its end, and the other file is whole.
TEST_P(Sinks, NameTheFileThatADiskIsTooFullFor) {
  const test::TemporaryFile model(R"(kardan: 1
dimension: 2
gravity: [0, -10]
bodies:
  ball: {kind: point, mass: 2, position: [0, 0.3], velocity: [1, 0]}
simulate: {t_end: 1, every: 0.0001}
)");
  test::Surroundings full;
  full.largest_file = 2000;
  const test::Output out =
      test::run_kardan({"run", model.path(), "--quiet", "--out", file()}, full);
  if (out.exit_code == 0) {
    EXPECT_LE(test::read_all(file()).size(), full.largest_file) << "written, but not whole";
    return;
  }
  EXPECT_THAT(out.exit_code, testing::AnyOf(1, 2)) << out.err;
  EXPECT_THAT(out.err, HasSubstr(file())) << out.err;
}

std::vector<std::string> suffixes() {
  std::vector<std::string> out;
  for (const ResultFormat& f : result_formats()) out.emplace_back(f.suffix);
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, Sinks, testing::ValuesIn(suffixes()),
                         [](const auto& format) { return test::test_name(format.param); });

}  // namespace
}  // namespace kardan
