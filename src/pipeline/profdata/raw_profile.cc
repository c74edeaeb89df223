// Layout: INSTR_PROF_RAW_HEADER in compiler-rt's InstrProfData.inc. All fields are 64 bits wide in
// the byte order of the machine that wrote them; hone reads its own machine's files only. Versions
// 8 to 10 differ in the fields after the counters; only version 10's section sizes are checked,
// other versions are left to llvm-profdata, which knows what it can read.
#include "pipeline/profdata/raw_profile.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace hone::pipeline {
namespace {

static_assert(std::endian::native == std::endian::little, "the masks assume this byte order");

// INSTR_PROF_RAW_MAGIC_64: "\xfflprofr\x81", and _32 with 'R'.
constexpr std::uint64_t kMagic64 = 0xff6c70726f667281;
constexpr std::uint64_t kMagic32 = 0xff6c70726f665281;
constexpr std::uint64_t kSwapped64 = 0x8172666f72706cff;  // of a machine of the other byte order

// VARIANT_MASK_IR_PROF, VARIANT_MASK_CSIR_PROF, VARIANT_MASK_BYTE_COVERAGE; the version itself is
// in the lower half.
constexpr std::uint64_t kIrMask = 1ULL << 56;
constexpr std::uint64_t kContextMask = 1ULL << 57;
constexpr std::uint64_t kByteCoverageMask = 1ULL << 60;
constexpr std::uint64_t kVersionMask = 0xffffffff;

// Version 10 (LLVM 19 to 22): 16 fields, and 64 bytes of __llvm_profile_data a function.
constexpr std::uint64_t kKnownVersion = 10;
constexpr std::size_t kFields = 16;
constexpr std::uint64_t kFunctionBytes = 64;

enum Field {  // of version 10, in order
  kMagic,
  kVersion,
  kBinaryIdBytes,
  kFunctions,
  kPaddingBeforeCounters,
  kCounters,
  kPaddingAfterCounters,
  kBitmapBytes,
  kPaddingAfterBitmap,
  kNameBytes,
};

// What goes wrong when a file is cut is a sum that no longer fits; so every sum is checked.
bool add(std::uint64_t count, std::uint64_t each, std::uint64_t* sum) {
  std::uint64_t bytes = 0;
  return !__builtin_mul_overflow(count, each, &bytes) && !__builtin_add_overflow(*sum, bytes, sum);
}

tl::unexpected<Error> broken(const std::string& file, const std::string& why) {
  return fail(ErrorKind::kProfile, file + " " + why);
}

}  // namespace

Result<RawProfile> read_raw_profile(std::string_view bytes, const std::string& file) {
  if (bytes.empty()) {
    return broken(file, "is empty: its process ended before the profile was written");
  }
  std::array<std::uint64_t, kFields> fields{};
  if (bytes.size() < 2 * sizeof(std::uint64_t)) {
    return broken(file, "is no profile: it has " + std::to_string(bytes.size()) + " bytes");
  }
  std::memcpy(fields.data(), bytes.data(), std::min(bytes.size(), sizeof(fields)));
  if (fields[kMagic] == kMagic32) return broken(file, "is the profile of a 32-bit program");
  if (fields[kMagic] == kSwapped64) return broken(file, "has another byte order");
  if (fields[kMagic] != kMagic64) return broken(file, "is no raw profile: its first bytes differ");
  RawProfile profile;
  profile.version = fields[kVersion] & kVersionMask;
  profile.ir = (fields[kVersion] & kIrMask) != 0;
  profile.context_sensitive = (fields[kVersion] & kContextMask) != 0;
  if (profile.version != kKnownVersion) return profile;
  if (bytes.size() < sizeof(fields)) {
    return broken(file,
                  "is cut short: " + std::to_string(bytes.size()) + " bytes, less than its head");
  }
  profile.functions = fields[kFunctions];
  profile.counters = fields[kCounters];
  const std::uint64_t counter_bytes =
      (fields[kVersion] & kByteCoverageMask) != 0 ? 1 : sizeof(std::uint64_t);
  std::uint64_t need = sizeof(fields);
  const bool fits =
      add(1, fields[kBinaryIdBytes], &need) && add(profile.functions, kFunctionBytes, &need) &&
      add(1, fields[kPaddingBeforeCounters], &need) &&
      add(profile.counters, counter_bytes, &need) && add(1, fields[kPaddingAfterCounters], &need) &&
      add(1, fields[kBitmapBytes], &need) && add(1, fields[kPaddingAfterBitmap], &need) &&
      add(1, fields[kNameBytes], &need);
  if (!fits || need > bytes.size()) {
    return broken(file, "is cut short: " + std::to_string(bytes.size()) + " bytes of " +
                            (fits ? std::to_string(need) : "impossibly many"));
  }
  profile.least_bytes = need;
  return profile;
}

}  // namespace hone::pipeline
