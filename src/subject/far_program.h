// A hone on another host, talked to over its standard input and output. What is started so must end
// with its input: then it outlives neither this side, however that ends, nor the way there.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "subject/hosts.h"
#include "system/system.h"

namespace hone::subject {

class FarProgram {
 public:
  // `cpus`: of this machine, for what runs here (ssh). `log` is made anew and gets standard error,
  // that of the way there included. Whether the program came up is seen when it is talked to.
  static Result<FarProgram> start(const FarHost&, const std::vector<std::string>& arguments,
                                  const std::vector<int>& cpus, const system::Path& log,
                                  system::System&);

  int from() const { return talking_.from.fd(); }  // its standard output
  int to() const { return talking_.to.fd(); }

  // Puts what is known of its end into an error of kind kFarHost, which becomes kToolMissing where
  // the far shell found no such program. Others are passed through.
  Error explain(Error error) const;

 private:
  std::string command_;  // as a shell would read it
  system::Path log_;
  system::Files* files_ = nullptr;
  system::TalkingChild talking_;
};

}  // namespace hone::subject
