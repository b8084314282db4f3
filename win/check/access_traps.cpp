#include "win/check/access_traps.hpp"

#include <link.h>
#include <ucontext.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "session/bootstrap/code_place.hpp"
#include "session/node/address_map.hpp"
#include "session/team/vector_clock.hpp"
#include "sync/process_own.hpp"
#include "win/check/guarded_memory.hpp"
#include "win/check/machine_access.hpp"
#include "win/check/watched_memory.hpp"

namespace oriel::win {

#if defined(__x86_64__)
namespace {

constexpr int after_watched_access = 6;  // TRAP_PERF, which older headers lack
constexpr greg_t trap_flag = 0x100, by_a_store = 2, of_code = 16;

struct signals_taken {
  std::atomic<guarded_memory*> guard{nullptr};
  std::atomic<watched_memory*> watched{nullptr};
  struct sigaction earlier_fault, earlier_trap;
};
constinit sync::process_own<signals_taken> taken;

// Pages that one instruction of this thread is let into: those of both its operands, and their
// ends.
struct open_pages {
  std::array<std::uintptr_t, 4> at{};
  std::size_t n = 0;
};
thread_local open_pages stepping;

// Reads of the C library go beyond what they are asked for; MPI libraries access what they have
// been given.
bool is_the_programs(const void* code) noexcept {
  if (access_traps::library_access::is_here()) return false;
  const std::string_view path = sessions::find_code(code).file;
  const std::string_view file = path.substr(path.rfind('/') + 1);
  for (const std::string_view others :
       {"libc.", "libc-", "ld-linux", "libpthread", "libm.", "libmpi", "libpmpi", "libopen-",
        "mca_", "libuc", "libfabric", "libpmi", "libprrte", "liboriel", "libevent"})
    if (file.substr(0, others.size()) == others) return false;
  return true;
}

std::uint64_t instruction(const greg_t* registers) noexcept {
  return static_cast<std::uint64_t>(registers[REG_RIP]);
}

// What comes after the signal was blocked is of code that has long gone on (TRAP_PERF_FLAG_ASYNC,
// in si_perf_flags).
bool is_late(const siginfo_t& info) noexcept {
  constexpr std::size_t flags_at = 36;
  std::uint32_t flags = 0;
  std::memcpy(&flags, reinterpret_cast<const std::byte*>(&info) + flags_at, sizeof flags);
  return (flags & 1) != 0;
}

void pass_on(const struct sigaction& earlier, int signal, siginfo_t* info, void* context) noexcept {
  if ((earlier.sa_flags & SA_SIGINFO) != 0) return earlier.sa_sigaction(signal, info, context);
  if (earlier.sa_handler != SIG_DFL && earlier.sa_handler != SIG_IGN)
    return earlier.sa_handler(signal);
  // As if it had never been taken: the instruction fails again, or the signal comes again.
  sigaction(signal, &earlier, nullptr);
  if (info->si_code <= 0) raise(signal);
}

void on_fault(int signal, siginfo_t* info, void* context) noexcept {
  const int kept = errno;
  guarded_memory* const guard = taken->guard.load();
  greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  auto passage = guarded_memory::passage::none;
  if (guard != nullptr && info->si_code == SEGV_ACCERR && (registers[REG_ERR] & of_code) == 0)
    passage = guard->let_in(address);
  if (passage == guarded_memory::passage::none) {
    pass_on(taken->earlier_fault, signal, info, context);
    errno = kept;
    return;
  }
  const auto* const code =
      reinterpret_cast<const unsigned char*>(sessions::at_address(instruction(registers)));
  const machine_access access = decode(code);
  if (watched_memory* const watched = taken->watched.load();
      watched != nullptr && !access.atomic && is_the_programs(code + 1))
    watched->accessed(guard->own(info->si_addr), access.bytes,
                      (registers[REG_ERR] & by_a_store) != 0, code + 1);
  if (passage == guarded_memory::passage::once && stepping.n < stepping.at.size()) {
    stepping.at[stepping.n++] = address;
    registers[REG_EFL] |= trap_flag;
  }
  errno = kept;
}

void on_trap(int signal, siginfo_t* info, void* context) noexcept {
  const int kept = errno;
  greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  if (info->si_code == after_watched_access) {
    if (is_late(*info)) return;
    const void* const code = sessions::at_address(instruction(registers));
    if (watched_memory* const watched = taken->watched.load();
        watched != nullptr && is_the_programs(code))
      watched->watchpoint_hit(info->si_addr, code);
  } else if (guarded_memory* const guard = taken->guard.load();
             stepping.n != 0 && info->si_code == TRAP_TRACE) {
    registers[REG_EFL] &= ~trap_flag;
    while (stepping.n != 0) {
      const std::uintptr_t page = stepping.at[--stepping.n];
      if (guard != nullptr) guard->close(page);
    }
  } else {
    pass_on(taken->earlier_trap, signal, info, context);
  }
  errno = kept;
}

// On the stack of signals where the earlier handler was.
void take(int signal, void (*handler)(int, siginfo_t*, void*), struct sigaction& earlier) noexcept {
  sigaction(signal, nullptr, &earlier);
  struct sigaction ours {};
  ours.sa_sigaction = handler;
  ours.sa_flags = SA_SIGINFO | (earlier.sa_flags & SA_ONSTACK);
  sigaction(signal, &ours, nullptr);
}

void give_back(int signal, void (*handler)(int, siginfo_t*, void*),
               const struct sigaction& earlier) noexcept {
  struct sigaction now {};
  sigaction(signal, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == handler)
    sigaction(signal, &earlier, nullptr);
}

void close_pages() noexcept {
  if (guarded_memory* const guard = taken->guard.load()) guard->close_all();
}

}  // namespace

void access_traps::begin(detail::session_state& session, guarded_memory& guard) {
  auto& watched = session.extension<watched_memory>();
  if (taken->guard.exchange(&guard) == &guard) return;
  taken->watched = &watched;
  session.extension<sessions::vector_clock>().after_changes(close_pages);
  take(SIGSEGV, on_fault, taken->earlier_fault);
  take(SIGTRAP, on_trap, taken->earlier_trap);
  watched.use_watchpoints();
}

void access_traps::end(const guarded_memory& guard) noexcept {
  if (taken->guard.load() != &guard) return;
  give_back(SIGTRAP, on_trap, taken->earlier_trap);
  give_back(SIGSEGV, on_fault, taken->earlier_fault);
  taken->watched = nullptr;
  taken->guard = nullptr;
}
#else
void access_traps::begin(detail::session_state&, guarded_memory&) {}
void access_traps::end(const guarded_memory&) noexcept {}
#endif

}  // namespace oriel::win
