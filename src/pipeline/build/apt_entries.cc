// Where a machine's packages come from, there are their sources: the same archive, mirror, suite
// and signing key. So the entries are derived from the machine's own rather than written for one
// distribution, and stay right behind a mirror.

#include "pipeline/build/apt_entries.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/text.h"

namespace hone::pipeline {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// The word a deb822 field is called by, lower case; empty for a continuation line.
std::string field_name(const std::string& line) {
  if (line.empty() || std::isspace(static_cast<unsigned char>(line[0])) != 0) return {};
  return lower(trim(line.substr(0, line.find(':'))));
}

std::string field_value(const std::string& line) { return trim(line.substr(line.find(':') + 1)); }

// One stanza's lines turned into a source entry; empty when it gives none.
std::string source_stanza(const std::vector<std::string>& lines) {
  std::string text;
  bool has_types = false, has_uri = false;
  for (const std::string& line : lines) {
    const std::string name = field_name(line);
    if (name == "enabled") {
      const std::string value = lower(field_value(line));
      if (value == "no" || value == "false" || value == "off" || value == "0") return {};
    }
    if (name == "uris") {
      if (field_value(line).rfind("cdrom:", 0) == 0) return {};
      has_uri = true;
    }
    if (name == "types") {
      has_types = true;
      text += "Types: deb-src\n";
    } else {
      text += line + "\n";
    }
  }
  return has_types && has_uri ? text : std::string();
}

void add_once(const std::string& entry, const std::string& separator, std::string* all) {
  if (entry.empty() || ("\n" + *all).find("\n" + entry) != std::string::npos) return;
  *all += entry + separator;
}

}  // namespace

std::string source_lines(const std::string& list) {
  std::string lines;
  for (const std::string& raw : split(list, '\n')) {
    const std::string line = trim(raw.substr(0, raw.find('#')));
    const std::size_t space = line.find_first_of(" \t");
    if (space == std::string::npos || line.find("cdrom:") != std::string::npos) continue;
    const std::string type = line.substr(0, space);
    if (type == "deb" || type == "deb-src") {
      add_once("deb-src " + trim(line.substr(space)) + "\n", "", &lines);
    }
  }
  return lines;
}

std::string source_stanzas(const std::string& sources) {
  std::string stanzas;
  std::vector<std::string> lines;
  std::vector<std::string> all = split(sources, '\n');
  all.emplace_back();  // ends the last stanza
  for (const std::string& line : all) {
    if (!line.empty() && line[0] == '#') continue;
    if (!trim(line).empty()) {
      lines.push_back(line);
      continue;
    }
    add_once(source_stanza(lines), "\n", &stanzas);
    lines.clear();
  }
  return stanzas;
}

Result<AptEntries> read_apt_entries(const system::Path& etc, const system::Files& files) {
  std::vector<system::Path> lists;
  if (files.exists(etc / "sources.list")) lists.push_back(etc / "sources.list");
  if (files.is_directory(etc / "sources.list.d")) {
    HONE_TRY(const std::vector<system::Path> parts, files.list(etc / "sources.list.d"));
    lists.insert(lists.end(), parts.begin(), parts.end());
  }
  AptEntries entries;
  for (const system::Path& path : lists) {
    const std::string kind = path.extension().string();
    if (kind != ".list" && kind != ".sources") continue;
    HONE_TRY(const std::string text, files.read(path));
    if (kind == ".list") {
      for (const std::string& line : split(source_lines(text), '\n')) {
        if (!line.empty()) add_once(line + "\n", "", &entries.lines);
      }
    } else {
      entries.stanzas += source_stanzas(text);
    }
  }
  return entries;
}

}  // namespace hone::pipeline
