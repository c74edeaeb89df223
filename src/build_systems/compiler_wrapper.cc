// Why a wrapper and not CFLAGS: flags in the environment or the cache reach configure-time probes
// (instrumented probes break libtool's symbol-pipe test and drop stray profiles), can be overridden
// by the project, and are filtered by libtool, which drops link flags it does not know. A script
// sees exactly the commands that compile and link, and its flags come last, so they win.
//
// What the script must tell apart: a query (--version, -v and the like, without any input) passes
// unchanged; a command with input gets the compile flags; one that also links gets the link flags
// after them. Clang needs most compile flags at the link as well (-flto, -fprofile-generate), so
// they are given to both. A relocatable link (-r) gets the link flags only: the compile flags could
// pull a runtime library into each partial object, and twice into the program. In doubt a word is
// taken for an input: flags too many do no harm to a query, flags too few would lose a file's part.

#include "build_systems/compiler_wrapper.h"

#include "base/text.h"

namespace hone::build_systems {
namespace {

// Clang would warn about every link flag in a compilation's command and the other way round, and
// fail under a project's -Werror.
constexpr char kQuiet[] = "-Wno-unused-command-line-argument";

constexpr char kScript[] = R"sh(#!/bin/sh
# The compiler, {version}, with further flags after the project's own. Written by hone.
[ "${HONE_PROBING:-0}" = 1 ] && exec {compiler} "$@"
input=no link=yes partial=no value=no ended=no
for word in "$@"; do
  if [ $value = yes ]; then value=no; continue; fi
  case $word in
    -c|-S|-E|-M|-MM|-fsyntax-only|--compile|--assemble|--preprocess|--precompile) link=no ;;
    -r|--relocatable|-Wl,-r|-Wl,--relocatable) partial=yes ;;
    -o|-x|-I|-D|-U|-L|-F|-B|-T|-A|-u|-z|-e|-h|-G|-MF|-MT|-MQ|-MJ) value=yes ;;
    -include|-imacros|-isystem|-iquote|-idirafter|-iprefix|-iwithprefix|-iwithprefixbefore) value=yes ;;
    -include-pch|-isysroot|--sysroot|-target|-arch|--param|-mllvm|-gcc-toolchain) value=yes ;;
    -Xclang|-Xlinker|-Xassembler|-Xpreprocessor|-dumpbase|-dumpdir|-aux-info|-framework) value=yes ;;
    --) ended=yes ;;
    -|-l*) input=yes ;;
    -*) [ $ended = yes ] && input=yes ;;
    *) input=yes ;;
  esac
done
[ $input = no ] && exec {compiler} "$@"
# Behind "--" every word is an input: there the flags go in front.
case $ended-$link-$partial in
  no-no-*) exec {compiler} "$@" {compile} ;;
  no-yes-no) exec {compiler} "$@" {compile} {link} ;;
  no-yes-yes) exec {compiler} "$@" {link} ;;
  yes-no-*) exec {compiler} {compile} "$@" ;;
  yes-yes-no) exec {compiler} {compile} {link} "$@" ;;
  *) exec {compiler} {link} "$@" ;;
esac
)sh";

std::string with_quiet(const std::vector<std::string>& flags) {
  return flags.empty() ? std::string() : shell_join(flags) + " " + kQuiet;
}

Result<system::Path> write_one(const Job& job, const char* name, const std::string& compiler,
                               system::System& os) {
  system::Path path = job.tree / ".hone" / name;
  const std::string text = wrapper_script(compiler, "clang " + job.tools.version, job.flags);
  if (os.files->exists(path)) {
    HONE_TRY(const std::string present, os.files->read(path));
    if (present.compare(text) == 0) return path;
  }
  HONE_CHECK(os.files->write(path, text));
  HONE_CHECK(os.files->set_mode(path, 0755));
  return path;
}

}  // namespace

std::string wrapper_script(const std::string& compiler, const std::string& version,
                           const Flags& flags) {
  std::string text = replace_all(kScript, "{version}", version);
  text = replace_all(std::move(text), "{compile}", with_quiet(flags.compile));
  text = replace_all(std::move(text), "{link}", with_quiet(flags.link));
  return replace_all(std::move(text), "{compiler}", shell_quote(compiler));
}

Result<Wrappers> write_wrappers(const Job& job, system::System& os) {
  HONE_CHECK(os.files->make_directories(job.tree / ".hone"));
  Wrappers wrappers;
  HONE_TRY(wrappers.cc, write_one(job, "cc", job.tools.cc, os));
  HONE_TRY(wrappers.cxx, write_one(job, "cxx", job.tools.cxx, os));
  return wrappers;
}

std::map<std::string, std::string> wrapper_environment(const Job& job) {
  std::map<std::string, std::string> env = job.env;
  // ccache takes the script for the compiler and knows it by its time; by its content it tells two
  // variants apart and recognises the same flags in another tree.
  env.emplace("CCACHE_COMPILERCHECK", "content");
  return env;
}

std::map<std::string, std::string> probing_environment(const Job& job) {
  std::map<std::string, std::string> env = wrapper_environment(job);
  env[kProbing] = "1";
  // The same script means another compiler now, which a cache could not know.
  env["CCACHE_DISABLE"] = "1";
  return env;
}

}  // namespace hone::build_systems
