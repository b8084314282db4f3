// Kernels that are written by hand, for tests of the interpreter.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "tests/drivers/device_heap.hpp"
#include "tests/drivers/ptx/grid.hpp"

namespace oriel::test_driver::ptx {

inline const std::string head = ".version 9.0\n.target sm_80\n.address_size 64\n";

// A kernel of one pointer, which %rd1 has, with %tid.x in %r1.
inline std::string kernel(const std::string& body, const std::string& before = "") {
  return head + before + ".visible .entry k(.param .u64 k_param_0)\n{\n" +
         ".reg .pred %p<4>;\n.reg .b16 %rs<4>;\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n" +
         ".reg .f64 %fd<4>;\n" + "ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\n" + body +
         "\nret;\n}\n";
}

// Then %rd3 has the address of the thread's own word.
inline const std::string my_word = "mul.wide.u32 %rd2, %r1, 8;\nadd.s64 %rd3, %rd1, %rd2;\n";

// Zeroed words of a device, which the test reads through the driver's alias.
class words {
 public:
  explicit words(std::size_t n) {
    void* base = nullptr;
    device_heap::instance().allocate(residence::device, 0, n * 8, &base);
    base_ = static_cast<std::byte*>(base);
    at_ = reinterpret_cast<std::uint64_t*>(device_heap::instance().reach(base, n * 8, "test"));
    std::fill_n(at_, n, 0);
  }
  ~words() { device_heap::instance().free(base_); }
  words(const words&) = delete;
  words& operator=(const words&) = delete;
  std::uint64_t& operator[](std::size_t i) const { return at_[i]; }
  std::byte* address() const { return base_; }

 private:
  std::byte* base_;
  std::uint64_t* at_;
};

inline void launch(const std::string& text, const words& memory, unsigned blocks, unsigned threads,
                   const schedule& turns = schedule(), const host_part& host = {}) {
  const auto code = parse(text);
  const words variables(code->globals.size() / 8 + 1);
  if (!code->globals.empty())
    place_globals(*code, variables.address(), reinterpret_cast<std::byte*>(&variables[0]));
  grid g;
  g.code = code.get();
  g.kernel = code->functions.at("k").get();
  g.blocks = {blocks, 1, 1};
  g.threads = {threads, 1, 1};
  g.parameters.resize(8);
  std::byte* const base = memory.address();
  std::memcpy(g.parameters.data(), &base, 8);
  g.turns = turns;
  g.host = host;
  run(g);
}
}  // namespace oriel::test_driver::ptx
