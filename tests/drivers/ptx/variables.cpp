#include "tests/drivers/ptx/variables.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "tests/drivers/ptx/statement.hpp"

namespace oriel::test_driver::ptx {
namespace {

std::uint32_t round_up(std::uint32_t n, std::uint32_t to) {
  return (n + to - 1) / to * to;
}

struct declaration {
  variable what;
  std::uint32_t element_bytes = 0;
};
declaration one_declared(reader& in, std::uint32_t& end) {
  std::uint32_t alignment = 1;
  if (in.accept(".align")) alignment = in.number();
  const token word = in.take();
  const auto of = type_of(word.spelling.substr(1));
  if (!of || !word.spelling.starts_with(".")) reader::fail(word, "unknown type");
  declaration d;
  d.element_bytes = static_cast<std::uint32_t>(size_of(*of));
  d.what.name = in.name();
  d.what.bytes = d.element_bytes;
  alignment = std::max(alignment, d.element_bytes);
  while (in.accept("[")) {
    d.what.bytes *= in.at().spelling == "]" ? 0 : in.number();
    in.expect("]");
  }
  d.what.offset = round_up(end, alignment);
  end = d.what.offset + d.what.bytes;
  return d;
}

// One value of an initializer: a number, or the address of a variable.
void initialize(reader& in, module& m, std::uint32_t at, std::uint32_t bytes) {
  const bool minus = in.accept("-");
  if (in.at().what == token::kind::number) {
    const std::uint64_t value = in.wide_number();
    const std::uint64_t bits = minus ? std::uint64_t{0} - value : value;
    std::memcpy(m.globals.data() + at, &bits, bytes);
    return;
  }
  const token word = in.at();
  reference r{at, in.name(), 0, word.line};
  if (r.to == "generic") {  // addresses of the module's variables are the same in both spaces
    in.expect("(");
    r.to = in.name();
    in.expect(")");
  }
  if (in.accept("+")) r.offset = in.number();
  if (minus || bytes != 8) reader::fail(word, "no initial value");
  m.references.push_back(std::move(r));
}

void module_variable(reader& in, module& m, bool elsewhere) {
  in.take();
  auto end = static_cast<std::uint32_t>(m.globals.size());
  const token first = in.at();
  const declaration d = one_declared(in, end);
  if (elsewhere) reader::fail(first, "a variable of another module, of type");
  m.globals.resize(end);
  m.variables.insert_or_assign(d.what.name, d.what);
  if (in.accept("=")) {
    const bool several = in.accept("{");
    std::uint32_t at = d.what.offset;
    do {
      if (at + d.element_bytes > end) reader::fail(in.at(), "more initial values than elements");
      initialize(in, m, at, d.element_bytes);
      at += d.element_bytes;
    } while (several && in.accept(","));
    if (several) in.expect("}");
  }
  in.expect(";");
}

}  // namespace

variable declared(reader& in, std::uint32_t& end) {
  return one_declared(in, end).what;
}

void read_variables(reader& in, module& m) {
  std::vector<std::string> dynamic;  // their size is the launch's
  for (bool elsewhere = false; in.at().what != token::kind::end;) {
    if (in.at().spelling == ".shared") {
      in.take();
      const variable v = declared(in, m.shared_bytes);
      if (v.bytes == 0) dynamic.push_back(v.name);
      m.shared.insert_or_assign(v.name, v);
    } else if (in.at().spelling == ".global" || in.at().spelling == ".const") {
      module_variable(in, m, elsewhere);
    } else {
      elsewhere = in.take().spelling == ".extern";
    }
  }
  for (const reference& r : m.references)
    if (!m.variables.contains(r.to)) throw error(r.line, "no variable " + r.to);
  if (dynamic.empty()) return;
  m.shared_bytes = round_up(m.shared_bytes, 16);
  for (const std::string& name : dynamic) m.shared.at(name).offset = m.shared_bytes;
}

void skip_variable(reader& in) {
  while (in.at().spelling != ";") in.take();
  in.expect(";");
}

void place_globals(module& m, std::byte* at, std::byte* alias) {
  m.globals_at = std::bit_cast<std::uint64_t>(at);
  std::ranges::copy(m.globals, alias);
  for (const reference& r : m.references) {
    const std::uint64_t address = m.globals_at + m.variables.at(r.to).offset + r.offset;
    std::memcpy(alias + r.at, &address, sizeof address);
  }
}

}  // namespace oriel::test_driver::ptx
