#pragma once
/// Self-contained pages in one style, light and dark as the reader's system is.

#include <string>
#include <string_view>

namespace kardan {

/// Text with "&", "<", ">" and quotes made harmless.
[[nodiscard]] std::string html_text(std::string_view text);
/// A whole page.
[[nodiscard]] std::string html_page(std::string_view title, std::string_view body);
/// An SVG document as an element of a page.
[[nodiscard]] std::string html_figure(std::string_view svg, std::string_view caption);

}  // namespace kardan
