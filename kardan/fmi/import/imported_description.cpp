#include "kardan/fmi/import/imported_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_set>

#include "kardan/base/text.h"
#include "kardan/fmi/import/xml.h"

namespace kardan {
namespace {

using Texts = std::vector<std::string>;

const Texts causalities{"parameter",   "calculatedParameter", "input", "output", "local",
                        "independent", "structuralParameter"};
const Texts types_2{"Real", "Integer", "Boolean", "String", "Enumeration"};
const Texts types_3{"Float32", "Float64", "Int8",   "UInt8",       "Int16",
                    "UInt16",  "Int32",   "UInt32", "Int64",       "UInt64",
                    "Boolean", "String",  "Binary", "Enumeration", "Clock"};

bool contains(const Texts& list, const std::string& text) {
  return std::ranges::find(list, text) != list.end();
}

/// Of one description, with its faults.
class DescriptionReader {
 public:
  DescriptionReader(const std::string& file, Diagnostics& diagnostics)
      : file_(file), diagnostics_(diagnostics) {}

  void read(const XmlElement& root, ImportedDescription& out) {
    if (root.name != "fmiModelDescription") {
      fault(root, fmt::format("the root is '{}'; wanted 'fmiModelDescription'", root.name));
      return;
    }
    const std::string version = required(root, "fmiVersion");
    if (version == "2.0")
      out.version = 2;
    else if (version.starts_with("3.0"))
      out.version = 3;
    else
      fault(root, fmt::format("fmiVersion is '{}'; wanted 2.0 or 3.0", version));
    out.model_name = required(root, "modelName");
    out.token = required(root, out.version == 2 ? "guid" : "instantiationToken");
    if (const XmlElement* kind = root.child("CoSimulation")) {
      out.co_simulation = read_kind(*kind);
      out.fixed_step = number(*kind, "fixedInternalStepSize");
    }
    if (const XmlElement* kind = root.child("ModelExchange")) {
      out.exchange = read_kind(*kind);
      const std::string* steps = kind->attribute(
          out.version == 2 ? "completedIntegratorStepNotNeeded" : "needsCompletedIntegratorStep");
      const bool said = steps && (*steps == "true" || *steps == "1");
      out.tells_steps = said == (out.version == 3);
    }
    if (const XmlElement* e = root.child("DefaultExperiment")) {
      out.start = number(*e, "startTime");
      out.stop = number(*e, "stopTime");
      out.tolerance = number(*e, "tolerance");
      out.step = number(*e, "stepSize");
    }
    const XmlElement* variables = root.child("ModelVariables");
    if (!variables) {
      fault(root, "'ModelVariables' is missing");
      return;
    }
    std::unordered_set<std::string> names;
    for (const XmlElement& e : variables->children) {
      ImportedVariable v = variable(e, out.version);
      if (!names.insert(v.name).second)
        fault(e, fmt::format("there are two variables '{}'", v.name));
      out.variables.push_back(std::move(v));
    }
    if (!out.exchange.empty()) read_structure(root, out);
  }

 private:
  void fault(const XmlElement& at, std::string message) {
    diagnostics_.error("fmu.description", std::move(message), {file_, at.line, at.column},
                       "the FMU breaks its standard: ask whoever made it");
  }

  std::string required(const XmlElement& e, std::string_view name) {
    if (const std::string* given = e.attribute(name)) return *given;
    fault(e, fmt::format("'{}' has no '{}'", e.name, name));
    return {};
  }

  std::optional<double> number(const XmlElement& e, std::string_view name) {
    const std::string* given = e.attribute(name);
    if (!given) return std::nullopt;
    double value = 0;
    const char* const end = given->data() + given->size();
    const auto [at, error] = std::from_chars(given->data(), end, value);
    if (error == std::errc() && at == end && std::isfinite(value)) return value;
    fault(e, fmt::format("'{}' is '{}'; wanted a number", name, *given));
    return std::nullopt;
  }

  /// The name of the library.
  std::string read_kind(const XmlElement& e) {
    std::string out = required(e, "modelIdentifier");
    if (out.find('/') != std::string::npos) fault(e, "'modelIdentifier' leads to another folder");
    const std::string* tool = e.attribute("needsExecutionTool");
    if (tool && (*tool == "true" || *tool == "1"))
      diagnostics_.warning("fmu.tool", "the FMU needs the program that made it",
                           {file_, e.line, e.column}, "it must be installed here");
    return out;
  }

