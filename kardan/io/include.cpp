#include "kardan/io/include.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "kardan/io/parts.h"
#include "kardan/io/table_file.h"
#include "kardan/io/unused_parameters.h"

namespace kardan {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 1000;

bool is_one_of(std::string_view key, std::initializer_list<std::string_view> keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// Sections in which the including file may give a name another meaning.
bool holds_definitions(std::string_view section) {
  return is_one_of(section, {"parameters", "functions", "colors", "shapes", "defaults"});
}

/// Keys that stand for themselves rather than for many things.
bool is_head(std::string_view key) {
  return is_one_of(key,
                   {"kardan", "name", "dimension", "gravity", "start", "simulate", "equilibrium"});
}

int find_key(const YamlNode& mapping, std::string_view key) {
  for (std::size_t i = 0; i < mapping.keys.size(); ++i)
    if (mapping.keys[i].text == key) return static_cast<int>(i);
  return -1;
}

bool same(const YamlNode& a, const YamlNode& b) {
  if (a.is_scalar() != b.is_scalar() || (!a.is_scalar() && a.kind != b.kind) || a.text != b.text ||
      a.items.size() != b.items.size() || a.keys.size() != b.keys.size())
    return false;
  for (std::size_t i = 0; i < a.items.size(); ++i)
    if (!same(a.items[i], b.items[i])) return false;
  for (std::size_t i = 0; i < a.keys.size(); ++i)
    if (a.keys[i].text != b.keys[i].text) return false;
  return true;
}

class Loader {
 public:
  Loader(IncludeFrom from, Diagnostics& diagnostics) : from_(from), diagnostics_(diagnostics) {}

  YamlDocument load(std::string_view text, const std::string& file) {
    folder_ = canonical(fs::path(file).parent_path());
    YamlDocument whole;
    files_.push_back(file);
    whole.complete = true;
    whole.root = tree(text, file, 0, whole.complete);
    if (whole.complete && whole.root.kind == YamlNode::Kind::mapping) {
      stack_.push_back(canonical(file));
      expand(whole.root, whole.complete);
      if (const int at = find_key(whole.root, "ports"); at >= 0) {
        diagnostics_.error("part.port", "a file with ports is a part of others",
                           place(whole.root.keys[static_cast<std::size_t>(at)]),
                           "name it under 'parts' of a model, with a body for every port");
        whole.root.items.erase(whole.root.items.begin() + at);
        whole.root.keys.erase(whole.root.keys.begin() + at);
      }
    }
    whole.files = std::move(files_);
    return whole;
  }

 private:
  /// What the including file says counts; two included files must not contradict each other.
  enum class Rank { equal, above };

  static fs::path canonical(const fs::path& path) {
    std::error_code ignored;
    fs::path full = fs::weakly_canonical(fs::absolute(path.empty() ? "." : path), ignored);
    return ignored ? fs::absolute(path).lexically_normal() : full;
  }

  template <class Node>
  SourceLocation place(const Node& node) const {
    return {files_[static_cast<std::size_t>(node.file)], node.line, node.column};
  }

  YamlNode tree(std::string_view text, const std::string& file, int index, bool& complete) {
    YamlDocument own = parse_yaml(text, file, diagnostics_, {}, index);
    complete &= own.complete;
    tables(own.root, file);
    const int at = own.root.kind == YamlNode::Kind::mapping ? find_key(own.root, "include") : -1;
    if (at < 0) return std::move(own.root);
    const YamlNode list = std::move(own.root.items[static_cast<std::size_t>(at)]);
    own.root.items.erase(own.root.items.begin() + at);
    own.root.keys.erase(own.root.keys.begin() + at);
    YamlNode result = own.root;
    result.items.clear();
    result.keys.clear();
    stack_.push_back(canonical(file));
    seen_.insert(stack_.back());
    if (list.kind == YamlNode::Kind::list)
      for (const YamlNode& item : list.items) include(item, file, result, complete);
    else
      include(list, file, result, complete);
    stack_.pop_back();
    join(std::move(own.root), Rank::above, result);
    return result;
  }

  void expand(YamlNode& root, bool& complete) {
    if (find_key(root, "parts") < 0) return;
    expand_parts(
        root, [&](const YamlNode& file) { return part(file, complete); }, files_, diagnostics_);
  }

  /// The tree of a part's file: read once, however often it is used.
  const YamlNode* part(const YamlNode& item, bool& complete) {
    const SourceLocation where = place(item);
    const std::string from = files_[static_cast<std::size_t>(item.file)].str();
    if (!possible(item.text, where)) return nullptr;
    const fs::path path = fs::path(from).parent_path() / item.text;
    const fs::path full = canonical(path);
    if (!allowed(item.text, full, where)) return nullptr;
    if (std::find(stack_.begin(), stack_.end(), full) != stack_.end()) {
      diagnostics_.error("include.cycle", fmt::format("'{}' is a part of itself", item.text), where,
                         "remove one of the parts of the circle");
      return nullptr;
    }
    if (const auto known = parts_.find(full); known != parts_.end()) return &known->second;
    const auto text = read_text(full.string(), FileKind::regular, where, diagnostics_);
    if (!text) return nullptr;
    const std::string name = path.lexically_normal().string();
    const int index = static_cast<int>(files_.size());
    files_.push_back(name);
    stack_.push_back(full);
    const std::set<fs::path> seen = std::exchange(seen_, {});  // a part includes for itself
    bool whole = true;
    YamlNode root = tree(*text, name, index, whole);
    if (whole && root.kind == YamlNode::Kind::mapping) {
      YamlDocument own;
      own.root = root;
      own.complete = true;
      own.files = files_;
      report_unused_parameters(own, diagnostics_);
      expand(root, whole);
    }
    seen_ = seen;
    stack_.pop_back();
    complete &= whole;
    if (whole && root.kind != YamlNode::Kind::mapping) {
      diagnostics_.error("model.shape",
                         fmt::format("{}: got {}; wanted a mapping", name, describe(root)),
                         place(root));
    }
    return &parts_.emplace(full, std::move(root)).first->second;
  }

  /// Reads the tables that stand in files of their own.
  void tables(YamlNode& node, const std::string& file) {
    for (YamlNode& item : node.items) tables(item, file);
    if (!is_table_file(node)) return;
    const YamlNode& item = *node.find("file");
    const SourceLocation where = place(item);
    const fs::path path = fs::path(file).parent_path() / item.text;
    const fs::path full = canonical(path);
    if (!possible(item.text, where) || !allowed(item.text, full, where)) return;
    const auto text = read_text(full.string(), FileKind::regular, where, diagnostics_);
    files_.push_back(path.lexically_normal().string());
    if (text)
      (void)insert_points(*text, path.lexically_normal().string(), where, node, diagnostics_);
  }

  void include(const YamlNode& item, const std::string& file, YamlNode& into, bool& complete) {
    const SourceLocation where = place(item);
    if (!item.is_scalar()) {
      diagnostics_.error("model.shape",
                         fmt::format("include: got {}; wanted the path of a file", describe(item)),
                         where, "write include: [part.yaml, ...]");
      return;
    }
    if (!possible(item.text, where)) return;
    const fs::path path = fs::path(file).parent_path() / item.text;
    const fs::path full = canonical(path);
    if (!allowed(item.text, full, where)) return;
    if (std::find(stack_.begin(), stack_.end(), full) != stack_.end()) {
      diagnostics_.error("include.cycle", fmt::format("'{}' includes itself", item.text), where,
                         "remove one of the includes of the circle");
      return;
    }
    if (!seen_.insert(full).second) return;
    if (files_.size() >= most_files) {
      diagnostics_.error("include.too_many", fmt::format("more than {} files", most_files), where,
                         "join some of them");
      return;
    }
    const std::string name = path.lexically_normal().string();
    // What was judged is read: with links in the path, `name` may be another file.
    const auto text = read_text(full.string(), FileKind::regular, where, diagnostics_);
    if (!text) return;
    const int index = static_cast<int>(files_.size());
    files_.push_back(name);
    stack_.push_back(full);
    YamlNode root = tree(*text, name, index, complete);
    stack_.pop_back();
    if (root.kind == YamlNode::Kind::null) return;
    if (root.kind != YamlNode::Kind::mapping) {
      diagnostics_.error("model.shape",
                         fmt::format("{}: got {}; wanted a mapping", name, describe(root)),
                         place(root));
      return;
    }
    join(std::move(root), Rank::equal, into);
  }

  /// A zero byte would end the path for the system; other control characters have no place in one.
  bool possible(const std::string& text, const SourceLocation& where) {
    const bool nowhere = from_ == IncludeFrom::nowhere;
    const bool odd = std::any_of(text.begin(), text.end(), [](char c) {
      return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
    });
    if (!nowhere && !odd) return true;
    diagnostics_.error(
        "include.path",
        nowhere ? "the model of a stored result includes a file"
                : "the path has a control character",
        where,
        nowhere ? "Kardan stores models whole: this was not written by it" : "rename the file");
    return false;
  }

  bool allowed(const std::string& text, const fs::path& full, const SourceLocation& where) {
    if (from_ == IncludeFrom::anywhere) return true;
    const fs::path inside = full.lexically_relative(folder_);
    const bool outside = inside.empty() || *inside.begin() == "..";
    if (!fs::path(text).is_absolute() && !outside) return true;
    diagnostics_.error(
        "include.path",
        fmt::format("'{}' {}", text,
                    outside ? "leaves the folder of the model" : "is an absolute path"),
        where, "put it beneath the model, or allow it by --include-anywhere");
    return false;
  }

  void join(YamlNode from, Rank rank, YamlNode& into) {
    for (std::size_t i = 0; i < from.keys.size(); ++i)
      join_section(std::move(from.keys[i]), std::move(from.items[i]), rank, into);
  }

  void join_section(YamlKey key, YamlNode node, Rank rank, YamlNode& into) {
    const int at = find_key(into, key.text);
    if (at < 0) {
      into.keys.push_back(std::move(key));
      into.items.push_back(std::move(node));
      return;
    }
    YamlNode& old = into.items[static_cast<std::size_t>(at)];
    if (is_head(key.text)) {
      replace(key, std::move(node), key.text == "dimension" ? Rank::equal : rank, old);
    } else if (node.kind == YamlNode::Kind::mapping && old.kind == YamlNode::Kind::mapping) {
      join_mapping(key.text, std::move(node), rank, old);
    } else if (node.kind == YamlNode::Kind::list && old.kind == YamlNode::Kind::list) {
      for (YamlNode& item : node.items) old.items.push_back(std::move(item));
    } else if (old.kind == YamlNode::Kind::null) {
      old = std::move(node);
    } else if (node.kind != YamlNode::Kind::null) {
      // Of two shapes one is wrong: whoever reads the sections says so.
      into.keys.push_back(std::move(key));
      into.items.push_back(std::move(node));
    }
  }

  void join_mapping(const std::string& section, YamlNode from, Rank rank, YamlNode& into) {
    for (std::size_t i = 0; i < from.keys.size(); ++i) {
      const int at = find_key(into, from.keys[i].text);
      YamlNode* old = at < 0 ? nullptr : &into.items[static_cast<std::size_t>(at)];
      if (old && holds_definitions(section)) {
        replace(from.keys[i], std::move(from.items[i]), rank, *old);
      } else if (old && section == "ground" && old->kind == from.items[i].kind) {
        for (YamlKey& k : from.items[i].keys) old->keys.push_back(std::move(k));
        for (YamlNode& n : from.items[i].items) old->items.push_back(std::move(n));
      } else {
        // Two bodies of one name are reported by whoever reads the sections.
        into.keys.push_back(std::move(from.keys[i]));
        into.items.push_back(std::move(from.items[i]));
      }
    }
  }

  void replace(const YamlKey& key, YamlNode node, Rank rank, YamlNode& old) {
    if (rank == Rank::equal && !same(node, old)) {
      const SourceLocation other = place(old);
      diagnostics_.error("include.conflict",
                         fmt::format("'{}' is something else at {}:{}:{}", key.text,
                                     other.file.str(), other.line, other.column),
                         place(key),
                         key.text == "dimension" ? "all files of a model have one dimension"
                                                 : "say in the including file what it shall be");
      return;
    }
    old = std::move(node);
  }

  IncludeFrom from_;
  Diagnostics& diagnostics_;
  fs::path folder_;
  std::vector<SharedText> files_;
  std::vector<fs::path> stack_;  // files being read, the outermost first
  std::set<fs::path> seen_;
  std::map<fs::path, YamlNode> parts_;  // trees of their files
};

}  // namespace

YamlDocument parse_with_includes(std::string_view text, const std::string& file, IncludeFrom from,
                                 Diagnostics& diagnostics) {
  return Loader(from, diagnostics).load(text, file);
}

std::optional<std::string> read_text(const std::string& path, FileKind kind,
                                     const SourceLocation& where, Diagnostics& diagnostics) {
  // One byte more than is read at most, so that the parser sees an oversized file as such.
  auto text = read_input(path, YamlLimits{}.bytes + 1, kind);
  if (text) return std::move(text).value();
  diagnostics.error("file.open", text.error().why, where, "give the path of a model file");
  return {};
}

}  // namespace kardan
