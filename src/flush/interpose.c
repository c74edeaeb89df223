/* Functions of libc that end a process or its image, make another one, or set what a signal does.
 * Each does what flush.h says and then calls libc's own.
 *
 * In the shared library they carry libc's names and find its versions by dlsym. In the archive they
 * are called __wrap_NAME, for the linker's --wrap: a second definition of libc's names in a static
 * program would not link. Without libhone_flush.wrap the link fails on __real_NAME, and so nobody
 * trains a static program that is served by half.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "flush/folder.h"
#include "flush/modules.h"
#include "flush/real.h"
#include "flush/signals.h"
#include "flush/worker.h"

typedef void (*Handler)(int);

/* Result type, name, parameters. */
#define INTERPOSED_FUNCTIONS(X)                                           \
  X(int, execve, (const char*, char* const[], char* const[]))             \
  X(int, execv, (const char*, char* const[]))                             \
  X(int, execvp, (const char*, char* const[]))                            \
  X(int, execvpe, (const char*, char* const[], char* const[]))            \
  X(int, execveat, (int, const char*, char* const[], char* const[], int)) \
  X(int, fexecve, (int, char* const[], char* const[]))                    \
  X(pid_t, fork, (void))                                                  \
  X(int, daemon, (int, int))                                              \
  X(void, pthread_exit, (void*))                                          \
  X(int, dlclose, (void*))                                                \
  X(int, sigaction, (int, const struct sigaction*, struct sigaction*))    \
  X(Handler, signal, (int, Handler))

#define EXPORTED __attribute__((visibility("default")))

#ifdef HONE_FLUSH_STATIC

#define INTERPOSED(name) __wrap_##name
#define REAL(name) __real_##name
#define DECLARE(result, name, parameters) \
  result __real_##name parameters;        \
  result __wrap_##name parameters;
INTERPOSED_FUNCTIONS(DECLARE)
void __wrap__exit(int status) __attribute__((noreturn));
void __wrap__Exit(int status) __attribute__((noreturn));
int __wrap_execl(const char* path, const char* first, ...);
int __wrap_execlp(const char* file, const char* first, ...);
int __wrap_execle(const char* path, const char* first, ...);

#define NEED(name) (void)0
void flush_real_resolve(void) {}

#else

#define INTERPOSED(name) name
#define REAL(name) real_##name
#define DECLARE(result, name, parameters) static result(*real_##name) parameters;
INTERPOSED_FUNCTIONS(DECLARE)

static void resolve(const char* name, void* function) {
  void* found = dlsym(RTLD_NEXT, name);
  memcpy(function, &found, sizeof(found));
}

void flush_real_resolve(void) {
#define RESOLVE(result, name, parameters) resolve(#name, &real_##name);
  INTERPOSED_FUNCTIONS(RESOLVE)
}

/* Another library's constructor may call one of them before ours has run. */
#define NEED(name) \
  if (REAL(name) == NULL) flush_real_resolve()

#endif

int flush_real_sigaction(int number, const struct sigaction* action, struct sigaction* old) {
  NEED(sigaction);
  return REAL(sigaction)(number, action, old);
}

Handler flush_real_signal(int number, Handler handler) {
  NEED(signal);
  return REAL(signal)(number, handler);
}

static __attribute__((noreturn)) void end_now(int status) {
  flush_worker_write();
  for (;;) syscall(SYS_exit_group, status);
}

EXPORTED __attribute__((noreturn)) void INTERPOSED(_exit)(int status) { end_now(status); }

EXPORTED __attribute__((noreturn)) void INTERPOSED(_Exit)(int status) { end_now(status); }

/* What an image leaves behind: its counts, no ready file, and the signal mask it came with. */
static void before_exec(sigset_t* mask) {
  sigset_t requests;
  flush_signals_requests(&requests);
  if (flush_worker_serves()) {
    flush_worker_write();
    flush_folder_not_ready();
    pthread_sigmask(SIG_UNBLOCK, &requests, mask);
  } else {
    /* A child of vfork has a mask of its own; the rest is its parent's. */
    pthread_sigmask(SIG_SETMASK, NULL, mask);
    if (flush_worker_installed()) pthread_sigmask(SIG_UNBLOCK, &requests, NULL);
  }
}

