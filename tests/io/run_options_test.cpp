/// A number of a run is declared once: all that read or write options know it.

#include "kardan/io/run_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kardan/io/checkpoint.h"
#include "kardan/io/report_json.h"
#include "kardan/io/schema.h"
#include "kardan/io/simulate_options.h"
#include "support/process.h"

namespace kardan {
namespace {

using testing::HasSubstr;

/// Each with a number of its own that its range allows.
SimulateOptions all_different() {
  SimulateOptions out;
  double next = 1e-3;
  for (const RunOption& option : run_options()) option.of(out) = next *= 1.5;
  return out;
}

TEST(RunOptions, ComeBackFromTheSectionThatAsksForThem) {
  const SimulateOptions asked = all_different();
  SimulateOptions got;
  Diagnostics diagnostics;
  NamedFields section;
  section.fields = simulate_fields(asked);
  read_simulate_options(section, {}, MethodChoice::of_the_file, got, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  for (const RunOption& option : run_options())
    EXPECT_EQ(option.value(got), option.value(asked)) << option.key;
}

TEST(RunOptions, AreInTheCertificateTheCheckpointAndTheSchema) {
  const SimulateOptions asked = all_different();
  const auto json = to_json(asked);
  const auto texts = option_texts(asked);
  const auto schema = nlohmann::json::parse(model_schema(Catalog::builtin()));
  for (const RunOption& option : run_options()) {
    SCOPED_TRACE(option.key);
    ASSERT_TRUE(json.contains(option.key));
    EXPECT_EQ(json[option.key], option.value(asked));
    const bool kept = std::any_of(texts.begin(), texts.end(),
                                  [&](const auto& text) { return text.first == option.key; });
    EXPECT_EQ(kept, option.resumed == RunOption::Resumed::same);
    EXPECT_TRUE(schema["$defs"]["simulate"]["properties"].contains(option.key));
  }
}

TEST(RunOptions, AreFlagsOfTheCommandLine) {
  const std::string help = test::run_kardan({"run", "--help"}).out;
  for (const RunOption& option : run_options()) {
    EXPECT_THAT(help, HasSubstr(option.flag + " "));
    EXPECT_THAT(test::run_kardan({"run", "no.yaml", option.flag, "x"}).err, HasSubstr(option.flag));
  }
}

}  // namespace
}  // namespace kardan
