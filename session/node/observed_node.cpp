#include "session/node/observed_node.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include "oriel/errc.hpp"
#include "session/bootstrap/socket_fd.hpp"

namespace oriel::sessions {
namespace {

namespace fs = std::filesystem;

// What /proc calls the node's file, which has no name (memory_file.cpp).
constexpr const char* link_text = "/memfd:oriel (deleted)";

[[noreturn]] void refuse(pid_t pid, const std::string& why) {
  throw error(errc::system, "process " + std::to_string(pid) + " cannot be looked at: " + why);
}

}  // namespace

std::optional<observed_node> observed_node::of(pid_t pid) {
  std::error_code failed;
  fs::directory_iterator descriptors("/proc/" + std::to_string(pid) + "/fd", failed);
  if (failed == std::errc::permission_denied) refuse(pid, "it is another user's");
  for (; !failed && descriptors != fs::directory_iterator(); descriptors.increment(failed)) {
    std::error_code gone;
    if (fs::read_symlink(descriptors->path(), gone) != link_text) continue;
    const socket_fd fd(open(descriptors->path().c_str(), O_RDONLY | O_CLOEXEC));
    struct stat about {};
    if (!fd.valid() || fstat(fd.get(), &about) != 0) continue;
    if (about.st_uid != geteuid()) refuse(pid, "its job is another user's");
    // What may shrink is no node's: to read beyond its end would end this process.
    const int seals = fcntl(fd.get(), F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) continue;
    const auto bytes = static_cast<std::size_t>(about.st_size);
    if (bytes < sizeof(arena_head)) continue;
    void* const base = mmap(nullptr, bytes, PROT_READ, MAP_SHARED | MAP_NORESERVE, fd.get(), 0);
    if (base == MAP_FAILED) refuse(pid, std::strerror(errno));
    observed_node found(static_cast<const std::byte*>(base), bytes, about.st_ino);
    if (found.is_sound()) return found;
  }
  return std::nullopt;
}

observed_node::observed_node(observed_node&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)), bytes_(other.bytes_), file_(other.file_) {}

observed_node::~observed_node() {
  if (base_ != nullptr) munmap(const_cast<std::byte*>(base_), bytes_);
}

bool observed_node::is_sound() const noexcept {
  const auto n = static_cast<std::uint64_t>(head().members);
  return head().members > 0 && head().members <= node_memory::most_members &&
         at<member_line>(head().members_at + (n - 1) * sizeof(member_line)) != nullptr;
}

const member_line& observed_node::member(int i) const noexcept {
  return reinterpret_cast<const member_line*>(base_ + head().members_at)[i];
}

}  // namespace oriel::sessions
