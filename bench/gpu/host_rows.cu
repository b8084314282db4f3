// What the host's put and get cost on windows of device memory: two ranks on one GPU, of which rank
// 0 measures, against CUDA's own copies.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <span>
#include <utility>

#include "bench/gpu/device_support.cuh"
#include "bench/gpu/rows.hpp"
#include "oriel/oriel.hpp"

namespace {

using namespace oriel;
using bench::check;
using bench::gpu_report;
using bench::gpu_row;
using word = std::uint64_t;

constexpr auto promise = assertion::shared_lock | assertion::multi_element;
using device_window = window<word, promise>;

// GB/s of whole transfers, each waited for.
template <class Transfer>
double bandwidth(std::size_t bytes, Transfer transfer) {
  const int times = static_cast<int>(std::max<std::size_t>(4, (std::size_t{1} << 30) / bytes));
  transfer();
  const double seconds = bench::seconds_on_host([&] {
    for (int i = 0; i < times; ++i) transfer();
  });
  return static_cast<double>(bytes) * times / seconds / 1e9;
}
template <class Transfer>
double microseconds(Transfer transfer) {
  constexpr int times = 2000;
  for (int i = 0; i < times / 10; ++i) transfer();
  return bench::seconds_on_host([&] {
           for (int i = 0; i < times; ++i) transfer();
         }) /
         times * 1e6;
}

// From memory of this process to memory of this process, so that nothing of oriel's is in it.
void large(device_window& w, gpu_report& report, std::size_t bytes) {
  const rank peer{1};
  const std::size_t n = bytes / sizeof(word);
  bench::device_array<word> mine(n), other(n);
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  const auto raw = [&] {
    return bandwidth(bytes, [&] {
      check(cudaMemcpyAsync(other.get(), mine.get(), bytes, cudaMemcpyDeviceToDevice, stream),
            "cudaMemcpyAsync");
      check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    });
  };
  const auto put = [&] {
    return bandwidth(bytes, [&] {
      w.put(peer, disp{0}, std::span<const word>(mine.get(), n)).or_throw();
      w.flush(peer).or_throw();
    });
  };
  const auto get = [&] {
    return bandwidth(bytes, [&] {
      w.get(peer, disp{0}, std::span<word>(mine.get(), n)).or_throw();
      w.flush(peer).or_throw();
    });
  };
  gpu_row row{.bytes = bytes, .wanted = 0.9, .unit = "GB/s"};
  row.name = "host_put";
  report.compare(row, put, raw);
  row.name = "host_get";
  report.compare(row, get, raw);
  cudaStreamDestroy(stream);
}

// 8 bytes between the host and the device: the cheapest of CUDA's ways to have them moved on
// return.
void small(device_window& w, gpu_report& report) {
  const rank peer{1};
  bench::device_array<word> there(1), pinned(1, true);
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  word pageable = 1;
  const auto cheapest = [&](bool to_device) {
    const cudaMemcpyKind way = to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    const auto ends = [&](word* host) {
      return to_device ? std::pair{there.get(), host} : std::pair{host, there.get()};
    };
    double best = 1e9;
    for (word* const host : {&pageable, pinned.get()}) {
      const auto [to, from] = ends(host);
      best = std::min(best, microseconds([&, to = to, from = from] {
                        check(cudaMemcpy(to, from, sizeof(word), way), "cudaMemcpy");
                      }));
      best = std::min(best, microseconds([&, to = to, from = from] {
                        check(cudaMemcpyAsync(to, from, sizeof(word), way, stream), "copy");
                        check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
                      }));
    }
    return best;
  };
  const auto put = [&] {
    return microseconds([&] {
      w.put(peer, disp{0}, word{42}).or_throw();
      w.flush(peer).or_throw();
    });
  };
  const auto get = [&] {
    return microseconds([&] {
      word value = 0;
      w.get(peer, disp{0}, value).or_throw();
    });
  };
  gpu_row row{.bytes = sizeof(word), .wanted = 1.2, .at_most = true, .unit = "us"};
  row.name = "host_put";
  report.compare(row, put, [&] { return cheapest(true); });
  row.name = "host_get";
  report.compare(row, get, [&] { return cheapest(false); });
  cudaStreamDestroy(stream);
}

}  // namespace

int main(int argc, char** argv) try {
  session job(argc, argv);
  const team world = job.world();
  gpu_report report(argc, argv, world.me() == rank{0});
  constexpr std::size_t largest = std::size_t{256} << 20;
  window_options options;
  options.memory_kind = "cuda:device";
  auto w = device_window::allocate(world, largest / sizeof(word), options);
  {
    auto epoch = w.lock_all();
    if (world.me() == rank{0}) {
      small(w, report);
      for (std::size_t bytes = std::size_t{1} << 20; bytes <= largest; bytes *= 4)
        large(w, report, bytes);
    }
  }
  world.barrier().or_throw();
  return 0;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "gpu-bench-host: %s\n", failure.what());
  return 1;
}
