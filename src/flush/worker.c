/* One thread, woken by a semaphore: sem_post is the one wake-up that a handler may use.
 *
 * The thread takes the request signals itself: they are blocked in every other thread, because a
 * handler there would interrupt the server's system calls. A program that unblocks them all the
 * same gets the handler, which does the same work.
 *
 * A forked child is finished in two steps. In pthread_atfork only memory is touched: other
 * libraries' handlers, those of an allocator among them, may not have run yet. Names, thread and
 * ready file follow when fork() returns to our own wrapper, or at the first use where libc forked
 * by itself.
 */
#include "flush/worker.h"

#include <dirent.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "flush/flush.h"
#include "flush/folder.h"
#include "flush/modules.h"
#include "flush/profile.h"
#include "flush/signals.h"

/* How long an ending process waits for its profile. Envoy's counters, about 100 MB, take well under
 * a second; hone itself waits ten for a server to stop. */
enum { kWriteLimitSeconds = 5 };

static atomic_int served_pid; /* 0: nothing is served */
static atomic_bool child_unfinished;
static atomic_bool left_to_runtime;
static atomic_bool main_thread_left;
static bool thread_running;
static pthread_t thread;
static sem_t wake;
static atomic_uint resets_asked, writes_asked;
static unsigned resets_done, writes_done;
/* Callers that wait: each takes the next number and waits until it is done. */
static atomic_uint waits_asked;
static atomic_uint waits_done;
static atomic_int ending_by;

/* Recursive: dlclose runs destructors, and they may fork. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

bool flush_worker_serves(void) {
  const int pid = atomic_load(&served_pid);
  return pid != 0 && pid == getpid();
}

bool flush_worker_installed(void) { return atomic_load(&served_pid) != 0; }

void flush_worker_lock(void) { pthread_mutex_lock(&lock); }
void flush_worker_unlock(void) { pthread_mutex_unlock(&lock); }

static void write_profile(void) {
  flush_worker_lock();
  if (!atomic_load(&left_to_runtime)) flush_profile_write();
  flush_worker_unlock();
}

static void serve_requests(void) {
  flush_worker_lock();
  while (resets_done != atomic_load(&resets_asked) && !atomic_load(&left_to_runtime)) {
    const FlushOutcome outcome = flush_profile_reset();
    ++resets_done;
    flush_folder_acknowledge(HONE_FLUSH_RESET_SUFFIX, outcome.failed, outcome.modules);
  }
  while (writes_done != atomic_load(&writes_asked) && !atomic_load(&left_to_runtime)) {
    const FlushOutcome outcome = flush_profile_write();
    ++writes_done;
    flush_folder_acknowledge(HONE_FLUSH_WRITTEN_SUFFIX, outcome.failed, outcome.modules);
  }
  flush_worker_unlock();
}

/* libc ends the process, with exit(0), when the last thread ends; ours would keep it alive. */
static void exit_if_alone(void) {
  DIR* tasks = opendir("/proc/self/task");
  if (tasks == NULL) return;
  int count = 0;
  for (const struct dirent* entry = readdir(tasks); entry != NULL; entry = readdir(tasks)) {
    count += entry->d_name[0] != '.';
  }
  closedir(tasks);
  if (count == 2) exit(0); /* this one, and the main thread, which stays as a zombie */
}

/* Waits for a request. */
static bool woken(void) {
  if (!atomic_load(&main_thread_left)) return sem_wait(&wake) == 0;
  struct timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_nsec += 50 * 1000 * 1000; /* 50 ms: nobody waits for such a process to end */
  soon.tv_sec += soon.tv_nsec / 1000000000;
  soon.tv_nsec %= 1000000000;
  if (sem_timedwait(&wake, &soon) == 0) return true;
  exit_if_alone();
  return false;
}

static void* work(void* unused) {
  (void)unused;
  sigset_t requests;
  flush_signals_requests(&requests);
  pthread_sigmask(SIG_UNBLOCK, &requests, NULL);
  for (;;) {
    if (!woken()) continue; /* or a request's handler ran here, and posted */
    serve_requests();
    const unsigned asked = atomic_load(&waits_asked);
    if (asked != atomic_load(&waits_done)) {
      write_profile();
      atomic_store(&waits_done, asked);
      syscall(SYS_futex, &waits_done, FUTEX_WAKE_PRIVATE, __INT_MAX__, NULL, NULL, 0);
    }
    const int number = atomic_load(&ending_by);
    if (number == 0) continue;
    if (atomic_load(&left_to_runtime)) {
      /* exit() is writing at this moment: let it, but not for ever. */
      const struct timespec limit = {.tv_sec = kWriteLimitSeconds};
      nanosleep(&limit, NULL);
    }
    write_profile();
    flush_signals_die_of(number);
  }
  return NULL;
}

