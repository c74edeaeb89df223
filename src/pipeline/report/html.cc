#include "pipeline/report/html.h"

#include <cctype>

#include "base/text.h"
#include "pipeline/report/layout.h"
#include "pipeline/report/svg.h"

namespace hone::pipeline::report {
namespace {

// Escaped, with `code` as <code>.
std::string inline_html(const std::string& text) {
  std::string out;
  bool code = false;
  for (const std::string& piece : split(escape_html(text), '`')) {
    if (!out.empty() || code) out += code ? "<code>" : "</code>";
    out += piece;
    code = !code;
  }
  // An odd number of backticks leaves the last <code> open.
  if (!code && out.rfind("<code>") != std::string::npos) out += "</code>";
  return out;
}

const char* css_of(Tone tone) {
  switch (tone) {
    case Tone::kGood:
      return "good";
    case Tone::kBad:
      return "bad";
    case Tone::kNote:
      return "caution";
    case Tone::kPlain:
      return "plain";
  }
  return "plain";
}

std::string paragraph(const Sentence& sentence) {
  return "<p class=\"" + std::string(css_of(sentence.tone)) + "\">" + inline_html(sentence.text) +
         "</p>\n";
}

// The first cell with a text heads its row: where a load's name stands once, its shapes head the
// rest.
std::string row_html(const Table& table, const Table::Row& row) {
  std::string out = row.note.empty() ? "<tr>" : "<tr class=\"noted\">";
  bool headed = false;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Table::Column& column = table.columns[i];
    const std::string content = i < row.cells.size() ? inline_html(row.cells[i]) : "";
    const std::string css = column.number ? " class=\"number\"" : "";
    if (!headed && !content.empty()) {
      out += "<th scope=\"row\"" + css + ">" + content + "</th>";
      headed = true;
    } else if (column.mark && !content.empty()) {
      out += "<td><span class=\"mark " + std::string(css_of(row.tone)) + "\">" + content +
             "</span></td>";
    } else {
      out += "<td" + css + ">" + content + "</td>";
    }
  }
  return out + "</tr>\n";
}

std::string table_html(const Table& table, bool with_caption) {
  const std::string title = inline_html(table.title);
  // A wide table scrolls in its own frame, which the keyboard must reach.
  std::string out = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" +
                    escape_html(without_backticks(table.title)) + "\">\n<table>\n";
  if (with_caption && !title.empty()) out += "<caption>" + title + "</caption>\n";
  out += "<thead><tr>";
  for (const Table::Column& column : table.columns) {
    const std::string name = inline_html(column.name);
    out += "<th scope=\"col\"" + std::string(column.number ? " class=\"number\"" : "") + ">" +
           (column.meaning.empty()
                ? name
                : "<abbr title=\"" + escape_html(column.meaning) + "\">" + name + "</abbr>") +
           "</th>";
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const Table::Row& row : table.rows) {
    out += row_html(table, row);
    if (!row.note.empty())
      out += "<tr class=\"note\"><td colspan=\"" + std::to_string(table.columns.size()) + "\">" +
             inline_html(row.note) + "</td></tr>\n";
  }
  out += "</tbody>\n</table>\n</div>\n";
  if (!table.note.empty()) out += "<p class=\"under\">" + inline_html(table.note) + "</p>\n";
  return out;
}

std::string term_list(const Terms& terms, const std::string& css) {
  std::string out = "<dl class=\"" + css + "\">\n";
  for (const Terms::Item& item : terms.items)
    out += "<div><dt>" + inline_html(item.term) + "</dt><dd class=\"" + css_of(item.tone) + "\">" +
           inline_html(item.text) + "</dd></div>\n";
  return out + "</dl>\n";
}

class Page {
 public:
  void write(const Sentence& sentence) { out_ += paragraph(sentence); }

  void write(const Table& table) {
    out_ += table.folded ? "<details>\n<summary>" + inline_html(table.title) + "</summary>\n" +
                               table_html(table, false) + "</details>\n"
                         : table_html(table, true);
  }

  void write(const Forest& forest) {
    out_ += "<figure>\n<figcaption>" + inline_html(forest.title) + ": " + inline_html(forest.axis) +
            "</figcaption>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" +
            escape_html(without_backticks(forest.title)) + "\">\n" +
            render_svg(forest, "chart-" + std::to_string(++charts_)) +
            "</div>\n<p class=\"under\">&#9670; effect, with its 95 % interval; &#9679; one round; "
            "hollow and "
            "muted: the A/A on the same axis; shaded: too small to matter. The tables around the "
            "chart hold "
            "the same figures.</p>\n</figure>\n";
  }

  void write(const Curves& curves) {
    out_ += "<figure>\n<figcaption>" + inline_html(curves.title) +
            "</figcaption>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" +
            escape_html(without_backticks(curves.title)) + "\">\n" +
            render_svg(curves, "chart-" + std::to_string(++charts_)) +
            "</div>\n<p class=\"under\">" + inline_html(curves.legend) + "</p>\n</figure>\n";
  }

  void write(const Terms& terms) {
    if (!terms.title.empty()) out_ += "<h3>" + inline_html(terms.title) + "</h3>\n";
    bool questions = !terms.items.empty();
    for (const Terms::Item& item : terms.items) questions = questions && item.term.ends_with('?');
    out_ += term_list(terms, questions ? "questions" : "terms");
  }

  void write(const Commands& commands) {
    if (!commands.title.empty()) out_ += "<h3>" + inline_html(commands.title) + "</h3>\n";
    out_ +=
        "<pre tabindex=\"0\"><code>" + escape_html(join(commands.lines, "\n")) + "</code></pre>\n";
  }

  void write(const Section& section, int number) {
    out_ += "<section id=\"part-" + std::to_string(number) + "\">\n<h2>" +
            inline_html(section.title) + "</h2>\n";
    for (const Part& part : section.parts) std::visit([&](const auto& one) { write(one); }, part);
    out_ += "</section>\n";
  }

  std::string take() { return std::move(out_); }

 private:
  std::string out_;
  int charts_ = 0;
};

std::string contents(const Model& model) {
  std::string out = "<nav aria-label=\"Contents\"><ol>\n";
  for (std::size_t i = 0; i < model.sections.size(); ++i) {
    // The short name before a colon is enough to find a section by.
    const std::string title = split(model.sections[i].title, ':').front();
    out +=
        "<li><a href=\"#part-" + std::to_string(i + 1) + "\">" + inline_html(title) + "</a></li>\n";
  }
  return out + "</ol></nav>\n";
}

}  // namespace

std::string render_html(const Model& model) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
      escape_html(without_backticks(model.title)) + "</title>\n<style>\n" + kHtmlStyle +
      "</style>\n</head>\n<body>\n<header>\n<h1>" + inline_html(model.title) +
      "</h1>\n<p class=\"headline " + css_of(model.headline.tone) + "\">" +
      inline_html(model.headline.text) + "</p>\n";
  if (!model.lead.empty()) {
    out += "<ul class=\"lead\">\n";
    for (const Sentence& sentence : model.lead)
      out += "<li class=\"" + std::string(css_of(sentence.tone)) + "\">" +
             inline_html(sentence.text) + "</li>\n";
    out += "</ul>\n";
  }
  if (!model.facts.items.empty()) out += term_list(model.facts, "facts");
  out += contents(model) + "</header>\n<main>\n";
  Page page;
  for (std::size_t i = 0; i < model.sections.size(); ++i)
    page.write(model.sections[i], static_cast<int>(i + 1));
  return out + page.take() + "</main>\n</body>\n</html>\n";
}

}  // namespace hone::pipeline::report
