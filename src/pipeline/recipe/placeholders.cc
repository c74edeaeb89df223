#include "pipeline/recipe/placeholders.h"

#include "base/text.h"

namespace hone::pipeline {

void check_placeholders(const Node& node, const std::string& key, TableReader* reader,
                        const std::vector<std::string>& more) {
  if (node.kind == Node::Kind::kText) {
    Placeholders stand_ins;
    for (const char* known : {"binary", "host", "port", "port_tls", "admin", "run", "origin",
                              "origin_host", "origin_port", "cert", "key", "workers", "name"}) {
      stand_ins[known] = "x";
    }
    for (const std::string& known : more) stand_ins[known] = "x";
    if (const auto filled = fill(node.text, stand_ins); !filled) {
      reader->fault(node.origin, key + " in " + reader->name() + ": " + filled.error().what,
                    filled.error().next);
    }
  }
  for (const Node& item : node.items) check_placeholders(item, key, reader, more);
  for (const Node::Member& member : node.members) {
    check_placeholders(member.value, key, reader, more);
  }
}

}  // namespace hone::pipeline
