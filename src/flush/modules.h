/* The LLVM profile runtime of every loaded module. Each executable and shared library that was
 * linked with -fprofile-generate carries a runtime of its own, with hidden symbols: dlsym cannot
 * see them, so they are read from the symbol table of the module's file.
 */
#ifndef HONE_FLUSH_MODULES_H_
#define HONE_FLUSH_MODULES_H_

typedef struct {
  int (*write_file)(void); /* 0: written */
  void (*reset_counters)(void);
  void (*set_filename)(const char* pattern);
  void (*initialize)(void); /* registers the runtime's own exit handler, once; may be NULL */
} FlushModule;

/* Told about an instrumented module that cannot be served, once for each. */
typedef void (*FlushRefusal)(const char* module, const char* reason);

/* Brings the list up to date with what dlopen and dlclose did since the last call. Cheap when they
 * did nothing. Allocates nothing, so that it may run where malloc is locked. */
void flush_modules_scan(FlushRefusal refuse);

int flush_modules_count(void);
const FlushModule* flush_modules_at(int index);

#endif /* HONE_FLUSH_MODULES_H_ */
