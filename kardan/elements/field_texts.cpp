/// How listings call the values of fields.

#include <fmt/format.h>

#include "kardan/base/text.h"
#include "kardan/elements/field.h"

namespace kardan {

std::string kind_of(const double&) {
  return "number";
}
std::string kind_of(const int&) {
  return "whole number";
}
std::string kind_of(const bool&) {
  return "true or false";
}
std::string kind_of(const std::string&) {
  return "word";
}
std::string kind_of(const Vec3d&) {
  return "[x, y, z]";
}
std::string kind_of(const std::vector<double>&) {
  return "list of numbers";
}
std::string kind_of(const TimeFunction&) {
  return "function of t";
}
std::string kind_of(const Expression&) {
  return "expression";
}
std::string kind_of(const std::optional<Table>&) {
  return "table [[x, y], ...]";
}
std::string kind_of(const ColorField&) {
  return "colour";
}
std::string kind_of(const Signal&) {
  return "formula of t and quantities";
}
std::string kind_of(const WordList&) {
  return "list of words";
}

std::string default_text(const double& x) {
  return format_number(x);
}
std::string default_text(const int& x) {
  return std::to_string(x);
}
std::string default_text(const bool& x) {
  return x ? "true" : "false";
}
std::string default_text(const std::string& x) {
  return x;
}
std::string default_text(const Vec3d& x) {
  return fmt::format("[{}, {}, {}]", format_number(x.x), format_number(x.y), format_number(x.z));
}
std::string default_text(const std::vector<double>& x) {
  return x.empty() ? "[]" : "...";
}
std::string default_text(const TimeFunction& x) {
  return x.text();
}
std::string default_text(const Expression& x) {
  return x.text();
}
std::string default_text(const std::optional<Table>&) {
  return "none";
}
std::string default_text(const ColorField&) {
  return "none";
}
std::string default_text(const Signal& x) {
  return x.text();
}
std::string default_text(const WordList& x) {
  return x.words.empty() ? "none" : fmt::format("[{}]", fmt::join(x.words, ", "));
}

}  // namespace kardan
