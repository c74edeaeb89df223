// A table that is too wide first loses the columns marked as least needed, named beneath it, then
// wraps its widest text column: figures are never cut.
#include "pipeline/report/terminal.h"

#include <algorithm>

#include "base/text.h"
#include "pipeline/report/layout.h"
#include "pipeline/report/text_chart.h"

namespace hone::pipeline::report {
namespace {

constexpr int kIndent = 2, kGap = 2;
constexpr int kNarrowest = 60;     // below that nothing lines up any more: let the terminal wrap
constexpr int kLeastWrapped = 16;  // columns narrower than that are harder to read than a long line

class Writer {
 public:
  explicit Writer(const TerminalStyle& style)
      : style_(style), width_(std::max(style.width, kNarrowest)) {}

  std::string take() { return std::move(text_); }
  void blank() { text_ += "\n"; }
  void line(const std::string& text) { text_ += text + "\n"; }
  int width() const { return width_; }
  const TerminalStyle& style() const { return style_; }

  std::string paint(const std::string& text, const char* code) const {
    return style_.colour && *code && !text.empty()
               ? "\033[" + std::string(code) + "m" + text + "\033[0m"
               : text;
  }
  static const char* colour_of(Tone tone) {
    switch (tone) {
      case Tone::kGood:
        return "32";  // green
      case Tone::kBad:
        return "31";  // red
      case Tone::kNote:
        return "33";  // yellow
      case Tone::kPlain:
        return "";
    }
    return "";
  }
  // Wrapped and indented; the first line after `first`, the others under its text.
  void paragraph(const std::string& text, int indent, const char* code = "",
                 const std::string& first = {}) {
    const int inner = indent + display_width(first);
    bool begun = false;
    for (const std::string& piece : wrap(without_backticks(text), width_ - inner)) {
      const std::string lead = begun ? std::string(static_cast<std::size_t>(inner), ' ')
                                     : std::string(static_cast<std::size_t>(indent), ' ') + first;
      line(lead + paint(piece, code));
      begun = true;
    }
  }

