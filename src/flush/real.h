/* libc's own versions of what interpose.c interposes. */
#ifndef HONE_FLUSH_REAL_H_
#define HONE_FLUSH_REAL_H_

#include <signal.h>

/* Looks all of them up; nothing is looked up inside a handler. */
void flush_real_resolve(void);

int flush_real_sigaction(int number, const struct sigaction* action, struct sigaction* old);
void (*flush_real_signal(int number, void (*handler)(int)))(int);

#endif /* HONE_FLUSH_REAL_H_ */
