/* HONE_FLUSH_DIR: names of profiles, and the small files that tell hone what happened (flush.h). */
#ifndef HONE_FLUSH_FOLDER_H_
#define HONE_FLUSH_FOLDER_H_

#include <stdbool.h>
#include <stddef.h>

enum { kFlushPathSize = 4096 }; /* PATH_MAX */

/* Reads the environment; false when there is nothing to do in this process. */
bool flush_folder_open(void);

/* A new image or a forked child: its pid, and a part that no earlier image of that pid has written.
 */
void flush_folder_enter(void);
/* Starts the next part. */
void flush_folder_next_part(void);
/* The current part's pattern for __llvm_profile_set_filename. */
void flush_folder_pattern(char pattern[kFlushPathSize], bool startup);
/* The same for LLVM_PROFILE_FILE, with the pid left to the runtime. */
void flush_folder_environment_pattern(char pattern[kFlushPathSize]);

void flush_folder_ready(int modules);
void flush_folder_not_ready(void);
/* `suffix`: HONE_FLUSH_RESET_SUFFIX or HONE_FLUSH_WRITTEN_SUFFIX. */
void flush_folder_acknowledge(const char* suffix, int failed, int modules);
/* `module`: path, or NULL for the whole program. */
void flush_folder_refuse(const char* module, const char* reason);

#endif /* HONE_FLUSH_FOLDER_H_ */
