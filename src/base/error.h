// What hone says when something cannot be done: one value, carried up by Result, printed by cli.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace hone {

// The values are hone's exit codes, a contract with scripts (docs/exit-codes.md): grow them, do not
// change them. 130 is 128 + SIGINT, as shells report it.
enum class ErrorKind {
  kInternal = 10,     // hone is wrong; please report
  kUsage = 2,         // the command line
  kRecipe = 11,       // the recipe's text or values
  kToolMissing = 12,  // a program hone needs is not installed
  kToolchain = 13,    // compiler, linker and profile tools do not belong together
  kSource = 14,       // the subject's source cannot be had
  kBuildFailed = 15,  // the subject does not build
  kPortTaken = 16,    // somebody else listens where the subject should
  kNotReady = 17,     // the subject runs but never answered
  kSubjectDied = 18,  // the subject ended by itself
  kLegFailed = 19,    // a training leg whose answers or profile cannot be used
  kProfile = 20,      // a profile that is empty, broken, or of another compiler
  kMachineUnfit = 5,  // the machine is too noisy or too small for a proof
  kDiskFull = 21,
  kPermission = 22,
  kLocked = 23,    // another hone writes here
  kTimeout = 24,   // a wait ran into its limit
  kNotFound = 25,  // a file or folder that should be there
  kIo = 26,
  kNetwork = 27,
  kFarHost = 28,       // load or origin on another host: not reached, or gone
  kInterrupted = 130,  // Ctrl-C or SIGTERM
};

// Verdict codes (0, 3, 4, 6, 7, 8) are cli's.
inline int exit_code(ErrorKind kind) { return static_cast<int>(kind); }
const char* name(ErrorKind kind);  // "build-failed": stable, used in JSON

struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  std::string what;      // what failed: "cannot read recipe.toml: no such file"
  std::string doing;     // what was being done: "reading the recipe"; may be empty
  std::string next;      // what the user can do now; may be empty
  std::string log_file;  // where the children's output is; may be empty
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(ErrorKind kind, std::string what, std::string next = {},
                                  std::string log_file = {}) {
  return tl::make_unexpected(
      Error{kind, std::move(what), {}, std::move(next), std::move(log_file)});
}

// Adds what was being done, innermost first: "training leg h1-4k: starting nghttpx".
inline Error while_doing(Error error, const std::string& doing) {
  error.doing = error.doing.empty() ? doing : doing + ": " + error.doing;
  return error;
}

// "error: WHAT" and, where known, "while:", "log:" and "next:" lines.
std::string describe(const Error& error);

}  // namespace hone

// HONE_TRY(auto x, expression): x is the value, or the function returns the error.
// HONE_CHECK(expression): the same for a Status.
#define HONE_CONCAT_INNER(a, b) a##b
#define HONE_CONCAT(a, b) HONE_CONCAT_INNER(a, b)
#define HONE_TRY_AS(result, decl, expr)                               \
  auto result = (expr);                                               \
  if (!result) return tl::make_unexpected(std::move(result).error()); \
  decl = *std::move(result)
#define HONE_TRY(decl, expr) HONE_TRY_AS(HONE_CONCAT(hone_try_, __LINE__), decl, expr)
#define HONE_CHECK(expr)                       \
  if (auto hone_status = (expr); !hone_status) \
  return tl::make_unexpected(std::move(hone_status).error())
