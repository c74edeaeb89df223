#include "pipeline/report/markdown.h"

#include "base/text.h"
#include "pipeline/report/text_chart.h"

namespace hone::pipeline::report {
namespace {

constexpr int kChartWidth = 100;  // what a pull request shows without a scroll bar

// Marks that Markdown or its HTML would take as their own are escaped; `code` is kept as it is,
// but for the pipe, which ends a table's cell even there.
std::string inline_text(const std::string& text) {
  std::string out;
  bool code = false;
  for (const char c : text) {
    if (c == '`') {
      code = !code;
      out += c;
    } else if (c == '\n') {
      out += ' ';
    } else if (c == '|' || (!code && (c == '*' || c == '_' || c == '<' || c == '[' || c == '\\'))) {
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string emphasised(const Sentence& sentence) {
  return "**" + inline_text(sentence.text) + "**";
}

void write_body(std::string* out, const Table& table) {
  std::string names = "|", rule = "|";
  for (const Table::Column& column : table.columns) {
    names += " " + inline_text(column.name) + " |";
    rule += column.number ? " ---: |" : " --- |";
  }
  *out += names + "\n" + rule + "\n";
  for (const Table::Row& row : table.rows) {
    *out += "|";
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      std::string cell = i < row.cells.size() ? inline_text(row.cells[i]) : "";
      if (table.columns[i].mark && row.tone != Tone::kPlain && !cell.empty())
        cell = "**" + cell + "**";
      *out += " " + cell + " |";
    }
    *out += "\n";
  }
  *out += "\n";
  bool notes = false;
  for (const Table::Row& row : table.rows) {
    if (row.note.empty()) continue;
    *out += "- " + inline_text(row.cells.empty() ? "" : row.cells.front()) + ": " +
            inline_text(row.note) + "\n";
    notes = true;
  }
  if (notes) *out += "\n";
  if (!table.note.empty()) *out += inline_text(table.note) + "\n\n";
}

void begin_fold(std::string* out, const std::string& title) {
  // Inside <summary> GitHub renders no Markdown: plain text.
  *out += "<details><summary>" + replace_all(replace_all(title, "`", ""), "<", "&lt;") +
          "</summary>\n\n";
}

void write(std::string* out, const Table& table, bool in_fold) {
  if (table.folded && !in_fold) {
    begin_fold(out, table.title);
    write_body(out, table);
    *out += "</details>\n\n";
    return;
  }
  if (!table.title.empty()) *out += "**" + inline_text(table.title) + "**\n\n";
  write_body(out, table);
}

void write(std::string* out, const Forest& forest, bool) {
  *out += "**" + inline_text(forest.title) + ": " + inline_text(forest.axis) + "**\n\n```text\n";
  for (const ChartLine& line : draw_chart(forest, kChartWidth, true)) *out += line.text + "\n";
  *out += "```\n\n";
}

void write(std::string* out, const Curves& curves, bool) {
  *out += "**" + inline_text(curves.title) + "**\n\n```text\n";
  for (const ChartLine& line : draw_chart(curves, kChartWidth, true)) *out += line.text + "\n";
  *out += "```\n\n" + inline_text(curves.legend) + "\n\n";
}

void write(std::string* out, const Sentence& sentence, bool) {
  *out += inline_text(sentence.text) + "\n\n";
}

void write(std::string* out, const Terms& terms, bool) {
  if (!terms.title.empty()) *out += "**" + inline_text(terms.title) + "**\n\n";
  for (const Terms::Item& item : terms.items) {
    const std::string term = inline_text(item.term);
    *out += "- **" + term + (term.ends_with('?') ? "** " : "**: ") + inline_text(item.text) + "\n";
  }
  *out += "\n";
}

// A fence longer than any run of backticks in the commands.
void write(std::string* out, const Commands& commands, bool) {
  std::string fence = "```";
  for (const std::string& line : commands.lines)
    while (line.find(fence) != std::string::npos) fence += '`';
  if (!commands.title.empty()) *out += inline_text(commands.title) + ":\n\n";
  *out += fence + "\n" + join(commands.lines, "\n") + "\n" + fence + "\n\n";
}

}  // namespace

std::string render_markdown(const Model& model) {
  std::string out = "# " + inline_text(model.title) + "\n\n" + emphasised(model.headline) + "\n\n";
  for (const Sentence& sentence : model.lead) out += "- " + inline_text(sentence.text) + "\n";
  if (!model.lead.empty()) out += "\n";
  for (const Section& section : model.sections) {
    if (section.summary)
      out += "## " + inline_text(section.title) + "\n\n";
    else
      begin_fold(&out, section.title);
    for (const Part& part : section.parts)
      std::visit([&](const auto& one) { write(&out, one, !section.summary); }, part);
    if (!section.summary) out += "</details>\n\n";
  }
  if (!model.facts.items.empty()) write(&out, model.facts, false);
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

}  // namespace hone::pipeline::report
