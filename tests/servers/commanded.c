/* A server for the tests of the flush library: does what it is told, one line of standard input at
 * a time, and answers each with one line. `turn` is the function whose calls are counted.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where standard input and output are kept, out of the way of servers that close 0 to 2. */
enum { kInput = 20, kOutput = 21 };

static volatile int sink;

__attribute__((noinline)) void turn(void) { ++sink; }

static void turns(int count) {
  for (int i = 0; i < count; ++i) turn();
}

static void* turns_in_thread(void* count) {
  turns(*(int*)count);
  return NULL;
}

static void answer(const char* text);

// Answers once it is under way: what is to be seen of it has begun by then.
static void* turns_for_ever(void* unused) {
  (void)unused;
  turn();
  answer("ok");
  for (;;) turn();
  return NULL;
}

static void on_term(int number) {
  (void)number;
  _exit(7);
}

static void* wait_for_term(void* unused) {
  (void)unused;
  sigset_t term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  int number = 0;
  sigwait(&term, &number);
  exit(number == SIGTERM ? 9 : 1);
}

static void quick_turns(void) { turns(1); }

static const char* handler_name(void (*handler)(int)) {
  return handler == SIG_DFL ? "default" : handler == SIG_IGN ? "ignored" : "handler";
}

static const char* term_disposition(void) {
  struct sigaction now;
  sigaction(SIGTERM, NULL, &now);
  return handler_name(now.sa_handler);
}

/* A child of `fork` (or vfork): its own turns, then the way `how` says. */
static void child(const char* how, int count, const char* self) {
  turns(count);
  if (strcmp(how, "exit") == 0) exit(0);
  if (strcmp(how, "_exit") == 0) _exit(0);
  if (strcmp(how, "exec") == 0) execl(self, self, "turns", "10", (char*)NULL);
  if (strcmp(how, "wait") == 0) {
    for (;;) pause();
  }
  _exit(99);
}

static void answer(const char* text) {
  char line[256];
  const int length = snprintf(line, sizeof(line), "%s\n", text);
  if (write(kOutput, line, (size_t)length) != length) abort();
}

static void answer_number(long number) {
  char text[32];
  snprintf(text, sizeof(text), "%ld", number);
  answer(text);
}

static int read_line(char* line, int size) {
  int length = 0;
  char byte;
  while (length < size - 1 && read(kInput, &byte, 1) == 1) {
    if (byte == '\n') {
      line[length] = '\0';
      return 1;
    }
    line[length++] = byte;
  }
  return 0;
}

static void* plugin;

static void load_plugin(const char* path, int count) {
  plugin = dlopen(path, RTLD_NOW);
  if (plugin == NULL) {
    answer(dlerror());
    return;
  }
  void (*plugin_turns)(int) = (void (*)(int))dlsym(plugin, "plugin_turns");
  plugin_turns(count);
  answer("ok");
}

/* Ends the process where `command` is one that does. */
static void end(const char* command) {
  if (strcmp(command, "exit") == 0) exit(3);
  if (strcmp(command, "_exit") == 0) _exit(3);
  if (strcmp(command, "_Exit") == 0) _Exit(3);
  if (strcmp(command, "abort") == 0) abort();
  if (strcmp(command, "pthread_exit") == 0) pthread_exit(NULL);
  if (strcmp(command, "exec-mask") == 0) {
    execlp("sh", "sh", "-c", "grep SigBlk /proc/self/status", (char*)NULL);
  }
  if (strcmp(command, "quick_exit") == 0) {
    at_quick_exit(quick_turns);
    quick_exit(3);
  }
}

