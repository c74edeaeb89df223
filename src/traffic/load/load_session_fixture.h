// For tests: a load session against a server on the same loop that misbehaves as told; in this
// process, or with its far side at the end of a socket.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>
#include <thread>

#include "system/descriptor.h"
#include "system/line_channel.h"
#include "traffic/load/control_messages.h"
#include "traffic/load/control_server.h"
#include "traffic/load/load_session.h"
#include "traffic/load/raw_server.h"
#include "traffic/load/remote_session.h"

namespace hone::traffic::load {

using system::net::LoopThread;

// The near end of a session whose far side is a thread here, as it is in another process.
class FarSide {
 public:
  explicit FarSide(std::vector<LoopThread*> threads) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(0, ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
    near_ = system::Descriptor(ends[0]);
    far_ = system::Descriptor(ends[1]);
    thread_ = std::thread([this, threads = std::move(threads)] {
      const auto session = make_in_process(threads);
      system::LineChannel channel(far_.fd(), far_.fd(), kLongestControlLine);
      EXPECT_TRUE(serve_control(session.get(), &channel));
    });
  }
  ~FarSide() {
    near_.close();
    thread_.join();
  }
  FarSide(const FarSide&) = delete;
  FarSide& operator=(const FarSide&) = delete;
  std::unique_ptr<LoadSession> session() { return *make_remote(near_.fd(), near_.fd()); }

 private:
  system::Descriptor near_, far_;
  std::thread thread_;
};

enum class Way { kInProcess, kRemote };

class LoadSessionTest : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    thread_ = *LoopThread::start({});
    start({thread_.get()});
  }
  void start(const std::vector<LoopThread*>& threads) {
    stop();
    if (GetParam() == Way::kInProcess) {
      session_ = make_in_process(threads);
    } else {
      far_.emplace(threads);
      session_ = far_->session();
    }
  }
  void stop() {
    session_.reset();
    far_.reset();
  }
  void TearDown() override {
    stop();
    thread_->call([&] { server_.reset(); });
  }
  void serve(std::function<Fate(int)> fate) {
    thread_->call([&] { server_.emplace(&thread_->loop(), std::move(fate)); });
    spec_.target.address = server_->address();
    spec_.requests[0].request.authority = "test";
    spec_.connections = 4;
    spec_.timeout_s = 0.1;
  }
  static SliceSpec slice_of(double rate, double duration_s) {
    SliceSpec slice;
    slice.rate = rate;
    slice.duration_s = duration_s;
    slice.drain_limit_s = 0.5;
    return slice;
  }
  PoolId connect() {
    const auto pool = session_->connect(spec_);
    EXPECT_TRUE(pool) << describe(pool.error());
    return pool.value_or(-1);
  }
  SliceResult run(PoolId pool, const SliceSpec& slice) {
    const auto result = session_->slice(pool, slice);
    EXPECT_TRUE(result) << describe(result.error());
    if (!result) return {};
    EXPECT_TRUE(check_identities(*result));
    return *result;
  }

  std::unique_ptr<LoopThread> thread_;
  std::optional<RawServer> server_;
  std::optional<FarSide> far_;
  std::unique_ptr<LoadSession> session_;
  PoolSpec spec_;
};

}  // namespace hone::traffic::load
