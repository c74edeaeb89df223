// [train], [[load]] and [prove]: how long, how hard, how often.
#include <limits>

#include "base/text.h"
#include "pipeline/recipe/sections.h"
#include "pipeline/recipe/table_reader.h"
#include "system/cpus.h"
#include "traffic/load/arrivals.h"

namespace hone::pipeline {
namespace {

// A leg or a warm-up longer than an hour is a typing error ("500" for "500ms").
constexpr double kStretchLimitS = 3600;
// No generator reaches this from one thread; a rate beyond is a typing error.
constexpr double kRateLimit = 1e8;
// Statistics want at least two rounds; a verdict wants six, which the proof says itself.
constexpr int kLeastRounds = 2;
constexpr int kMostRounds = 10'000;
// TCP has no more local ports towards one address.
constexpr int kConnectionsLimit = 65'535;
// SETTINGS_MAX_CONCURRENT_STREAMS of real servers is 100 to 1000; 2^16 covers all of them.
constexpr int kStreamsLimit = 65'536;

void read_arrivals(const Node& node, TableReader* reader, std::string* out) {
  if (traffic::load::parse_arrivals(node.text)) {
    *out = node.text;
    return;
  }
  const std::vector<std::string> kinds = {"even", "even:strict", "poisson", "burst:16"};
  const std::string near = nearest(node.text, kinds);
  reader->fault(node.origin,
                "unknown arrivals '" + node.text + "' in [[load]]" +
                    (near.empty() ? "" : "; did you mean '" + near + "'?"),
                "known: even, even:strict, poisson, burst:N");
}

Status read_load(const Node& table, Load* load) {
  TableReader reader(table, "[[load]]");
  reader.file_name("name", &load->name);
  reader.number("rate", {0, kRateLimit, true, false}, &load->rate);
  reader.number("busy", {0, 1, true, true}, &load->busy);
  const Node* arrivals = reader.node("arrivals", Node::Kind::kText);
  reader.require("name", "how reports call it");
  reader.one_of("rate", "busy", false);
  if (arrivals != nullptr) read_arrivals(*arrivals, &reader, &load->arrivals);
  return reader.finish();
}

void read_cpu_list(const Node& table, const std::string& key, TableReader* reader,
                   std::vector<int>* cpus) {
  std::string list;
  reader->text_or_integer(key, &list);
  if (list.empty()) return;
  if (auto parsed = system::parse_cpu_list(list)) {
    *cpus = *std::move(parsed);
  } else {
    reader->fault(table.find(key)->origin, key + " in [prove] cpus: " + parsed.error().what,
                  "write CPU numbers and ranges, for example \"0-3,6\"");
  }
}

Status read_cpus(const Node& table, Cpus* cpus) {
  TableReader reader(table, "[prove] cpus");
  read_cpu_list(table, "server", &reader, &cpus->server);
  read_cpu_list(table, "load", &reader, &cpus->load);
  return reader.finish();
}

// `key` means nothing without `other`.
void check_needs(const Node& table, const char* key, const char* other, const std::string& why,
                 TableReader* reader) {
  const Node* given = table.find(key);
  if (given == nullptr || table.find(other) != nullptr) return;
  if (given->kind == Node::Kind::kArray && given->items.empty()) return;  // taken back
  reader->fault(given->origin, std::string(key) + " in [prove] needs " + other + ": " + why);
}

void read_hosts(const Node& table, TableReader* reader, subject::Hosts* hosts) {
  reader->texts("load_via", &hosts->load.via);
  reader->text("load_hone", &hosts->load.hone);
  reader->integer("load_threads", 1, 1024, &hosts->load_threads);  // as `hone load --threads`
  reader->text("server_address", &hosts->server_address);
  reader->texts("origin_via", &hosts->origin.via);
  reader->text("origin_hone", &hosts->origin.hone);
  reader->text("origin_address", &hosts->origin_address);
  check_needs(table, "load_via", "server_address", "this machine, as the load's host reaches it",
              reader);
  for (const char* key : {"load_hone", "load_threads"}) {
    check_needs(table, key, "load_via", "the words that run a command on that host", reader);
  }
  check_needs(table, "origin_via", "origin_address",
              "the origin's host, as this machine reaches it", reader);
  for (const char* key : {"origin_address", "origin_hone"}) {
    check_needs(table, key, "origin_via", "the words that run a command on that host", reader);
  }
}

}  // namespace

Status read_train(const Node& table, Train* train) {
  TableReader reader(table, "[train]");
  reader.duration("leg", {0, kStretchLimitS, true, false}, &train->leg_s);
  reader.number("rate", {0, kRateLimit, false, false}, &train->rate);
  reader.integer("workers", 0, 1024, &train->workers);  // as [server] workers; 0: the same
  reader.integer("starts_per_requests", 1, 1'000'000'000, &train->starts_per_requests);
  return reader.finish();
}

Status read_loads(const Node& array, std::vector<Load>* loads) {
  for (const Node& item : array.items) {
    if (item.kind != Node::Kind::kTable) {
      return tl::make_unexpected(recipe_error(item.origin, "load must be tables: [[load]]"));
    }
    Load load;
    HONE_CHECK(read_load(item, &load));
    for (const Load& other : *loads) {
      if (other.name != load.name) continue;
      return tl::make_unexpected(
          recipe_error(item.find("name")->origin, "two loads are named '" + load.name + "'"));
    }
    loads->push_back(std::move(load));
  }
  return {};
}

Status read_prove(const Node& table, int workers, Prove* prove) {
  TableReader reader(table, "[prove]");
  long long seed = 0;
  reader.integer("rounds", kLeastRounds, kMostRounds, &prove->rounds);
  reader.number("precision", {0, 1, false, true}, &prove->precision);
  reader.integer("rounds_in_turn", 0, kMostRounds, &prove->rounds_in_turn);
  reader.integer("rounds_without_spinner", 0, kMostRounds, &prove->rounds_without_spinner);
  reader.flag("side_by_side", &prove->side_by_side);
  reader.integer("slices", kLeastSlices, kMostSlices, &prove->slices);
  reader.duration("slice", {0, kStretchLimitS, true, false}, &prove->slice_s);
  reader.duration("head", {0, kStretchLimitS, false, false}, &prove->head_s);
  reader.duration("warm_up_limit", {0, kStretchLimitS, true, false}, &prove->warm_up_limit_s);
  reader.integer("connections", 1, kConnectionsLimit, &prove->connections);
  reader.integer("streams", 1, kStreamsLimit, &prove->streams);
  reader.number("smallest_effect", {0, 1, true, true}, &prove->smallest_effect);
  reader.integer("seed", 0, std::numeric_limits<long long>::max(), &seed);
  reader.flag("spinner", &prove->spinner);
  reader.flag("callgrind", &prove->callgrind);
  read_hosts(table, &reader, &prove->hosts);
  const Node* cpus = reader.node("cpus", Node::Kind::kTable);
  prove->seed = static_cast<std::uint64_t>(seed);
  if (prove->head_s >= prove->slice_s) {
    const Node* head = table.find("head");
    reader.fault(head != nullptr ? head->origin : table.find("slice")->origin,
                 "head in [prove] must be shorter than slice: it is the part that is not counted");
  }
  if (static_cast<long long>(prove->connections) * workers > kConnectionsLimit) {
    const Node* connections = table.find("connections");
    reader.fault(connections != nullptr ? connections->origin : table.origin,
                 "connections in [prove] is per worker, and " + std::to_string(prove->connections) +
                     " times " + std::to_string(workers) + " workers are more than " +
                     std::to_string(kConnectionsLimit));
  }
  HONE_CHECK(reader.finish());
  if (cpus != nullptr) HONE_CHECK(read_cpus(*cpus, &prove->cpus));
  return {};
}

}  // namespace hone::pipeline
