// Fields that a text lacks keep their defaults, so that two versions of one protocol number
// understand each other; numbers are checked before they are narrowed.
#include "traffic/load/control_values.h"
#include "traffic/load/slice_fields.h"

#include <limits>
#include <stdexcept>
#include <string_view>

namespace hone::traffic::load {
namespace {

constexpr long long kAnyWhole = std::numeric_limits<long long>::max();

// Bodies are any bytes: two digits for each.
std::string to_hex(const std::string& bytes) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  throw std::out_of_range("\"body_hex\" is not hexadecimal");
}

std::string from_hex(const std::string& hex) {
  if (hex.size() % 2 != 0) throw std::out_of_range("\"body_hex\" has half a byte");
  std::string bytes;
  bytes.reserve(hex.size() / 2);
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(hex_digit(hex[i]) * 16 + hex_digit(hex[i + 1]));
  }
  return bytes;
}

template <typename T>
void read(const Json& json, const char* key, T* value) {
  if (const auto found = json.find(key); found != json.end()) *value = found->template get<T>();
}

void read(const Json& json, const char* key, int* value) {
  if (!json.contains(key)) return;
  constexpr int kMost = std::numeric_limits<int>::max();
  *value = static_cast<int>(whole_number(json, key, -kMost, kMost));
}

void read(const Json& json, const char* key, std::uint64_t* value) {
  const auto found = json.find(key);
  if (found == json.end()) return;
  if (!found->is_number_unsigned()) {
    throw std::out_of_range(std::string("\"") + key + "\" is not a count");
  }
  *value = found->get<std::uint64_t>();
}

void read(const Json& json, const char* key, Histogram* value) {
  if (const auto found = json.find(key); found != json.end()) value->read_whole(*found);
}

const Json& array_of(const Json& json, const char* key) {
  static const Json none = Json::array();
  const auto found = json.find(key);
  if (found == json.end()) return none;
  if (!found->is_array()) throw std::out_of_range(std::string("\"") + key + "\" is not a list");
  return *found;
}

Json address_json(const system::net::Address& address) {
  return Json{{"host", address.host}, {"port", address.port}};
}

system::net::Address read_address(const Json& json) {
  return {json.at("host").get<std::string>(),
          static_cast<std::uint16_t>(whole_number(json, "port", 0, 65535))};
}

Json target_json(const Target& target) {
  Json others = Json::array();
  for (const auto& other : target.other_addresses) others.push_back(address_json(other));
  return Json{{"address", address_json(target.address)},
              {"other_addresses", std::move(others)},
              {"protocol", wire::name(target.protocol)},
              {"tls", target.tls},
              {"verify", target.verify},
              {"ca_pem", target.ca_pem},
              {"sni", target.sni}};
}

Target read_target(const Json& json) {
  Target target;
  target.address = read_address(json.at("address"));
  for (const Json& other : array_of(json, "other_addresses")) {
    target.other_addresses.push_back(read_address(other));
  }
  const auto protocol = wire::parse_protocol(json.at("protocol").get<std::string>());
  if (!protocol) throw std::out_of_range(protocol.error().what);
  target.protocol = *protocol;
  read(json, "tls", &target.tls);
  read(json, "verify", &target.verify);
  read(json, "ca_pem", &target.ca_pem);
  read(json, "sni", &target.sni);
  return target;
}

Json request_json(const RequestShare& entry) {
  const wire::Request& request = entry.request;
  return Json{{"name", entry.name},
              {"share", entry.share},
              {"method", request.method},
              {"scheme", request.scheme},
              {"authority", request.authority},
              {"path", request.path},
              {"headers", request.headers},
              {"body_hex", to_hex(request.body)}};
}

RequestShare read_request(const Json& json) {
  RequestShare entry;
  read(json, "name", &entry.name);
  read(json, "share", &entry.share);
  read(json, "method", &entry.request.method);
  read(json, "scheme", &entry.request.scheme);
  read(json, "authority", &entry.request.authority);
  read(json, "path", &entry.request.path);
  read(json, "headers", &entry.request.headers);
  std::string hex;
  read(json, "body_hex", &hex);
  entry.request.body = from_hex(hex);
  return entry;
}

Json counts_whole(const IntervalCounts& counts) {
  return Json::array(
      {counts.scheduled, counts.sent, counts.missed, counts.expired, counts.ok, counts.errors});
}

IntervalCounts read_counts(const Json& json) {
  const auto count = [&json](std::size_t i) {
    if (!json.at(i).is_number_unsigned()) throw std::out_of_range("a count that is none");
    return json.at(i).get<std::uint64_t>();
  };
  return {count(0), count(1), count(2), count(3), count(4), count(5)};
}

constexpr NamedCount kPoolCounts[] = {{"per_connection_min", &SliceResult::per_connection_min},
                                      {"per_connection_max", &SliceResult::per_connection_max}};

struct NamedNumber {
  const char* key;
  double SliceResult::* field;
};
constexpr NamedNumber kNumbers[] = {{"target_rate", &SliceResult::target_rate},
                                    {"achieved_rate", &SliceResult::achieved_rate},
                                    {"duration_s", &SliceResult::duration_s},
                                    {"client_cpu_s", &SliceResult::client_cpu_s},
                                    {"series_interval_s", &SliceResult::series_interval_s}};

Json steps_whole(const std::vector<StepResult>& steps) {
  Json json = Json::array();
  for (const StepResult& step : steps) {
    json.push_back({{"phase", step.phase},
                    {"begin_s", step.begin_s},
                    {"sent_in_time", step.sent_in_time},
                    {"counts", counts_whole(step.counts)},
                    {"latency", step.latency.whole_json()}});
  }
  return json;
}

