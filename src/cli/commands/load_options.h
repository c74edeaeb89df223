// The options of `hone load`, and the specs they ask for.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "system/system.h"
#include "traffic/load/load_session.h"

namespace hone::cli {

struct LoadArguments {
  std::string url, rate, ramp, step, protocol = "h1", method = "GET", body_file, requests_file,
                                     arrivals = "poisson";
  std::string duration = "10", warm_up = "0", timeout = "5";
  std::string connection_lifetime = "0", percentiles_file;
  std::string cacert, sni, connect, cpus;
  std::vector<std::string> headers;
  long long body_size = 0;
  int connections = 16, threads = 1, streams = 32, requests_per_connection = 0;
  std::uint64_t seed = 1;
  double resume = 1;
  int server_pid = 0, server_workers = 0;
  bool spin = false, insecure = false, closed_loop = false, json = false, control = false;
};

void add_load_options(CLI::App* verb, LoadArguments* arguments);

// One CPU for each thread where there are enough, else all of them for every thread.
using LoadThreads = std::vector<std::unique_ptr<system::net::LoopThread>>;
Result<LoadThreads> start_threads(const LoadArguments& arguments);
std::vector<system::net::LoopThread*> loops_of(const LoadThreads& threads);

Result<traffic::load::PoolSpec> make_pool(const LoadArguments& arguments, system::System& system);
Result<traffic::load::SliceSpec> make_slice(const LoadArguments& arguments);

}  // namespace hone::cli
