#include "kardan/io/driver_options.h"

#include <gtest/gtest.h>

namespace kardan {
namespace {

TEST(DriverOptions, AreSetByName) {
  DriverOptions o;
  Diagnostics d;
  EXPECT_TRUE(set_driver_option("safety", "0.9", o, d));
  EXPECT_TRUE(set_driver_option("control", "predictive", o, d));
  EXPECT_TRUE(set_driver_option("estimate", "filtered", o, d));
  EXPECT_TRUE(set_driver_option("stop_times", FieldValue::List{"1/4", 0.5}, o, d));
  EXPECT_TRUE(set_driver_option("max_steps", 17, o, d));
  EXPECT_EQ(format(d), "");
  EXPECT_EQ(o.safety, 0.9);
  EXPECT_EQ(o.control, StepControl::predictive);
  EXPECT_EQ(o.estimate, ErrorEstimate::filtered);
  EXPECT_EQ(o.stop_times, (std::vector<double>{0.25, 0.5}));
  EXPECT_EQ(o.max_steps, 17);
}

TEST(DriverOptions, KeepTheirValueWhenTheNewOneIsWrong) {
  const struct {
    const char *name, *value, *code;
  } wrong[] = {{"safty", "0.9", "key.unknown"},
               {"safety", "1.5", "field.range"},
               {"control", "elementry", "field.choice"},
               {"max_steps", "0", "field.range"}};
  for (const auto& w : wrong) {
    DriverOptions o;
    Diagnostics d;
    EXPECT_FALSE(set_driver_option(w.name, w.value, o, d)) << w.name;
    ASSERT_EQ(d.error_count(), 1u) << w.name;
    EXPECT_EQ(d.all()[0].code, w.code);
    EXPECT_FALSE(d.all()[0].hint.empty()) << w.name;
    EXPECT_EQ(o.safety, DriverOptions().safety);
    EXPECT_EQ(o.control, StepControl::elementary);
  }
}

TEST(DriverOptions, AreListedWithTheirDefaults) {
  bool found = false;
  for (const FieldDoc& f : driver_option_docs()) {
    EXPECT_FALSE(f.info.doc.empty()) << f.key;
    if (f.key == "control") found = f.default_text == "elementary";
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace kardan