 private:
  const TerminalStyle& style_;
  int width_;
  std::string text_;
};

struct Column {
  std::size_t index = 0;
  int width = 0;
  int drop = 0;
};

int longest_word(const std::string& text) {
  int longest = 0;
  for (const std::string& word : split_words(text))
    longest = std::max(longest, display_width(word));
  return longest;
}

int total_width(const std::vector<Column>& columns) {
  int total = kIndent + kGap * (static_cast<int>(columns.size()) - 1);
  for (const Column& column : columns) total += column.width;
  return total;
}

std::vector<Column> natural_columns(const Table& table) {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    Column column{i, longest_word(table.columns[i].name), table.columns[i].drop};
    for (const Table::Row& row : table.rows)
      if (i < row.cells.size())
        column.width = std::max(column.width, display_width(without_backticks(row.cells[i])));
    columns.push_back(column);
  }
  return columns;
}

// Drops and narrows until the table fits; returns the names of what was dropped.
std::vector<std::string> fit(const Table& table, int width, std::vector<Column>* columns) {
  std::vector<std::string> dropped;
  while (total_width(*columns) > width) {
    const auto least =
        std::max_element(columns->begin(), columns->end(),
                         [](const Column& a, const Column& b) { return a.drop < b.drop; });
    if (least->drop == 0) break;
    dropped.push_back(table.columns[least->index].name);
    columns->erase(least);
  }
  while (total_width(*columns) > width) {
    Column* widest = nullptr;
    for (Column& column : *columns)
      if (!table.columns[column.index].number && (!widest || column.width > widest->width))
        widest = &column;
    if (!widest || widest->width <= kLeastWrapped) break;
    widest->width = std::max(kLeastWrapped, widest->width - (total_width(*columns) - width));
  }
  return dropped;
}

void write_cells(Writer* out, const Table& table, const std::vector<Column>& columns,
                 const std::vector<std::string>& cells, Tone tone, bool header) {
  std::vector<std::vector<std::string>> pieces;
  std::size_t height = 1;
  for (const Column& column : columns) {
    const std::string cell = column.index < cells.size() ? cells[column.index] : "";
    pieces.push_back(wrap(without_backticks(cell), column.width));
    height = std::max(height, pieces.back().size());
  }
  for (std::size_t y = 0; y < height; ++y) {
    std::string line(kIndent, ' ');
    for (std::size_t x = 0; x < columns.size(); ++x) {
      // Headers stand on the rule beneath them.
      const std::size_t skipped = header ? height - pieces[x].size() : 0;
      const bool there = y >= skipped && y - skipped < pieces[x].size();
      const Table::Column& column = table.columns[columns[x].index];
      const std::string piece = there ? pieces[x][y - skipped] : "";
      const std::string space(
          static_cast<std::size_t>(std::max(0, columns[x].width - display_width(piece))), ' ');
      const std::string painted = out->paint(piece, header        ? "1"
                                                    : column.mark ? Writer::colour_of(tone)
                                                                  : "");
      if (x > 0) line += std::string(kGap, ' ');
      line += column.number ? space + painted : painted + space;
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out->line(line);
  }
}

void write(Writer* out, const Table& table) {
  if (!table.title.empty()) out->line(std::string(kIndent, ' ') + without_backticks(table.title));
  std::vector<Column> columns = natural_columns(table);
  const std::vector<std::string> dropped = fit(table, out->width(), &columns);
  std::vector<std::string> names;
  for (const Table::Column& column : table.columns) names.push_back(column.name);
  write_cells(out, table, columns, names, Tone::kPlain, true);
  const int rule = std::min(total_width(columns), out->width()) - kIndent;
  out->line(std::string(kIndent, ' ') + repeat(out->style().unicode ? "─" : "-", rule));
  for (const Table::Row& row : table.rows) {
    write_cells(out, table, columns, row.cells, row.tone, false);
    // What went as hoped explains itself; the rest says why.
    if (!row.note.empty() && row.tone != Tone::kGood)
      out->paragraph(row.note, kIndent + 2, Writer::colour_of(row.tone));
  }
  if (!dropped.empty())
    out->paragraph("Left out for width: " + join(dropped, "; ") + ".", kIndent, "2");
  if (!table.note.empty()) out->paragraph(table.note, kIndent, "2");
}

void write(Writer* out, const Forest& forest) {
  out->line(std::string(kIndent, ' ') + without_backticks(forest.title) + ": " + forest.axis);
  for (const ChartLine& line : draw_chart(forest, out->width(), out->style().unicode))
    out->line(out->paint(line.text, line.muted ? "2" : Writer::colour_of(line.tone)));
}

void write(Writer* out, const Curves& curves) {
  out->line(std::string(kIndent, ' ') + without_backticks(curves.title));
  for (const ChartLine& line : draw_chart(curves, out->width(), out->style().unicode))
    out->line(out->paint(line.text, line.muted ? "2" : Writer::colour_of(line.tone)));
  out->paragraph(curves.legend, kIndent, "2");
}

void write(Writer* out, const Sentence& sentence) {
  out->paragraph(sentence.text, kIndent, Writer::colour_of(sentence.tone));
}

// Terms in a column where they are short, over their text where they are not.
void write(Writer* out, const Terms& terms) {
  constexpr int kWidestTerm = 24;
  if (!terms.title.empty()) out->line(std::string(kIndent, ' ') + without_backticks(terms.title));
  int widest = 0;
  for (const Terms::Item& item : terms.items)
    widest = std::max(widest, display_width(without_backticks(item.term)));
  for (const Terms::Item& item : terms.items) {
    const std::string term = without_backticks(item.term);
    const char* colour = Writer::colour_of(item.tone);
    if (widest <= kWidestTerm) {
      out->paragraph(item.text, kIndent, colour, pad(term, widest, false) + "  ");
    } else {
      out->paragraph(term, kIndent, "1");
      out->paragraph(item.text, kIndent + 2, colour);
    }
  }
}

void write(Writer* out, const Commands& commands) {
  if (!commands.title.empty()) out->paragraph(commands.title + ":", kIndent);
  for (const std::string& command : commands.lines)
    out->line(std::string(kIndent + 2, ' ') + command);
}

}  // namespace

std::string render_terminal(const Model& model, const TerminalStyle& style) {
  Writer out(style);
  out.line(out.paint(without_backticks(model.title), "1"));
  out.blank();
  const std::string tone = Writer::colour_of(model.headline.tone);
  out.paragraph(model.headline.text, kIndent, tone.empty() ? "1" : ("1;" + tone).c_str());
  for (const Sentence& sentence : model.lead)
    out.paragraph(sentence.text, kIndent, Writer::colour_of(sentence.tone),
                  style.unicode ? "· " : "- ");
  if (style.everything && !model.facts.items.empty()) {
    out.blank();
    write(&out, model.facts);
  }
  for (const Section& section : model.sections) {
    if (!section.summary && !style.everything) continue;
    out.blank();
    out.line(out.paint(without_backticks(section.title), "1"));
    bool first = true;
    for (const Part& part : section.parts) {
      const auto* table = std::get_if<Table>(&part);
      if (table && table->folded && !style.everything) continue;
      if (!first) out.blank();
      first = false;
      std::visit([&](const auto& one) { write(&out, one); }, part);
    }
  }
  return out.take();
}

}  // namespace hone::pipeline::report
