/* Finding the runtimes.
 *
 * A module is found through dl_iterate_phdr and its file through the name the loader gives, the
 * program itself through /proc/self/exe. The file must be the one in memory: its program headers
 * are compared. Files are read as soon as the module is seen, at the start for most of them, before
 * the server changes its root or its user.
 *
 * Rejected: the counters' section symbols and writing the raw profile ourselves. The format changes
 * with every LLVM release; the runtime in the module is always the right writer.
 */
#include "flush/modules.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  kMaxServed = 64, /* instrumented modules; Traffic Server with all its plug-ins has about thirty */
  kMaxSeen = 1024, /* modules of any kind */
};

typedef struct {
  ElfW(Addr) base;
  const ElfW(Phdr) * headers;
} Seen;

static FlushModule served[kMaxServed];
static int served_count;
static Seen seen[kMaxSeen];
static int seen_count;
static unsigned long long loads_at_scan, unloads_at_scan; /* the loader's counts, from 1 up */
/* Refusals outlive a module's unloading, so that each is told once. */
static uint64_t refused[kMaxServed];
static int refused_count;

typedef struct {
  const unsigned char* bytes;
  size_t size;
} Image;

/* The bytes [offset, offset + size) of the file, or NULL when it is shorter. */
static const void* part(Image image, uint64_t offset, uint64_t size) {
  if (offset > image.size || size > image.size - offset) return NULL;
  return image.bytes + offset;
}

static Image map_file(const char* path) {
  Image image = {NULL, 0};
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return image;
  struct stat status;
  if (fstat(fd, &status) == 0 && status.st_size > 0) {
    void* bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED) {
      image.bytes = bytes;
      image.size = (size_t)status.st_size;
    }
  }
  close(fd);
  return image;
}