static void signals(const char* command) {
  struct sigaction action = {.sa_handler = SIG_DFL}, old;
  if (strcmp(command, "term-handler") == 0) {
    action.sa_handler = on_term;
    sigaction(SIGTERM, &action, &old);
    answer(handler_name(old.sa_handler));
  } else if (strcmp(command, "term-default") == 0) {
    sigaction(SIGTERM, &action, &old);
    answer(handler_name(old.sa_handler));
  } else if (strcmp(command, "term-signal-default") == 0) {
    answer(handler_name(signal(SIGTERM, SIG_DFL)));
  } else if (strcmp(command, "term-ignore") == 0) {
    answer(handler_name(signal(SIGTERM, SIG_IGN)));
  } else if (strcmp(command, "term?") == 0) {
    answer(term_disposition());
  } else if (strcmp(command, "all-default") == 0) {
    for (int i = 1; i <= SIGRTMAX; ++i) signal(i, SIG_DFL);
    answer("ok");
  } else if (strcmp(command, "block-all") == 0) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    answer("ok");
  } else if (strcmp(command, "unblock-all") == 0) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    answer("ok");
  } else if (strcmp(command, "term-sigwait") == 0) {
    sigset_t term;
    pthread_t thread;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, NULL);
    pthread_create(&thread, NULL, wait_for_term, NULL);
    answer("ok");
  }
}

static void surroundings(const char* command, const char* argument) {
  if (strcmp(command, "chdir") == 0) answer(chdir(argument) == 0 ? "ok" : "failed");
  if (strcmp(command, "close-streams") == 0) {
    for (int fd = 0; fd < 3; ++fd) close(fd);
    answer("ok");
  }
  if (strcmp(command, "setuid") == 0) answer(setuid((uid_t)atoi(argument)) == 0 ? "ok" : "failed");
  if (strcmp(command, "daemon") == 0) answer_number(daemon(1, 1) == 0 ? (long)getpid() : -1);
  if (strcmp(command, "environment") == 0) answer(getenv(argument) ? getenv(argument) : "");
  if (strcmp(command, "errno") == 0) {
    errno = 0;
    execl("/nonexistent/program", "program", (char*)NULL);
    answer_number(errno);
  }
}

static void many_threads(int threads, int count) {
  pthread_t ids[16];
  for (int i = 0; i < threads; ++i) pthread_create(&ids[i], NULL, turns_in_thread, &count);
  for (int i = 0; i < threads; ++i) pthread_join(ids[i], NULL);
  answer("ok");
}

int main(int argc, char** argv) {
  if (argc == 3 && strcmp(argv[1], "turns") == 0) {
    turns(atoi(argv[2]));
    return 0;
  }
  dup2(STDIN_FILENO, kInput);
  dup2(STDOUT_FILENO, kOutput);
  char line[512];
  while (read_line(line, sizeof(line))) {
    char word[64] = "", how[400] = "";
    int count = 0;
    if (sscanf(line, "turns %d", &count) == 1) {
      turns(count);
      answer("ok");
    } else if (strcmp(line, "return") == 0) {
      return 3;
    } else if (sscanf(line, "threads %d", &count) == 1) {
      many_threads(4, count);
    } else if (strcmp(line, "busy-thread") == 0) {
      pthread_t thread;
      pthread_create(&thread, NULL, turns_for_ever, NULL);
    } else if (sscanf(line, "fork %399s %d", how, &count) == 2) {
      const pid_t pid = fork();
      if (pid == 0) child(how, count, argv[0]);
      answer_number(pid);
    } else if (sscanf(line, "vfork %399s", how) == 1) {
      const pid_t pid = vfork();
      if (pid == 0) child(how, 0, argv[0]);
      answer_number(pid);
    } else if (sscanf(line, "reap %d", &count) == 1) {
      int status = 0;
      waitpid(count, &status, 0);
      answer_number(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    } else if (sscanf(line, "exec %d", &count) == 1) {
      char number[16];
      snprintf(number, sizeof(number), "%d", count);
      char* const arguments[] = {argv[0], "turns", number, NULL};
      execv("/proc/self/exe", arguments);
    } else if (sscanf(line, "plugin %d %399s", &count, how) == 2) {
      load_plugin(how, count);
    } else if (strcmp(line, "unload") == 0) {
      answer(dlclose(plugin) == 0 ? "ok" : "failed");
    } else {
      sscanf(line, "%63s %399s", word, how);
      end(word);
      signals(word);
      surroundings(word, how);
    }
  }
  return 98; /* the test is gone */
}
