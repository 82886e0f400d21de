#pragma once
/// Pages of html_page.h with a program in them.

#include <string>
#include <string_view>

namespace kardan {

/// `data`: JSON text without "<", which the program finds in the element "data". Whatever stands in
/// the data, nothing but `script` runs, and nothing is fetched.
[[nodiscard]] std::string script_page(std::string_view title, std::string_view body,
                                      std::string_view data, std::string_view script);

}  // namespace kardan