static int after_failed_exec(const sigset_t* mask) {
  const int saved = errno;
  pthread_sigmask(SIG_SETMASK, mask, NULL);
  if (flush_worker_serves()) flush_folder_ready(flush_modules_count());
  errno = saved;
  return -1;
}

#define EXECUTE(name, ...)           \
  do {                               \
    sigset_t mask;                   \
    NEED(name);                      \
    before_exec(&mask);              \
    REAL(name)(__VA_ARGS__);         \
    return after_failed_exec(&mask); \
  } while (false)

EXPORTED int INTERPOSED(execve)(const char* path, char* const argv[], char* const env[]) {
  EXECUTE(execve, path, argv, env);
}

EXPORTED int INTERPOSED(execv)(const char* path, char* const argv[]) { EXECUTE(execv, path, argv); }

EXPORTED int INTERPOSED(execvp)(const char* file, char* const argv[]) {
  EXECUTE(execvp, file, argv);
}

EXPORTED int INTERPOSED(execvpe)(const char* file, char* const argv[], char* const env[]) {
  EXECUTE(execvpe, file, argv, env);
}

EXPORTED int INTERPOSED(execveat)(int folder, const char* path, char* const argv[],
                                  char* const env[], int flags) {
  EXECUTE(execveat, folder, path, argv, env, flags);
}

EXPORTED int INTERPOSED(fexecve)(int fd, char* const argv[], char* const env[]) {
  EXECUTE(fexecve, fd, argv, env);
}

static size_t count_arguments(va_list arguments) {
  size_t count = 0;
  while (va_arg(arguments, const char*) != NULL) ++count;
  return count;
}

/* `first` (libc declares it never null) and the arguments after it, up to and with the null pointer
 * that ends them, as an array. */
#define GATHER_ARGUMENTS(first, argv)                  \
  va_list arguments;                                   \
  va_start(arguments, first);                          \
  const size_t count = 1 + count_arguments(arguments); \
  va_end(arguments);                                   \
  char* argv[count + 1];                               \
  va_start(arguments, first);                          \
  argv[0] = (char*)(first);                            \
  for (size_t i = 1; i <= count; ++i) argv[i] = va_arg(arguments, char*)

EXPORTED int INTERPOSED(execl)(const char* path, const char* first, ...) {
  GATHER_ARGUMENTS(first, argv);
  va_end(arguments);
  EXECUTE(execv, path, argv);
}

EXPORTED int INTERPOSED(execlp)(const char* file, const char* first, ...) {
  GATHER_ARGUMENTS(first, argv);
  va_end(arguments);
  EXECUTE(execvp, file, argv);
}

EXPORTED int INTERPOSED(execle)(const char* path, const char* first, ...) {
  GATHER_ARGUMENTS(first, argv);
  char* const* env = va_arg(arguments, char* const*);
  va_end(arguments);
  EXECUTE(execve, path, argv, env);
}

EXPORTED pid_t INTERPOSED(fork)(void) {
  NEED(fork);
  const pid_t child = REAL(fork)();
  if (child == 0) flush_worker_enter_child();
  return child;
}

EXPORTED int INTERPOSED(daemon)(int keep_folder, int keep_streams) {
  NEED(daemon);
  flush_worker_write();
  const int result = REAL(daemon)(keep_folder, keep_streams);
  if (result == 0) flush_worker_enter_child();
  return result;
}

EXPORTED __attribute__((noreturn)) void INTERPOSED(pthread_exit)(void* value) {
  NEED(pthread_exit);
  if (flush_worker_serves() && syscall(SYS_gettid) == getpid()) flush_worker_main_thread_left();
  REAL(pthread_exit)(value);
  __builtin_unreachable();
}

EXPORTED int INTERPOSED(dlclose)(void* library) {
  NEED(dlclose);
  if (!flush_worker_serves()) return REAL(dlclose)(library);
  flush_worker_lock();
  const int result = REAL(dlclose)(library);
  flush_worker_unlock();
  return result;
}

EXPORTED int INTERPOSED(sigaction)(int number, const struct sigaction* action,
                                   struct sigaction* old) {
  return flush_signals_action(number, action, old);
}

EXPORTED Handler INTERPOSED(signal)(int number, Handler handler) {
  return flush_signals_handler(number, handler);
}
