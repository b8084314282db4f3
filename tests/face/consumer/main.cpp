// What a user of the installed library writes.
#include <oriel/oriel.hpp>

int main() {
  using namespace oriel;
  session job;
  auto w =
      window<int, assertion::shared_lock | assertion::local_load_store>::allocate(job.world(), 4);
  auto epoch = w.lock_all();
  w.put(job.world().me(), disp{2}, 42).or_throw();
  w.flush_all().or_throw();
  return w.local()[2] == 42 ? 0 : 1;
}
