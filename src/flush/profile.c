/* Order matters here: write, then reset, then the next name. A module whose write failed keeps its
 * counts for the next attempt. Counts that other threads add between the write and the reset are
 * lost: microseconds for a counter array in the cache, where stopping the threads would cost more
 * than it saves.
 */
#include "flush/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "flush/folder.h"
#include "flush/modules.h"

static bool started_up; /* the start-up profile of this process is written */

static void name_all(bool startup) {
  char pattern[kFlushPathSize];
  flush_folder_pattern(pattern, startup);
  for (int i = 0; i < flush_modules_count(); ++i) flush_modules_at(i)->set_filename(pattern);
}

/* A server that closed its standard streams must not find the profile behind number 2 while it is
 * being written and print into it. */
static int hold_standard_streams(int held[3]) {
  int count = 0;
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    const int opened = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (opened >= 0) held[count++] = opened;
  }
  return count;
}

static FlushOutcome write_all(void) {
  int held[3];
  const int held_count = hold_standard_streams(held);
  FlushOutcome outcome = {flush_modules_count(), 0};
  for (int i = 0; i < outcome.modules; ++i) {
    const FlushModule* module = flush_modules_at(i);
    if (module->write_file() == 0) {
      module->reset_counters();
    } else {
      ++outcome.failed;
    }
  }
  for (int i = 0; i < held_count; ++i) close(held[i]);
  return outcome;
}

void flush_profile_name(void) { name_all(false); }

FlushOutcome flush_profile_write(void) {
  flush_modules_scan(flush_folder_refuse);
  name_all(false); /* modules that came since */
  const FlushOutcome outcome = write_all();
  flush_folder_next_part();
  name_all(false);
  return outcome;
}

FlushOutcome flush_profile_reset(void) {
  flush_modules_scan(flush_folder_refuse);
  FlushOutcome outcome = {flush_modules_count(), 0};
  if (!started_up) {
    started_up = true;
    name_all(true);
    outcome = write_all();
  }
  for (int i = 0; i < flush_modules_count(); ++i) flush_modules_at(i)->reset_counters();
  name_all(false);
  return outcome;
}

void flush_profile_forget_parent(void) {
  started_up = false;
  for (int i = 0; i < flush_modules_count(); ++i) flush_modules_at(i)->reset_counters();
}
