#include "kardan/fmi/description.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <set>

#include "kardan/base/dimension.h"
#include "kardan/base/text.h"
#include "kardan/run/versions.h"

namespace kardan {
namespace {

using Of = FmuVariable::Of;

/// As the value of an attribute; what XML cannot hold becomes a question mark.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += static_cast<unsigned char>(c) < ' ' ? '?' : c;
  }
  return out + "\"";
}

std::string attribute(std::string_view name, std::string_view value) {
  return fmt::format(" {}={}", name, quoted(value));
}

std::string attribute(std::string_view name, double value) {
  return attribute(name, format_number(value));
}

/// Of "rad" in a product of units: Dimension counts angles as numbers.
int radians_in(std::string_view unit) {
  int out = 0, sign = 1;
  for (std::size_t i = 0; i < unit.size();) {
    if (unit[i] == '/') sign = -1;
    if (!std::isalpha(static_cast<unsigned char>(unit[i]))) {
      ++i;
      continue;
    }
    const std::size_t start = i;
    while (i < unit.size() && std::isalpha(static_cast<unsigned char>(unit[i]))) ++i;
    int power = 1;
    const std::string_view word = unit.substr(start, i - start);
    if (i < unit.size() && unit[i] == '^') {
      char* end = nullptr;
      const std::string rest(unit.substr(i + 1));
      power = static_cast<int>(std::strtol(rest.c_str(), &end, 10));
      i += 1 + static_cast<std::size_t>(end - rest.c_str());
    }
    if (word == "rad") out += sign * power;
  }
  return out;
}

/// All units are SI without prefix: their factor is 1.
std::string unit_definitions(const FmuData& data) {
  std::set<std::string> units;
  for (const FmuVariable& v : data.variables)
    if (!v.unit.empty()) units.insert(v.unit);
  std::string out = "  <UnitDefinitions>\n";
  for (const std::string& unit : units) {
    out += "    <Unit" + attribute("name", unit) + ">";
    if (const auto d = parse_unit(unit)) {
      out += "<BaseUnit";
      if (d->kg != 0) out += attribute("kg", d->kg);
      if (d->m != 0) out += attribute("m", d->m);
      if (d->s != 0) out += attribute("s", d->s);
      if (const int rad = radians_in(unit); rad != 0) out += attribute("rad", rad);
      out += "/>";
    }
    out += "</Unit>\n";
  }
  return out + "  </UnitDefinitions>\n";
}

/// Both versions name these, as attributes of what a variable is.
std::string kind(const FmuVariable& v, std::size_t reference) {
  std::string out =
      attribute("name", v.name) + attribute("valueReference", static_cast<double>(reference));
  if (!v.description.empty()) out += attribute("description", v.description);
  switch (v.of) {
    case Of::time:
      return out + attribute("causality", "independent") + attribute("variability", "continuous");
    case Of::input:
      return out + attribute("causality", "input") + attribute("variability", "continuous");
    case Of::parameter:
      return out + attribute("causality", "parameter") + attribute("variability", "tunable") +
             attribute("initial", "exact");
    case Of::column:
      break;
  }
  return out + attribute("causality", v.output ? "output" : "local") +
         attribute("variability", "continuous") + attribute("initial", "calculated");
}

std::string value(const FmuVariable& v) {
  std::string out;
  if (!v.unit.empty()) out += attribute("unit", v.unit);
  if (v.of == Of::input || v.of == Of::parameter) out += attribute("start", v.start);
  return out;
}

std::string head(const FmuData& data, std::string_view version, std::string_view token_name,
                 const std::string& token) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription" +
         attribute("fmiVersion", version) + attribute("modelName", data.model.name) +
         attribute(token_name, token) +
         attribute("generationTool", "Kardan " + versions().front().second) +
         attribute("variableNamingConvention", "flat");
}

constexpr std::string_view categories =
    "  <LogCategories>\n"
    "    <Category name=\"logEvents\" description=\"events of the model, when they happen\"/>\n"
    "    <Category name=\"logStatusDiscard\" description=\"what could not be done\"/>\n"
    "    <Category name=\"logStatusError\" description=\"what went wrong\"/>\n"
    "    <Category name=\"logAll\" description=\"everything\"/>\n"
    "  </LogCategories>\n";

std::string experiment(const FmuData& data) {
  return "  <DefaultExperiment" + attribute("startTime", 0.0) +
         attribute("stopTime", data.options.t_end) +
         attribute("tolerance", data.options.driver.tolerance) + "/>\n";
}

}  // namespace

std::string fmu_identifier(std::string_view model_name) {
  const bool letter =
      !model_name.empty() && !std::isdigit(static_cast<unsigned char>(model_name.front()));
  std::string out(letter ? "" : "m");
  for (const char c : model_name) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return out;
}

std::string describe_fmi2(const FmuData& data, const std::string& token) {
  std::string out = head(data, "2.0", "guid", token) + ">\n";
  out += "  <CoSimulation" + attribute("modelIdentifier", fmu_identifier(data.model.name)) +
         attribute("canHandleVariableCommunicationStepSize", "true") +
         attribute("canInterpolateInputs", "true") +
         attribute("canNotUseMemoryManagementFunctions", "true") +
         attribute("canGetAndSetFMUstate", "true") + attribute("canSerializeFMUstate", "true") +
         "/>\n";
  out += unit_definitions(data);
  out += categories;
  out += experiment(data) + "  <ModelVariables>\n";
  std::string unknowns;
  for (std::size_t i = 0; i < data.variables.size(); ++i) {
    const FmuVariable& v = data.variables[i];
    out += "    <ScalarVariable" + kind(v, i) + "><Real" + value(v) + "/></ScalarVariable>\n";
    if (v.output) unknowns += fmt::format("      <Unknown index=\"{}\"/>\n", i + 1);
  }
  out += "  </ModelVariables>\n  <ModelStructure>\n";
  if (!unknowns.empty())
    out += "    <Outputs>\n" + unknowns + "    </Outputs>\n    <InitialUnknowns>\n" + unknowns +
           "    </InitialUnknowns>\n";
  return out + "  </ModelStructure>\n</fmiModelDescription>\n";
}

std::string describe_fmi3(const FmuData& data, const std::string& token) {
  std::string out = head(data, "3.0", "instantiationToken", token) + ">\n";
  out += "  <CoSimulation" + attribute("modelIdentifier", fmu_identifier(data.model.name)) +
         attribute("canGetAndSetFMUState", "true") + attribute("canSerializeFMUState", "true") +
         attribute("canHandleVariableCommunicationStepSize", "true") + "/>\n";
  out += unit_definitions(data);
  out += categories;
  out += experiment(data) + "  <ModelVariables>\n";
  std::string outputs, initial;
  for (std::size_t i = 0; i < data.variables.size(); ++i) {
    const FmuVariable& v = data.variables[i];
    out += "    <Float64" + kind(v, i) + value(v) + "/>\n";
    if (!v.output) continue;
    outputs += fmt::format("    <Output valueReference=\"{}\"/>\n", i);
    initial += fmt::format("    <InitialUnknown valueReference=\"{}\"/>\n", i);
  }
  return out + "  </ModelVariables>\n  <ModelStructure>\n" + outputs + initial +
         "  </ModelStructure>\n</fmiModelDescription>\n";
}

}  // namespace kardan
