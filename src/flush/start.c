/* The constructor: what happens when the library is loaded, before main.
 *
 * A preloaded library's constructor runs before those of the program, so the runtimes get their
 * names before they look at the environment; a name set through the API outranks the environment.
 */
#include <pthread.h>
#include <stdlib.h>

#include "flush/flush.h"
#include "flush/folder.h"
#include "flush/modules.h"
#include "flush/profile.h"
#include "flush/real.h"
#include "flush/signals.h"
#include "flush/worker.h"

static void at_exit(void) { flush_worker_leave_to_runtime(); }

__attribute__((constructor)) static void start(void) {
  flush_real_resolve();
  if (!flush_folder_open()) return;
  flush_folder_enter();

  /* Modules that come by dlopen start their own runtime, which reads this. */
  char pattern[kFlushPathSize];
  flush_folder_environment_pattern(pattern);
  setenv("LLVM_PROFILE_FILE", pattern, 1);

  flush_modules_scan(flush_folder_refuse);
  if (flush_modules_count() == 0) {
    flush_folder_refuse(NULL,
                        "no loaded module can be served by the profile library: none "
                        "carries LLVM's profile runtime, or see the lines above");
    return;
  }
  flush_profile_name();
  /* exit() runs handlers last in, first out. Registered in this order, the program's own handlers
   * and destructors come first and are counted, then we stand aside, then the runtimes write. */
  for (int i = 0; i < flush_modules_count(); ++i) {
    if (flush_modules_at(i)->initialize != NULL) flush_modules_at(i)->initialize();
  }
  atexit(at_exit);
  at_quick_exit(flush_worker_write);
  pthread_atfork(flush_worker_before_fork, flush_worker_after_fork_in_parent,
                 flush_worker_after_fork_in_child);
  flush_worker_start();
  flush_signals_install();
  flush_folder_ready(flush_modules_count());
}
