#include "apps/python/bindings/convert.h"

#include <algorithm>

#include "kardan/base/text.h"
#include "kardan/io/expander.h"

namespace kardan::python {
namespace {

YamlNode scalar(std::string text, int file, int line) {
  YamlNode node;
  node.kind = YamlNode::Kind::plain;
  node.text = std::move(text);
  node.file = file;
  node.line = line;
  return node;
}

/// SymPy writes powers as Python does.
std::string formula(const py::handle& value) {
  std::string text = py::str(value);
  for (std::size_t at; (at = text.find("**")) != std::string::npos;) text.replace(at, 2, "^");
  return text;
}

FieldValue to_field(const YamlNode& node, const SourceLocation& where) {
  FieldValue value;
  switch (node.kind) {
    case YamlNode::Kind::list: {
      FieldValue::List list;
      for (const YamlNode& item : node.items) list.push_back(to_field(item, where));
      value.data = std::move(list);
      break;
    }
    case YamlNode::Kind::mapping: {
      FieldMap map;
      for (std::size_t i = 0; i < node.items.size(); ++i)
        map.emplace_back(node.keys[i].text, to_field(node.items[i], where));
      value.data = std::move(map);
      break;
    }
    default:
      if (const auto number = plain_number(node.text))
        value.data = *number;
      else
        value.data = node.text;
  }
  value.where = where;
  return value;
}

}  // namespace

YamlNode to_node(const py::handle& value, int file, int line) {
  YamlNode node;
  node.file = file;
  node.line = line;
  if (value.is_none()) return node;
  if (py::isinstance<py::bool_>(value))
    return scalar(value.cast<bool>() ? "true" : "false", file, line);
  if (py::isinstance<py::str>(value)) return scalar(value.cast<std::string>(), file, line);
  if (py::hasattr(value, "free_symbols") && py::hasattr(value, "subs"))
    return scalar(formula(value), file, line);
  if (py::hasattr(value, "tolist")) return to_node(value.attr("tolist")(), file, line);
  if (py::isinstance<py::dict>(value)) {
    node.kind = YamlNode::Kind::mapping;
    for (const auto& [key, item] : py::reinterpret_borrow<py::dict>(value)) {
      node.keys.push_back({py::str(key), line, 0, file});
      node.items.push_back(to_node(item, file, line));
    }
    return node;
  }
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
    node.kind = YamlNode::Kind::list;
    for (const py::handle item : value) node.items.push_back(to_node(item, file, line));
    return node;
  }
  if (PyNumber_Check(value.ptr()) != 0) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    return scalar(format_number(number), file, line);
  }
  throw py::type_error("got " + std::string(py::str(py::type::of(value))) +
                       "; wanted a number, a text, a list or a dictionary");
}

py::object to_python(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return py::none();
    case YamlNode::Kind::list: {
      py::list out;
      for (const YamlNode& item : node.items) out.append(to_python(item));
      return out;
    }
    case YamlNode::Kind::mapping: {
      py::dict out;
      for (std::size_t i = 0; i < node.items.size(); ++i)
        out[py::str(node.keys[i].text)] = to_python(node.items[i]);
      return out;
    }
    case YamlNode::Kind::plain:
      if (const auto number = plain_number(node.text)) return py::float_(*number);
      break;
    case YamlNode::Kind::quoted:
      break;
  }
  return py::str(node.text);
}

py::object to_python(const Json& json) {
  switch (json.type()) {
    case Json::value_t::null:
      return py::none();
    case Json::value_t::boolean:
      return py::bool_(json.get<bool>());
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
      return py::int_(json.get<long>());
    case Json::value_t::number_float:
      return py::float_(json.get<double>());
    case Json::value_t::string:
      return py::str(json.get<std::string>());
    case Json::value_t::array: {
      py::list out;
      for (const Json& item : json) out.append(to_python(item));
      return out;
    }
    default: {
      py::dict out;
      for (const auto& [key, item] : json.items()) out[py::str(key)] = to_python(item);
      return out;
    }
  }
}

py::list to_python(const Diagnostics& diagnostics) {
  const py::object type = py::module_::import("kardan.errors").attr("Diagnostic");
  py::list out;
  for (const Diagnostic& d : diagnostics.all())
    out.append(type(d.severity == Severity::error ? "error" : "warning", d.code, d.message, d.hint,
                    d.where.file.str(), d.where.line, d.where.column, format(d)));
  return out;
}

FieldMap to_fields(const py::dict& values, const Place& place) {
  const FieldValue all = to_field(to_node(values, 0, place.line), {place.file, place.line, 0});
  if (const auto* map = std::get_if<FieldMap>(&all.data)) return *map;
  return {};
}

ParameterValues to_overrides(const py::dict& values) {
  ParameterValues out;
  for (const auto& [name, value] : values) {
    const std::string key = py::str(name);
    try {
      out.emplace_back(key, value.cast<double>());
    } catch (const py::cast_error&) {
      throw py::type_error("set: '" + key + "' = " + std::string(py::repr(value)) +
                           "; wanted a number");
    }
  }
  return out;
}

void raise_errors(const Diagnostics& diagnostics) {
  if (diagnostics.empty()) return;
  const py::module_ errors = py::module_::import("kardan.errors");
  const py::list all = to_python(diagnostics);
  if (!diagnostics.has_errors()) {
    errors.attr("warn")(all);
    return;
  }
  const py::object exception = errors.attr("ModelError")(all);
  PyErr_SetObject(py::type::of(exception).ptr(), exception.ptr());
  throw py::error_already_set();
}

}  // namespace kardan::python
