#pragma once
/// The documentation as data: its fenced blocks and tables, for the tests that keep it true.

#include <filesystem>
#include <string>
#include <vector>

namespace kardan::docs {

std::vector<std::string> lines_of(const std::string& text);
std::string read_bytes(const std::filesystem::path& path);

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

/// A link, or `code` in the text; not in blocks.
struct Mention {
  std::string text;   ///< the target, or the code
  std::string where;  ///< "docs/learn/tutorial.md:12"
};

/// README.md, CONTRIBUTING.md, SECURITY.md and all pages of docs/.
std::vector<Document> documents();
Document document(const std::string& path);

std::vector<Block> blocks(const Document& document, const std::string& language);

/// Targets of links and pictures.
std::vector<Mention> links(const Document& document);

/// What stands between two backticks, over the ends of lines too.
std::vector<Mention> codes(const Document& document);

/// The names by which links reach the headings of a page, as GitHub makes them.
std::vector<std::string> anchors(const Document& document);

/// The text without blocks; lines stay where they are.
std::string prose(const Document& document);

/// Rows of tables whose first cell is code: `like this`. Cells without the blanks around them.
std::vector<std::vector<std::string>> code_rows(const Document& document);

/// `text` without its backticks; empty if it is no code.
std::string code(const std::string& text);

/// The name in a first line "# NAME.yaml", or nothing.
std::string file_name(const Block& block);

/// True for a whole model, false for a fragment.
bool is_model(const Block& block);

}  // namespace kardan::docs
