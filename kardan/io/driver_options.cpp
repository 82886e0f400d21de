#include "kardan/io/driver_options.h"

namespace kardan {
namespace {

/// The options as fields: enumerations by their words.
struct DriverFields : DriverOptions {
  std::string control_name{to_string(StepControl::elementary)};
  std::string estimate_name{to_string(ErrorEstimate::plain)};
  std::string error_per_name{to_string(ErrorMeasure::of_method)};

  template <class F>
  static void fields(F& f) {
    f("first_step", &DriverFields::first_step,
      {.unit = "s", .doc = "0: automatic", .check = Check::non_negative});
    f("smallest_step", &DriverFields::smallest_step,
      {.unit = "s", .doc = "0: round-off of the time", .check = Check::non_negative});
    f("largest_step", &DriverFields::largest_step,
      {.unit = "s", .doc = "0: the whole interval", .check = Check::non_negative});
    f("safety", &DriverFields::safety,
      {.doc = "share of the step the error would allow", .check = Check::unit_interval});
    f("growth", &DriverFields::growth,
      {.doc = "largest factor between steps", .check = Check::positive});
    f("shrink", &DriverFields::shrink,
      {.doc = "smallest factor between steps", .check = Check::unit_interval});
    f("keep_below", &DriverFields::keep_below,
      {.doc = "the step is kept while it could grow by less than this factor",
       .check = Check::positive});
    f("control", &DriverFields::control_name,
      {.doc = "how the next step follows from the errors",
       .choices = {"elementary", "pi", "predictive"}});
    f("estimate", &DriverFields::estimate_name,
      {.doc = "the error as estimated, or filtered with (I - h gamma J)^-1",
       .choices = {"plain", "filtered"}});
    f("error_per", &DriverFields::error_per_name,
      {.doc = "what is held below the tolerance: the error of a step, or of a step per second",
       .choices = {"method", "step", "unit_step"}});
    f("max_steps", &DriverFields::max_steps,
      {.doc = "the run ends after so many", .check = Check::positive});
    f("event_samples", &DriverFields::event_samples,
      {.doc = "points inside a step at which events are looked for", .check = Check::positive});
    f("event_resolution", &DriverFields::event_resolution,
      {.unit = "s",
       .doc = "contacts and samples: what lasts longer is not missed; 0: a thousandth of the "
              "distance of the samples",
       .check = Check::non_negative});
    f("stop_times", &DriverFields::stop_times, {.unit = "s", .doc = "a step ends at each of them"});
  }
};

DriverFields named(const DriverOptions& options) {
  DriverFields fields;
  static_cast<DriverOptions&>(fields) = options;
  fields.control_name = to_string(options.control);
  fields.estimate_name = to_string(options.estimate);
  fields.error_per_name = to_string(options.error_per);
  return fields;
}

}  // namespace

std::vector<FieldDoc> driver_option_docs() {
  return field_docs<DriverFields>();
}

bool is_driver_option(const std::string& name) {
  for (const FieldDoc& d : driver_option_docs())
    if (d.key == name) return true;
  return false;
}

std::vector<std::pair<std::string, std::string>> driver_option_values(
    const DriverOptions& options) {
  DriverFields fields = named(options);
  std::vector<std::pair<std::string, std::string>> out;
  auto add = [&](std::string_view key, auto member, const FieldInfo&) {
    out.emplace_back(key, default_text(fields.*member));
  };
  DriverFields::fields(add);
  return out;
}

bool set_driver_option(const std::string& name, const FieldValue& value, DriverOptions& options,
                       Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (const FieldDoc& d : driver_option_docs()) known.push_back(d.key);
  const FieldMap values{{name, value}};
  const std::size_t before = diagnostics.error_count();
  report_unknown_keys(values, known, "option", diagnostics);
  DriverFields fields = named(options);
  const Environment none;
  const ValueReader reader(none, diagnostics);
  read_fields(values, "option", {}, reader, fields);
  if (diagnostics.error_count() > before) return false;
  for (StepControl c : {StepControl::elementary, StepControl::pi, StepControl::predictive})
    if (fields.control_name == to_string(c)) fields.control = c;
  for (ErrorEstimate e : {ErrorEstimate::plain, ErrorEstimate::filtered})
    if (fields.estimate_name == to_string(e)) fields.estimate = e;
  for (ErrorMeasure m :
       {ErrorMeasure::of_method, ErrorMeasure::per_step, ErrorMeasure::per_unit_step})
    if (fields.error_per_name == to_string(m)) fields.error_per = m;
  options = static_cast<const DriverOptions&>(fields);
  return true;
}

}  // namespace kardan
