#include "system/syscall_classes.h"

#include <sys/syscall.h>

#include <vector>

namespace hone::system {
namespace {

struct Class {
  PerfEvent event;
  std::vector<long> numbers;
};

// Calls that only older architectures have stand apart: arm64 never had them.
const std::vector<Class>& classes() {
  static const std::vector<Class> kClasses = {
      {PerfEvent::kSyscallsReceive,
       {SYS_read, SYS_readv, SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg, SYS_pread64, SYS_preadv,
        SYS_preadv2}},
      {PerfEvent::kSyscallsSend,
       {SYS_write, SYS_writev, SYS_sendto, SYS_sendmsg, SYS_sendmmsg, SYS_sendfile, SYS_splice,
        SYS_tee, SYS_vmsplice, SYS_copy_file_range, SYS_pwrite64, SYS_pwritev, SYS_pwritev2}},
      // io_uring_enter submits as well, but what it submits is no system call.
      {PerfEvent::kSyscallsWait,
       {SYS_epoll_pwait, SYS_epoll_pwait2, SYS_epoll_ctl, SYS_epoll_create1, SYS_ppoll,
        SYS_pselect6, SYS_io_uring_enter, SYS_io_getevents,
#ifdef __x86_64__
        SYS_epoll_wait, SYS_epoll_create, SYS_poll, SYS_select
#endif
       }},
      {PerfEvent::kSyscallsSockets,
       {SYS_socket, SYS_socketpair, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_connect,
        SYS_shutdown, SYS_getsockname, SYS_getpeername, SYS_getsockopt, SYS_setsockopt}},
      {PerfEvent::kSyscallsFiles,
       {SYS_openat,
        SYS_openat2,
        SYS_close,
        SYS_close_range,
        SYS_fstat,
        SYS_newfstatat,
        SYS_statx,
        SYS_statfs,
        SYS_fstatfs,
        SYS_lseek,
        SYS_fcntl,
        SYS_ioctl,
        SYS_dup,
        SYS_dup3,
        SYS_pipe2,
        SYS_faccessat,
        SYS_faccessat2,
        SYS_readlinkat,
        SYS_getdents64,
        SYS_unlinkat,
        SYS_renameat2,
        SYS_mkdirat,
        SYS_linkat,
        SYS_symlinkat,
        SYS_ftruncate,
        SYS_fallocate,
        SYS_fsync,
        SYS_fdatasync,
        SYS_flock,
        SYS_eventfd2,
        SYS_inotify_add_watch,
        SYS_fadvise64,
#ifdef __x86_64__
        SYS_open,
        SYS_creat,
        SYS_stat,
        SYS_lstat,
        SYS_access,
        SYS_dup2,
        SYS_pipe,
        SYS_readlink,
        SYS_getdents,
        SYS_unlink,
        SYS_rename,
        SYS_mkdir,
        SYS_eventfd
#endif
       }},
      {PerfEvent::kSyscallsMemory,
       {SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_msync, SYS_mlock,
        SYS_munlock, SYS_mincore, SYS_membarrier}},
      {PerfEvent::kSyscallsFutex, {SYS_futex}},
      // The clock's own calls are seen only where the vDSO cannot answer them.
      {PerfEvent::kSyscallsTime,
       {SYS_clock_gettime, SYS_gettimeofday, SYS_nanosleep, SYS_clock_nanosleep, SYS_timerfd_create,
        SYS_timerfd_settime, SYS_timerfd_gettime, SYS_timer_settime, SYS_setitimer,
#ifdef __x86_64__
        SYS_time, SYS_alarm
#endif
       }},
  };
  return kClasses;
}

void add_terms(const std::vector<long>& numbers, const char* is, const char* joint,
               std::string* filter) {
  for (const long number : numbers) {
    if (!filter->empty()) *filter += joint;
    *filter += "id" + std::string(is) + std::to_string(number);
  }
}

}  // namespace

std::optional<std::string> sys_enter_filter(PerfEvent event) {
  std::string filter;
  if (event == PerfEvent::kSyscalls) return filter;
  for (const Class& one : classes()) {
    if (event == PerfEvent::kSyscallsOther) add_terms(one.numbers, "!=", "&&", &filter);
    if (event == one.event) add_terms(one.numbers, "==", "||", &filter);
  }
  return filter.empty() ? std::nullopt : std::optional(filter);
}

}  // namespace hone::system
