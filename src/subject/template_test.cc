#include "subject/template.h"

#include <gtest/gtest.h>

namespace hone::subject {
namespace {

TEST(Render, FillsPlaceholdersAndConfigWithoutEscaping) {
  const auto text = render({"x.conf", "port {{port}}; name {{title}}"}, {{"port", "80"}},
                           Json{{"title", "<a&b>"}});
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "port 80; name <a&b>");
}

TEST(Render, MakesListsFromNumbers) {
  const auto text =
      render({"x", "{{routes}}:{{#routes_list}}[{{index}}]{{/routes_list}}"}, {}, {{"routes", 3}});
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "3:[0][1][2]");
}

TEST(Render, TakesListsObjectsAndFlags) {
  const Json config = {{"on", true}, {"off", false}, {"items", {{{"n", "a"}}, {{"n", "b"}}}}};
  const auto text =
      render({"x", "{{#on}}yes{{/on}}{{#off}}no{{/off}}{{#items}}{{n}}{{/items}}"}, {}, config);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "yesab");
}

TEST(Render, NamesABrokenTemplate) {
  const auto text = render({"x.conf", "{{#a}}"}, {}, Json::object());
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind, ErrorKind::kRecipe);
  EXPECT_NE(text.error().what.find("x.conf"), std::string::npos);
}

}  // namespace
}  // namespace hone::subject
