/// The catalogs for docstrings, signatures and type stubs.

#include "apps/python/bindings/source.h"
#include "kardan/formulation/catalog.h"
#include "kardan/integrate/dense.h"
#include "kardan/integrate/method.h"
#include "kardan/io/driver_options.h"
#include "kardan/io/simulate_options.h"
#include "kardan/model/body.h"
#include "kardan/model/functions.h"

namespace kardan::python {
namespace {

Json to_json(const std::vector<FieldDoc>& fields) {
  Json out = Json::array();
  for (const FieldDoc& f : fields)
    out.push_back({{"key", f.key},
                   {"kind", f.kind},
                   {"default", f.default_text},
                   {"unit", f.info.unit},
                   {"doc", f.info.doc},
                   {"required", f.info.need == Need::required},
                   {"choices", f.info.choices}});
  return out;
}

Json to_json(const std::vector<OptionInfo>& options) {
  Json out = Json::array();
  for (const OptionInfo& o : options)
    out.push_back(
        {{"name", o.name}, {"default", o.fallback}, {"doc", o.doc}, {"choices", o.choices}});
  return out;
}

Json elements() {
  Json out = Json::array();
  for (const ElementType& t : Catalog::builtin().types())
    out.push_back({{"type", t.name},
                   {"summary", t.summary},
                   {"equation", t.equation},
                   {"category", to_string(t.category)},
                   {"frames", t.frames},
                   {"planar", t.build_planar != nullptr},
                   {"spatial", t.build_spatial != nullptr},
                   {"fields", to_json(t.fields)}});
  return out;
}

Json all_methods() {
  Json out = Json::array();
  for (const Method& m : methods())
    out.push_back({{"name", m.name},
                   {"summary", m.summary},
                   {"source", m.source},
                   {"order", m.order},
                   {"error_order", m.error_order},
                   {"formulation", m.formulation},
                   {"exact_derivatives", m.needs_exact_jacobian},
                   {"options", to_json(m.options)}});
  return out;
}

Json all_formulations() {
  Json out = Json::array();
  for (const Formulation& f : formulations())
    out.push_back({{"name", f.name},
                   {"summary", f.summary},
                   {"source", f.source},
                   {"options", to_json(f.options)}});
  return out;
}

Json all_functions() {
  Json out = Json::array();
  for (const FunctionDoc& f : function_docs())
    out.push_back({{"type", f.type},
                   {"summary", f.summary},
                   {"equation", f.equation},
                   {"fields", to_json(f.fields)}});
  return out;
}

}  // namespace

void bind_catalogs(py::module_& module) {
  module.def("elements", [] { return to_python(elements()); });
  module.def("methods", [] { return to_python(all_methods()); });
  module.def("formulations", [] { return to_python(all_formulations()); });
  module.def("functions", [] { return to_python(all_functions()); });
  module.def("body_fields", [] { return to_python(to_json(body_field_docs())); });
  module.def("simulate_fields", [] { return to_python(to_json(simulate_field_docs())); });
  module.def("driver_options", [] { return to_python(to_json(driver_option_docs())); });
}

}  // namespace kardan::python
