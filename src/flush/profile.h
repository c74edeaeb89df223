/* Writing and resetting the counters of all modules. Every call but the last needs the lock of
 * worker.h held: the runtimes themselves are not thread-safe.
 */
#ifndef HONE_FLUSH_PROFILE_H_
#define HONE_FLUSH_PROFILE_H_

typedef struct {
  int modules;
  int failed;
} FlushOutcome;

/* Tells every runtime the current part's name, so that its own exit handler uses it too. */
void flush_profile_name(void);
/* Writes, resets what was written, and goes on to the next part. */
FlushOutcome flush_profile_write(void);
/* Resets; the first time in a process the counts so far are kept as the start-up profile. */
FlushOutcome flush_profile_reset(void);
/* In a forked child: the counts are the parent's. Memory only, no lock and no allocation. */
void flush_profile_forget_parent(void);

#endif /* HONE_FLUSH_PROFILE_H_ */
