// The library's SPIR-V, run by an OpenCL device for processors (PoCL): the kernel's own arithmetic
// and atomics, against the tests' (tests/atomics/oracle.hpp). Skipped where there is no such
// device. How Level Zero is asked to run it is in device_atomics_test.cpp.
#define CL_TARGET_OPENCL_VERSION 210
#include <CL/cl.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>

#include "kinds/atomic_task.hpp"
#include "kinds/level_zero/kernels.hpp"
#include "tests/atomics/oracle.hpp"

namespace oriel::testing {
namespace {

using kinds::atomic_action;

constexpr std::size_t buffer_bytes = 4096;

// The first device for processors that takes SPIR-V, or what llvm-spirv makes of it when it
// translates back, which is what PoCL does itself where it was built to; null when there is none.
struct found_device {
  cl_device_id device = nullptr;
  bool takes_spirv = false;
};

std::string device_text(cl_device_id device, cl_device_info what) {
  std::string text(8192, '\0');
  if (clGetDeviceInfo(device, what, text.size(), text.data(), nullptr) != CL_SUCCESS) return {};
  return text;
}

found_device find_device() {
  cl_platform_id platforms[8];
  cl_uint n = 0;
  if (clGetPlatformIDs(8, platforms, &n) != CL_SUCCESS) return {};
  for (cl_uint p = 0; p < std::min<cl_uint>(n, 8); ++p) {
    cl_device_id device = nullptr;
    if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_CPU, 1, &device, nullptr) != CL_SUCCESS)
      continue;
    const bool spirv =
        device_text(device, CL_DEVICE_IL_VERSION).find("SPIR-V") != std::string::npos;
    if (spirv || device_text(device, CL_DEVICE_EXTENSIONS).find("cl_khr_spir") != std::string::npos)
      return {device, spirv};
  }
  return {};
}

