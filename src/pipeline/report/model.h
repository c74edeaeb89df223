// A report as data: sentences, tables and series, in reading order. One file per kind of report
// fills it; exporters render it and compute nothing. Every text may hold `code` between backticks.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace hone::pipeline::report {

struct Sentence {
  std::string text;
  enum class Tone { kPlain, kGood, kBad, kNote } tone = Tone::kPlain;
};
using Tone = Sentence::Tone;

struct Table {
  std::string title;
  struct Column {
    std::string name;
    bool number = false;       // right-aligned
    int drop = 0;              // where width is short, the highest goes first; 0: never left out
    std::string meaning = {};  // one line, for renderings that can show it on demand
    bool mark = false;         // carries the row's tone
  };
  std::vector<Column> columns;
  struct Row {
    std::vector<std::string> cells;
    Tone tone = Tone::kPlain;
    std::string note = {};  // belongs to the row and stands beneath it
  };
  std::vector<Row> rows;
  std::string note = {};  // under the table
  bool folded = false;    // long: renderings that can fold show its title first
};

// Points and an interval per row on one horizontal axis: per-round dots, the forest of shapes.
// Every chart is also readable as the table it comes from.
struct Forest {
  std::string title, axis;  // axis: "CPU per request, change in %"
  std::string left, right;  // what the two directions mean: "less CPU", "more CPU"
  std::string description;  // the chart in words, for who cannot see it
  struct Row {
    std::string label;
    std::vector<double> dots;
    double estimate = 0, low = 0, high = 0;
    bool control = false;  // the A/A, drawn muted beneath its shape
    Tone tone = Tone::kPlain;
    std::string figure = {};  // the row's numbers as text, beside it
  };
  std::vector<Row> rows;
  double band_low = 0, band_high = 0;  // shaded: effects that do not matter
  struct Tick {
    double at = 0;
    std::string label;
  };
  std::vector<Tick> ticks;  // ascending; the first and the last are the ends of the axis
};

// Figures of several arms over one horizontal axis, such as CPU per request over the rate. Values
// and ticks are in the axis' own scale: a logarithmic one is taken before. Every chart is also
// readable as the table it comes from.
struct Curves {
  std::string title, x_axis, y_axis;
  std::string description;  // the chart in words, for who cannot see it
  struct Point {
    double x = 0, y = 0, low = 0, high = 0;
    bool hollow = false;  // counts for less: `legend` says why
  };
  struct Line {
    std::string label;
    std::vector<Point> points;  // by x
  };
  std::vector<Line> lines;
  struct Mark {
    double at = 0;
    std::string label;
    std::size_t line = 0;  // whose it is
  };
  std::vector<Mark> marks;                     // on the horizontal axis
  std::vector<Mark> limits;                    // on the vertical axis, of all lines
  std::vector<Forest::Tick> x_ticks, y_ticks;  // as in Forest
  std::string legend;
};

struct Terms {  // facts, questions with their answers, the glossary
  std::string title;
  struct Item {
    std::string term, text;
    Tone tone = Tone::kPlain;
  };
  std::vector<Item> items;
};

struct Commands {  // to copy
  std::string title;
  std::vector<std::string> lines;
};

using Part = std::variant<Sentence, Table, Forest, Curves, Terms, Commands>;

struct Section {
  std::string title;
  std::vector<Part> parts;
  bool summary = false;  // also in the short renderings
};

struct Model {
  std::string title;
  Sentence headline;           // the result in one sentence
  std::vector<Sentence> lead;  // what must be read with it
  Terms facts;                 // what, where, when, in a few lines
  std::vector<Section> sections;
};

}  // namespace hone::pipeline::report
