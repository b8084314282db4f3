// Device memory that its driver does not export: the owner serves the others. Of win.device_faults.
#include <dlfcn.h>

#include <cstdint>

#include "tests/win/conformance.hpp"

namespace oriel::testing {
namespace {

constexpr auto promise = assertion::shared_lock | assertion::multi_element;

// Memory of the program's own, in a block that the driver shares out and so does not export.
class small_block {
 public:
  explicit small_block(std::size_t bytes) {
    int context_made = call<int(void**, int)>("cuDevicePrimaryCtxRetain")(&context_, 0);
    context_made |= call<int(void*)>("cuCtxPushCurrent_v2")(context_);
    context_made |= call<int(std::uintptr_t*, std::size_t)>("cuMemAlloc_v2")(&memory_, bytes);
    EXPECT_EQ(context_made, 0);
    call<int(void**)>("cuCtxPopCurrent_v2")(&context_);
  }
  ~small_block() { call<int(std::uintptr_t)>("cuMemFree_v2")(memory_); }
  small_block(const small_block&) = delete;
  small_block& operator=(const small_block&) = delete;
  [[nodiscard]] int* data() const { return reinterpret_cast<int*>(memory_); }

 private:
  template <class Function>
  static Function* call(const char* name) {
    static void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    return reinterpret_cast<Function*>(dlsym(driver, name));
  }
  void* context_ = nullptr;
  std::uintptr_t memory_ = 0;
};

TEST(DeviceFaults, MemoryThatIsNotExportedIsServedByItsOwner) {
  if (tested_kind() != std::string("cuda")) GTEST_SKIP() << "the block is made by CUDA's driver";
  const small_block block(100 * sizeof(int));
  {
    auto w = window<int>::create(world(), std::span<int>(block.data(), 100), promise, on(""));
    const std::string text = w.explain();
    EXPECT_EQ(text.find("ipc to rank"), std::string::npos) << text;
    if (job().node().size() > 1) {
      EXPECT_NE(text.find("cannot be opened by other processes"), std::string::npos) << text;
    }
    const std::vector<int> row(100, 70 + me());
    std::vector<int> got(100);
    auto epoch = w.lock_all();
    w.put(world().next(), disp{0}, std::span<const int>(row)).or_throw();
    EXPECT_TRUE(w.flush_all().ok()) << w.failure();
    w.get(world().next(), disp{0}, std::span<int>(got)).or_throw();
    EXPECT_TRUE(w.flush_all().ok()) << w.failure();
    EXPECT_EQ(got, row);
  }
}

}  // namespace
}  // namespace oriel::testing
