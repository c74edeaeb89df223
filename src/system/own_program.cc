#include "system/own_program.h"

namespace hone::system {

Path own_program() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored);
}

}  // namespace hone::system