cl_program make_program(cl_context context, const found_device& found) {
  const auto image = kinds::level_zero_kernels();
  if (found.takes_spirv) return clCreateProgramWithIL(context, image.data(), image.size(), nullptr);
  std::ifstream file(ORIEL_TEST_TRANSLATED_BACK, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::size_t size = bytes.size();
  const auto* begin = reinterpret_cast<const unsigned char*>(bytes.data());
  return clCreateProgramWithBinary(context, 1, &found.device, &size, &begin, nullptr, nullptr);
}

class spirv_kernel_test : public ::testing::Test {
 protected:
  // Kept to the end of the process.
  struct machine {
    std::string lacks;
    std::string log;  // why the program was not built
    cl_context context = nullptr;
    cl_command_queue queue = nullptr;
    cl_program program = nullptr;
    cl_mem location = nullptr, operands = nullptr, results = nullptr;
  };
  alignas(4096) static inline std::array<std::byte, buffer_bytes> location_;

  static machine make() {
    machine m;
    const found_device found = find_device();
    if (found.device == nullptr) {
      m.lacks = "no OpenCL device for processors that takes SPIR-V (Debian: libpocl2)";
      return m;
    }
    m.context = clCreateContext(nullptr, 1, &found.device, nullptr, nullptr, nullptr);
    m.queue = clCreateCommandQueueWithProperties(m.context, found.device, nullptr, nullptr);
    m.program = make_program(m.context, found);
    const char* const options = found.takes_spirv ? "" : "-x spir -spir-std=1.2";
    if (clBuildProgram(m.program, 1, &found.device, options, nullptr, nullptr) != CL_SUCCESS) {
      m.log.resize(4096);
      clGetProgramBuildInfo(m.program, found.device, CL_PROGRAM_BUILD_LOG, m.log.size(),
                            m.log.data(), nullptr);
    }
    m.location = clCreateBuffer(m.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, buffer_bytes,
                                location_.data(), nullptr);
    for (cl_mem* const buffer : {&m.operands, &m.results})
      *buffer = clCreateBuffer(m.context, CL_MEM_READ_WRITE, buffer_bytes, nullptr, nullptr);
    return m;
  }
  static machine& shared() {
    static machine made = make();
    return made;
  }

  void SetUp() override {
    if (!shared().lacks.empty()) GTEST_SKIP() << shared().lacks;
    ASSERT_EQ(shared().log, "");
    cl_int failed = 0;
    kernel_ = clCreateKernel(shared().program, kinds::atomic_kernel, &failed);
    ASSERT_EQ(failed, CL_SUCCESS);
  }
  void TearDown() override {
    if (kernel_ != nullptr) clReleaseKernel(kernel_);
  }

  static void write(cl_mem to, const std::string& bytes) {
    ASSERT_EQ(clEnqueueWriteBuffer(shared().queue, to, CL_TRUE, 0, bytes.size(), bytes.data(), 0,
                                   nullptr, nullptr),
              CL_SUCCESS);
  }
  static std::string read(cl_mem from, std::size_t n) {
    std::string bytes(n, '\0');
    EXPECT_EQ(
        clEnqueueReadBuffer(shared().queue, from, CL_TRUE, 0, n, bytes.data(), 0, nullptr, nullptr),
        CL_SUCCESS);
    return bytes;
  }

  // OpenCL takes handles of its buffers where Level Zero takes pointers.
  void launch(atomic_action action, atomic_op op, primitive p, std::size_t width, std::size_t n,
              bool results, std::size_t threads = 64) {
    kinds::atomic_task task;
    task.action = action;
    task.op = op;
    task.type = p;
    task.width = static_cast<std::uint8_t>(width);
    task.n = n;
    task.location = shared().location;
    task.operands = shared().operands;
    task.results = results ? shared().results : nullptr;
    cl_uint number = 0;
    ASSERT_TRUE(kinds::set_arguments(task, [&](const auto& value) {
      return clSetKernelArg(kernel_, number++, sizeof value, &value) == CL_SUCCESS;
    }));
    const std::size_t group = 32;
    ASSERT_EQ(clEnqueueNDRangeKernel(shared().queue, kernel_, 1, nullptr, &threads, &group, 0,
                                     nullptr, nullptr),
              CL_SUCCESS);
    ASSERT_EQ(clFinish(shared().queue), CL_SUCCESS);
  }

  cl_kernel kernel_ = nullptr;
};

std::string normal_run(primitive p, const std::string& run) {
  const std::size_t width = size_of(p);
  std::string out;
  for (std::size_t at = 0; at < run.size(); at += width) out += normal(p, run.substr(at, width));
  return out;
}

TEST_F(spirv_kernel_test, EveryOperationOnEveryTypeIsExact) {
  std::mt19937_64 random(20261125);
  int checked = 0;
  for (const atomic_op op : all_atomic_ops)
    for (const primitive p : all_primitives) {
      if (!kinds::kernels_apply(op, p)) continue;
      SCOPED_TRACE(std::string(name(op)) + " of " + std::string(name(p)));
      const std::size_t width = size_of(p);
      for (const std::size_t n : {1, 5, 133}) {
        std::string before, by, after;
        for (std::size_t i = 0; i < n; ++i) {
          before += some_element(p, random);
          by += some_element(p, random);
          after += oracle(op, p, before.substr(i * width), by.substr(i * width));
        }
        const std::string around(16, '\x5a');  // what lies behind is kept
        for (const bool results : {false, true}) {
          write(shared().location, before + around);
          write(shared().operands, by);
          launch(atomic_action::accumulate, op, p, width, n, results);
          const std::string found = read(shared().location, n * width + around.size());
          ASSERT_EQ(normal_run(p, found.substr(0, n * width)), normal_run(p, after));
          ASSERT_EQ(found.substr(n * width), around);
          if (results) {
            ASSERT_EQ(normal_run(p, read(shared().results, n * width)), normal_run(p, before));
          }
          ++checked;
        }
      }
    }
  EXPECT_GT(checked, 500);  // 12 types of 4 to 11 operations
}

TEST_F(spirv_kernel_test, SwapsAWordThatIsAsExpected) {
  for (const std::size_t width : {1, 2, 4, 8}) {
    SCOPED_TRACE(width);
    const std::string first = std::string("abcdefgh").substr(0, width);
    const std::string second = std::string("ABCDEFGH").substr(0, width), around = "12345678";
    for (const bool as_expected : {false, true}) {
      write(shared().location, first + around);
      write(shared().operands, (as_expected ? first : second) + second);
      launch(atomic_action::compare_swap, atomic_op::no_op, primitive::opaque, width, 1, true);
      EXPECT_EQ(read(shared().location, width + 8), (as_expected ? second : first) + around);
      EXPECT_EQ(read(shared().results, width), first);
    }
  }
}

// Elements of one byte share words with their neighbours, which other threads update.
TEST_F(spirv_kernel_test, LosesNoUpdateBesideTheProcessors) {
  constexpr std::size_t n = 1024, launches = 4000;
  constexpr std::uint8_t by_kernel = 3;
  std::fill(location_.begin(), location_.end(), std::byte{0});
  write(shared().operands, std::string(n, char{by_kernel}));
  std::atomic<bool> end{false};
  std::atomic<std::uint64_t> rounds{0};
  std::thread processor([&] {
    for (; !end.load(); rounds.fetch_add(1))
      for (std::size_t i = 0; i < n; ++i)
        std::atomic_ref(reinterpret_cast<std::uint8_t&>(location_[i])).fetch_add(1);
  });
  while (rounds.load() == 0) std::this_thread::yield();
  for (std::size_t l = 0; l < launches; ++l)
    launch(atomic_action::accumulate, atomic_op::sum, primitive::uint8, 1, n, false, n);
  end.store(true);
  processor.join();
  const auto sum = static_cast<std::uint8_t>(launches * by_kernel + rounds.load());
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(static_cast<std::uint8_t>(location_[i]), sum) << i;
}

}  // namespace
}  // namespace oriel::testing
