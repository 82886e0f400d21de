#include "apps/pictures/html_page.h"

#include <fmt/format.h>

#include "apps/pictures/script_page.h"
#include "apps/pictures/sha256.h"
#include "kardan/io/packing.h"

namespace kardan {
namespace {

constexpr std::string_view style = R"css(
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5a636e; --paper: #fbfbf9; --card: #ffffff;
  --line: #dcdfe3; --accent: #0b62a8; --good: #1a7f47; --better: #0b62a8; --differs: #9a5b00; --mono: #f4f5f6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ea; --soft: #a2abb5; --paper: #15181b;
  --card: #1d2125; --line: #343a41; --accent: #78b7ee; --good: #62c98e; --better: #78b7ee;
  --differs: #e5b25d; --mono: #191c20; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 2.5rem 1.25rem 5rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .5rem; letter-spacing: -.01em; }
h2 { font-size: 1.4rem; margin: 3.5rem 0 .25rem; padding-top: 1rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 0; }
p { max-width: 46rem; margin: .6rem 0; } .soft { color: var(--soft); }
a { color: var(--accent); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .92rem; }
th, td { text-align: left; padding: .35rem .7rem .35rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
th { color: var(--soft); font-weight: 600; white-space: nowrap; } td.n, th.n { text-align: right; }
.scroll { overflow-x: auto; }
section.item { background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
  padding: 1.1rem 1.3rem 1.2rem; margin: 1.2rem 0; }
section.item header { display: flex; gap: .8rem; align-items: baseline; flex-wrap: wrap; }
.badge { font-size: .78rem; font-weight: 600; padding: .1rem .55rem; border-radius: 1rem;
  border: 1px solid currentColor; white-space: nowrap; }
.reproduced { color: var(--good); } .better { color: var(--better); } .differs, .not { color: var(--differs); }
pre { background: var(--mono); border-radius: .4rem; padding: .8rem 1rem; overflow-x: auto;
  font: .82rem/1.45 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; margin: .8rem 0 0; }
code { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: .9em; }
.print { border-left: 3px solid var(--differs); padding-left: .9rem; margin: .8rem 0; }
figure { margin: 1rem 0 0; } figure .sheet { background: #ffffff; border: 1px solid var(--line);
  border-radius: .4rem; padding: .4rem; overflow-x: auto; } figure svg { max-width: 100%; height: auto; }
figcaption { color: var(--soft); font-size: .88rem; margin-top: .35rem; }
@media print { section.item { break-inside: avoid; } }
)css";

std::string page(std::string_view title, std::string_view body, std::string_view allowed) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      // Nothing in the page runs or fetches, whatever stands in the names and messages of models.
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; {}"
      "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"Kardan\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n{}\n</main>\n</body>\n</"
      "html>\n",
      allowed, html_text(title), style, body);
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string html_page(std::string_view title, std::string_view body) {
  return page(title, body, "");
}

std::string script_page(std::string_view title, std::string_view body, std::string_view data,
                        std::string_view script) {
  // The one script of this hash runs, others do not.
  const std::array<std::uint8_t, 32> hash = sha256(script);
  return page(title,
              fmt::format("{}\n<script type=\"application/json\" id=\"data\">{}</script>\n"
                          "<script>{}</script>",
                          body, data, script),
              fmt::format("script-src 'sha256-{}'; ",
                          base64({reinterpret_cast<const char*>(hash.data()), hash.size()})));
}

std::string html_figure(std::string_view svg, std::string_view caption) {
  // The head of the document is not for a page.
  const std::size_t begin = svg.find("<svg");
  if (begin == std::string_view::npos) return {};
  return fmt::format("<figure><div class=\"sheet\">{}</div><figcaption>{}</figcaption></figure>\n",
                     svg.substr(begin), html_text(caption));
}

}  // namespace kardan