static bool is_loaded_file(Image image, const struct dl_phdr_info* info) {
  const ElfW(Ehdr)* header = part(image, 0, sizeof(ElfW(Ehdr)));
  if (header == NULL || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return false;
  if (header->e_phnum != info->dlpi_phnum || header->e_phentsize != sizeof(ElfW(Phdr)))
    return false;
  const size_t size = sizeof(ElfW(Phdr)) * info->dlpi_phnum;
  const void* headers = part(image, header->e_phoff, size);
  return headers != NULL && memcmp(headers, info->dlpi_phdr, size) == 0;
}

typedef struct {
  const ElfW(Shdr) * headers;
  size_t count;
  const char* names;
  size_t names_size;
} Sections;

static Sections sections_of(Image image) {
  Sections sections = {NULL, 0, NULL, 0};
  const ElfW(Ehdr)* header = part(image, 0, sizeof(ElfW(Ehdr)));
  if (header == NULL || header->e_shentsize != sizeof(ElfW(Shdr))) return sections;
  const ElfW(Shdr)* headers =
      part(image, header->e_shoff, (uint64_t)header->e_shnum * sizeof(ElfW(Shdr)));
  if (headers == NULL || header->e_shstrndx >= header->e_shnum) return sections;
  const ElfW(Shdr)* names = &headers[header->e_shstrndx];
  sections.names = part(image, names->sh_offset, names->sh_size);
  if (sections.names == NULL || names->sh_size == 0) return sections;
  sections.names_size = names->sh_size;
  sections.headers = headers;
  sections.count = header->e_shnum;
  return sections;
}

static bool text_at(const char* table, size_t size, size_t offset, const char* wanted) {
  const size_t length = strlen(wanted) + 1;
  return offset < size && length <= size - offset && memcmp(table + offset, wanted, length) == 0;
}

static bool carries_counters(Sections sections) {
  for (size_t i = 0; i < sections.count; ++i) {
    if (text_at(sections.names, sections.names_size, sections.headers[i].sh_name,
                "__llvm_prf_cnts")) {
      return true;
    }
  }
  return false;
}

/* Fills in the functions found; false when the file has no symbol table. */
static bool find_functions(Image image, Sections sections, ElfW(Addr) base, FlushModule* module) {
  const struct {
    const char* name;
    size_t offset;
  } wanted[] = {
      {"__llvm_profile_write_file", offsetof(FlushModule, write_file)},
      {"__llvm_profile_reset_counters", offsetof(FlushModule, reset_counters)},
      {"__llvm_profile_set_filename", offsetof(FlushModule, set_filename)},
      {"__llvm_profile_initialize", offsetof(FlushModule, initialize)},
  };
  const ElfW(Shdr)* table = NULL;
  for (size_t i = 0; i < sections.count; ++i) {
    if (sections.headers[i].sh_type == SHT_SYMTAB) table = &sections.headers[i];
  }
  if (table == NULL || table->sh_link >= sections.count) return false;
  const ElfW(Shdr)* strings = &sections.headers[table->sh_link];
  const ElfW(Sym)* symbols = part(image, table->sh_offset, table->sh_size);
  const char* names = part(image, strings->sh_offset, strings->sh_size);
  if (symbols == NULL || names == NULL) return false;
  const size_t count = table->sh_size / sizeof(ElfW(Sym));
  for (size_t i = 0; i < count; ++i) {
    /* The type's place in st_info is the same in 32 and 64 bits. */
    if (ELF64_ST_TYPE(symbols[i].st_info) != STT_FUNC || symbols[i].st_shndx == SHN_UNDEF) continue;
    for (size_t w = 0; w < sizeof(wanted) / sizeof(wanted[0]); ++w) {
      if (!text_at(names, strings->sh_size, symbols[i].st_name, wanted[w].name)) continue;
      void* address = (void*)(base + symbols[i].st_value);
      memcpy((char*)module + wanted[w].offset, &address, sizeof(address));
    }
  }
  return true;
}

static uint64_t hash(const char* text) { /* FNV-1a, 64 bits */
  uint64_t value = 14695981039346656037u;
  for (; *text != '\0'; ++text) value = (value ^ (unsigned char)*text) * 1099511628211u;
  return value;
}

static void refuse_once(FlushRefusal refuse, const char* path, const char* reason) {
  const uint64_t key = hash(path);
  for (int i = 0; i < refused_count; ++i) {
    if (refused[i] == key) return;
  }
  if (refused_count == kMaxServed) return;
  refused[refused_count++] = key;
  refuse(path, reason);
}

/* NULL when the module is served or has nothing to serve, else why it cannot be. */
static const char* examine(Image image, const struct dl_phdr_info* info) {
  const Sections sections = sections_of(image);
  if (!carries_counters(sections)) return NULL;
  FlushModule module = {NULL, NULL, NULL, NULL};
  if (!find_functions(image, sections, info->dlpi_addr, &module)) {
    return "instrumented, but stripped of its symbol table (.symtab): keep it";
  }
  if (module.write_file == NULL) {
    return "instrumented, but without a profile runtime: link with -fprofile-generate too";
  }
  if (module.reset_counters == NULL || module.set_filename == NULL) {
    return "the linker dropped functions of the profile runtime (--gc-sections): link with "
           "-Wl,-u,__llvm_profile_set_filename,-u,__llvm_profile_reset_counters";
  }
  if (served_count == kMaxServed) return "more instrumented modules than the library can hold";
  served[served_count++] = module;
  return NULL;
}

typedef struct {
  FlushRefusal refuse;
  unsigned long long loads; /* the same for all modules: the loader is locked meanwhile */
} Scan;

static int visit(struct dl_phdr_info* info, size_t size, void* data) {
  Scan* scan = data;
  (void)size; /* dlpi_adds and dlpi_subs are there in every glibc since 2.4 */
  scan->loads = info->dlpi_adds;
  if (info->dlpi_adds == loads_at_scan && info->dlpi_subs == unloads_at_scan) return 1;
  if (info->dlpi_subs != unloads_at_scan) {
    /* An unloaded module's place may hold another one by now. */
    served_count = 0;
    seen_count = 0;
    unloads_at_scan = info->dlpi_subs;
  }
  for (int i = 0; i < seen_count; ++i) {
    if (seen[i].base == info->dlpi_addr && seen[i].headers == info->dlpi_phdr) return 0;
  }
  if (seen_count == kMaxSeen) return 0;
  seen[seen_count].base = info->dlpi_addr;
  seen[seen_count].headers = info->dlpi_phdr;
  ++seen_count;

  const bool program = info->dlpi_name == NULL || info->dlpi_name[0] == '\0';
  const char* path = program ? "/proc/self/exe" : info->dlpi_name;
  if (strchr(path, '/') == NULL) return 0; /* the kernel's own (vdso) has no file */
  const Image image = map_file(path);
  if (image.bytes == NULL) return 0;
  const char* reason = is_loaded_file(image, info) ? examine(image, info) : NULL;
  munmap((void*)image.bytes, image.size);
  if (reason != NULL) refuse_once(scan->refuse, path, reason);
  return 0;
}

void flush_modules_scan(FlushRefusal refuse) {
  Scan scan = {refuse, 0};
  dl_iterate_phdr(visit, &scan);
  loads_at_scan = scan.loads;
}

int flush_modules_count(void) { return served_count; }

const FlushModule* flush_modules_at(int index) { return &served[index]; }
