/* Names in HONE_FLUSH_DIR.
 *
 * Every write goes to a name of its own (a "part"), with the counters reset after it, instead of to
 * one file that the runtime merges into: a file that is there is whole and final, nothing is
 * counted twice, and no indirect-call target is matched by an address of another process lifetime.
 *
 * Paths are used as they are and no descriptor is kept: servers that go into the background close
 * every descriptor they did not open, and the number then belongs to somebody else.
 */
#include "flush/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "flush/flush.h"

/* Room for the folder, leaving 256 bytes (NAME_MAX) for the name in it. */
static char folder[kFlushPathSize - 256];
static long pid;
static unsigned part;
static unsigned resets, writes; /* acknowledged so far */

bool flush_folder_open(void) {
  const char* value = secure_getenv(HONE_FLUSH_DIR);
  if (value == NULL || value[0] != '/') return false;
  const size_t length = strlen(value);
  if (length >= sizeof(folder)) return false;
  memcpy(folder, value, length + 1);
  pid = (long)getpid();
  if (strchr(folder, '%') != NULL) {
    flush_folder_refuse(NULL,
                        "HONE_FLUSH_DIR has a '%' in it, which the profile runtime would read "
                        "as a pattern");
    return false;
  }
  return access(folder, F_OK) == 0;
}

/* The part in NAME when it is a profile of this pid: "startup-"? pid ("." part)? "-"; else -1. */
static long part_of(const char* name) {
  const size_t prefix = strlen(HONE_FLUSH_STARTUP_PREFIX);
  if (strncmp(name, HONE_FLUSH_STARTUP_PREFIX, prefix) == 0) name += prefix;
  char* end = NULL;
  if (strtol(name, &end, 10) != pid || end == name) return -1;
  if (*end == '-') return 0;
  if (*end != '.') return -1;
  const char* digits = end + 1;
  const long number = strtol(digits, &end, 10);
  return end != digits && *end == '-' && number >= 0 ? number : -1;
}

void flush_folder_enter(void) {
  pid = (long)getpid();
  part = 0;
  resets = 0;
  writes = 0;
  DIR* directory = opendir(folder);
  if (directory == NULL) return;
  for (const struct dirent* entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
    const long found = part_of(entry->d_name);
    if (found >= (long)part) part = (unsigned)found + 1;
  }
  closedir(directory);
}

void flush_folder_next_part(void) { ++part; }

static void compose_pattern(char pattern[kFlushPathSize], const char* prefix, const char* process) {
  char number[16] = "";
  if (part > 0) snprintf(number, sizeof(number), ".%u", part);
  snprintf(pattern, kFlushPathSize, "%s/%s%s%s-%%m.profraw", folder, prefix, process, number);
}

void flush_folder_pattern(char pattern[kFlushPathSize], bool startup) {
  char process[24];
  snprintf(process, sizeof(process), "%ld", pid);
  compose_pattern(pattern, startup ? HONE_FLUSH_STARTUP_PREFIX : "", process);
}

void flush_folder_environment_pattern(char pattern[kFlushPathSize]) {
  compose_pattern(pattern, "", "%p");
}

static void compose(char path[kFlushPathSize], const char* suffix) {
  snprintf(path, kFlushPathSize, "%s/%ld%s", folder, pid, suffix);
}

/* Temporary name, then rename: whoever sees the file sees all of it. */
static void publish(const char* path, const char* line) {
  char temporary[kFlushPathSize];
  compose(temporary, ".new");
  const int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return;
  const size_t length = strlen(line);
  const bool written = write(fd, line, length) == (ssize_t)length;
  close(fd);
  if (!written || rename(temporary, path) != 0) unlink(temporary);
}

static const char* program(char path[PATH_MAX]) {
  const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
  path[length > 0 ? length : 0] = '\0';
  return path;
}

void flush_folder_ready(int modules) {
  char path[kFlushPathSize];
  char own[PATH_MAX];
  char line[PATH_MAX + 64];
  compose(path, HONE_FLUSH_READY_SUFFIX);
  snprintf(line, sizeof(line), "%d modules: %s\n", modules, program(own));
  publish(path, line);
}

void flush_folder_not_ready(void) {
  char path[kFlushPathSize];
  compose(path, HONE_FLUSH_READY_SUFFIX);
  unlink(path);
}

void flush_folder_acknowledge(const char* suffix, int failed, int modules) {
  unsigned* number = strcmp(suffix, HONE_FLUSH_RESET_SUFFIX) == 0 ? &resets : &writes;
  char numbered[32];
  char path[kFlushPathSize];
  char line[64];
  do { /* an earlier image of this pid may have used some */
    snprintf(numbered, sizeof(numbered), "%s%u", suffix, ++*number);
    compose(path, numbered);
  } while (access(path, F_OK) == 0);
  if (failed == 0) {
    snprintf(line, sizeof(line), "ok %d modules\n", modules);
  } else {
    snprintf(line, sizeof(line), "failed: %d of %d modules\n", failed, modules);
  }
  publish(path, line);
}

void flush_folder_refuse(const char* module, const char* reason) {
  char path[kFlushPathSize];
  char own[PATH_MAX];
  char line[3 * PATH_MAX];
  compose(path, HONE_FLUSH_REFUSED_SUFFIX);
  const bool whole = module == NULL || strcmp(module, "/proc/self/exe") == 0;
  const int length = snprintf(line, sizeof(line), "%s: %s%s%s\n", program(own), whole ? "" : module,
                              whole ? "" : ": ", reason);
  const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) return;
  if (length > 0 && write(fd, line, (size_t)length) < 0) unlink(path);
  close(fd);
}
