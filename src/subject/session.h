// A running subject with its origin in front and its load behind, for one shape. Train, prove,
// sweep and time-to-ready all use this and nothing else.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/finding.h"
#include "base/text.h"
#include "subject/hosts.h"
#include "subject/server_spec.h"
#include "subject/worker_spread.h"
#include "system/net/loop.h"
#include "system/system.h"
#include "traffic/load/load_session.h"

namespace hone::subject {

struct SessionSpec {
  std::string name;  // of the arm or leg, in logs and errors
  ServerSpec server;
  std::string binary;  // fills {binary}
  Shape shape;
  system::Path run_dir;                    // {run}: made fresh; logs and configuration go there
  std::vector<int> server_cpus;            // empty: anywhere
  std::map<std::string, std::string> env;  // added to server.env (LD_PRELOAD, LLVM_PROFILE_FILE)
  int connections = 16;                    // in total
  int streams = 32;
  bool with_origin = true;
  Hosts hosts;
  std::vector<int> load_cpus;  // for what talks to another host from here; empty: anywhere
  std::string url;             // what is asked, instead of shape.path on {port}/{port_tls}
};

class Session {
 public:
  // Starts the origin (on `thread`, or on its own host) and the subject, and waits until it is
  // ready and its own process holds the port. `load` is where `hosts` says. Errors: kPortTaken,
  // kNotReady, kSubjectDied, each with the log; kFarHost.
  static Result<std::unique_ptr<Session>> start(const SessionSpec&, system::System&,
                                                system::net::LoopThread*,
                                                traffic::load::LoadSession*);
  virtual ~Session() = default;  // ends the subject and frees the ports

  // The pool, before the first slice; with several workers it is dialled until it sits evenly on
  // them, or a bounded number of tries is up: worker_spread() tells.
  virtual Status connect() = 0;
  virtual Result<WorkerSpread> worker_spread() = 0;  // now; between slices
  // The words of a command with this session's placeholders, {url}, {connections} and {streams}
  // among them, and `more` filled in.
  virtual Result<std::vector<std::string>> fill_words(const std::vector<std::string>& words,
                                                      const Placeholders& more) const = 0;
  // kSubjectDied when the subject ended meanwhile.
  virtual Result<traffic::load::SliceResult> slice(const traffic::load::SliceSpec&) = 0;
  virtual pid_t tree_root() const = 0;                    // for measure: the supervisor
  virtual std::vector<pid_t> processes() const = 0;       // the subject's own, now
  virtual Result<std::uint64_t> upstream_requests() = 0;  // to the origin, so far; 0 without one
  virtual double ready_after_s() const = 0;               // from exec to ready
  virtual const system::Path& log() const = 0;
  virtual Status check_alive() = 0;
  // As the recipe says; kTimeout after stop.limit_s (then it has been killed).
  virtual Status stop() = 0;
};

}  // namespace hone::subject
