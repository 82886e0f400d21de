#include "kardan/model/names.h"

#include <string>

#include "kardan/base/expression.h"

namespace kardan {
namespace {

bool stands_alone(const std::string& name) {
  return Expression::parse(name).has_value() || Expression::parse("1 " + name + " 1").has_value() ||
         Expression::parse(name + " 1").has_value();
}

}  // namespace

bool is_taken(std::string_view name, NameOf of) {
  if (name == "t") return true;
  if (of != NameOf::constant && (name == "ground" || name == "time" || name == "energy"))
    return true;
  return Expression::is_reserved(name) && (of != NameOf::thing || stands_alone(std::string(name)));
}

std::string_view symbol_of(std::string_view parameter) {
  const bool component =
      parameter.ends_with(".x") || parameter.ends_with(".y") || parameter.ends_with(".z");
  return component ? parameter.substr(0, parameter.size() - 2) : parameter;
}

}  // namespace kardan
