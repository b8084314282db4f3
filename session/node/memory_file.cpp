#include "session/node/memory_file.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "oriel/errc.hpp"
#include "session/bootstrap/random_bytes.hpp"
#include "session/node/resource_limit.hpp"
#include "session/system_failure.hpp"

namespace oriel::sessions {
namespace {

// No process can remove pages that others have mapped, or the seals themselves.
constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

// Returns why an open file, or one of which only the path is open, is not the one that was made;
// empty where it is.
std::string objection(int fd, const memory_file::identity& known) {
  struct stat about {};
  struct statfs system {};
  if (fstat(fd, &about) != 0 || fstatfs(fd, &system) != 0) return std::strerror(errno);
  if (!S_ISREG(about.st_mode) || system.f_type != TMPFS_MAGIC) return "it is no file in memory";
  if (about.st_uid != geteuid())
    return "it is user " + std::to_string(about.st_uid) + "'s, not user " +
           std::to_string(geteuid()) + "'s";
  if (about.st_size != static_cast<off_t>(known.bytes))
    return "it has " + std::to_string(about.st_size) + " bytes, not " + std::to_string(known.bytes);
  return "";
}

std::string objection_to_contents(int fd, const memory_file::identity& known) {
  const int sealed = fcntl(fd, F_GET_SEALS);
  if (sealed < 0 || (sealed & seals) != seals) return "it is not sealed";
  memory_file::token found{};
  if (pread(fd, found.data(), found.size(), 0) != static_cast<ssize_t>(found.size()) ||
      found != known.begins_with)
    return "it does not begin with this job's token";
  return "";
}

}  // namespace

memory_file memory_file::make(std::size_t bytes) {
  // Tested first: to make a file larger than this ends the process by SIGXFSZ.
  if (const auto most = limit_on(RLIMIT_FSIZE); most && *most < bytes)
    throw error(errc::no_mem, "cannot make the node's memory file, of " + std::to_string(bytes) +
                                  " bytes: the limit on the size of files (RLIMIT_FSIZE, ulimit "
                                  "-f) is " +
                                  std::to_string(*most) + " bytes");
  identity known;
  known.bytes = bytes;
  known.begins_with = random_value<token>();
  socket_fd fd(memfd_create("oriel", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) system_failure("memfd_create");
  if (ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0)
    system_failure("cannot size the node's memory file");
  if (pwrite(fd.get(), known.begins_with.data(), known.begins_with.size(), 0) !=
      static_cast<ssize_t>(known.begins_with.size()))
    system_failure("cannot write to the node's memory file");
  if (fcntl(fd.get(), F_ADD_SEALS, seals) != 0)
    system_failure("cannot seal the node's memory file");
  known.descriptor = fd.get();
  return {std::move(fd), known};
}

// First by its path alone (O_PATH), which neither blocks nor opens a device, whatever is there.
memory_file memory_file::open(pid_t maker, const identity& known) {
  const std::string path =
      "/proc/" + std::to_string(maker) + "/fd/" + std::to_string(known.descriptor);
  const socket_fd found(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!found.valid())
    throw error(errc::rma_shared, "cannot open the node's memory file " + path + ": " +
                                      std::strerror(errno) +
                                      "; the ranks of a node must run as one user");
  const auto refuse = [&path](const std::string& why) {
    throw error(errc::rma_shared, path + " is not the node's memory file: " + why);
  };
  if (const std::string why = objection(found.get(), known); !why.empty()) refuse(why);
  const std::string same = "/proc/self/fd/" + std::to_string(found.get());
  socket_fd fd(::open(same.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd.valid()) refuse(std::strerror(errno));
  if (const std::string why = objection_to_contents(fd.get(), known); !why.empty()) refuse(why);
  return {std::move(fd), known};
}

}  // namespace oriel::sessions