StepResult read_step(const Json& json) {
  StepResult step;
  read(json, "phase", &step.phase);
  read(json, "begin_s", &step.begin_s);
  read(json, "sent_in_time", &step.sent_in_time);
  step.counts = read_counts(json.at("counts"));
  read(json, "latency", &step.latency);
  return step;
}

}  // namespace

long long whole_number(const Json& json, const char* key, long long least, long long most) {
  const Json& value = json.at(key);
  const bool whole = value.is_number_integer() &&
                     (!value.is_number_unsigned() ||
                      value.get<std::uint64_t>() <= static_cast<std::uint64_t>(kAnyWhole));
  const long long number = whole ? value.get<long long>() : 0;
  if (!whole || number < least || number > most) {
    throw std::out_of_range(std::string("\"") + key + "\" is not a whole number from " +
                            std::to_string(least) + " to " + std::to_string(most));
  }
  return number;
}

Json whole_json(const PoolSpec& pool) {
  Json requests = Json::array();
  for (const RequestShare& entry : pool.requests) requests.push_back(request_json(entry));
  return Json{{"target", target_json(pool.target)},
              {"requests", std::move(requests)},
              {"connections", pool.connections},
              {"streams", pool.streams},
              {"connect_limit_s", pool.connect_limit_s},
              {"timeout_s", pool.timeout_s},
              {"requests_per_connection", pool.requests_per_connection},
              {"connection_lifetime_s", pool.connection_lifetime_s},
              {"resume", pool.resume},
              {"churn_seed", pool.churn_seed}};
}

PoolSpec read_pool(const Json& json) {
  PoolSpec pool;
  pool.target = read_target(json.at("target"));
  pool.requests.clear();
  for (const Json& entry : array_of(json, "requests")) {
    pool.requests.push_back(read_request(entry));
  }
  read(json, "connections", &pool.connections);
  read(json, "streams", &pool.streams);
  read(json, "connect_limit_s", &pool.connect_limit_s);
  read(json, "timeout_s", &pool.timeout_s);
  read(json, "requests_per_connection", &pool.requests_per_connection);
  read(json, "connection_lifetime_s", &pool.connection_lifetime_s);
  read(json, "resume", &pool.resume);
  read(json, "churn_seed", &pool.churn_seed);
  return pool;
}

Json whole_json(const SliceSpec& slice) {
  return Json{{"rate", slice.rate},
              {"duration_s", slice.duration_s},
              {"phases", slice.phases},
              {"arrivals", to_string(slice.arrivals)},
              {"seed", slice.seed},
              {"drain_limit_s", slice.drain_limit_s},
              {"spin", slice.spin},
              {"closed_loop", slice.closed_loop},
              {"keep_interrupted", slice.keep_interrupted}};
}

SliceSpec read_slice(const Json& json) {
  SliceSpec slice;
  read(json, "rate", &slice.rate);
  read(json, "duration_s", &slice.duration_s);
  read(json, "phases", &slice.phases);
  std::string kind = to_string(slice.arrivals);
  read(json, "arrivals", &kind);
  const auto arrivals = parse_arrivals(kind);
  if (!arrivals) throw std::out_of_range(arrivals.error().what);
  slice.arrivals = *arrivals;
  read(json, "seed", &slice.seed);
  read(json, "drain_limit_s", &slice.drain_limit_s);
  read(json, "spin", &slice.spin);
  read(json, "closed_loop", &slice.closed_loop);
  read(json, "keep_interrupted", &slice.keep_interrupted);
  return slice;
}

Json whole_json(const SliceResult& result) {
  Json json{
      {"interrupted", result.interrupted}, {"status", result.status},
      {"failures", result.failures},       {"connection_failures", result.connection_failures},
      {"requests", result.requests},       {"steps", steps_whole(result.steps)}};
  for (const NamedCount& count : kCounts) json[count.key] = result.*count.field;
  for (const NamedCount& count : kPoolCounts) json[count.key] = result.*count.field;
  for (const NamedNumber& number : kNumbers) json[number.key] = result.*number.field;
  for (const NamedHistogram& named : kHistograms) {
    json[named.key] = (result.*named.field).whole_json();
  }
  Json series = Json::array();
  for (const SeriesPoint& point : result.series) {
    series.push_back(
        {{"counts", counts_whole(point.counts)}, {"latency", point.latency.buckets_json()}});
  }
  json["series"] = std::move(series);
  return json;
}

SliceResult read_result(const Json& json) {
  SliceResult result;
  read(json, "interrupted", &result.interrupted);
  read(json, "status", &result.status);
  read(json, "failures", &result.failures);
  read(json, "connection_failures", &result.connection_failures);
  read(json, "requests", &result.requests);
  for (const Json& step : array_of(json, "steps")) result.steps.push_back(read_step(step));
  for (const NamedCount& count : kCounts) read(json, count.key, &(result.*count.field));
  for (const NamedCount& count : kPoolCounts) read(json, count.key, &(result.*count.field));
  for (const NamedNumber& number : kNumbers) read(json, number.key, &(result.*number.field));
  for (const NamedHistogram& named : kHistograms) read(json, named.key, &(result.*named.field));
  for (const Json& entry : array_of(json, "series")) {
    SeriesPoint point;
    point.counts = read_counts(entry.at("counts"));
    point.latency.read_buckets(entry.at("latency"));
    result.series.push_back(point);
  }
  return result;
}

Json whole_json(const PoolState& state) {
  return Json{{"connections", state.connections}, {"local_ports", state.local_ports}};
}

PoolState read_state(const Json& json) {
  PoolState state;
  read(json, "connections", &state.connections);
  read(json, "local_ports", &state.local_ports);
  return state;
}

}  // namespace hone::traffic::load
