// What orders the threads of one parallel region of OpenMP's, as keys: their addresses.
#pragma once

#include <array>

#include "mpi/threads/taken_calls.hpp"

namespace oriel::mpi {

struct parallel_region {
  void (*work)(void*) = nullptr;
  void* data = nullptr;
  char fork = 0, join = 0, single = 0, ordered = 0, tasks_created = 0, tasks_done = 0;
  std::array<char, 2> barrier{};  // this one and the next

  // Of the calling thread; that of all code which is in none.
  static parallel_region& here() noexcept;

  // As long as it lives, the calling thread is in the region.
  class inside {
   public:
    explicit inside(parallel_region& r) noexcept : earlier_(here_), earlier_barriers_(barriers_) {
      here_ = &r;
      barriers_ = 0;
    }
    ~inside() {
      here_ = earlier_;
      barriers_ = earlier_barriers_;
    }
    inside(const inside&) = delete;
    inside& operator=(const inside&) = delete;

   private:
    parallel_region* earlier_;
    unsigned earlier_barriers_;
  };

  // Around a barrier of the region's threads, `wait`, which returns its result.
  template <class Wait>
  static auto meet(Wait wait) noexcept {
    parallel_region& r = here();
    const void* const key = &r.barrier[barriers_++ % 2];
    release(key);
    class after {
     public:
      after(const void* k, parallel_region& region) noexcept : key_(k), region_(region) {}
      ~after() {
        acquire(key_);
        acquire(&region_.tasks_done);
      }

     private:
      const void* key_;
      parallel_region& region_;
    } const met(key, r);
    return wait();
  }

 private:
  static inline thread_local parallel_region* here_ = nullptr;
  static inline thread_local unsigned barriers_ = 0;  // that it has met at
};

}  // namespace oriel::mpi
