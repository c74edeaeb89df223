/* Signals: the two requests, and the ones that end a process which leaves them at their default. */
#ifndef HONE_FLUSH_SIGNALS_H_
#define HONE_FLUSH_SIGNALS_H_

#include <signal.h>

/* Takes over the requests and every ending signal that has its default action. */
void flush_signals_install(void);
/* The two requests, for masks. */
void flush_signals_requests(sigset_t* set);
/* Ends the process by `number`, whose default action that is. */
void flush_signals_die_of(int number);

/* What the interposed functions do. */
int flush_signals_action(int number, const struct sigaction* action, struct sigaction* old);
void (*flush_signals_handler(int number, void (*handler)(int)))(int);

#endif /* HONE_FLUSH_SIGNALS_H_ */
