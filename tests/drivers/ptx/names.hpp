// The names that a function has declared, of the innermost scope first.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/drivers/ptx/module.hpp"

namespace oriel::test_driver::ptx {

class names {
 public:
  void open() { scopes_.emplace_back(); }
  void close() {
    if (scopes_.size() > 1) scopes_.pop_back();
  }
  void add_register(std::string name) { add(std::move(name), operand::kind::reg, 0, registers_++); }
  void add_parameter(const variable& v) { add(v.name, operand::kind::param, v.offset, 0); }
  void add_local(const variable& v) { add(v.name, operand::kind::local, v.offset, 0); }
  std::uint32_t registers() const { return registers_; }

  std::optional<operand> find(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (const auto found = scope->find(name); found != scope->end()) return found->second;
    if (name == "WARP_SZ") {
      operand constant;
      constant.what = operand::kind::immediate;
      constant.immediate = 32;
      return constant;
    }
    static const std::map<std::string, special> special_registers{
        {"%tid.x", special::tid_x},
        {"%tid.y", special::tid_y},
        {"%tid.z", special::tid_z},
        {"%ntid.x", special::ntid_x},
        {"%ntid.y", special::ntid_y},
        {"%ntid.z", special::ntid_z},
        {"%ctaid.x", special::ctaid_x},
        {"%ctaid.y", special::ctaid_y},
        {"%ctaid.z", special::ctaid_z},
        {"%nctaid.x", special::nctaid_x},
        {"%nctaid.y", special::nctaid_y},
        {"%nctaid.z", special::nctaid_z},
        {"%laneid", special::laneid},
        {"%warpid", special::warpid},
        {"%globaltimer", special::globaltimer}};
    const auto found = special_registers.find(name);
    if (found == special_registers.end()) return std::nullopt;
    operand o;
    o.what = operand::kind::special_register;
    o.reg = static_cast<std::uint32_t>(found->second);
    return o;
  }

 private:
  void add(std::string name, operand::kind what, std::int64_t offset, std::uint32_t reg) {
    operand o;
    o.what = what;
    o.immediate = offset;
    o.reg = reg;
    scopes_.back().insert_or_assign(std::move(name), o);
  }

  std::vector<std::map<std::string, operand>> scopes_{1};
  std::uint32_t registers_ = 0;
};

}  // namespace oriel::test_driver::ptx
