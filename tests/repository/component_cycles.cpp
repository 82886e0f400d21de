#include "repository/component_cycles.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <set>

namespace kardan::repository {
namespace {

/// "kardan/base/text" of kardan/base/text.h and of kardan/base/text.cpp.
std::string component_of(const std::string& path) {
  return std::filesystem::path(path).replace_extension().generic_string();
}

/// By component, those it includes, with the first place that does so.
using Graph = std::map<std::string, std::map<std::string, std::string>>;

Graph graph_of(const std::vector<SourceFile>& files) {
  std::set<std::string> known;
  for (const SourceFile& file : files) known.insert(file.path);
  Graph graph;
  for (const SourceFile& file : files) {
    auto& from = graph[component_of(file.path)];
    const std::vector<std::string> lines = lines_of(file.text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::optional<Include> include = included(lines[i]);
      if (!include) continue;
      const std::string path = path_of(*include, file);
      if (!known.contains(path) || component_of(path) == component_of(file.path)) continue;
      from.try_emplace(component_of(path), file.path + ":" + std::to_string(i + 1));
    }
  }
  return graph;
}

/// The shortest way around from a component to itself, without it at its beginning; empty: there is
/// none.
std::vector<std::string> circle_from(const Graph& graph, const std::string& start) {
  std::map<std::string, std::string> before;
  std::deque<std::string> next{start};
  while (!next.empty()) {
    const std::string at = next.front();
    next.pop_front();
    for (const auto& [to, place] : graph.at(at)) {
      if (!before.try_emplace(to, at).second) continue;
      if (to != start) {
        next.push_back(to);
        continue;
      }
      std::vector<std::string> circle{start};
      for (std::string back = at; back != start; back = before.at(back)) circle.push_back(back);
      std::reverse(circle.begin(), circle.end());
      return circle;
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> component_cycles(const std::vector<SourceFile>& files) {
  const Graph graph = graph_of(files);
  std::set<std::string> told;
  std::vector<std::string> faults;
  for (const auto& [start, unused] : graph) {
    if (told.contains(start)) continue;
    std::string text = start, at = start;
    for (const std::string& to : circle_from(graph, start)) {
      text += " -> " + to + " (" + graph.at(at).at(to) + ")";
      told.insert(to);
      at = to;
    }
    if (at != start || text != start) faults.push_back(text);
  }
  return faults;
}

}  // namespace kardan::repository
