// A recipe is whatever a user wrote: reading it ends in a value or in an error that says where.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "pipeline/recipe/recipe.h"

namespace hone {
namespace {

// No file exists and every folder does: what is read depends on the input alone.
class NoFiles final : public system::Files {
 public:
  Result<std::string> read(const system::Path&) const override { return none(); }
  Status write(const system::Path&, std::string_view) override { return none(); }
  bool exists(const system::Path&) const override { return false; }
  bool is_directory(const system::Path&) const override { return true; }
  Result<std::uint64_t> size(const system::Path&) const override { return none(); }
  Result<std::vector<system::Path>> list(const system::Path&) const override { return none(); }
  Result<std::vector<system::Path>> list_tree(const system::Path&) const override { return none(); }
  Status make_directories(const system::Path&, int) override { return none(); }
  Status remove_all(const system::Path&) override { return none(); }
  Status copy(const system::Path&, const system::Path&) override { return none(); }
  Status rename(const system::Path&, const system::Path&) override { return none(); }
  Status link(const system::Path&, const system::Path&) override { return none(); }
  Status set_mode(const system::Path&, int) override { return none(); }
  Status set_owner(const system::Path&, const std::string&) override { return none(); }
  Result<std::string> sha256(const system::Path&) const override { return none(); }
  Result<std::uint64_t> free_bytes(const system::Path&) const override { return none(); }
  Result<std::unique_ptr<system::Lock>> lock(const system::Path&) override { return none(); }

 private:
  static tl::unexpected<Error> none() { return fail(ErrorKind::kNotFound, "no such file"); }
};

}  // namespace
}  // namespace hone

// The first line, when it begins with "--set ", is an override; the rest is the recipe.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static hone::system::System system{std::make_unique<hone::NoFiles>(), nullptr, nullptr, nullptr};
  std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> sets;
  const std::string option = "--set ";
  if (text.starts_with(option)) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    sets.push_back(text.substr(option.size(), end - option.size()));
    text.erase(0, std::min(end + 1, text.size()));
  }
  const auto recipe = hone::pipeline::parse_recipe(text, "/r/recipe.toml", sets, system);
  if (!recipe && recipe.error().what.empty()) std::abort();
  if (recipe && (recipe->shapes.empty() || recipe->loads.empty())) std::abort();
  return 0;
}
