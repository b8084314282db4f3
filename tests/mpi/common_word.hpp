// How ranks synchronize without MPI: a word that all of them map. They run on one machine,
// whatever nodes they pretend to be on. Made by all together.
#pragma once

#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>

namespace oriel::mpi_test {

class common_word {
 public:
  common_word() {
    int me = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    std::array<char, 64> path{"/tmp/oriel-common-word-XXXXXX"};
    int file = me == 0 ? mkstemp(path.data()) : -1;
    bool made = me != 0 || (file >= 0 && ftruncate(file, sizeof *word_) == 0);
    MPI_Bcast(path.data(), static_cast<int>(path.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    if (me != 0) file = open(path.data(), O_RDWR);
    void* const at = mmap(nullptr, sizeof *word_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (!made || at == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 1);
    word_ = static_cast<std::atomic<int>*>(at);
    close(file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) unlink(path.data());
  }
  common_word(const common_word&) = delete;
  common_word& operator=(const common_word&) = delete;
  ~common_word() { munmap(word_, sizeof *word_); }

  void raise() noexcept { word_->fetch_add(1); }
  // Without a call of MPI's. Who uses it bounds the test, by an alarm say.
  void compute_until(int value) const noexcept {
    while (word_->load() < value) usleep(100);
  }

 private:
  std::atomic<int>* word_ = nullptr;
};

}  // namespace oriel::mpi_test
