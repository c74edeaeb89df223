/* Signal dispositions as the program sees them, and as they are.
 *
 * The program's view is not stored: wherever the kernel says "our handler", the program is told
 * SIG_DFL, which is what it asked for. So there is no state to keep right between threads, between
 * fork and exec, or inside a handler.
 */
#include "flush/signals.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "flush/flush.h"
#include "flush/real.h"
#include "flush/worker.h"

/* Signals that servers are stopped by, and SIGABRT, which stands for abort, failed assertions and
 * uncaught exceptions. */
static const int ending[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGABRT};

static bool is_ending(int number) {
  for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); ++i) {
    if (ending[i] == number) return true;
  }
  return false;
}

static bool is_request(int number) {
  return number == HONE_FLUSH_RESET_SIGNAL || number == HONE_FLUSH_WRITE_SIGNAL;
}

static void on_request(int number) {
  const int saved = errno;
  flush_worker_request(number == HONE_FLUSH_RESET_SIGNAL ? kFlushReset : kFlushWrite);
  errno = saved;
}

static void on_ending(int number) {
  const int saved = errno;
  if (flush_worker_serves()) {
    flush_worker_end(number);
  } else {
    flush_signals_die_of(number); /* a child of vfork, which shares our memory */
  }
  errno = saved;
}

static bool is_ours(const struct sigaction* action) {
  return (action->sa_flags & SA_SIGINFO) == 0 &&
         (action->sa_handler == on_ending || action->sa_handler == on_request);
}

static void set(int number, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART | SA_ONSTACK};
  sigfillset(&action.sa_mask);
  flush_real_sigaction(number, &action, NULL);
}

void flush_signals_install(void) {
  set(HONE_FLUSH_RESET_SIGNAL, on_request);
  set(HONE_FLUSH_WRITE_SIGNAL, on_request);
  /* The kernel keeps default actions away from the first process of a PID namespace, but not
   * handlers: with one it would end where it did not before. */
  if (getpid() == 1) return;
  for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); ++i) {
    struct sigaction now;
    if (flush_real_sigaction(ending[i], NULL, &now) != 0) continue;
    if ((now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_DFL) set(ending[i], on_ending);
  }
}

void flush_signals_requests(sigset_t* requests) {
  sigemptyset(requests);
  sigaddset(requests, HONE_FLUSH_RESET_SIGNAL);
  sigaddset(requests, HONE_FLUSH_WRITE_SIGNAL);
}

void flush_signals_die_of(int number) {
  struct sigaction action = {.sa_handler = SIG_DFL};
  flush_real_sigaction(number, &action, NULL);
  sigset_t just_it;
  sigemptyset(&just_it);
  sigaddset(&just_it, number);
  sigprocmask(SIG_UNBLOCK, &just_it, NULL);
  kill(getpid(), number);
}

int flush_signals_action(int number, const struct sigaction* action, struct sigaction* old) {
  struct sigaction before;
  const struct sigaction* wanted = action;
  if (is_request(number) && flush_worker_serves()) wanted = NULL;
  struct sigaction ours;
  if (action != NULL && (action->sa_flags & SA_SIGINFO) == 0 && action->sa_handler == SIG_DFL &&
      is_ending(number) && getpid() != 1 && flush_worker_serves()) {
    ours = *action;
    ours.sa_handler = on_ending;
    ours.sa_flags = SA_RESTART | SA_ONSTACK;
    sigfillset(&ours.sa_mask);
    wanted = &ours;
  }
  const int result = flush_real_sigaction(number, wanted, &before);
  if (result != 0 || old == NULL) return result;
  if (is_ours(&before)) {
    before.sa_handler = SIG_DFL;
    before.sa_flags = 0;
    sigemptyset(&before.sa_mask);
  }
  *old = before;
  return 0;
}

void (*flush_signals_handler(int number, void (*handler)(int)))(int) {
  if (handler == SIG_DFL || is_request(number)) {
    const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct sigaction old;
    if (flush_signals_action(number, &action, &old) != 0) return SIG_ERR;
    return old.sa_handler;
  }
  /* libc's own: it knows what siginterrupt() was asked. */
  void (*old)(int) = flush_real_signal(number, handler);
  return old == on_ending ? SIG_DFL : old;
}
