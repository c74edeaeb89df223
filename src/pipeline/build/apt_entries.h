// The machine's own apt sources as source-package entries, for a private apt configuration.
#pragma once

#include <string>

#include "base/error.h"
#include "system/files.h"

namespace hone::pipeline {

struct AptEntries {
  std::string lines;    // one-line form, for a file *.list
  std::string stanzas;  // deb822 form, for a file *.sources
  bool empty() const { return lines.empty() && stanzas.empty(); }
};

// Text of one *.list or *.sources file in, source entries out: binary entries turned into source
// ones with all their options, source entries kept, the rest (comments, disabled, CD-ROMs) dropped.
std::string source_lines(const std::string& list);
std::string source_stanzas(const std::string& sources);

// Everything under `etc` (/etc/apt): sources.list and sources.list.d.
Result<AptEntries> read_apt_entries(const system::Path& etc, const system::Files&);

}  // namespace hone::pipeline
