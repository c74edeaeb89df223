// Every format of the made-up runs against tests/golden. A change that is meant is taken over with
// HONE_UPDATE_GOLDEN=1 and read in the diff.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "pipeline/report/html.h"
#include "pipeline/report/markdown.h"
#include "pipeline/report/report_fixture.h"
#include "pipeline/report/terminal.h"
#include "system/terminal.h"

namespace hone::pipeline::report {
std::string read_repository_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = "tests/golden/" + name;
  if (!system::environment("HONE_UPDATE_GOLDEN").empty()) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  const std::string golden = read_repository_file(path);
  ASSERT_FALSE(golden.empty()) << path << " is missing: run once with HONE_UPDATE_GOLDEN=1";
  if (golden == text) return;
  // The first line that differs says more than two pages side by side.
  std::istringstream a(golden), b(text);
  std::string want, got;
  for (int line = 1; std::getline(a, want) && std::getline(b, got); ++line)
    if (want != got) {
      ADD_FAILURE()
          << path << ":" << line << " differs\n  golden: " << want << "\n  now:    " << got
          << "\nif the change is meant, run once with HONE_UPDATE_GOLDEN=1 and read the diff";
      return;
    }
  ADD_FAILURE() << path << " differs in length: " << golden.size() << " bytes, now " << text.size();
}

namespace {

TEST(Golden, Terminal) {
  expect_golden("report-full.txt", render_terminal(make_run_report(full_run()), {}));
  expect_golden("report-mixed.txt", render_terminal(make_run_report(mixed_run()), {}));
  expect_golden("report-compare.txt", render_terminal(make_run_report(compare_run()), {}));
  expect_golden("report-candidates.txt", render_terminal(make_run_report(candidates_run()), {}));
}

TEST(Golden, Markdown) {
  expect_golden("report-full.md", render_markdown(make_run_report(full_run())));
  expect_golden("report-mixed.md", render_markdown(make_run_report(mixed_run())));
  expect_golden("report-compare.md", render_markdown(make_run_report(compare_run())));
  expect_golden("report-candidates.md", render_markdown(make_run_report(candidates_run())));
}

TEST(Golden, Html) {
  expect_golden("report-full.html", render_html(make_run_report(full_run())));
  expect_golden("report-compare.html", render_html(make_run_report(compare_run())));
  expect_golden("report-candidates.html", render_html(make_run_report(candidates_run())));
}

TEST(Golden, Json) { expect_golden("report-compare.json", dump(make_report_json(compare_run()))); }

}  // namespace
}  // namespace hone::pipeline::report
