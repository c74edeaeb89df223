// Blocks of a power of two, a list of free ones for each size, no lock: the lists are the thread's.
// What the library asks for is a handful of sizes that come back with every request, so a list has
// what is wanted nearly always. Under a sanitizer every block is the system's, so that it sees what
// the library does with freed memory.
#include "traffic/wire/http2_memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace hone::traffic::wire {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kKeepsBlocks = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kKeepsBlocks = false;
#else
constexpr bool kKeepsBlocks = true;
#endif
#else
constexpr bool kKeepsBlocks = true;
#endif

// The library's largest object of one request is a stream, below 1 KiB; header blocks and frames
// are mostly below 4 KiB. Larger ones are the system's.
constexpr unsigned kSmallestBits = 5;
constexpr unsigned kLargestBits = 12;
// Of free blocks of one size, at most this much is kept: 64 connections with 32 streams each.
constexpr std::size_t kKeptBytes = 1 << 20;

struct alignas(std::max_align_t) Block {
  unsigned bits = 0;      // its size is 2^bits, this head included; 0: not of a list
  std::size_t size = 0;   // what was asked for
  Block* next = nullptr;  // in its list
};

struct List {
  Block* first = nullptr;
  std::size_t bytes = 0;
};

// Set by its destructor, which runs when the thread ends: a session may end even later.
thread_local bool lists_are_gone = false;

struct Lists {
  ~Lists() {
    lists_are_gone = true;
    for (List& list : of_bits) {
      while (Block* block = list.first) {
        list.first = block->next;
        std::free(block);
      }
    }
  }
  std::array<List, kLargestBits + 1> of_bits{};
};

thread_local Lists lists;
thread_local std::uint64_t system_allocations = 0;

void* take(std::size_t size, void*) {
  const std::size_t wanted = size + sizeof(Block);
  if (wanted < size) return nullptr;
  const auto bits = std::max(static_cast<unsigned>(std::bit_width(wanted - 1)), kSmallestBits);
  const bool small = kKeepsBlocks && bits <= kLargestBits && !lists_are_gone;
  Block* block = nullptr;
  if (small && lists.of_bits[bits].first != nullptr) {
    List& list = lists.of_bits[bits];
    block = list.first;
    list.first = block->next;
    list.bytes -= std::size_t{1} << bits;
  } else {
    ++system_allocations;
    block = static_cast<Block*>(std::malloc(small ? std::size_t{1} << bits : wanted));
    if (block == nullptr) return nullptr;
  }
  *block = {small ? bits : 0, size, nullptr};
  return block + 1;
}

void give_back(void* memory, void*) {
  if (memory == nullptr) return;
  Block* block = static_cast<Block*>(memory) - 1;
  if (block->bits == 0 || lists_are_gone) return std::free(block);
  List& list = lists.of_bits[block->bits];
  const std::size_t bytes = std::size_t{1} << block->bits;
  if (list.bytes + bytes > kKeptBytes) return std::free(block);
  list.bytes += bytes;
  block->next = list.first;
  list.first = block;
}

void* take_zeroed(std::size_t count, std::size_t size, void*) {
  if (size != 0 && count > SIZE_MAX / size) return nullptr;
  void* memory = take(count * size, nullptr);
  if (memory != nullptr) std::memset(memory, 0, count * size);
  return memory;
}

void* resize(void* memory, std::size_t size, void*) {
  if (memory == nullptr) return take(size, nullptr);
  Block* block = static_cast<Block*>(memory) - 1;
  if (block->bits != 0 && size + sizeof(Block) <= std::size_t{1} << block->bits) {
    block->size = size;
    return memory;
  }
  void* larger = take(size, nullptr);
  if (larger == nullptr) return nullptr;
  std::memcpy(larger, memory, std::min(size, block->size));
  give_back(memory, nullptr);
  return larger;
}

}  // namespace

nghttp2_mem http2_memory() { return {nullptr, take, give_back, take_zeroed, resize}; }

std::uint64_t http2_system_allocations() { return system_allocations; }

}  // namespace hone::traffic::wire
