#include <thread>

void nap() {
  std::this_thread::yield();
}
