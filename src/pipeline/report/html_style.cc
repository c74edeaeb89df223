// The page's style sheet. Verdicts differ in words first and in colour second; blue and vermilion
// are told apart by colour-blind readers too. Everything comes from system fonts: nothing is
// fetched.
#include "pipeline/report/html.h"

namespace hone::pipeline::report {

const char* const kHtmlStyle = R"css(
:root {
  --paper: #ffffff; --ink: #1b1f24; --soft: #59636e; --rule: #d8dee4; --wash: #f4f6f8;
  --good: #0b62ad; --bad: #b3380a; --caution: #7a5a00; --control: #7d8792; --band: #e9edf1;
  --good-wash: #e6f0fa; --bad-wash: #fbeae3; --caution-wash: #fbf3d9;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181d; --ink: #e6eaee; --soft: #9aa5b1; --rule: #343c45; --wash: #1d232a;
    --good: #6cb4f5; --bad: #ff9a6b; --caution: #e3bf55; --control: #8d98a4; --band: #262d35;
    --good-wash: #152a3e; --bad-wash: #3d2115; --caution-wash: #352c12;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
body {
  margin: 0 auto; max-width: 1160px; padding: 2.2rem 1.5rem 4rem; background: var(--paper);
  color: var(--ink); font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans",
  "Liberation Sans", "DejaVu Sans", sans-serif;
}
h1 { font-size: 1.05rem; font-weight: 600; color: var(--soft); margin: 0 0 .6rem; }
h2 {
  font-size: 1.3rem; line-height: 1.3; margin: 3rem 0 .9rem; padding-top: 1rem;
  border-top: 2px solid var(--rule);
}
h3, caption, figcaption { font-size: .95rem; font-weight: 600; text-align: left; }
h3 { margin: 1.6rem 0 .5rem; }
caption { padding: 0 0 .4rem; }
p { margin: .5rem 0 1rem; max-width: 78ch; }
.headline { font-size: 1.7rem; line-height: 1.3; font-weight: 600; max-width: 46ch; margin: 0 0 1rem; }
.headline.good { color: var(--good); } .headline.bad { color: var(--bad); }
.headline.caution { color: var(--caution); }
.lead { margin: 0 0 1.4rem; padding-left: 1.2rem; max-width: 90ch; }
.lead li { margin: .15rem 0; } .lead li.bad { color: var(--bad); }
.lead li.caution, p.caution { color: var(--caution); } p.bad { color: var(--bad); }
code, pre { font-family: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace; font-size: .88em; }
code { background: var(--wash); padding: .05em .3em; border-radius: 3px; overflow-wrap: anywhere; }
pre { background: var(--wash); border: 1px solid var(--rule); border-radius: 4px; padding: .8rem 1rem; overflow-x: auto; }
pre code { background: none; padding: 0; white-space: pre; }
a { color: var(--good); }
nav ol { margin: 0; padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; font-size: .9rem; }
dl { margin: .6rem 0 1.2rem; }
dd { margin: 0; }
dt { font-weight: 600; }
.facts, .terms { display: grid; gap: .25rem 0; }
.facts div, .terms div { display: grid; grid-template-columns: minmax(9rem, 15rem) 1fr; gap: 0 1.2rem; }
.facts { border: solid var(--rule); border-width: 1px 0; padding: .8rem 0; font-size: .92rem; }
.facts div { grid-template-columns: 7rem 1fr; }
.facts dt, .terms dt { color: var(--soft); font-weight: 500; }
.terms dd { max-width: 90ch; overflow-wrap: anywhere; }
.questions div { margin: 0 0 1rem; max-width: 90ch; }
dd.bad { color: var(--bad); } dd.caution { color: var(--caution); }
.scroll { overflow-x: auto; margin: .4rem 0; }
.scroll:focus-visible, pre:focus-visible { outline: 2px solid var(--good); outline-offset: 2px; }
table { border-collapse: collapse; font-size: .86rem; font-variant-numeric: tabular-nums; min-width: 40rem; }
thead th { border-bottom: 2px solid var(--rule); color: var(--soft); font-weight: 600; vertical-align: bottom; text-align: left; line-height: 1.25; }
th, td { padding: .34rem .7rem .34rem 0; text-align: left; vertical-align: top; }
tbody th { font-weight: inherit; white-space: nowrap; }
tbody th:first-child { font-weight: 600; }
tbody tr > * { border-bottom: 1px solid var(--rule); }
tbody tr.noted > * { border-bottom: 0; padding-bottom: 0; }
.number { text-align: right; }
tbody .number { white-space: nowrap; }
tr.note td { color: var(--soft); padding-top: 0; font-size: .95em; }
abbr { text-decoration: none; border-bottom: 1px dotted var(--soft); cursor: help; }
.mark { display: inline-block; padding: 0 .5em; border-radius: 3px; font-weight: 600; background: var(--wash); }
.mark.good { color: var(--good); background: var(--good-wash); }
.mark.bad { color: var(--bad); background: var(--bad-wash); }
.mark.caution { color: var(--caution); background: var(--caution-wash); }
.under { font-size: .86rem; color: var(--soft); max-width: 100ch; margin: .4rem 0 1.2rem; }
details { margin: .6rem 0 1rem; }
summary { cursor: pointer; font-weight: 600; font-size: .95rem; }
figure { margin: 1.6rem 0 1rem; }
svg { display: block; max-width: 100%; min-width: 46rem; height: auto; font-size: 13px; }
svg text { fill: var(--ink); font-variant-numeric: tabular-nums; }
svg .tick { fill: var(--soft); font-size: 12px; }
svg .label { font-weight: 600; }
svg .grid { stroke: var(--rule); stroke-width: 1; }
svg .zero { stroke: var(--ink); stroke-width: 1.4; }
svg .band { fill: var(--band); }
svg .interval { stroke-width: 2.2; }
svg .dot { fill-opacity: .38; }
svg .mean { stroke: var(--paper); stroke-width: 1; }
svg .good .interval { stroke: var(--good); } svg .good .dot, svg .good .mean { fill: var(--good); }
svg .bad .interval { stroke: var(--bad); } svg .bad .dot, svg .bad .mean { fill: var(--bad); }
svg .caution .interval { stroke: var(--caution); } svg .caution .dot, svg .caution .mean { fill: var(--caution); }
svg .plain .interval { stroke: var(--ink); } svg .plain .dot, svg .plain .mean { fill: var(--ink); }
svg .control text { fill: var(--soft); font-size: 12px; font-weight: 400; }
svg .control .interval { stroke: var(--control); stroke-width: 1.2; }
svg .control .dot { fill: none; stroke: var(--control); stroke-width: 1; }
svg .control .mean { fill: var(--paper); stroke: var(--control); stroke-width: 1.4; }
svg .axis { stroke: var(--soft); stroke-width: 1.2; }
svg .limit { stroke: var(--bad); stroke-width: 1.2; stroke-dasharray: 2 4; }
svg .curve { fill: none; stroke-width: 2; }
svg .curves .interval { stroke-width: 1.2; }
svg .ceiling { stroke-width: 1.4; stroke-dasharray: 6 4; }
svg .line-0 .curve, svg .line-0 .ceiling, svg .line-0 .interval, svg .line-0 .point { stroke: var(--ink); }
svg .line-0 .point { fill: var(--ink); }
svg .line-1 .curve, svg .line-1 .ceiling, svg .line-1 .interval, svg .line-1 .point { stroke: var(--good); }
svg .line-1 .point { fill: var(--good); }
svg .line-1 text { fill: var(--good); }
svg .point.hollow { fill: var(--paper); stroke-width: 1.6; }
@media (max-width: 720px) {
  body { padding: 1.2rem 1rem 3rem; }
  .headline { font-size: 1.3rem; }
  .facts div, .terms div { grid-template-columns: 1fr; }
}
@media print {
  :root {
    --paper: #fff; --ink: #000; --soft: #444; --rule: #bbb; --wash: #f4f4f4; --good: #0b4f8a;
    --bad: #9a2f06; --caution: #5f4600; --control: #777; --band: #eee;
    --good-wash: #fff; --bad-wash: #fff; --caution-wash: #fff;
  }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav { display: none; }
  h2 { break-after: avoid; margin-top: 1.6rem; }
  figure, tr, .questions div { break-inside: avoid; }
  .scroll { overflow: visible; }
  table { min-width: 0; font-size: 7.5pt; }
  th, td { padding-right: .4rem; }
  svg { min-width: 0; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
)css";

}  // namespace hone::pipeline::report
