#include "apps/cli/study_page.h"

#include <fmt/format.h>

#include <cmath>

#include "apps/pictures/html_page.h"
#include "apps/pictures/script_page.h"
#include "kardan/io/report_json.h"

namespace kardan::cli {
namespace {

constexpr std::uint64_t most_shown = 10'000;

/// Six digits: more than a picture shows.
Json shown(double x) {
  if (!std::isfinite(x)) return {};
  return Json::parse(fmt::format("{:.6g}", x));
}

/// As text inside a script element: no "<" that could end it.
std::string harmless(const Json& data) {
  std::string out;
  for (const char c : data.dump())
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  return out;
}

Json page_data(const StudyStore& store, const StudyResults& results, std::uint64_t stride) {
  const RowShape& shape = store.shape();
  std::vector<std::string> names = shape.names();
  names.resize(shape.values());
  Json out{{"file", store.table().path()},
           {"names", names},
           {"parameters", shape.parameters().size()},
           {"run", Json::array()},
           {"verdict", Json::array()},
           {"met", Json::array()},
           {"columns", Json::array()}};
  for (std::size_t i = 0; i < names.size(); ++i) out["columns"].push_back(Json::array());
  store.table().scan([&](std::uint64_t run, std::span<const double> row) {
    if (run % stride != 0) return;
    out["run"].push_back(run);
    out["verdict"].push_back(static_cast<int>(row[shape.verdict()]));
    out["met"].push_back(static_cast<int>(row[shape.met()]));
    for (std::size_t i = 0; i < names.size(); ++i) out["columns"][i].push_back(shown(row[i]));
  });
  if (!results.sensitivities) return out;
  for (const auto& kept : results.sensitivities->of) {
    Json& of = out["sobol"].emplace_back(Json::array());
    for (const Sensitivity& x : kept) of.push_back({shown(x.first), shown(x.total)});
  }
  return out;
}

std::string statistics_table(const StudyStore& store, const StudyResults& r) {
  std::string out = "<div class=\"scroll\"><table><tr><th>value</th>";
  for (const char* head : {"mean", "deviation", "smallest", "largest"})
    out += fmt::format("<th class=\"n\">{}</th>", head);
  for (const double q : store.shares()) out += fmt::format("<th class=\"n\">{:g} %</th>", 100 * q);
  out += "</tr>\n";
  const std::vector<std::string> names = store.shape().names();
  for (std::size_t i = 0; i < store.shape().values(); ++i) {
    const Moments& m = r.statistics.moments[i];
    out += fmt::format("<tr><td>{}</td>", html_text(names[i]));
    for (const double x : {m.mean, m.deviation, m.smallest, m.largest})
      out += fmt::format("<td class=\"n\">{:.6g}</td>", x);
    for (const double x : r.quantiles[i]) out += fmt::format("<td class=\"n\">{:.6g}</td>", x);
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

constexpr std::string_view frame = R"html(
<div id="study">
<h2>Parallel coordinates</h2>
<p class="soft">Drag along an axis to choose a part of it; click the axis to let go. What is chosen is drawn in
colour everywhere on this page.</p>
<p id="chosen"></p>
<canvas id="parallel"></canvas>
<h2>Pairs of values</h2>
<p class="soft">On the diagonal the distribution of each. Click a point for its run.</p>
<p id="point"></p>
<canvas id="pairs"></canvas>
<div id="bars"></div>
<section id="surface" hidden>
<h2>Response surface</h2>
<p class="soft"><label>of <select id="surface-kept"></select></label> <label>over <select id="surface-x"></select></label>
<label>and <select id="surface-y"></select></label>, the other parameters in the middle of what they were</p>
<canvas id="map"></canvas>
<p class="soft" id="surface-told"></p>
</section>
<h2>Runs</h2>
<p class="soft">Those that are chosen, the first 200; click a heading to sort.</p>
<div class="scroll"><table id="runs"></table></div>
</div>
)html";

constexpr std::string_view style = R"css(
#study canvas { display: block; width: 100%; touch-action: none; cursor: crosshair; }
#runs th { cursor: pointer; }
#point code { overflow-wrap: anywhere; }
#study select { font: inherit; color: var(--ink); background: var(--card); border: 1px solid var(--line);
  border-radius: .3rem; padding: .15rem .4rem; margin: .15rem .3rem .15rem 0; max-width: 12rem; }
#study #map { cursor: default; touch-action: auto; }
.bar { display: grid; grid-template-columns: minmax(4rem, 10rem) 1fr 7.5rem; gap: .6rem; align-items: center;
  font-size: .9rem; margin: .25rem 0; }
.bar div { position: relative; height: .95rem; background: var(--mono); border-radius: .2rem; }
.bar i { position: absolute; inset: 0 auto 0 0; background: var(--accent); opacity: .35;
  border-radius: .2rem; }
.bar i + i { opacity: 1; }
)css";

}  // namespace

std::string study_page(const StudyStore& store, const StudyResults& r) {
  const StudyStatistics& s = r.statistics;
  const std::uint64_t rows = store.table().rows(), stride = (rows + most_shown - 1) / most_shown;
  std::string body = fmt::format("<h1>{}</h1>\n<p>{} of {} runs; {} failed.",
                                 html_text(store.title()), store.done(), rows, s.failed);
  if (store.drawn())
    body += fmt::format(
        " {:.3g} % fail or break what is required, between {:.3g} % and {:.3g} % at "
        "95 % confidence.",
        100 * s.not_met.value, 100 * s.not_met.low, 100 * s.not_met.high);
  body += "</p>\n";
  if (stride > 1)
    body += fmt::format("<p class=\"soft\">The pictures show every {}th run.</p>\n", stride);
  body += statistics_table(store, r);
  body += fmt::format("<style>{}</style>{}", style, frame);
  return script_page("Study: " + store.title(), body, harmless(page_data(store, r, stride)),
                     study_page_script());
}

}  // namespace kardan::cli
