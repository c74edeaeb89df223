// Reads one table of a recipe into a struct's fields: types, ranges, unknown keys. The first fault
// is kept and told by finish(), with where it was written and what is allowed there.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "pipeline/recipe/document.h"

namespace hone::pipeline {

// "recipe.toml:12:3: WHAT". kRecipe, or kUsage when the value came from the command line.
Error recipe_error(const Origin&, const std::string& what, const std::string& next = {});

class TableReader {
 public:
  // `name`: as the user writes it, "[prove]". `table` outlives the reader.
  TableReader(const Node& table, std::string name);

  // Each leaves *out alone when the key is absent, and notes a fault when the value does not fit.
  void text(const std::string& key, std::string* out);
  void integer(const std::string& key, long long low, long long high, long long* out);
  void integer(const std::string& key, long long low, long long high, int* out);
  // Both ends are excluded where the flag says so: shares and rates must be above 0.
  struct Range {
    double low = 0, high = 0;
    bool above_low = false, below_high = false;
  };
  void number(const std::string& key, const Range& range, double* out);
  void duration(const std::string& key, const Range& range, double* out);  // 0.5 or "500ms"
  void flag(const std::string& key, bool* out);
  void texts(const std::string& key, std::vector<std::string>* out);
  void text_map(const std::string& key, std::map<std::string, std::string>* out);
  void text_or_integer(const std::string& key, std::string* out);
  // Text that is one of `allowed`; `what` names the kind: "protocol".
  void choice(const std::string& key, const std::string& what,
              const std::vector<std::string>& allowed, std::string* out);
  // A name that becomes part of a path on disk.
  void file_name(const std::string& key, std::string* out);
  // The node itself, known from now on; nullptr when absent.
  const Node* node(const std::string& key);
  const Node* node(const std::string& key, Node::Kind kind);  // a fault when it is another kind

  void require(const std::string& key, const std::string& why);
  // Exactly one of the two keys, or at most one when `optional`.
  void one_of(const std::string& a, const std::string& b, bool optional);
  void fault(const Origin&, const std::string& what, const std::string& next = {});

  // An unknown key comes first: it explains most other faults. Call once, after all reads.
  Status finish();

  const Origin& origin() const { return table_.origin; }
  const std::string& name() const { return name_; }

 private:
  void wrong_kind(const std::string& key, const Node&, const std::string& expected);
  void out_of_range(const std::string& key, const Node&, const std::string& allowed);
  bool fits(const std::string& key, const Node&, double value, const Range&);

  const Node& table_;
  std::string name_;
  std::vector<std::string> known_;
  std::optional<Error> fault_, missing_;
};

}  // namespace hone::pipeline
