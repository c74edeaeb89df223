// What a stage says while it works. cli shows it; tests record it. Stages never print.
#pragma once

#include <string>

#include "base/finding.h"

namespace hone::pipeline {

class Observer {
 public:
  virtual ~Observer() = default;
  // A stage begins; `expected_s` is 0 when unknown.
  virtual void stage(const std::string& name, double expected_s) = 0;
  // One thing was done, or found done: "build baseline: reused", with a reason where there is one.
  virtual void line(const std::string& text) = 0;
  // Something long is under way; called often, not always shown. done <= total.
  virtual void progress(const std::string& what, double done, double total) = 0;
  virtual void finding(const Finding&) = 0;
};

}  // namespace hone::pipeline
