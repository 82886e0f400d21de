/// What FMUs hold of models.

#include "kardan/fmi/fmu_data.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "kardan/fmi/description.h"
#include "kardan/io/load.h"
#include "kardan/io/yaml_writer.h"
#include "support/places.h"

namespace kardan::fmi {
namespace {

/// Nothing of a model is lost but what is only drawn, and options of runs, which are kept apart.
TEST(FmuData, HoldsEverythingThatMovesOfEveryShippedModel) {
  int models = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(models_folder())) {
    if (entry.path().extension() != ".yaml") continue;
    if (entry.path().parent_path().filename() == "parts") continue;  // of other models
    Diagnostics faults;
    auto loaded = load_model(entry.path().string(), {}, IncludeFrom::model_folder, faults);
    ASSERT_TRUE(loaded) << format(faults);
    Model& model = loaded->model;
    model.colors.clear();
    model.shapes.clear();
    model.simulate = {};
    FmuData data{model, {{"a", 1.5}}, {}, {{"x", "m", "way", FmuVariable::Of::column, true, 2}}};
    data.options.method = "rn4@state_space";
    data.options.options["b"] = "c";
    data.options.driver.tolerance = 1e-11;
    data.options.tolerance_of = {{"y", 1e-3}};
    const auto back = read_fmu_data(to_bytes(data));
    ASSERT_TRUE(back) << back.error();
    EXPECT_EQ(to_yaml(to_tree(back->model)), to_yaml(to_tree(model))) << entry.path();
    EXPECT_EQ(back->overrides, data.overrides);
    EXPECT_EQ(back->options.method, data.options.method);
    EXPECT_EQ(back->options.options, data.options.options);
    EXPECT_EQ(back->options.driver.tolerance, 1e-11);
    EXPECT_EQ(back->options.tolerance_of.at(0).value, 1e-3);
    EXPECT_EQ(back->variables.at(0).unit, "m");
    EXPECT_TRUE(back->variables.at(0).output);
    ++models;
  }
  EXPECT_GE(models, 30);
}

TEST(FmuData, BytesThatWereChangedAreRefused) {
  Diagnostics faults;
  const auto loaded =
      load_model(models_folder() + "/pendulum.yaml", {}, IncludeFrom::model_folder, faults);
  const std::string good = to_bytes({loaded->model, {}, {}, {}});
  ASSERT_TRUE(read_fmu_data(good));
  for (std::size_t i = 0; i < good.size(); i += 7) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    EXPECT_FALSE(read_fmu_data(bad)) << i;
    EXPECT_FALSE(read_fmu_data(good.substr(0, i))) << i;
    EXPECT_NE(fmu_token(bad), fmu_token(good));
  }
}

TEST(FmuData, NamesOfLibrariesAreIdentifiers) {
  EXPECT_EQ(fmu_identifier("pushed cart-2"), "pushed_cart_2");
  EXPECT_EQ(fmu_identifier("3 bodies"), "m3_bodies");
  EXPECT_EQ(fmu_identifier(""), "m");
}

}  // namespace
}  // namespace kardan::fmi