  unsigned whole(const XmlElement& e, std::string_view name) {
    const std::string* given = e.attribute(name);
    if (!given) return 0;
    unsigned value = 0;
    const char* const end = given->data() + given->size();
    const auto [at, error] = std::from_chars(given->data(), end, value);
    if (given->empty() || error != std::errc() || at != end)
      fault(e, fmt::format("'{}' is '{}'; wanted a whole number", name, *given));
    return value;
  }

  /// Continuous states and event indicators.
  void read_structure(const XmlElement& root, ImportedDescription& out) {
    const XmlElement* structure = root.child("ModelStructure");
    if (!structure) {
      fault(root, "'ModelStructure' is missing");
      return;
    }
    if (out.version == 2) {
      out.indicators = static_cast<int>(whole(root, "numberOfEventIndicators"));
      if (const XmlElement* all = structure->child("Derivatives"))
        for (const XmlElement& e : all->children) {
          const unsigned rate = whole(e, "index");
          const unsigned state =
              rate >= 1 && rate <= out.variables.size() ? out.variables[rate - 1].derivative_of : 0;
          if (state >= 1 && state <= out.variables.size())
            out.states.push_back(out.variables[state - 1].name);
          else
            fault(e, "'index' is that of no derivative");
        }
      return;
    }
    for (const XmlElement& e : structure->children) {
      out.indicators += e.name == "EventIndicator";
      if (e.name != "ContinuousStateDerivative") continue;
      const unsigned rate = whole(e, "valueReference");
      const auto derivative = std::ranges::find_if(out.variables, [rate](const auto& v) {
        return v.reference == rate && v.derivative_of != 0;
      });
      const auto state = derivative == out.variables.end()
                             ? derivative
                             : std::ranges::find(out.variables, derivative->derivative_of,
                                                 &ImportedVariable::reference);
      if (state == out.variables.end())
        fault(e, "'valueReference' is that of no derivative");
      else if (state->is_array)
        diagnostics_.error("fmu.array", fmt::format("the state '{}' is an array", state->name),
                           state->where, "FMUs with arrays of states cannot be integrated here");
      else
        out.states.push_back(state->name);
    }
  }

  ImportedVariable variable(const XmlElement& e, int version) {
    ImportedVariable out;
    out.where = {file_, e.line, e.column};
    out.name = required(e, "name");
    (void)required(e, "valueReference");
    out.reference = whole(e, "valueReference");
    if (const std::string* given = e.attribute("causality")) out.causality = *given;
    if (!contains(causalities, out.causality))
      fault(e, fmt::format("causality of '{}' is '{}'", out.name, out.causality));
    if (const std::string* given = e.attribute("variability")) out.variability = *given;
    const XmlElement* typed = &e;
    if (version == 2) {
      typed = nullptr;
      for (const XmlElement& c : e.children)
        if (contains(types_2, c.name)) typed = &c;
      if (e.name != "ScalarVariable" || !typed) {
        fault(e, fmt::format("'{}' is no variable with a type", out.name));
        return out;
      }
    } else if (!contains(types_3, e.name)) {
      fault(e, fmt::format("'{}' has the type '{}'", out.name, e.name));
    }
    out.type = typed->name;
    out.is_array = e.child("Dimension") != nullptr;
    if (const std::string* given = typed->attribute("start")) out.start = *given;
    out.derivative_of = whole(*typed, "derivative");
    return out;
  }

  SharedText file_;
  Diagnostics& diagnostics_;
};

}  // namespace

const ImportedVariable* ImportedDescription::find(std::string_view name) const {
  for (const ImportedVariable& v : variables)
    if (v.name == name) return &v;
  return nullptr;
}

std::optional<ImportedDescription> read_fmu_description(std::string_view text,
                                                        const std::string& file,
                                                        Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.error_count();
  const XmlElement root = parse_xml(text, file, diagnostics);
  ImportedDescription out;
  if (diagnostics.error_count() == errors) DescriptionReader(file, diagnostics).read(root, out);
  if (diagnostics.error_count() > errors) return std::nullopt;
  return out;
}

}  // namespace kardan
