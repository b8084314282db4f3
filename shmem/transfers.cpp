#include "shmem/transfers.hpp"

#include "transport/pending_ops.hpp"

namespace oriel::shmem {

// Sources of few bytes are kept where they are not sent at once.
void put_far(shmem_ctx_t ctx, void* dest, const void* source, std::size_t bytes, int pe,
             completion when) noexcept {
  if (bytes == 0) return;
  const symmetric_place to = find(ctx, "put", dest, bytes, pe);
  if (when == completion::on_return && bytes > transport::most_kept)
    return to.check(to.window.rput(to.owner, to.first, source, bytes, caller).wait());
  to.check(to.window.put(to.owner, to.first, source, bytes, caller));
  if (when == completion::on_return) to.send_at_once();
}

void get_far(shmem_ctx_t ctx, void* dest, const void* source, std::size_t bytes, int pe,
             completion when) noexcept {
  if (bytes == 0) return;
  const symmetric_place from = find(ctx, "get", source, bytes, pe);
  if (when == completion::by_quiet)
    from.check(from.window.get(from.owner, from.first, dest, bytes, caller));
  else
    from.check_complete(from.window.rget(from.owner, from.first, dest, bytes, caller).wait());
}

}  // namespace oriel::shmem
