#include "pipeline/build/binary_size.h"

#include "base/text.h"

namespace hone::pipeline {

std::uint64_t text_bytes_in(const std::string& sizes) {
  std::uint64_t sum = 0;
  for (const std::string& line : split(sizes, '\n')) {
    const std::vector<std::string> words = split_words(line);
    if (words.size() < 2 || (words[0] != ".text" && words[0].rfind(".text.", 0) != 0)) continue;
    sum += static_cast<std::uint64_t>(parse_integer(words[1]).value_or(0));
  }
  return sum;
}

Result<BinarySize> measure_binary(const system::Path& binary, const system::Path& scratch,
                                  const toolchain::Toolchain& tools, system::System& os) {
  BinarySize size;
  HONE_TRY(size.file, os.files->size(binary));
  system::Command sections;
  sections.argv = {tools.size, "-A", binary.string()};
  HONE_TRY(const std::string text, os.processes->capture(sections));
  size.text = text_bytes_in(text);
  system::Command strip;
  strip.argv = {tools.strip, "-o", scratch.string(), binary.string()};
  HONE_CHECK(os.processes->capture(strip));
  HONE_TRY(size.stripped, os.files->size(scratch));
  HONE_CHECK(os.files->remove_all(scratch));
  return size;
}

}  // namespace hone::pipeline
