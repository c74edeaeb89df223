/* libhone_flush: keeps the profile of an instrumented server from being lost.
 *
 * Preload libhone_flush.so into a server built with clang's -fprofile-generate (or link
 * libhone_flush.a into a static one, with @libhone_flush.wrap beside it) and set HONE_FLUSH_DIR to
 * an absolute path of a folder that the server's user can write to: mode 1777 if the server drops
 * its privileges, reachable by the same path inside if it changes its root. Without that variable
 * the library does nothing at all.
 *
 * This header is the whole contract between the library and whoever trains a server with it.
 *
 * Files in HONE_FLUSH_DIR; <pid> is the process's own idea of its pid:
 *   <pid>-<module>.profraw           counts, written when the process ends or is told to write;
 *   <pid>.<part>-<module>.profraw    later parts of the same process. Parts never overlap: merge
 * all of them. A part is never touched again once written. startup-<pid>-<module>.profraw   counts
 * from the start up to the first reset. The other .profraw files that exist when the first reset is
 * acknowledged, such as those of a parent that went into the background, are start-up as well.
 *   <pid>.ready                      the process takes the two signals below. Never send them to a
 *                                    process without this file: they would end it. One line:
 *                                    "N modules: PROGRAM".
 *   <pid>.reset.<n>, <pid>.written.<n>   the n-th request of that kind, from 1, is done. One line:
 *                                    "ok N modules" or "failed: K of N modules".
 *   <pid>.refused                    why some module, or the whole process, cannot be served; one
 *                                    line each, the program's path first. A helper program that the
 *                                    server runs (a shell) leaves such a file too.
 *
 * What it adds to the process: one thread, "hone-flush"; exit handlers; handlers for the two
 * signals below, which the server can neither use nor see, and which are blocked in its own
 * threads; a handler behind the default action of SIGTERM, SIGINT, SIGQUIT, SIGHUP and SIGABRT; and
 * LLVM_PROFILE_FILE in its environment, for instrumented modules that are loaded later.
 *
 * What it interposes, each doing what it always did, after the counts are written:
 *   _exit _Exit; at_quick_exit serves quick_exit, SIGABRT serves abort and failed assertions;
 *   execve execv execvp execvpe execl execlp execle execveat fexecve: this image's counts;
 *   fork: the child starts from zero under its own pid;
 *   daemon: the counts of the parent, which ends inside libc;
 *   pthread_exit: a process whose main thread has left still ends with the last of the others;
 *   dlclose: kept apart from a write that is going on;
 *   sigaction signal: a program that sets one of the five signals to SIG_DFL gets a handler that
 *   writes and then dies of that signal, and is told SIG_DFL. Ignored signals and the program's own
 *   handlers are left as they are.
 * Nothing is printed; errno, exit statuses and the signal a process dies of stay as they were. The
 * runtime's own messages, such as a full disk's, still go to standard error.
 *
 * Limits. Lost: SIGKILL; a crash; the exit_group system call made directly; a handler installed
 * with SA_RESETHAND that then counts on the default action; counts of the microseconds between
 * writing and resetting while other threads run. A child made by clone() or _Fork() instead of
 * fork() is left alone, and so is one of vfork(). Writing has at most five seconds (kWriteLimit in
 * worker.c), after which the process ends without its profile: a handler that calls _exit may have
 * interrupted its own thread inside malloc or stdio. Modules need their .symtab, and both runtime
 * functions named in HONE_FLUSH_LINK_FLAGS: --gc-sections drops them otherwise. At least one
 * instrumented module must be loaded at the start, others may come later by dlopen. The extra
 * thread makes unshare(CLONE_NEWUSER) and setns to a mount namespace fail. GCC's gcov runtime is
 * not served.
 */
#ifndef HONE_FLUSH_FLUSH_H_
#define HONE_FLUSH_FLUSH_H_

#include <signal.h>

#define HONE_FLUSH_DIR "HONE_FLUSH_DIR"

/* To the process (kill): far from the first real-time signals, which thread libraries and language
 * runtimes take, and from the last ones, which scripts like to use. */
#define HONE_FLUSH_RESET_SIGNAL (SIGRTMIN + 11) /* the first one keeps the start-up profile */
#define HONE_FLUSH_WRITE_SIGNAL (SIGRTMIN + 12)

/* Added to the link of an instrumented module, whether or not it collects unused sections. */
#define HONE_FLUSH_LINK_FLAGS "-Wl,-u,__llvm_profile_set_filename,-u,__llvm_profile_reset_counters"

#define HONE_FLUSH_READY_SUFFIX ".ready"
#define HONE_FLUSH_RESET_SUFFIX ".reset."
#define HONE_FLUSH_WRITTEN_SUFFIX ".written."
#define HONE_FLUSH_REFUSED_SUFFIX ".refused"
#define HONE_FLUSH_STARTUP_PREFIX "startup-"

#endif /* HONE_FLUSH_FLUSH_H_ */
