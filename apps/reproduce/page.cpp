/// `kardan reproduce --html FILE`: all tables and figures on one page. Every table is computed by a
/// program of its own, as a user would call it.

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "apps/pictures/html_page.h"
#include "apps/reproduce/reproduce.h"
#include "kardan/io/output_file.h"

extern char** environ;

namespace kardan::reproduce {
namespace {

namespace fs = std::filesystem;

struct Output {
  int exit_code = -1;
  std::string text;
};

/// Runs this program and takes what it prints.
Output run_self(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"kardan"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int ends[2] = {};
  Output out;
  if (pipe(ends) != 0) return out;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  pid_t child = 0;
  const int status =
      posix_spawn(&child, "/proc/self/exe", &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (status == 0) {
    std::array<char, 4096> piece{};
    for (ssize_t n = 0; (n = ::read(ends[0], piece.data(), piece.size())) > 0;)
      out.text.append(piece.data(), static_cast<std::size_t>(n));
    int ended = 0;
    waitpid(child, &ended, 0);
    out.exit_code = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
  }
  ::close(ends[0]);
  return out;
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What a table prints, without the line that names the file of its plot.
std::string without_file_names(const std::string& text, const std::string& path) {
  std::string out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size() - 1);
    const std::string line = text.substr(from, end + 1 - from);
    if (line.find(path) == std::string::npos) out += line;
    from = end + 1;
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

/// What became of a table.
struct Outcome {
  int exit_code = -1;
  std::string verdict;  // with its counts
};

/// A verdict counts only with what it is about.
std::string badge(const Outcome& outcome) {
  if (outcome.exit_code != finished) return "<span class=\"badge differs\">not computed</span>";
  const std::string word = outcome.verdict.substr(0, outcome.verdict.find(" ("));
  return fmt::format("<span class=\"badge {}\">{}</span>", word.substr(0, word.find(' ')), word);
}

std::string table_section(const Paper& paper, const Table& table, const fs::path& folder,
                          const Options& options, Outcome& outcome) {
  const fs::path svg = folder / fmt::format("{}-{}.svg", paper.name, table.name);
  std::vector<std::string> words{"reproduce", std::string(paper.name), std::string(table.name),
                                 "--out", svg.string()};
  if (options.quick) words.emplace_back("--quick");
  const Output printed = run_self(words);
  outcome = {printed.exit_code, std::string(verdict_in(printed.text))};
  std::string out = fmt::format(
      "<section class=\"item\" id=\"{}-{}\">\n<header><h3>{}</h3>{}<span class=\"soft\">{}</span>"
      "</header>\n",
      paper.name, table.name, html_text(table.name), badge(outcome), html_text(table.summary));
  if (!table.against_print.empty())
    out += fmt::format("<p class=\"print\"><strong>Against the print.</strong> {}</p>\n",
                       html_text(table.against_print));
  if (printed.exit_code != finished)
    out += fmt::format("<p class=\"differs\">This could not be computed (exit code {}).</p>\n",
                       printed.exit_code);
  const std::string text = without_file_names(printed.text, svg.string());
  if (!text.empty()) out += fmt::format("<pre>{}</pre>\n", html_text(text));
  out += html_figure(read_file(svg), table.summary);
  return out + "</section>\n";
}

std::string overview(const std::vector<Paper>& papers, const std::vector<Outcome>& outcomes) {
  std::string out =
      "<div class=\"scroll\"><table><tr><th>paper</th><th>what</th><th>verdict</th>"
      "<th>numbers</th><th>of</th></tr>\n";
  std::size_t next = 0;
  for (const Paper& paper : papers)
    for (const Table& table : paper.tables) {
      const Outcome& o = outcomes[next++];
      const std::size_t counts = o.verdict.find('(');
      out += fmt::format(
          "<tr><td>{}</td><td><a href=\"#{}-{}\">{}</a></td><td>{}</td><td>{}</td><td>{}</td>"
          "</tr>\n",
          html_text(paper.name), paper.name, table.name, html_text(table.name), badge(o),
          counts == std::string::npos
              ? ""
              : html_text(o.verdict.substr(counts + 1, o.verdict.size() - counts - 2)),
          html_text(table.summary));
    }
  return out + "</table></div>\n";
}

}  // namespace

int reproduce_page(const std::vector<Paper>& papers, const Options& options) {
  std::string name = (fs::temp_directory_path() / "kardan_reproduce_XXXXXX").string();
  if (!mkdtemp(name.data())) {
    fmt::print(stderr, "kardan: no temporary folder\n");
    return failed;
  }
  const fs::path folder = name;
  std::string body =
      "<h1>Five papers, computed again</h1>\n<p>Every table and figure of the papers Kardan's "
      "methods come from: our numbers beside the printed ones, made by this program in one go"
      " (<code>kardan reproduce --html</code>). Where the print is wrong, the entry says so and "
      "how "
      "it was found. A verdict is computed from the numbers listed under it: <span class=\"badge "
      "reproduced\">reproduced</span> the printed numbers or "
      "statements come out; <span class=\"badge better\">better</span> they are surpassed; <span "
      "class=\"badge differs\">differs</span> one of them does not come out.</p>\n<p "
      "class=\"soft\">CPU "
      "times "
      "are of this machine.</p>\n";
  std::vector<Outcome> outcomes;
  std::string sections;
  for (const Paper& paper : papers) {
    sections += fmt::format("<h2 id=\"{}\">{}</h2>\n<p class=\"soft\">{}</p>\n", paper.name,
                            html_text(paper.title), html_text(paper.name));
    for (const Table& table : paper.tables) {
      if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\x1b[K{} {}", paper.name, table.name);
      sections += table_section(paper, table, folder, options, outcomes.emplace_back());
    }
  }
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\x1b[K");
  fs::remove_all(folder);
  body += overview(papers, outcomes) + sections;
  write_file(options.html, html_page("Five papers, computed again", body));
  fmt::print("wrote {}\n", options.html);
  const bool all = std::all_of(outcomes.begin(), outcomes.end(),
                               [](const Outcome& o) { return o.exit_code == finished; });
  return all ? finished : failed;
}

}  // namespace kardan::reproduce
