#pragma once
/// The documentation as data: its fenced blocks and tables, for the tests that keep it true.

#include <string>
#include <vector>

namespace kardan::docs {

/// What stands between ``` and ```.
struct Block {
  std::string language;
  std::string text;
  std::string where;  ///< "docs/learn/tutorial.md:12"
};

struct Document {
  std::string path;  ///< from the root of the repository
  std::string text;
};

/// README.md, CONTRIBUTING.md and all pages of docs/.
std::vector<Document> documents();
Document document(const std::string& path);

std::vector<Block> blocks(const Document& document, const std::string& language);

/// Rows of tables whose first cell is code: `like this`. Cells without the blanks around them.
std::vector<std::vector<std::string>> code_rows(const Document& document);

/// `text` without its backticks; empty if it is no code.
std::string code(const std::string& text);

/// The name in a first line "# NAME.yaml", or nothing.
std::string file_name(const Block& block);

/// True for a whole model, false for a fragment.
bool is_model(const Block& block);

}  // namespace kardan::docs
