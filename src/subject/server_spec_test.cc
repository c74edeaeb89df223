#include "subject/server_spec.h"

#include <gtest/gtest.h>

namespace hone::subject {
namespace {

TEST(Behaviour, IsAllButHowLongHoneWaits) {
  ServerSpec patient;
  ServerSpec hasty = patient;
  hasty.ready.limit_s = 1;
  hasty.stop.limit_s = 1;
  EXPECT_EQ(behaviour(patient), behaviour(hasty));
  hasty.stop.signal = "INT";
  EXPECT_NE(behaviour(patient), behaviour(hasty));
}

}  // namespace
}  // namespace hone::subject
