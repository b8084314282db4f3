// The text of a module: functions, variables, scopes of names. decode.cpp has the instructions.
#include <algorithm>
#include <cctype>
#include <optional>

#include "tests/drivers/ptx/names.hpp"
#include "tests/drivers/ptx/reader.hpp"
#include "tests/drivers/ptx/statement.hpp"
#include "tests/drivers/ptx/variables.hpp"

namespace oriel::test_driver::ptx {
namespace {

class parser : private reader {
 public:
  explicit parser(module& m) : reader(m.text), module_(m) {}

  void all() {
    read_variables(*this, module_);
    rewind();
    while (at().what != token::kind::end) {
      const token head = take();
      if (head.spelling == ".version" || head.spelling == ".address_size")
        take();
      else if (head.spelling == ".target")
        do take();
        while (accept(","));
      else if (head.spelling == ".visible" || head.spelling == ".weak" ||
               head.spelling == ".extern")
        continue;
      else if (head.spelling == ".entry" || head.spelling == ".func")
        function_of(head.spelling == ".entry");
      else if (head.spelling == ".shared" || head.spelling == ".global" ||
               head.spelling == ".const")
        skip_variable(*this);
      else if (head.spelling == ".file")
        file();
      else if (head.spelling == ".section")
        while (take().spelling != "}")
          ;
      else
        fail(head, "unknown directive");
    }
    for (auto& [name, f] : module_.functions) find_callees(*f);
  }

 private:
  void function_of(bool entry) {
    auto fresh = std::make_unique<function>();
    function& f = *fresh;
    f.entry = entry;
    scopes_ = names();
    if (accept("(")) {
      expect(".param");
      f.result = declared(*this, f.parameter_bytes);
      scopes_.add_parameter(f.result);
      expect(")");
    }
    f.name = name();
    if (accept("(")) {
      while (!accept(")")) {
        expect(".param");
        f.parameters.push_back(declared(*this, f.parameter_bytes));
        scopes_.add_parameter(f.parameters.back());
        accept(",");
      }
    }
    while (at().spelling.starts_with(".")) {  // .maxntid and the like promise; none is needed here
      const token promise = take();
      if (promise.spelling != ".maxntid" && promise.spelling != ".minnctapersm" &&
          promise.spelling != ".reqntid" && promise.spelling != ".noreturn")
        fail(promise, "unknown directive");
      while (at().what == token::kind::number) {
        number();
        accept(",");
      }
    }
    if (!accept(";")) {
      expect("{");
      f.defined = true;
      body(f);
    }
    auto& place = module_.functions[f.name];
    if (!place || f.defined) place = std::move(fresh);
  }

  void body(function& f) {
    labels_.clear();
    branches_.clear();
    for (int depth = 1; depth > 0;) {
      if (accept("{")) {
        scopes_.open();
        ++depth;
      } else if (accept("}")) {
        scopes_.close();
        --depth;
      } else if (at().spelling.starts_with(".")) {
        declaration(f);
      } else if (behind().spelling == ":") {
        labels_[name()] = static_cast<std::uint32_t>(f.code.size());
        expect(":");
      } else {
        f.code.push_back(one(f));
      }
    }
    for (const auto& [index, label] : branches_) {
      const auto found = labels_.find(label);
      if (found == labels_.end()) throw error(f.code[index].line, "no label " + label);
      f.code[index].target = found->second;
    }
    f.registers = scopes_.registers();
  }

  void declaration(function& f) {
    const token head = take();
    if (head.spelling == ".reg") {
      take();  // the type: every register has 64 bits
      do {
        const std::string stem = name();
        if (accept("<")) {
          const std::uint32_t n = number();
          expect(">");
          for (std::uint32_t i = 0; i < n; ++i) scopes_.add_register(stem + std::to_string(i));
        } else {
          scopes_.add_register(stem);
        }
      } while (accept(","));
      expect(";");
    } else if (head.spelling == ".param") {
      scopes_.add_parameter(declared(*this, f.parameter_bytes));
      expect(";");
    } else if (head.spelling == ".local") {
      scopes_.add_local(declared(*this, f.local_bytes));
      expect(";");
    } else if (head.spelling == ".shared") {
      skip_variable(*this);
    } else if (head.spelling == ".pragma") {
      take();
      expect(";");
    } else if (head.spelling == ".loc") {
      place();
    } else {
      fail(head, "unknown directive");
    }
  }

  // .file 1 "path", 1700000000, 1234
  void file() {
    const std::uint32_t n = number();
    const std::string_view quoted = take().spelling;
    module_.files[n] = std::string(quoted.substr(1, quoted.size() - 2));
    while (accept(",")) number();
  }
  // .loc file line column [, function_name NAME, inlined_at file line column]
  void place() {
    location here{number(), number(), number(), -1};
    while (accept(",")) {
      const std::string what = name();
      if (what == "function_name") {
        name();
        if (accept("+")) number();
      } else {
        const location outer{number(), number(), number(), -1};
        for (std::size_t i = 0; i < module_.locations.size(); ++i) {
          const location& l = module_.locations[i];
          if (l.file == outer.file && l.line == outer.line && l.column == outer.column)
            here.inlined_at = static_cast<std::int32_t>(i);
        }
        if (here.inlined_at < 0) {
          here.inlined_at = static_cast<std::int32_t>(module_.locations.size());
          module_.locations.push_back(outer);
        }
      }
    }
    source_ = static_cast<std::int32_t>(module_.locations.size());
    module_.locations.push_back(here);
  }