void flush_worker_start(void) {
  sem_init(&wake, 0, 0);
  /* The new thread inherits the mask: every signal but the requests stays the server's business. */
  sigset_t all, before, requests;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_running = pthread_create(&thread, NULL, work, NULL) == 0;
  flush_signals_requests(&requests);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_sigmask(SIG_BLOCK, &requests, NULL);
  if (thread_running) pthread_setname_np(thread, "hone-flush");
  atomic_store(&served_pid, getpid());
}

void flush_worker_request(FlushRequest request) {
  if (!flush_worker_serves()) return;
  atomic_fetch_add(request == kFlushReset ? &resets_asked : &writes_asked, 1);
  sem_post(&wake);
}

/* Waits until `ticket` is done, at most until the limit; by futex, which a handler may use. */
static void wait_for(unsigned ticket) {
  struct timespec deadline;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  deadline.tv_sec += kWriteLimitSeconds;
  for (;;) {
    const unsigned done = atomic_load(&waits_done);
    if ((int)(done - ticket) >= 0) return;
    /* WAIT_BITSET takes an absolute time, so being interrupted does not prolong the wait. */
    const long result = syscall(SYS_futex, &waits_done, FUTEX_WAIT_BITSET_PRIVATE, done, &deadline,
                                NULL, FUTEX_BITSET_MATCH_ANY);
    if (result != 0 && errno == ETIMEDOUT) return;
  }
}

static bool in_worker(void) { return thread_running && pthread_equal(pthread_self(), thread); }

void flush_worker_write(void) {
  if (!flush_worker_serves() || atomic_load(&left_to_runtime) || in_worker()) return;
  const int saved = errno;
  flush_worker_enter_child();
  if (thread_running) {
    const unsigned ticket = atomic_fetch_add(&waits_asked, 1) + 1;
    sem_post(&wake);
    wait_for(ticket);
  } else {
    write_profile();
  }
  errno = saved;
}

void flush_worker_end(int number) {
  if (!thread_running || in_worker()) {
    flush_signals_die_of(number);
    return;
  }
  atomic_store(&ending_by, number);
  const bool exiting = atomic_load(&left_to_runtime);
  sem_post(&wake);
  /* Stay here, so that the interrupted call does not come back and the program go on: by default it
   * would not. Only for so long, since this thread may hold a lock that the writer needs. While
   * exit() runs, this thread may be the one that writes. */
  if (!exiting) wait_for(atomic_load(&waits_done) + 1);
}

void flush_worker_main_thread_left(void) {
  atomic_store(&main_thread_left, true);
  sem_post(&wake);
}

void flush_worker_leave_to_runtime(void) {
  if (!flush_worker_serves()) return;
  if (atomic_load(&child_unfinished)) {
    flush_folder_enter();
    flush_profile_name();
  }
  struct timespec deadline;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  deadline.tv_sec += kWriteLimitSeconds;
  const bool locked = pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &deadline) == 0;
  atomic_store(&left_to_runtime, true);
  if (locked) flush_worker_unlock();
}

void flush_worker_before_fork(void) {
  flush_worker_lock();
  /* Here, because the child may find the loader's lock held by a thread that it does not have. */
  if (flush_worker_serves()) flush_modules_scan(flush_folder_refuse);
}

void flush_worker_after_fork_in_parent(void) { flush_worker_unlock(); }

void flush_worker_after_fork_in_child(void) {
  const pthread_mutex_t fresh = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  lock = fresh;
  if (!flush_worker_installed()) return;
  thread_running = false;
  atomic_store(&resets_asked, 0);
  atomic_store(&writes_asked, 0);
  resets_done = 0;
  writes_done = 0;
  atomic_store(&waits_asked, 0);
  atomic_store(&waits_done, 0);
  atomic_store(&ending_by, 0);
  atomic_store(&left_to_runtime, false);
  atomic_store(&main_thread_left, false);
  atomic_store(&child_unfinished, true);
  flush_profile_forget_parent();
  atomic_store(&served_pid, getpid());
}

void flush_worker_enter_child(void) {
  if (!flush_worker_serves() || !atomic_exchange(&child_unfinished, false)) return;
  const int saved = errno;
  flush_folder_enter();
  flush_profile_name();
  flush_worker_start();
  flush_folder_ready(flush_modules_count());
  errno = saved;
}
