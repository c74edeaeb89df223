/* The thread that writes. __llvm_profile_write_file allocates and uses stdio, so a signal handler
 * must not call it; handlers and ending calls ask this thread instead, and wait for it with a
 * limit.
 */
#ifndef HONE_FLUSH_WORKER_H_
#define HONE_FLUSH_WORKER_H_

#include <stdbool.h>

typedef enum { kFlushReset, kFlushWrite } FlushRequest;

/* This process is served. False in a child of vfork, which shares our memory, and in one of clone()
 * that did not come through fork. Safe in handlers. */
bool flush_worker_serves(void);
/* This process or one whose memory it has. */
bool flush_worker_installed(void);

/* Starts the thread and lets the requests through to it alone. From then on the process is served.
 */
void flush_worker_start(void);

/* From the request signals' handler. */
void flush_worker_request(FlushRequest request);
/* From an ending signal's handler: writes and ends the process. Comes back only after the limit. */
void flush_worker_end(int number);
/* Before the process or its image ends: writes, waits at most until the limit. */
void flush_worker_write(void);
/* The main thread ends by itself, so the process is to end with the last of the others. */
void flush_worker_main_thread_left(void);
/* exit() runs its handlers: the runtime's own one writes now, and nobody else may. */
void flush_worker_leave_to_runtime(void);

/* Around everything that must not meet a write: dlclose. May be nested. */
void flush_worker_lock(void);
void flush_worker_unlock(void);

/* pthread_atfork. */
void flush_worker_before_fork(void);
void flush_worker_after_fork_in_parent(void);
void flush_worker_after_fork_in_child(void);
/* The rest of a child's start, which needs malloc: names, thread and ready file. Does nothing where
 * it is done. */
void flush_worker_enter_child(void);

#endif /* HONE_FLUSH_WORKER_H_ */
