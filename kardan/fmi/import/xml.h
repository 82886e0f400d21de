#pragma once
/// As much of XML as descriptions of FMUs need: elements and attributes, with their places. Text
/// between elements, comments and processing instructions are passed over; a document type, which
/// may define entities, is refused.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kardan/base/diagnostics.h"

namespace kardan {

struct XmlElement {
  std::string name;
  int line = 0, column = 0;  // 1-based
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<XmlElement> children;

  /// Null if there is none.
  [[nodiscard]] const std::string* attribute(std::string_view wanted) const;
  [[nodiscard]] const XmlElement* child(std::string_view wanted) const;
};

/// The root, or an element without a name after reporting what is wrong in `file`.
[[nodiscard]] XmlElement parse_xml(std::string_view text, const SharedText& file,
                                   Diagnostics& diagnostics);

}  // namespace kardan
