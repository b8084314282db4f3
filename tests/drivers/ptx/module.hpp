// A module of PTX, decoded: what parser.cpp makes of the text and grid.cpp runs. A test driver's,
// as everything in this folder: it runs kernels on processors to find errors, and is no product.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace oriel::test_driver::ptx {

// What is wrong with a text, or with what a kernel does.
class error : public std::runtime_error {
 public:
  error(unsigned at, const std::string& what)
      : std::runtime_error("PTX line " + std::to_string(at) + ": " + what), line(at) {}
  unsigned line;
};

enum class type : std::uint8_t {
  pred,
  b8,
  b16,
  b32,
  b64,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f32,
  f64
};
enum class space : std::uint8_t { generic, global, shared, local, param };
// How a load or store is ordered. `volatile` is relaxed, of system scope.
enum class order : std::uint8_t { weak, relaxed, acquire, release, acq_rel };

std::size_t size_of(type);

enum class special : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  globaltimer
};

// Where a value comes from or goes to. An address is a register or a place, and an offset.
struct operand {
  enum class kind : std::uint8_t {
    none,
    reg,
    immediate,
    special_register,
    shared,
    local,
    param,
    global
  };
  kind what = kind::none;
  bool negated = false;        // a predicate, !%p
  std::uint32_t reg = 0;       // or the special register
  std::int64_t immediate = 0;  // or the offset
};

// Where an instruction leads, unless its guard keeps it from that.
enum class flow : std::uint8_t { on, branch, leave };
enum class outcome : std::uint8_t { next, jumped, waits, left };
struct thread;
struct instruction;
struct function;
using handler = outcome (*)(thread&, const instruction&);

// Bytes that a call copies between the areas of parameters of two frames.
struct parameter_copy {
  std::uint32_t from = 0, to = 0, bytes = 0;
};
struct call {
  std::string name;
  function* callee = nullptr;
  std::vector<parameter_copy> arguments;
  parameter_copy result;  // from the callee's area to the caller's
};

struct instruction {
  handler run = nullptr;
  std::uint32_t line = 0;
  std::int32_t guard = -1;  // a predicate's register
  bool guard_negated = false;
  bool orders = false;      // a schedule that looks for races changes threads here
  bool updates = false;     // atom or red
  bool ends_group = false;  // threads may not be at one place afterwards
  flow leads = flow::on;
  type of = type::b32;
  type from = type::b32;  // the source's of cvt, ld's and st's element
  space where = space::generic;
  order ordering = order::weak;
  std::uint8_t variant = 0;  // which shuffle, which comparison, how it rounds
  std::uint8_t which = 0;    // operation on floating-point numbers
  std::uint8_t elements = 1;
  std::array<operand, 5> op{};
  std::array<operand, 4> vector{};
  std::int32_t source = -1;  // of module::locations
  std::uint32_t target = 0;  // a branch's
  std::unique_ptr<call> calls{};
};

// A place in the source of a kernel, where nvcc was given -lineinfo; and where that was inlined.
struct location {
  std::uint32_t file = 0, line = 0, column = 0;
  std::int32_t inlined_at = -1;  // of module::locations
};

struct variable {
  std::string name;
  std::uint32_t offset = 0, bytes = 0;
};

struct function {
  std::string name;
  bool entry = false, defined = false;
  std::vector<variable> parameters;  // at their offsets in the area of parameters
  variable result;
  std::uint32_t registers = 0, parameter_bytes = 0, local_bytes = 0;
  std::vector<instruction> code;
  std::uint32_t frame_bytes = 0;  // of this function alone
  std::uint32_t stack_bytes = 0;  // with the deepest calls
};

// An initial value that is the address of a variable.
struct reference {
  std::uint32_t at = 0;  // of module::globals
  std::string to;
  std::uint32_t offset = 0;
  unsigned line = 0;
};

struct module {
  std::string text;
  std::vector<std::string_view> lines;
  std::map<std::uint32_t, std::string> files;
  std::vector<location> locations;
  std::map<std::string, std::unique_ptr<function>, std::less<>> functions;
  std::map<std::string, variable, std::less<>> shared;
  std::uint32_t shared_bytes = 0;
  // Of .global and .const: at their offsets from `globals_at`, with what is there at first.
  std::map<std::string, variable, std::less<>> variables;
  std::vector<std::byte> globals;
  std::vector<reference> references;
  std::uint64_t globals_at = 0;
};

// How many bytes a thread's stack takes in each function. Throws `error` where one calls itself.
void lay_out_frames(module&);

// Gives the module's variables their memory, as kernels and as the driver reach it, and their first
// values. Before any kernel of a module that has some.
void place_globals(module&, std::byte* at, std::byte* alias);

// Throws `error` for anything that is not understood.
std::unique_ptr<module> parse(std::string text);

}  // namespace oriel::test_driver::ptx