  operand scalar(argument& a) {
    operand o;
    const bool minus = accept("-");
    if (at().what == token::kind::number) {
      o.what = operand::kind::immediate;
      const auto bits = static_cast<std::uint64_t>(take().value);
      o.immediate = static_cast<std::int64_t>(minus ? std::uint64_t{0} - bits : bits);
      return o;
    }
    o.negated = accept("!");
    const token word = at();
    const std::string spelled = name();
    if (const auto found = scopes_.find(spelled)) {
      const bool negated = o.negated;
      o = *found;
      o.negated = negated;
    } else if (const auto v = module_.shared.find(spelled); v != module_.shared.end()) {
      o.what = operand::kind::shared;
      o.immediate = v->second.offset;
    } else if (const auto g = module_.variables.find(spelled); g != module_.variables.end()) {
      o.what = operand::kind::global;
      o.immediate = g->second.offset;
    } else if (spelled.starts_with("%")) {
      fail(word, "unknown register");
    } else {
      a.symbol = spelled;
    }
    return o;
  }
  argument one_argument() {
    argument a;
    if (accept("{")) {
      do a.parts.push_back(scalar(a));
      while (accept(","));
      expect("}");
      return a;
    }
    a.address = accept("[");
    a.parts.push_back(scalar(a));
    if (a.address) {
      if (accept("+")) {
        const bool minus = accept("-");
        const std::int64_t offset = static_cast<std::int32_t>(number());
        a.parts[0].immediate += minus ? -offset : offset;
      }
      if (!a.symbol.empty()) throw error(at().line, "no variable " + a.symbol);
      expect("]");
    } else if (accept("|")) {
      argument behind;
      a.predicate = scalar(behind);
    }
    return a;
  }

  instruction one(function& f) {
    statement s;
    std::optional<operand> guard;
    if (accept("@")) {
      argument a;
      guard = scalar(a);
    }
    const token opcode = at();
    s.line = opcode.line;
    const std::string spelled = name();
    for (std::string_view rest = opcode.spelling; !rest.empty();) {
      const auto dot = rest.find('.');
      s.words.push_back(rest.substr(0, dot));
      rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
    }
    instruction made;
    if (s.words[0] == "call") {
      made = decode(s);
      made.calls = called();
    } else {
      if (at().spelling != ";") do
          s.arguments.push_back(one_argument());
        while (accept(","));
      made = decode(s);
      if (s.words[0] == "bra") branches_.emplace_back(f.code.size(), s.arguments.at(0).symbol);
    }
    expect(";");
    made.line = s.line;
    made.source = source_;
    if (guard) {
      made.guard = static_cast<std::int32_t>(guard->reg);
      made.guard_negated = guard->negated;
    }
    return made;
  }

  // [(result),] name [, (arguments)]. Where the callee's are is found when all is read.
  std::unique_ptr<call> called() {
    auto c = std::make_unique<call>();
    const auto one_place = [&] {
      const token word = at();
      const auto found = scopes_.find(name());
      if (!found || found->what != operand::kind::param) fail(word, "no parameter");
      return static_cast<std::uint32_t>(found->immediate);
    };
    if (accept("(")) {
      c->result.to = one_place();
      c->result.bytes = 1;
      expect(")");
      expect(",");
    }
    c->name = name();
    if (accept(",")) {
      expect("(");
      while (!accept(")")) {
        c->arguments.push_back({one_place(), 0, 0});
        accept(",");
      }
    }
    return c;
  }

  void find_callees(function& f) {
    for (instruction& i : f.code) {
      if (!i.calls) continue;
      const auto found = module_.functions.find(i.calls->name);
      const bool prints = i.calls->name == "vprintf" && i.calls->arguments.size() == 2;
      if (found == module_.functions.end() || (!found->second->defined && !prints))
        throw error(i.line, "no function " + i.calls->name);
      function& callee = *found->second;
      i.calls->callee = &callee;
      if (callee.parameters.size() != i.calls->arguments.size())
        throw error(i.line, "a call with another number of arguments");
      for (std::size_t k = 0; k < callee.parameters.size(); ++k) {
        i.calls->arguments[k].to = callee.parameters[k].offset;
        i.calls->arguments[k].bytes = callee.parameters[k].bytes;
      }
      if (i.calls->result.bytes != 0) {
        i.calls->result.from = callee.result.offset;
        i.calls->result.bytes = callee.result.bytes;
      }
    }
  }

  module& module_;
  std::int32_t source_ = -1;
  names scopes_;
  std::map<std::string, std::uint32_t> labels_;
  std::vector<std::pair<std::size_t, std::string>> branches_;
};

}  // namespace

std::unique_ptr<module> parse(std::string text) {
  auto made = std::make_unique<module>();
  made->text = std::move(text);
  for (std::string_view rest = made->text; !rest.empty();) {
    const auto end = rest.find('\n');
    made->lines.push_back(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  parser(*made).all();
  lay_out_frames(*made);
  return made;
}

}  // namespace oriel::test_driver::ptx
